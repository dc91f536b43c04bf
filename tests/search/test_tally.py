"""F-RES-3: hits, results, and what was merged on the way."""

from __future__ import annotations

import pytest
from tests.search.builders import candidate, memory

from memory_fabric.model.result import Found, Hit
from memory_fabric.search.tally import tally


def found(source: str, *names: str) -> Found:
    return Found(source, tuple(Hit(memory(name), 1.0) for name in names))


@pytest.mark.parametrize(
    ("results", "counts", "merged", "absorbed"),
    [
        ([], {"text": 0, "vector": 0}, 0, 0),
        (["a"], {"text": 1, "vector": 0}, 0, 0),
        (["a", "b"], {"text": 2, "vector": 1}, 1, 1),
        (["a", "b", "c"], {"text": 2, "vector": 2}, 1, 1),
        (["z"], {"text": 0, "vector": 0, "graph": 1}, 0, 0),
    ],
)
def test_a_memory_that_two_sources_found_is_one_result(
    results: list[str], counts: dict[str, int], merged: int, absorbed: int
) -> None:
    """F-RES-3: hits that came to nothing are not counted; what was followed along an edge is the graph's."""
    got = tally([found("text", "a", "b"), found("vector", "b", "c")], [candidate(name) for name in results])
    assert (got.counts, got.merged, got.absorbed) == (counts, merged, absorbed)
    assert sum(got.counts.values()) - got.absorbed == len(results)


def test_folded_memories_count_with_the_result_that_absorbed_them() -> None:
    one = candidate("a", absorbed=(memory("b"), memory("c")))
    got = tally([found("text", "a", "b"), found("vector", "b", "c")], [one])
    assert (got.counts, got.merged, got.absorbed) == ({"text": 2, "vector": 2}, 1, 3)
