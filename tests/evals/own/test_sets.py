"""How questions are made of a store: each rule at its number, below and above (F-EVAL-1 to F-EVAL-3)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest
from tests.evals.own.held import COMMON, chunk, entity, fillers, held

from memory_fabric.evals.half import Half
from memory_fabric.evals.own.crossing import cross_session
from memory_fabric.evals.own.making import Bias, Made, draw, short_id
from memory_fabric.evals.own.passages import LONGEST, SHORTEST, single_hop
from memory_fabric.evals.own.snapshot import Chunk, Named, Snapshot, snapshot
from memory_fabric.evals.own.wording import Wording
from memory_fabric.text import entity_key

SAID = "Check the folder when the hook fails and update the branch before the review starts again."


def passages(*chunks: Chunk, related: Iterable[str] | None = None, limit: int = 100) -> Made:
    store = held([*fillers(20), *chunks], related=related)
    return single_hop(store, Wording(store), limit)


def of_length(characters: int) -> Chunk:
    """A passage of exactly so many characters."""
    short = chunk("it", f"{SAID} ", session="s9")
    return replace(short, text=short.text + "z" * (characters - len(short.text)))


@pytest.mark.parametrize(
    ("characters", "made"),
    [(SHORTEST - 1, 0), (SHORTEST, 1), (SHORTEST + 1, 1), (LONGEST - 1, 1), (LONGEST, 1), (LONGEST + 1, 0)],
)
def test_passages_of_800_to_6000_characters_are_asked_about(characters: int, made: int) -> None:
    found = passages(of_length(characters))
    assert len(found.questions) == made
    assert found.skipped["not of 800 to 6000 characters"] == 20 + 1 - made


def test_a_passage_without_a_relation_is_not_asked_about() -> None:
    assert passages(of_length(900), related=["it"]).questions
    found = passages(of_length(900), related=[])
    assert not found.questions
    assert found.skipped["without a relation"] == 1


def test_a_summary_is_not_asked_about() -> None:
    found = passages(replace(of_length(900), kind="summary"))
    assert not found.questions
    assert found.skipped["no exchange"] == 1


def test_the_right_answer_is_the_passage_and_its_session_is_resampled_as_one() -> None:
    (question,) = passages(of_length(900)).questions
    assert question.gold == {"it"}
    assert question.group == "s9"
    assert question.categories == ("single-hop",)
    assert "it" not in question.id.removeprefix("single-hop-")


def test_the_same_words_are_asked_once() -> None:
    """Of two passages that say the same neither could be the only right answer."""
    found = passages(of_length(900), replace(of_length(900), id="it too"))
    texts = [question.text for question in found.questions]
    assert len(texts) == len(set(texts))


@pytest.mark.parametrize(("limit", "made", "beyond"), [(1, 1, 2), (2, 2, 1), (3, 3, 0), (4, 3, 0)])
def test_the_limit_holds_and_what_is_beyond_it_is_counted(limit: int, made: int, beyond: int) -> None:
    plain = ("river", "candle", "marble")
    chunks = [
        replace(
            of_length(900), id=word, text=of_length(900).text.replace("hook", word).replace("z" * 9, word + " hello")
        )
        for word in plain
    ]
    store = held([*fillers(20, f"{COMMON} river candle marble"), *chunks])
    found = single_hop(store, Wording(store), limit)
    assert len(found.questions) == made
    assert found.skipped["beyond the limit"] == beyond


def crossing(sessions: Iterable[str], *, kind: str | None = "technology", **more: object) -> Made:
    """Of a thing that passages of these sessions mention."""
    thing = entity("Redis", kind, **more)  # type: ignore[arg-type]
    chunks = [
        chunk(f"c{number}", SAID, session=session, mentions=(thing.id,)) for number, session in enumerate(sessions)
    ]
    return crossing_of(held([*fillers(20), *chunks], [thing]))


def crossing_of(store: Snapshot) -> Made:
    return cross_session(store, Wording(store), 100)


@pytest.mark.parametrize(("chunks", "made"), [(1, 0), (2, 1), (3, 1), (13, 1), (14, 1), (15, 0)])
def test_things_of_2_to_14_passages_are_asked_about(chunks: int, made: int) -> None:
    found = crossing(f"s{number}" for number in range(chunks))
    assert len(found.questions) == made
    assert found.skipped["not in 2 to 14 passages"] == 1 - made


@pytest.mark.parametrize(("sessions", "made"), [(1, 0), (2, 1), (3, 1)])
def test_a_thing_must_stand_in_two_sessions(sessions: int, made: int) -> None:
    found = crossing(f"s{number % sessions}" for number in range(4))
    assert len(found.questions) == made
    assert found.skipped["in one session only"] == 1 - made


@pytest.mark.parametrize("kind", ["technology", "concept", "artifact", "problem", "decision"])
def test_five_kinds_are_asked_about(kind: str) -> None:
    assert crossing(["a", "b"], kind=kind).questions


@pytest.mark.parametrize("kind", ["project", "person", None])
def test_other_kinds_are_not(kind: str | None) -> None:
    assert crossing(["a", "b"], kind=kind).skipped["of another kind"] == 1


def test_commits_are_not_asked_about_by_name() -> None:
    """Their calls are taken out of what is asked: see ``aside``."""
    assert crossing(["a", "b"], kind="artifact", label="commit").skipped["of another kind"] == 1


def test_the_question_names_the_thing_and_hints_at_one_session_and_the_others_are_right() -> None:
    found = crossing(["a", "a", "b", "c"])
    (question,) = found.questions
    assert question.text.startswith("Where else did Redis come up, besides the ")
    known = found.known[question.id]
    assert known.isdisjoint(question.gold)
    assert known & {"c0", "c1", "c2", "c3"} | question.gold == {"c0", "c1", "c2", "c3"}
    assert known in ({"c0", "c1"}, {"c2"}, {"c3"})


def test_what_a_sub_agent_says_is_said_in_the_session_that_started_it() -> None:
    thing = entity("Redis")
    chunks = [chunk(f"c{each}", SAID, session=each, mentions=(thing.id,)) for each in ("main", "sub")]
    alone = crossing_of(held([*fillers(20), *chunks], [thing]))
    below = crossing_of(held([*fillers(20), *chunks], [thing], parents={"sub": "main", "main": "main"}))
    assert alone.questions
    assert below.skipped["in one session only"] == 1


def test_things_of_one_name_are_one() -> None:
    """A file in two checkouts: whoever asks for it by name means both (F-ERR-12)."""
    first, second = (Named(f"artifact {each}", "cart.py", "artifact", "file") for each in "ab")
    chunks = [
        chunk("c0", SAID, session="a", mentions=(first.id,)),
        chunk("c1", SAID, session="b", mentions=(second.id,)),
    ]
    found = crossing_of(held([*fillers(20), *chunks], [first, second]))
    assert len(found.questions) == 1


def test_a_thing_with_nothing_plain_said_beside_it_is_left_out() -> None:
    thing = entity("Redis")
    chunks = [chunk(f"c{each}", "Redis.", session=each, mentions=(thing.id,)) for each in "ab"]
    found = crossing_of(held([*fillers(20), *chunks], [thing]))
    assert found.skipped["no plain words beside it"] == 1


def test_the_same_store_gives_the_same_questions_in_whatever_order_it_is_read() -> None:
    things = [entity(name) for name in ("Redis", "Celery", "Kafka")]
    chunks = [
        chunk(f"{each.id}{session}", SAID, session=session, mentions=(each.id,)) for each in things for session in "abc"
    ]
    forward = crossing_of(held([*fillers(20), *chunks], things))
    backward = crossing_of(held([*reversed(chunks), *fillers(20)], reversed(things)))
    assert {each.id for each in forward.questions} == {each.id for each in backward.questions}


def test_draws_look_like_chance_and_are_the_same_each_time() -> None:
    numbers = list(range(100))
    drawn = draw(numbers, str)
    assert drawn == draw(reversed(numbers), str)
    assert drawn != numbers
    assert sorted(drawn) == numbers


def test_the_halves_are_disjoint_and_both_are_met() -> None:
    """F-EVAL-5: tuning and scoring questions are disjoint."""
    ids = [short_id(Bias.CROSS_SESSION, str(number)) for number in range(200)]
    halves = {half: {id_ for id_ in ids if Half.of(id_) is half} for half in Half}
    assert halves[Half.TUNE].isdisjoint(halves[Half.CHECK])
    assert halves[Half.TUNE] | halves[Half.CHECK] == set(ids)
    assert min(map(len, halves.values())) > 60


def test_a_snapshot_is_what_an_export_says() -> None:
    at = "2026-03-01T09:00:00Z"
    origin = {"source": "claude_code", "session": "s"}
    tool = {"kind": "file", "name": "Edit", "target": "/w/a.py"}
    memory: dict[str, Any] = {
        "type": "memory", "id": "m", "text": "USER: hello there", "kind": "exchange", "project": "p", "at": at,
        "origin": origin, "metadata": {"tools": [tool]}, "mentions": ["e"],
    }  # fmt: skip
    rows: list[dict[str, Any]] = [
        {"type": "project", "id": "p", "root": "/w"},
        {"type": "session", "id": "s", "parent": "t"},
        {"type": "entity", "id": "e", "name": "a.py", "kind": "artifact", "label": "file", "aliases": ["src/a.py"]},
        memory,
        {**memory, "id": "undated", "at": None, "metadata": {}, "mentions": []},
        {"type": "relation", "evidence": "m"},
        {"type": "relation", "evidence": None},
        {"type": "tombstone", "id": "x"},
    ]
    found = snapshot(rows)
    assert set(found.chunks) == {"m", "undated"}
    assert found.chunks["m"].tools == (tool,)
    assert found.chunks["undated"].at is None
    assert found.related == {"m"}
    assert found.roots == {"p": "/w"}
    assert found.conversation("s") == "t"
    assert found.names[entity_key("src/a.py")] == {"e"}
    assert found.mentioning == {"e": ("m",)}
    assert found.frequency["hello"] == 2
    assert found.sessions == {"s": {"m", "undated"}}
    assert found.conversations == {"t": {"m", "undated"}}
