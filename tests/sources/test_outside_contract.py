"""One contract for every memory that is kept elsewhere (``ports.OutsideSource``; F-SRC-2, F-NORM-1 to F-NORM-6).

It holds what ``test_source_contract`` asks of our own sources, as far as a memory that knows no projects can.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.search.builders import ago, memory, question

from memory_fabric.clock import Deadline
from memory_fabric.errors import SourceUnavailable
from memory_fabric.ingest.redact import redact_value
from memory_fabric.model.memory import MemoryKind, ProjectId
from memory_fabric.model.query import Query, Scope, Window
from memory_fabric.model.result import Found
from memory_fabric.ports import OutsideSource
from memory_fabric.sources.configured import McpServer
from memory_fabric.sources.mcp.memory import McpMemory

PEER = Path(__file__).parents[1] / "federation" / "peer.py"
LONG = 60.0
SECRET = "ghp_" + "a" * 36

Make = Callable[[Path, list[str]], OutsideSource]
"""A source of a folder of its own that holds these texts."""


def mcp(folder: Path, texts: list[str]) -> OutsideSource:
    path = folder / "graph.json"
    nodes = [{"name": f"n{place:02}", "entityType": "note", "observations": [text]} for place, text in enumerate(texts)]
    path.write_text(json.dumps({"entities": nodes, "relations": []}), encoding="utf-8")
    entry = McpServer(name="elsewhere", command=(sys.executable, "-I", str(PEER), str(path)), deadline=7.0)
    return McpMemory(entry, os.environ, redact_value)


def nobody(folder: Path) -> OutsideSource:
    return McpMemory(McpServer(name="elsewhere", command=(str(folder / "nothing"),)), os.environ, redact_value)


MAKERS: dict[str, Make] = {"mcp": mcp}
BROKEN: dict[str, Callable[[Path], OutsideSource]] = {"mcp": nobody}
"""The same kind of source where nobody answers."""

ASKED = question("how do we fill the redis cache", scope=Scope(projects=(ProjectId("a"),)))


@pytest.fixture(params=list(MAKERS))
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def make(kind: str, tmp_path: Path) -> Iterator[Callable[..., OutsideSource]]:
    opened: list[OutsideSource] = []

    def made(count: int = 6, *more: str) -> OutsideSource:
        texts = ["fill the redis cache " + "and more " * place for place in range(count)]
        opened.append(MAKERS[kind](tmp_path, [*texts, *more]))
        return opened[-1]

    yield made
    for source in opened:
        source.close()


def find(source: OutsideSource, query: Query = ASKED, limit: int = 20) -> Found:
    return source.find(query, limit, Deadline.after(LONG))


def ids(found: Found) -> list[str]:
    return [str(hit.memory.id) for hit in found.hits]


def test_its_answer_carries_its_name_and_it_is_never_required(make: Callable[..., OutsideSource]) -> None:
    """F-SRC-5."""
    source = make()
    found = find(source)
    assert source.name == found.source == "elsewhere"
    assert not source.required
    assert source.deadline == 7.0
    assert found.seconds >= 0


def test_best_first_and_no_memory_twice(make: Callable[..., OutsideSource]) -> None:
    found = find(make())
    raws = [hit.raw for hit in found.hits]
    assert raws == sorted(raws, reverse=True)
    assert len(set(ids(found))) == len(found.hits) == 6
    assert all(0 <= raw <= found.ceiling for raw in raws)


@pytest.mark.parametrize("limit", [0, 1, 5, 6, 7])
def test_the_limit_is_kept(make: Callable[..., OutsideSource], limit: int) -> None:
    """F-SRC-6: and the best stay."""
    source = make()
    assert ids(find(source, limit=limit)) == ids(find(source))[:limit]


@pytest.mark.parametrize(("there", "handed"), [(19, 19), (20, 20), (21, 20)])
def test_twenty_at_most(make: Callable[..., OutsideSource], there: int, handed: int) -> None:
    """F-SRC-6."""
    assert len(find(make(there)).hits) == handed


def test_what_it_hands_in_is_a_note_of_no_project_and_one_witness(
    make: Callable[..., OutsideSource], kind: str
) -> None:
    """F-NORM-1, F-NORM-2, D-5."""
    found = find(make())
    for hit in found.hits:
        it = hit.memory
        assert it.id.startswith(f"{kind}:elsewhere:")
        assert (it.kind, it.project) == (MemoryKind.NOTE, None)
        assert (it.origin.source, it.origin.outside, it.origin.echo) == ("elsewhere", "elsewhere", False)
        assert json.loads(json.dumps(it.metadata)) == it.metadata
    assert len({hit.memory.origin.session for hit in found.hits}) == 1


def test_scores_do_not_depend_on_what_else_is_there(make: Callable[..., OutsideSource]) -> None:
    """F-NORM-5."""
    few = {hit.memory.id: hit.raw for hit in find(make(2)).hits}
    many = {hit.memory.id: hit.raw for hit in find(make(9)).hits}
    assert few == {id_: many[id_] for id_ in few}


def test_no_project_finds_nothing_and_every_project_all(make: Callable[..., OutsideSource]) -> None:
    """C-152."""
    source = make()
    assert ids(find(source, replace(ASKED, scope=Scope(projects=())))) == []
    assert len(find(source, replace(ASKED, scope=Scope())).hits) == 6


def test_hard_limits_of_time_and_kind_hold(make: Callable[..., OutsideSource]) -> None:
    source = make()
    scope = Scope(window=Window(since=ago(400), before=ago(300)))
    assert ids(find(source, replace(ASKED, scope=scope))) == []
    assert ids(find(source, replace(ASKED, scope=Scope(kinds=("exchange",))))) == []
    assert len(find(source, replace(ASKED, scope=Scope(kinds=("note",)))).hits) == 6


def test_secrets_never_come_in(make: Callable[..., OutsideSource]) -> None:
    """F-PRIV-1, C-110."""
    found = find(make(0, f"fill the redis cache with {SECRET}"))
    assert len(found.hits) == 1
    assert SECRET not in repr(found)


def test_it_weighs_nothing_of_others(make: Callable[..., OutsideSource]) -> None:
    source = make()
    assert source.weigh(ASKED, [memory("stranger", "never stored")]) == {}
    assert source.weigh(ASKED, []) == {}


def test_asking_twice_gives_the_same_also_after_it_was_closed(make: Callable[..., OutsideSource]) -> None:
    source = make()
    first, second = (replace(find(source), seconds=0) for _ in range(2))
    source.close()
    assert first == second == replace(find(source), seconds=0)


def test_an_empty_question_finds_nothing(make: Callable[..., OutsideSource]) -> None:
    """F-PARSE-7, F-ERR-4: ``recent`` alone answers it."""
    assert find(make(), question("", scope=Scope())).hits == ()


def test_it_says_what_it_is(make: Callable[..., OutsideSource]) -> None:
    assert make().probe(Deadline.after(LONG)).product


def test_nobody_there_is_an_outage(kind: str, tmp_path: Path) -> None:
    """F-ERR-1: never an empty answer."""
    source = BROKEN[kind](tmp_path)
    with pytest.raises(SourceUnavailable, match="elsewhere: ") as caught:
        find(source)
    assert caught.value.hint
    with pytest.raises(SourceUnavailable):
        source.probe(Deadline.after(LONG))
    source.close()
