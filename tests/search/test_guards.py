"""What keeps two alike texts apart, and what does not (F-DEDUP-5, F-DEDUP-7, C-140, C-141, C-143, C-144)."""

from __future__ import annotations

from difflib import SequenceMatcher

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_fabric.search.guards import may_fold, profile


def fold(one: str, other: str) -> bool:
    """Whether nothing speaks against the two being one; both ways round."""
    forth, back = may_fold(profile(one), profile(other)), may_fold(profile(other), profile(one))
    assert forth == back
    return forth


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("API port is 8080", "API port is 8081"),
        ("deploy to mw-3", "deploy to mw-2"),
        ("we pin v1.2.3", "we pin v1.2.30"),
        ("we pin v1.2.3", "we pin v12.3"),
        ("the plan costs $5", "the plan costs $50"),
        ("the meeting is on Oct 15", "the meeting is on Oct 16"),
        ("We use React 18", "We use React 19"),
        ("build number 007", "build number 7"),
        ("the offset is -5", "the offset is 5"),
        ("nodes 1.2 and 3", "nodes 1 and 2.3"),
        ("A listens on 8080 and B on 8081", "A listens on 8081 and B on 8080"),
        ("run two replicas", "run three replicas"),
        ("the timeout is five seconds", "the timeout is ten seconds"),
        ("take the first option", "take the second option"),
    ],
)
def test_one_digit_keeps_two_facts_apart(one: str, other: str) -> None:
    """C-140: whatever the score, and leading zeros count; number words are numbers too."""
    assert not fold(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Always rebase", "Never rebase"),
        ("Use tabs", "Do not use tabs"),
        ("Use tabs", "Don't use tabs"),
        ("Use tabs", "Don’t use tabs"),
        ("Use tabs", "Never use tabs"),
        ("Use tabs", "Avoid tabs"),
        ("Use tabs", "Stop using tabs"),
        ("Use tabs", "We no longer use tabs"),
        ("Redis is used here", "Redis isn't used here"),
        ("merge it with tests", "merge it without tests"),
        ("Do not forget the migration", "Forget the migration"),
        ("We do not use Redis, we use Valkey", "We use Redis, we do not use Valkey"),
        ("the flag is enabled", "the flag is disabled"),
        ("the cache is safe", "the cache is unsafe"),
        ("the build passes", "the build fails"),
        ("I love spaces", "I hate spaces"),
        ("Do use tabs, never spaces", "Do not use tabs, use spaces"),
    ],
)
def test_polarity_keeps_two_facts_apart(one: str, other: str) -> None:
    """C-141, C-143: shown side by side, since "I hate X" may have replaced "I love X"."""
    assert not fold(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Use tabs", "Do not forget to use tabs"),
        ("Use tabs", "Don't forget to use tabs"),
        ("Rebase", "Never fail to rebase"),
        ("Do not use tabs", "Never use tabs"),
        ("Do not use tabs", "Don't ever use tabs"),
        ("Redis is not used", "Redis isn't used"),
    ],
)
def test_the_same_polarity_in_other_words(one: str, other: str) -> None:
    """C-141: a naive negation check misfires on "do not forget"."""
    assert fold(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("We prefer Postgres over MySQL", "We prefer MySQL over Postgres"),
        ("Redis instead of Memcached", "Memcached instead of Redis"),
        ("Postgres is faster than MySQL", "MySQL is faster than Postgres"),
        ("migrate from Redis to Valkey", "migrate from Valkey to Redis"),
        ("replace Redis with Valkey", "replace Valkey with Redis"),
        ("replace Apache Kafka with Amazon SQS", "replace Amazon SQS with Apache Kafka"),
        ("prefer tabs to spaces", "prefer spaces to tabs"),
        ("lint before commit", "commit before lint"),
        ("The API calls the worker", "The worker calls the API"),
        ("billing depends on ledger", "ledger depends on billing"),
        ("billing is blocked by ledger", "ledger is blocked by billing"),
        ("Valkey replaced Redis", "Valkey replaced by Redis"),
    ],
)
def test_direction_keeps_two_facts_apart(one: str, other: str) -> None:
    """F-DEDUP-5, D-7: "A over B" is not "B over A"; the words are the same."""
    assert not fold(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("We use Redis and Kafka here", "We use Kafka and Redis here"),
        ("For the orders API we use cursor pagination", "We use cursor pagination for the orders API"),
        ("We decided to use cursor pagination.", "we decided to use cursor pagination"),
        ("The cache, finally, works!", "the cache finally works"),
        ("**Port** is `8080`.", "port is 8080"),
    ],
)
def test_order_and_punctuation_alone_keep_nothing_apart(one: str, other: str) -> None:
    """F-DEDUP-2: a full stop broke a duplicate."""
    assert fold(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("we ship in March", "we ship in April"),
        ("we ship in Mar", "we ship in Apr"),
        ("deploys happen Monday", "deploys happen Tuesday"),
        ("the demo is today", "the demo is tomorrow"),
        ("freeze from 2026-05-01", "freeze from 2026-05-02"),
    ],
)
def test_dates_keep_two_facts_apart(one: str, other: str) -> None:
    """F-DEDUP-5."""
    assert not fold(one, other)


def test_a_month_and_its_short_form_are_one() -> None:
    assert fold("the freeze begins in October", "the freeze begins in Oct")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("deploy to staging", "deploy to production"),
        ("write it in C++", "write it in C"),
        ("write it in C#", "write it in C"),
        ("check that x == y", "check that x != y"),
        ("keep it if a >= b", "keep it if a <= b"),
    ],
)
def test_opposites_and_signs_keep_two_facts_apart(one: str, other: str) -> None:
    assert not fold(one, other)


@pytest.mark.parametrize(
    "text",
    [
        "2026-05-01 build 41 s",
        "USER: 2026-05-01 build green",
        "[14:03:11] worker restarted",
        "- 09:30 stand-up, all fine",
        "The build took 41 s",
        "p95 dropped to 120 ms",
        "On 2026-05-01 latency was 120 ms",
    ],
)
def test_records_of_a_point_in_time_never_fold(text: str) -> None:
    """F-DEDUP-7, C-144: not even with their own copy."""
    assert not fold(text, text)


def test_two_measurements_stay_two() -> None:
    """C-144."""
    assert not fold("2026-05-01 build 41 s", "2026-05-02 build 39 s")


@pytest.mark.parametrize(
    "text",
    [
        "The cache TTL is 5 minutes",
        "Stand-up is at 09:30 every day",
        "Uploads are limited to 10 MB",
        "The freeze begins on 2026-05-01",
        "We use React 18",
    ],
)
def test_a_state_with_a_number_is_no_measurement(text: str) -> None:
    """C-146: the same fact said in five sessions is one line, though it holds a number."""
    assert fold(text, text + ".")


@pytest.mark.parametrize(
    ("one", "other", "ratio"),
    [
        ("the API port is 8080", "the API port is 8081", 0.95),
        ("We use React 18 now", "We use React 19 now", 0.947),
        ("Always rebase before merging", "Never rebase before merging", 0.80),
        ("Use tabs for indentation", "Do not use tabs for indentation", 0.836),
        ("Deploy it to staging after the review", "Deploy it to production after the review", 0.857),
    ],
)
def test_the_table_of_text_ratios(one: str, other: str, ratio: float) -> None:
    """cases.md, facts: pairs that no threshold on similarity tells from restatements."""
    assert SequenceMatcher(None, one, other).ratio() == pytest.approx(ratio, abs=5e-4)
    assert not fold(one, other)


@given(st.text(max_size=80), st.text(max_size=80))
def test_guards_never_raise_and_are_symmetric(one: str, other: str) -> None:
    fold(one, other)


@given(st.lists(st.sampled_from("we use redis cache for the orders api and not kafka over sqs".split()), max_size=12))
def test_a_state_folds_with_itself(words: list[str]) -> None:
    text = " ".join(words)
    assert fold(text, text)
