"""What the pipeline asks of formats and extractors, by small ones of the test's own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.ingest.test_pipeline_copies import NAME, asked, event, meta
from tests.ingest.world import S1, World, exchange, exchanges

from memory_fabric.ingest.formats.claude_code import ClaudeCode
from memory_fabric.ingest.formats.codex import Codex
from memory_fabric.ingest.pipeline import Seams, ingest
from memory_fabric.model.memory import Memory, Project
from memory_fabric.model.transcript import Exchange, SessionFacts, Tally, Turn
from memory_fabric.ports import Cursor, Extraction


class Rewriting(ClaudeCode):
    """A format whose files are written anew each time."""

    appends = False


class Counting(Codex):
    """Notes where each reading started."""

    def __init__(self) -> None:
        super().__init__()
        self.starts: list[Cursor] = []

    def read(self, path: Path, tally: Tally, start: Cursor = Cursor()) -> Iterator[Turn | SessionFacts]:
        """As the format does."""
        self.starts.append(start)
        return super().read(path, tally, start)


class Noting:
    """An extractor that drops everything, and notes what it was shown."""

    name = "noting"

    def __init__(self) -> None:
        self.shown: list[tuple[object, int, Project | None]] = []

    def extract(self, memory: Memory, exchange: Exchange, project: Project | None) -> Extraction:
        """Nothing but a count."""
        self.shown.append((memory.metadata.get("part"), len(exchange.tools), project))
        return Extraction(dropped={"too vague": 2})


def test_a_format_that_rewrites_its_files_is_always_read_whole(world: World) -> None:
    """ports.Format.appends."""
    seams = Seams(world.store, (Rewriting(),), ())
    world.write("a.jsonl", exchanges(2))
    ingest([world.folder], seams)
    world.append("a.jsonl", exchanges(1, first=2))
    report = ingest([world.folder], seams)
    assert [file.status for file in report.files] == ["read"]
    assert report.lines == 6
    assert +report.memories == {"added": 1, "unchanged": 2}


def test_a_rollback_makes_a_file_be_read_twice_only_where_it_had_been_read_before(world: World) -> None:
    """formats.md §3.2: a first reading knows every turn there is."""
    reader = Counting()
    seams = Seams(world.store, (reader,), ())
    world.write(NAME, [meta(), *asked("Redis"), event(20, "thread_rolled_back", num_turns=9)])
    ingest([world.folder], seams)
    assert reader.starts == [Cursor()]
    world.append(NAME, [*asked("SQLite", first=21), event(30, "thread_rolled_back", num_turns=2)])
    ingest([world.folder], seams)
    assert len(reader.starts) == 3
    assert reader.starts[1].offset > 0
    assert reader.starts[2] == Cursor()


@pytest.mark.parametrize("characters", [100, 7_000])
def test_extractors_see_every_memory_and_tool_calls_with_the_first_part_only(world: World, characters: int) -> None:
    """ports.Extractor: else one edit would be one relation a part."""
    from tests.formats.claude_records import call
    from tests.ingest.world import uid

    extractor = Noting()
    edit = call(uid(90), "t1", "Edit", {"file_path": "/w/app/a.py"}, uid(1), second=6)
    world.write("a.jsonl", [*exchange(0, "Ask", "word " * (characters // 5)), edit])
    report = ingest([world.folder], Seams(world.store, (ClaudeCode(),), (extractor,)))
    parts = len(world.memories())
    assert parts == (1 if characters == 100 else 2)
    expected = [(None, 1)] if parts == 1 else [(0, 1), (1, 0)]
    assert [(part, tools) for part, tools, _ in extractor.shown] == expected
    assert {project.root for _, _, project in extractor.shown if project} == {"/w/app"}
    assert report.dropped == {"too vague": 2 * parts}
    assert report.as_json()["dropped"] == {"too vague": 2 * parts}
    assert report.as_json()["sessions"] == len({S1})
