"""Time words of a question: "yesterday", "3 weeks ago", "in March 2026" become a window (F-PARSE-8).

Strict on purpose: a number is a year only beside a month or after "in/since/before/during/of" and only where no
other reading is at hand ("port 9077", "issue 2019": C-136).  Unsure means no window.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import partial

from memory_fabric.model.query import Window

_MONTHS = {
    name: number
    for number, names in enumerate(
        "january jan|february feb|march mar|april apr|may|june jun|july jul|august aug|september sep sept|"
        "october oct|november nov|december dec".split("|"),
        1,
    )
    for name in names.split()
}
_VERBS = frozenset(["may", "march", "mar"])
"""Months that are something else without a second cue: "it may 5 times fail" (C-136)."""

_DAYS = {name: number for number, name in enumerate("monday tuesday wednesday thursday friday saturday sunday".split())}
_COUNTS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "couple of": 2, "few": 3}
_UNITS = {"hour": 1 / 24, "day": 1, "week": 7, "month": 30, "year": 365}

_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_AFTER_A_YEAR = (
    "we|i|you|they|the|a|an|did|do|was|were|when|what|why|how|who|which|where|and|or|but|with|for|about|to|by|on|at|our|"
    "my|it|that|this|already"
)
"""What may follow a year; a noun would make it a number of things: "in 2000 tokens" (C-136)."""

_COUNT = r"\d{1,3}|" + "|".join(_COUNTS)

_NUMERALS = {sign: number for number, sign in enumerate("〇一二三四五六七八九十")} | {"两": 2, "兩": 2}
_NUMBER = rf"\d{{1,3}}|[{''.join(_NUMERALS)}]{{1,3}}"
_CJK_UNITS = {
    sign: days
    for days, signs in (
        (1 / 24, "時間 小时 小時 个小时 個小時"),
        (1, "日 天"),
        (7, "週間 週 周 个星期 個星期 星期 个礼拜"),
        (30, "か月 ヶ月 カ月 ヵ月 个月 個月"),
        (365, "年"),
    )
    for sign in signs.split()
}
_CJK_UNIT = "|".join(sorted(_CJK_UNITS, key=len, reverse=True))
_CJK_DAYS = {sign: place % 7 for place, sign in enumerate("月火水木金土日一二三四五六天")}
"""Days of the week, Japanese and then Chinese, where 日 and 天 are the seventh."""

Rule = Callable[[re.Match[str], datetime], Window | None]


def window_of(text: str, now: datetime) -> Window | None:
    """The span that the question names, in aware UTC, or None; never raises."""
    return next((window for _, window in _found(_plain(text), now)), None)


def without_time(text: str, now: datetime) -> str:
    """The question without its time words: they say when, not what."""
    letters = list(_plain(text))
    for match, _ in _found(_plain(text), now):
        letters[match.start() : match.end()] = " " * (match.end() - match.start())
    return "".join(letters)


def _plain(text: str) -> str:
    return " ".join(text.split())


def _found(text: str, now: datetime) -> Iterator[tuple[re.Match[str], Window]]:
    """Time words with what they mean, the most exact forms first."""
    for pattern, rule in _RULES:
        for match in pattern.finditer(text):
            try:
                window = rule(match, now)
            except (ValueError, OverflowError):
                continue  # the 30th of February: no date, hence no window
            if window is not None:
                yield match, window


def _midnight(at: datetime) -> datetime:
    return at.replace(hour=0, minute=0, second=0, microsecond=0)


def _days(first: datetime, days: float) -> Window:
    return Window(first, first + timedelta(days=days))


def _iso(match: re.Match[str], now: datetime) -> Window | None:
    year, month, day = int(match["year"]), int(match["month"]), match["day"]
    if day is None:
        return _month_span(year, month, now)
    return _days(_midnight(now).replace(year=year, month=month, day=int(day)), 1)


def _month_span(year: int, month: int, now: datetime) -> Window:
    first = _midnight(now).replace(year=year, month=month, day=1)
    after = first.replace(year=year + month // 12, month=month % 12 + 1)
    return Window(first, after)


def _named_month(match: re.Match[str], now: datetime) -> Window | None:
    """Like "in March 2026", "March 5, 2026", "5 March", "last March"; without a year the latest one that has begun."""
    month, day = _MONTHS[match["name"].casefold()], match["day"] or match["day2"]
    year = int(match["year"]) if match["year"] else now.year - (month > now.month)
    if (match["which"] or "").casefold() == "last" and not match["year"] and year == now.year and month == now.month:
        year -= 1
    cued = match["in"] or match["year"] or match["which"]
    if not cued and (not day or match["name"].casefold() in _VERBS):
        return None
    if day:
        return _days(_midnight(now).replace(year=year, month=month, day=int(day)), 1)
    return _month_span(year, month, now)


def _ago(match: re.Match[str], now: datetime) -> Window:
    unit = _UNITS[match["unit"].casefold()]
    return _around(_count(match["count"]) * unit, unit, now)


def _around(days: float, unit: float, now: datetime) -> Window:
    """A span around that many days ago: half a unit to each side, a day at least."""
    slack = max(1.0, unit / 2)
    centre = now - timedelta(days=days)
    return Window(centre - timedelta(days=slack), centre + timedelta(days=slack))


def _past(match: re.Match[str], now: datetime) -> Window:
    return Window(now - timedelta(days=_count(match["count"]) * _UNITS[match["unit"].casefold()]), now)


def _count(word: str | None) -> int:
    if not word:
        return 1
    return _COUNTS[word.casefold()] if word.casefold() in _COUNTS else int(word)


def _number(written: str) -> int:
    """Of digits, or of Chinese numerals below 1,000 (十二, 二十, 三〇); ValueError for what is none."""
    if written.isdecimal():
        return int(written)
    tens, ten, ones = written.partition("十")
    if not ten:
        return int("".join(str(_NUMERALS[sign]) for sign in written))
    return 10 * (_number(tens) if tens else 1) + (_number(ones) if ones else 0)


def _cjk_ago(match: re.Match[str], now: datetime) -> Window:
    unit = _CJK_UNITS[match["unit"]]
    return _around(_number(match["count"]) * unit, unit, now)


def _cjk_past(match: re.Match[str], now: datetime) -> Window:
    return Window(now - timedelta(days=_number(match["count"]) * _CJK_UNITS[match["unit"]]), now)


def _cjk_date(match: re.Match[str], now: datetime) -> Window | None:
    """Like 2026年3月5日, 三月五号, 3月; without a year the latest that has begun."""
    month = _number(match["month"])
    year = int(match["year"]) if match["year"] else now.year - (month > now.month)
    if match["day"] is None:
        return _month_span(year, month, now)
    return _days(_midnight(now).replace(year=year, month=month, day=_number(match["day"])), 1)


def _cjk_weekday(match: re.Match[str], now: datetime) -> Window:
    """A day of this week or the last: 先週の金曜, 上周五."""
    back = now.weekday() - _CJK_DAYS[match["name"]] + 7 * (match["last"] is not None)
    return _days(_midnight(now) - timedelta(days=back), 1)


def _relative(match: re.Match[str], now: datetime) -> Window:
    return _RELATIVE[match.group().casefold()](now)


def _day(back: int, now: datetime) -> Window:
    return _days(_midnight(now) - timedelta(days=back), 1)


def _week(back: int, now: datetime) -> Window:
    return _days(_midnight(now) - timedelta(days=now.weekday() + 7 * back), 7)


def _calendar_month(back: int, now: datetime) -> Window:
    return _month_span(now.year - (now.month <= back), (now.month - 1 - back) % 12 + 1, now)


def _calendar_year(back: int, now: datetime) -> Window:
    first = _midnight(now).replace(year=now.year - back, month=1, day=1)
    return Window(first, first.replace(year=first.year + 1))


_RELATIVE: dict[str, Callable[[datetime], Window]] = {
    word: partial(rule, back)
    for rule, back, words in (
        (_day, 0, "today|tonight|this morning|今日|本日|今天|今早"),
        (_day, 1, "yesterday|last night|昨日|昨夜|昨晩|昨天|昨晚"),
        (_day, 2, "一昨日|おととい|前天"),
        (_week, 0, "this week|今週|这周|本周|这个星期|這週|本週|這個星期"),
        (_week, 1, "last week|先週|上周|上个星期|上星期|上週|上個星期"),
        (_week, 2, "先々週|上上周|上上週"),
        (_calendar_month, 0, "this month|今月|这个月|本月|這個月"),
        (_calendar_month, 1, "last month|先月|上个月|上月|上個月"),
        (_calendar_year, 0, "this year|今年"),
        (_calendar_year, 1, "last year|去年|昨年"),
    )
    for word in words.split("|")
}


def _weekday(match: re.Match[str], now: datetime) -> Window:
    back = (now.weekday() - _DAYS[match["name"].casefold()]) % 7 or 7
    return _days(_midnight(now) - timedelta(days=back), 1)


def _year(match: re.Match[str], now: datetime) -> Window | None:
    year = int(match["year"])
    if not 2000 <= year <= now.year:
        return None
    first = _midnight(now).replace(year=year, month=1, day=1)
    return Window(first, first.replace(year=year + 1))


_RULES: tuple[tuple[re.Pattern[str], Rule], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), rule)
    for pattern, rule in (
        (r"(?<![\w.-])(?P<year>(?:19|20)\d\d)-(?P<month>0[1-9]|1[0-2])(?:-(?P<day>[0-2]\d|3[01]))?(?![\w-])", _iso),
        (
            r"(?:\b(?P<in>in|on|since|during|from|until|before|after|by|of|early|late|mid)[ -])?"
            r"(?:(?P<which>last|this)\ )?"
            r"(?:(?P<day>[0-2]?\d|3[01])(?:st|nd|rd|th)?(?:\ of)?\ )?"
            rf"\b(?P<name>{_MONTH})\b\.?(?:\ (?P<day2>[0-2]?\d|3[01])(?:st|nd|rd|th)?\b(?!\d))?"
            r"(?:,?\ (?P<year>(?:19|20)\d\d)\b)?",
            _named_month,
        ),
        (rf"\b(?P<count>{_COUNT})\ (?P<unit>{'|'.join(_UNITS)})s?\ (?:ago|back|earlier)\b", _ago),
        (
            rf"\b(?:(?:last|past|previous)\ (?P<count>{_COUNT})\ (?P<unit>{'|'.join(_UNITS)})s?)\b",
            _past,
        ),
        (rf"(?P<count>{_NUMBER})\ ?(?P<unit>{_CJK_UNIT})(?:以|之)?前", _cjk_ago),
        (rf"(?:過去|ここ|この|最近|过去|這|这)の?\ ?(?P<count>{_NUMBER})\ ?(?P<unit>{_CJK_UNIT})間?(?!前)", _cjk_past),
        (
            rf"(?:(?P<year>(?:19|20)\d\d)\ ?年\ ?)?(?<![\d{''.join(_NUMERALS)}])(?P<month>{_NUMBER})\ ?月份?"
            rf"(?:の|\ )?(?:(?P<day>{_NUMBER})\ ?(?:日|号|號))?",
            _cjk_date,
        ),
        (
            r"(?:(?P<last>先週の?|上周|上个?星期|上週|上個?星期)|今週の?|这周|本周|這週|本週)"
            r"(?P<name>[月火水木金土日](?=曜)|(?<!の)[一二三四五六日天])(?:曜日?)?",
            _cjk_weekday,
        ),
        (
            "|".join(rf"\b{word}\b" if word.isascii() else word for word in sorted(_RELATIVE, key=len, reverse=True)),
            _relative,
        ),
        (rf"\b(?:last|on|this past)\ (?P<name>{'|'.join(_DAYS)})\b", _weekday),
        (r"(?<!\d)(?P<year>20\d\d)\ ?年(?![前間\d])", _year),
        (
            rf"\b(?:in|during|since)\ (?:the year\ )?(?P<year>20\d\d)\b(?=\s*(?:$|[,;:.!?)]|(?:{_AFTER_A_YEAR})\b))",
            _year,
        ),
    )
)
