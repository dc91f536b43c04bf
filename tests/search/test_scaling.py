"""Scales, routes and sums: absolute numbers that no other hit can change (F-NORM-5, F-ROUTE-2, decisions 6 and 7)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.search.builders import NOW, ago, candidate, memory, question

from memory_fabric.model.graph import EntityId, Relation, RelationOrigin
from memory_fabric.model.memory import MemoryKind
from memory_fabric.model.query import Mode, Window
from memory_fabric.model.result import Found, Hit
from memory_fabric.search.floor import Floor, relevant
from memory_fabric.search.fuse import TIME_WEIGHT, closeness, fuse
from memory_fabric.search.normalize import normalize, scale
from memory_fabric.search.route import Routing, graph_share, mix, route

# ── scale ────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("raw", "ceiling", "share"),
    [(0, 10, 0), (5, 10, 0.5), (9.99, 10, 0.999), (10, 10, 1), (10.01, 10, 1), (-1, 10, 0), (3, 0, 0), (3, -1, 0)],
)
def test_a_score_is_its_share_of_a_perfect_match(raw: float, ceiling: float, share: float) -> None:
    assert scale(raw, ceiling) == pytest.approx(share)


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6), st.floats(-10, 1e6))
def test_the_scale_is_monotone_and_bounded(one: float, other: float, ceiling: float) -> None:
    low, high = sorted((one, other))
    assert 0 <= scale(low, ceiling) <= scale(high, ceiling) <= 1


@given(st.lists(st.floats(0, 50), min_size=1, max_size=6), st.floats(0, 50))
def test_the_scale_is_blind_to_other_hits(raws: list[float], extra: float) -> None:
    """F-NORM-5: relative scaling makes the best of a bad lot 1.0."""
    hits = tuple(Hit(memory(f"m{place}"), raw) for place, raw in enumerate(raws))
    alone = normalize(Found("text", hits[:1], ceiling=40))
    together = normalize(Found("text", (Hit(memory("x"), extra), *hits), ceiling=40))
    assert together["m0"] == alone["m0"]


def test_an_unrelated_pair_scores_below_a_related_one() -> None:
    """C-155: a measure must be able to say no."""
    found = Found("text", (Hit(memory("related"), 12.0), Hit(memory("unrelated"), 0.4)), ceiling=20.0)
    scaled = normalize(found)
    assert scaled["unrelated"] < 0.05 < scaled["related"] < 1


# ── routes ───────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("above_unsure", "share"),
    [(-9, 1.0), (-0.01, 1.0), (0.0, 1.0), (0.01, 0.99), (0.5, 0.5), (0.99, 0.01), (1, 0.0), (1.01, 0.0), (9, 0.0)],
)
def test_the_graph_fades_as_vectors_grow_sure(above_unsure: float, share: float) -> None:
    """F-ROUTE-2: whole at ``unsure`` and below, none at ``sure`` and above, even between."""
    routing = Routing(unsure=2.0, sure=3.0)
    assert graph_share(2.0 + above_unsure, routing) == pytest.approx(share)


@pytest.mark.parametrize(("best", "weight"), [(0.40, 3.0), (0.39, 3.0), (0.475, 1.5), (0.55, 0.0), (0.56, 0.0)])
def test_the_table_of_the_seed(best: float, weight: float) -> None:
    """F-ROUTE-2 with the pair of text-embedding-3-small, which holds for that model alone (F-ROUTE-3)."""
    routing = Routing(graph=3.0, unsure=0.40, sure=0.55)
    found = [Found("vector", (Hit(memory("m"), best),)), Found("graph", ())]
    assert route(found, Mode.AUTO, routing)["graph"] == pytest.approx(weight)


@given(st.floats(-100, 100), st.floats(-100, 100))
def test_more_confidence_never_gives_the_graph_more(one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert 0 <= graph_share(high, Routing()) <= graph_share(low, Routing()) <= 1


def found_by(*names: str, best: float = 100.0) -> list[Found]:
    return [Found(name, (Hit(memory("m"), best),)) for name in names]


def test_hybrid_keeps_the_graph_whatever_vectors_say() -> None:
    """F-ROUTE-1."""
    weights = route(found_by("text", "vector", "graph"), Mode.HYBRID)
    assert weights["graph"] == Routing().graph > 0


def test_without_vectors_the_graph_keeps_its_weight() -> None:
    """F-SRC-2, F-VEC-5."""
    assert route(found_by("text", "graph"), Mode.AUTO)["graph"] == Routing().graph
    unsure = [*found_by("text", "graph"), Found("vector", ())]
    assert route(unsure, Mode.AUTO)["graph"] == Routing().graph


def test_a_sure_vector_leaves_the_graph_out() -> None:
    assert route(found_by("text", "vector", "graph"), Mode.AUTO)["graph"] == 0.0


@given(st.dictionaries(st.sampled_from(["text", "vector", "graph", "recent", "mem0"]), st.floats(0, 100), min_size=1))
def test_a_mix_sums_to_one(weights: Mapping[str, float]) -> None:
    shares = mix(weights)
    if any(weights.values()):
        assert sum(shares.values()) == pytest.approx(1.0)
        assert all(0 <= share <= 1 for share in shares.values())
    else:
        assert shares == {}


def test_an_empty_mix_is_empty() -> None:
    assert mix({}) == {}
    assert mix({"text": 0.0}) == {}


# ── sums ─────────────────────────────────────────────────────────────────────────────────────────────────────────

ONE = {"text": 1.0, "vector": 1.0, "graph": 1.0}


def test_scores_are_added_not_ranks() -> None:
    """Decision 6: 8 of 10 by text and 4 of 10 by vector are 12 of the 20 that could be."""
    text = Found("text", (Hit(memory("m"), 8.0),), ceiling=10.0)
    vector = Found("vector", (Hit(memory("m"), 4.0),), ceiling=10.0)
    (it,) = fuse(question("q"), [text, vector], {}, ONE)
    assert it.relevance == pytest.approx(0.6)
    assert it.found_by == {"text": pytest.approx(0.8), "vector": pytest.approx(0.4)}


def test_what_a_source_says_of_others_memories_counts_too() -> None:
    text = Found("text", (Hit(memory("m"), 8.0),), ceiling=10.0)
    vector = Found("vector", (), ceiling=10.0)
    (it,) = fuse(question("q"), [text, vector], {"vector": {memory("m").id: 6.0}}, ONE)
    assert it.relevance == pytest.approx(0.7)


VIA = (Relation(EntityId("x"), None, EntityId("y"), "z", RelationOrigin.STATED),)


def test_a_source_of_no_weight_adds_to_no_score() -> None:
    """F-ROUTE-2, F-TRAV-6: it brings only what relations lead to, and others' scores give that its place."""
    text = Found("text", (Hit(memory("m"), 8.0),), ceiling=10.0)
    graph = Found(
        "graph", (Hit(memory("g"), 9.0), Hit(memory("far"), 9.0, VIA), Hit(memory("m"), 9.0, VIA)), ceiling=10.0
    )
    fused = fuse(question("q"), [text, graph], {"text": {memory("far").id: 1.0}}, ONE | {"graph": 0.0})
    assert {str(each.memory.id): each.relevance for each in fused} == pytest.approx({"m": 0.8, "far": 0.1})
    assert [each.authority for each in fused] == [1.0, 1.0]


@pytest.mark.parametrize(
    ("kind", "source", "value"),
    [
        (MemoryKind.EXCHANGE, "text", 1.0),
        (MemoryKind.EXCHANGE, "graph", 1.1),
        (MemoryKind.SUMMARY, "text", 0.7),
        (MemoryKind.SUMMARY, "graph", 0.7),
    ],
)
def test_authority_before_scaling(kind: MemoryKind, source: str, value: float) -> None:
    """F-RANK-4: graph-backed 1.1, derived text below 1 (C-019)."""
    via = VIA if source == "graph" else ()
    (it,) = fuse(question("q"), [Found(source, (Hit(memory("m", kind=kind), 1.0, via),))], {}, ONE)
    assert it.authority == value


def test_a_memory_that_only_mentions_what_was_asked_is_not_graph_backed() -> None:
    (it,) = fuse(question("q"), [Found("graph", (Hit(memory("m"), 1.0),))], {}, ONE)
    assert it.authority == 1.0


@given(st.lists(st.tuples(st.floats(-5, 20), st.floats(0, 20)), min_size=1, max_size=6), st.booleans())
def test_fused_relevance_lies_in_zero_to_one_and_keeps_the_order_of_sums(
    scores: list[tuple[float, float]], timed: bool
) -> None:
    memories = [memory(f"m{place}") for place in range(len(scores))]
    found = [
        Found("vector", tuple(Hit(m, v) for m, (v, _) in zip(memories, scores, strict=True)), ceiling=20.0),
        Found("text", tuple(Hit(m, t) for m, (_, t) in zip(memories, scores, strict=True)), ceiling=20.0),
    ]
    window = Window(ago(5), ago(3)) if timed else None
    fused = {each.memory.id: each.relevance for each in fuse(question("q", window=window), found, {}, ONE)}
    assert all(0 <= value <= 1 for value in fused.values())
    by_sum = sorted(memories, key=lambda m: sum(scores[int(m.id[1:])]))
    assert all(fused[a.id] <= fused[b.id] + 1e-12 for a, b in pairwise(by_sum))


def test_the_time_asked_about_is_favoured_and_filters_nothing() -> None:
    """F-PARSE-8, C-139."""
    inside, outside = memory("in", days=4), memory("out", days=400)
    found = [Found("text", (Hit(outside, 5.0), Hit(inside, 5.0)), ceiling=10.0)]
    fused = fuse(question("q", window=Window(ago(5), ago(3))), found, {}, ONE)
    by_id = {str(each.memory.id): each.relevance for each in fused}
    assert by_id["in"] == pytest.approx((5 + TIME_WEIGHT) / (10 + TIME_WEIGHT))
    assert 0 < by_id["out"] < by_id["in"]


# ── nearness in time ─────────────────────────────────────────────────────────────────────────────────────────────

DAY = Window(ago(5), ago(3))


@pytest.mark.parametrize(
    ("days", "value"), [(3.0, 1.0), (4.0, 1.0), (5.0, 1.0), (6.0, 0.3679), (2.0, 0.3679), (7.0, 0.1353), (4000.0, 0.0)]
)
def test_closeness_falls_by_the_half_width(days: float, value: float) -> None:
    assert closeness(memory("m", days=days), DAY) == pytest.approx(value, abs=1e-4)


def test_the_undated_are_close_to_no_time() -> None:
    assert closeness(memory("m", days=None), DAY) == 0.0


instants = st.datetimes(timezones=st.just(UTC))


@given(instants, st.one_of(st.none(), instants), st.one_of(st.none(), instants))
def test_closeness_lies_in_zero_to_one(at: datetime, since: datetime | None, before: datetime | None) -> None:
    it = memory("m", days=(NOW - at) / timedelta(days=1))
    assert 0 <= closeness(it, Window(since, before)) <= 1


# ── the floor ────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("found_by", "stays"),
    [
        ({"text": 0.199}, False),
        ({"text": 0.2}, True),
        ({"vector": 0.299}, False),
        ({"vector": 0.3}, True),
        ({"text": 0.25, "vector": 0.249}, False),
        ({"text": 0.25, "vector": 0.25}, True),
        ({"text": 0.0, "vector": 0.5}, True),
        ({"graph": 0.01, "text": 0.0}, False),
        ({"graph": 0.5, "text": 0.049}, False),
        ({"graph": 0.5, "text": 0.051}, True),
        ({"graph": 0.01}, True),
        ({"recent": 1.0}, True),
        ({"time": 0.01}, True),
        ({"time": 0.99, "text": 0.0}, False),
        ({"time": 0.5, "text": 0.099}, False),
        ({"time": 0.5, "text": 0.101}, True),
        ({"time": 1.0, "text": 0.1, "vector": 0.199}, False),
        ({"time": 1.0, "text": 0.1, "vector": 0.201}, True),
        ({}, False),
    ],
)
def test_nothing_relevant_gives_nothing(found_by: dict[str, float], stays: bool) -> None:
    """F-ERR-11: the bar is absolute, by each source's own scale."""
    it = candidate("m", found_by=found_by)
    assert relevant([it], Floor(both=0.5, text=0.2, vector=0.3)) == ([it] if stays else [])


@pytest.mark.parametrize(
    ("text", "lent", "shown", "sure"),
    [
        (0.119, 0.0, 0, False),
        (0.121, 0.0, 1, False),
        (0.059, 0.5, 0, False),
        (0.061, 0.5, 1, False),
        (0.199, 0.5, 1, False),
        (0.2, 0.5, 1, True),
        (0.0, 1.0, 1, False),
    ],
)
def test_from_a_share_of_the_bar_on_it_is_near(text: float, lent: float, shown: int, sure: bool) -> None:
    """What is near is shown, and marked (see ``model.result.Answer.sure``); less is asked where neighbours lend."""
    it, bar = candidate("m", found_by={"text": text}), Floor(text=0.2)
    assert len(relevant([it], bar.near(lent))) == shown
    assert bool(relevant([it], bar)) is sure


@pytest.mark.parametrize(
    ("words", "nearness", "shown", "sure"),
    [
        ({"text": 0.0}, 1.0, True, False),
        ({"text": 0.0}, 0.57, False, False),
        ({"text": 0.0}, 0.58, True, False),
        ({"vector": 0.0}, 1.0, True, False),
        ({"text": 0.0, "vector": 0.0}, 1.0, True, False),
        ({"text": 0.0, "vector": 0.0}, 0.95, False, False),
        ({"text": 0.0, "vector": 0.0}, 0.97, True, False),
        ({"text": 0.1, "vector": 0.1}, 1.0, True, True),
        ({"text": 0.1, "vector": 0.09}, 1.0, True, False),
    ],
)
def test_a_time_alone_is_near_and_never_sure(words: dict[str, float], nearness: float, shown: bool, sure: bool) -> None:
    """F-ERR-11: whatever was said at the instant that is asked about may be shown; words make it an answer."""
    it, bar = candidate("m", found_by={**words, "time": nearness}), Floor()
    assert bool(relevant([it], bar.near(0.2))) is shown
    assert bool(relevant([it], bar)) is sure


def test_the_floor_keeps_the_order() -> None:
    them = [candidate(name, found_by={"recent": 1.0}) for name in "cab"]
    assert relevant(them) == them
