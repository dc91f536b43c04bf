"""Secrets known by what they are called: ``password=…``, ``"api_key": "…"``, ``export DB_SECRET=…``.

A name alone proves nothing (``token: str``, ``password=args.password``), so the value must also look like a secret.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from memory_fabric.ingest.secret_tokens import Span, is_placeholder

_STEM = re.compile(r"pass|pwd|secret|token|credential|key")
"""Every name below begins with one of these, or ends with the last; finding them first is ten times as fast."""
_NAME = re.compile(
    r"(?:(?P<password>passwords?|passwd|passphrase|passcode|pwd)"
    r"|(?P<other>secret(?:[_-]?access[_-]?key|[_-]?key|[_-]?token)?|token|credentials?"
    r"|(?:(?<=api)|(?<=api[_-])|(?<=access)|(?<=access[_-])|(?<=private)|(?<=private[_-])|(?<=account)|(?<=account[_-])"
    r"|(?<=encryption[_-])|(?<=signing[_-])|(?<=auth[_-])|(?<=master[_-])|(?<=license[_-])|(?<=service[_-]))key))"
    r"(?:[_-](?:value|prod|dev|test|staging|live|\d))?(?![a-z])"
)
_BETWEEN = re.compile(r"""(?P<close>\\{0,4}["'`]\]?)?(?P<sep>\s{0,4}(?::=|=>|=|:)\s{0,4}|\s+(?:is|was)[:\s]\s{0,3})""")
_FLAG = re.compile(r"[ =]")
_OPEN = re.compile(r"""\\{0,4}(?P<quote>["'`])""")
_QUOTED = re.compile(r"""(?=[^\s,;)\]}+])[^"'`\n\\]{4,}""")
_BARE = re.compile(r"""[^\s"'`,;&()\[\]{}<>|\\]{4,}""")

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z", re.IGNORECASE)
_HEX = re.compile(r"[0-9a-f]+\Z", re.IGNORECASE)
_SEGMENT = re.compile(r"[^A-Za-z0-9]+")
_WORDS = re.compile(r"(?:[A-Z]?[a-z]+|[A-Z]+(?![a-z]))+\d{0,4}\Z|\d+\Z")
_TOKEN_CHARACTERS = re.compile(r"[A-Za-z0-9_.~+/=:@!#$%^&*?-]+\Z")
_MIN_PASSWORD = 6
_MIN_TOKEN = 8
_MIN_PROSE = 32
"""Characters: where no sign but ``is`` stands between name and value, only a long random run counts."""
_LONGEST_JUDGED = 512


def named_secrets(text: str, lowered: str) -> Iterator[tuple[str, Span]]:
    """Kind (``password`` or ``secret``, ``aws-secret-key``) and place of every secret that its name gives away."""
    at = 0
    while stem := _STEM.search(lowered, at):
        at = stem.end()
        name = _NAME.match(lowered, stem.start())
        if name is None:
            continue
        at = name.end()
        between = _BETWEEN.match(text, at)
        if between is None and not (
            lowered.startswith("--", _word_start(lowered, name.start())) and _FLAG.match(text, at)
        ):
            continue
        start = between.end() if between else at + 1
        prose = between is not None and between["sep"].strip()[:1] not in {"=", ":"}
        variable = text[slice(*name.span())].isupper()
        span = _value(text, start, password=name["password"] is not None, prose=prose, variable=variable)
        if span:
            yield kind_of_name(name), span
            at = span[1]


def is_named_secret(name: str, value: str) -> str | None:
    """The kind of secret that a field of this name holds, or None: for structured data."""
    match = next((m for m in _NAME.finditer(name.lower()) if m.end() == len(name)), None)
    if match is None or is_placeholder(value):
        return None
    accepted = looks_like_password(value) if match["password"] else looks_random(value)
    return kind_of_name(match) if accepted else None


def kind_of_name(name: re.Match[str]) -> str:
    """``password``, ``aws-secret-key`` or ``secret``."""
    if name["password"]:
        return "password"
    return "aws-secret-key" if name["other"].replace("-", "").replace("_", "") == "secretaccesskey" else "secret"


def _word_start(lowered: str, at: int) -> int:
    """Where the option holding this place starts; options are short."""
    floor = max(0, at - 24)
    return max(lowered.rfind(" ", floor, at), lowered.rfind("\n", floor, at), floor - 1) + 1


def _value(text: str, start: int, *, password: bool, prose: bool, variable: bool) -> Span | None:
    """The secret that starts here, or None; ``variable`` for a name in capitals, as in an environment."""
    opening = _OPEN.match(text, start)
    if opening:
        start = opening.end()
    shape = _QUOTED if opening else _BARE
    match = shape.match(text, start, start + _LONGEST_JUDGED)
    if match is None or is_placeholder(match.group()):
        return None
    value = match.group() if opening else match.group().rstrip(".:!?")
    if prose:
        accepted = len(value) >= _MIN_PROSE and looks_random(value)
    elif opening:
        accepted = looks_like_password(value) if password else looks_random(value)
    else:
        called = text[match.end() : match.end() + 1] in {"(", "["}
        accepted = not called and _bare_secret(value, password=password, variable=variable)
    if not accepted:
        return None
    whole = shape.match(text, start)
    end = whole.end() if whole and match.end() == start + _LONGEST_JUDGED else start + len(value)
    return start, end


def _bare_secret(value: str, *, password: bool, variable: bool) -> bool:
    """Without quotes the right side may be code: names, paths, types and calls are no secrets."""
    if value[0] in "./~@&-" or value.endswith("/"):
        return False
    if password and not re.search(r"[./_]", value) and (variable or not value.isalpha()):
        return looks_like_password(value)
    return looks_random(value)


def looks_like_password(value: str) -> bool:
    """At least 6 characters of two classes (letters of either case, digits, signs), or 12 of one; spaces at most 4."""
    if len(value) < _MIN_PASSWORD or value.count(" ") > 4 or is_placeholder(value) or "://" in value:
        return False
    classes = sum(
        any(test(c) for c in value)
        for test in (str.islower, str.isupper, str.isdigit, lambda c: not c.isalnum() and c not in " -_.")
    )
    return (classes >= 2 and not value.istitle()) or (
        len(value) >= 12 and " " not in value and not re.search(r"[-_.]", value)
    )


def looks_random(value: str) -> bool:
    """At least 8 characters that are no words, numbers, UUID or path: letters with digits, or a long mix of cases."""
    value = value.removesuffix(",")
    if len(value) < _MIN_TOKEN or _UUID.match(value) or not _TOKEN_CHARACTERS.match(value) or is_placeholder(value):
        return False
    if all(_WORDS.match(part) for part in _SEGMENT.split(value) if part) and not _many_cases(value):
        return False
    if _HEX.match(value) and len(value) >= 32:
        return True
    return _entropy(value) >= (2.5 if len(value) < 16 else 3.0) and (any(map(str.isdigit, value)) or _many_cases(value))


def _many_cases(value: str) -> bool:
    """A letter run whose case changes too often for words in camel case."""
    changes = sum(a.isupper() != b.isupper() for a, b in pairwise(value) if a.isalpha() and b.isalpha())
    return len(value) >= 20 and changes >= len(value) // 3


def _entropy(value: str) -> float:
    """Shannon entropy of its characters, bits a character."""
    total = len(value)
    return -math.fsum(n / total * math.log2(n / total) for n in Counter(value).values())
