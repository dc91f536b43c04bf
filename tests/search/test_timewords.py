"""Time words become a window; a number alone never does (F-PARSE-8, C-136, C-139)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.search.builders import NOW

from memory_fabric.model.query import Window
from memory_fabric.search.timewords import window_of, without_time


def span(since: str, before: str) -> Window:
    return Window(datetime.fromisoformat(since).replace(tzinfo=UTC), datetime.fromisoformat(before).replace(tzinfo=UTC))


@pytest.mark.parametrize(
    ("text", "window"),
    [
        ("today", span("2026-09-15", "2026-09-16")),
        ("yesterday", span("2026-09-14", "2026-09-15")),
        ("what broke last night?", span("2026-09-14", "2026-09-15")),
        ("this week", span("2026-09-14", "2026-09-21")),
        ("last week", span("2026-09-07", "2026-09-14")),
        ("this month", span("2026-09-01", "2026-10-01")),
        ("last month", span("2026-08-01", "2026-09-01")),
        ("last year", span("2025-01-01", "2026-01-01")),
        ("昨日の決定", span("2026-09-14", "2026-09-15")),
        ("in March 2026", span("2026-03-01", "2026-04-01")),
        ("IN MARCH 2026", span("2026-03-01", "2026-04-01")),
        ("in December", span("2025-12-01", "2026-01-01")),
        ("last September", span("2025-09-01", "2025-10-01")),
        ("in September", span("2026-09-01", "2026-10-01")),
        ("March 5, 2026", span("2026-03-05", "2026-03-06")),
        ("5 March 2026", span("2026-03-05", "2026-03-06")),
        ("on March 5", span("2026-03-05", "2026-03-06")),
        ("the 3rd of August 2026", span("2026-08-03", "2026-08-04")),
        ("2026-03-05", span("2026-03-05", "2026-03-06")),
        ("2026-03", span("2026-03-01", "2026-04-01")),
        ("2025-12", span("2025-12-01", "2026-01-01")),
        ("on Monday", span("2026-09-14", "2026-09-15")),
        ("last Tuesday", span("2026-09-08", "2026-09-09")),
        ("in 2024", span("2024-01-01", "2025-01-01")),
        ("in 2024, what did we use", span("2024-01-01", "2025-01-01")),
        ("what did we use in 2025?", span("2025-01-01", "2026-01-01")),
    ],
)
def test_what_people_say(text: str, window: Window) -> None:
    """F-PARSE-8: today is Tuesday, the 15th of September 2026."""
    assert window_of(text, NOW) == window


@pytest.mark.parametrize(
    ("text", "window"),
    [
        ("今日は何をした？", span("2026-09-15", "2026-09-16")),
        ("昨天的部署", span("2026-09-14", "2026-09-15")),
        ("昨晩の障害", span("2026-09-14", "2026-09-15")),
        ("一昨日の会議", span("2026-09-13", "2026-09-14")),
        ("前天说了什么", span("2026-09-13", "2026-09-14")),
        ("这周的会议", span("2026-09-14", "2026-09-21")),
        ("先週のリリース", span("2026-09-07", "2026-09-14")),
        ("上週的會議", span("2026-09-07", "2026-09-14")),
        ("上个星期的故障", span("2026-09-07", "2026-09-14")),
        ("先々週の決定", span("2026-08-31", "2026-09-07")),
        ("上上周的决定", span("2026-08-31", "2026-09-07")),
        ("先週の金曜日に何を直した？", span("2026-09-11", "2026-09-12")),
        ("先週の日曜", span("2026-09-13", "2026-09-14")),
        ("上周五改了什么？", span("2026-09-11", "2026-09-12")),
        ("上周日", span("2026-09-13", "2026-09-14")),
        ("上星期天", span("2026-09-13", "2026-09-14")),
        ("今週の月曜", span("2026-09-14", "2026-09-15")),
        ("本周一", span("2026-09-14", "2026-09-15")),
        ("上个月的账单", span("2026-08-01", "2026-09-01")),
        ("昨年の旅行", span("2025-01-01", "2026-01-01")),
        ("2026年3月5日", span("2026-03-05", "2026-03-06")),
        ("2026 年 3 月", span("2026-03-01", "2026-04-01")),
        ("3月に決めたこと", span("2026-03-01", "2026-04-01")),
        ("三月五号的会议", span("2026-03-05", "2026-03-06")),
        ("十二月二十五日", span("2025-12-25", "2025-12-26")),
        ("12月", span("2025-12-01", "2026-01-01")),
        ("2024年の方針", span("2024-01-01", "2025-01-01")),
        ("過去3日間", Window(NOW - timedelta(days=3), NOW)),
        ("最近两周的改动", Window(NOW - timedelta(days=14), NOW)),
        ("过去三个月", Window(NOW - timedelta(days=90), NOW)),
    ],
)
def test_what_people_say_in_japanese_and_chinese(text: str, window: Window) -> None:
    assert window_of(text, NOW) == window


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("3日前", 3),
        ("三天前的改动", 3),
        ("2週間前に", 14),
        ("两周之前", 14),
        ("十二天前", 12),
        ("二十天以前", 20),
        ("半年前は3か月前", 90),
        ("三个月前", 90),
        ("1年前", 365),
        ("3 days ago", 3),
        ("one day ago", 1),
        ("two weeks ago", 14),
        ("a month ago", 30),
        ("3 months back", 90),
        ("a year ago", 365),
    ],
)
def test_ago_is_a_span_around_that_day(text: str, days: int) -> None:
    """F-PARSE-8: "N days/weeks/months ago"; the longer ago, the wider."""
    window = window_of(text, NOW)
    assert window is not None
    assert window.since is not None
    assert window.before is not None
    assert window.since < NOW - timedelta(days=days) < window.before
    assert window.since + (window.before - window.since) / 2 == NOW - timedelta(days=days)


def test_the_last_days_end_now() -> None:
    assert window_of("in the last 3 days", NOW) == Window(NOW - timedelta(days=3), NOW)
    assert window_of("past two weeks", NOW) == Window(NOW - timedelta(days=14), NOW)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "port 9077",
        "issue 2019",
        "in 9077",
        "in 2019x",
        "error 2024",
        "PR 2024",
        "in 2027",
        "in 1999",
        "in 2000 tokens",
        "in 2024 lines",
        "since 2048 bits",
        "port 2024 in use",
        "may we use it",
        "march through the code",
        "it may 5 times fail",
        "Mar",
        "the second thing",
        "decided on 12 replicas",
        "feb 30 2026",
        "2026-02-30",
        "2026-13-01",
        "2026-00-10",
        "build-2026-03-05-rc1",
        "december 32",
        "week",
        "3か月かかる",
        "三个月的试用期",
        "先生の月",
        "13月",
        "2月30日",
        "周一",
        "金曜日",
        "1999年",
        "2027年",
        "100日間",
        "以前の設定",
        "holidays",
        "yesterdays",
    ],
)
def test_unsure_means_no_time(text: str) -> None:
    """C-136: a number needs a second cue; a date that is none is none."""
    assert window_of(text, NOW) is None


@pytest.mark.parametrize(
    ("text", "found"), [("in 2000", True), ("in 2026", True), ("in 1999", False), ("in 2027", False)]
)
def test_years_from_2000_to_this_one(text: str, found: bool) -> None:
    assert (window_of(text, NOW) is not None) is found


def test_what_is_left_without_the_time() -> None:
    assert (
        without_time("what did we decide in March 2026 about queues", NOW).split()
        == "what did we decide about queues".split()
    )
    assert without_time("port 9077", NOW) == "port 9077"
    assert without_time("先週の金曜日に直した", NOW).split() == ["に直した"]
    assert without_time("三天前的改动", NOW).split() == ["的改动"]


words = st.lists(
    st.sampled_from(
        "on since last this past the a of 1 3 5 31 32 0 99 999 2024 2026 9999 days weeks months years ago back march "
        "may feb dec january monday yesterday today week month year 2026-02 2026-12-31 0001-01-01 2019-12 , ? couple "
        "hour hours 昨日 先週の 上周 五 金曜 3日前 十天前 過去 三个月 十二月 三十一日 2026年 二月 三十号".split()
    ),
    max_size=8,
).map(" ".join)


@given(st.one_of(words, st.text(max_size=60)), st.datetimes(timezones=st.just(UTC)))
def test_a_window_is_never_inverted_and_never_an_error(text: str, now: datetime) -> None:
    window = window_of(text, now)
    if window is not None:
        assert window.since is not None
        assert window.before is not None
        assert window.since < window.before
        assert window.since.tzinfo is not None
    assert len(without_time(text, now)) == len(" ".join(text.split()))
