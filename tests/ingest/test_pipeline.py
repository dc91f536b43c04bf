"""The whole of pipeline one on files: once, again, grown, replaced, gone (F-ING-7, F-ING-8)."""

from __future__ import annotations

import json
import os
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.formats.claude_records import call, reply, result, user
from tests.ingest.world import S1, World, exchange, exchanges, uid

import memory_fabric
from memory_fabric.errors import StoreUnavailable, UsageError
from memory_fabric.model.memory import SessionId
from memory_fabric.model.query import Scope
from memory_fabric.ports import Cursor
from memory_fabric.text import split_exchange


def test_a_transcript_becomes_memories_with_their_source(world: World) -> None:
    """F-ING-2: one exchange, one memory; the origin opens the file at the right line."""
    path = world.write("a.jsonl", exchanges(3))
    report = world.ingest()
    assert [(file.status, file.format) for file in report.files] == [("read", "claude_code")]
    assert (report.memories["added"], report.lines, report.exit_code) == (3, 6, 0)
    first, second, third = world.memories()
    assert first.text == "USER: Ask word0\n\nASSISTANT: Tell word0"
    assert [(m.origin.first_line, m.origin.last_line) for m in (first, second, third)] == [(1, 2), (3, 4), (5, 6)]
    assert (second.origin.file, second.origin.session, second.origin.record) == (str(path), S1, uid(2))


def test_reading_again_changes_nothing(world: World) -> None:
    """F-ING-7, C-037: not even after the file was touched."""
    path = world.write("a.jsonl", exchanges(4))
    world.ingest()
    before = world.everything()
    again = world.ingest()
    assert [file.status for file in again.files] == ["unchanged"]
    assert (again.lines, again.memories.total()) == (0, 0)
    assert again.exit_code == 0
    os.utime(path, ns=(1, 1))
    touched = world.ingest()
    assert [file.status for file in touched.files] == ["grown"]
    assert +touched.memories == {"unchanged": 1}
    assert world.everything() == before
    assert [file.status for file in world.ingest().files] == ["unchanged"]


def test_a_file_that_grew_is_read_from_its_last_exchange_on(world: World) -> None:
    """C-037: the last exchange is completed, the new ones are added, the others are not even read."""
    world.write("a.jsonl", exchanges(3))
    world.ingest()
    before = world.entry("a.jsonl")
    more = [reply(uid(100), "And one more thing", uid(5), 66), *exchanges(2, first=3)]
    world.append("a.jsonl", more)
    report = world.ingest()
    entry = world.entry("a.jsonl")
    assert report.bytes == entry.size - before.cursor.offset
    assert report.sessions == {S1}
    assert [file.status for file in report.files] == ["grown"]
    assert (report.memories["added"], report.memories["updated"], report.memories["unchanged"]) == (2, 1, 0)
    assert report.lines == 2 + 5
    assert len(world.memories()) == 5
    assert world.memories()[2].text.endswith("Tell word2\n\nAnd one more thing")


def test_a_file_read_while_it_grows_gives_the_same_as_one_read_whole(world: World, tmp_path: Path) -> None:
    """F-ING-7: however often it is read meanwhile, and wherever it was cut."""
    data = world.write("a.jsonl", exchanges(6)).read_bytes()
    world.ingest()
    (tmp_path / "grown").mkdir()
    with closing(World(tmp_path / "grown")) as grown:
        for start in range(0, len(data), 397):
            grown.append("a.jsonl", [data[start : start + 397]])
            grown.ingest()
        assert grown.kept() == world.kept()
        assert grown.entry("a.jsonl").cursor == world.entry("a.jsonl").cursor
        assert grown.entry("a.jsonl").last_seq == world.entry("a.jsonl").last_seq


def test_a_writer_that_flushes_odd_pieces_loses_and_doubles_nothing(world: World) -> None:
    """C-039: two hundred records in pieces that end anywhere, read after each."""
    path = world.write("a.jsonl", [])
    data = b"".join(json.dumps(record).encode() + b"\n" for record in exchanges(100))
    assert data.count(b"\n") == 200
    with path.open("ab") as stream:
        for start in range(0, len(data), 1_777):
            for piece in (data[start : start + 7], data[start + 7 : start + 1_777]):
                stream.write(piece)
                stream.flush()
            world.ingest()
    last = world.ingest()
    assert last.files[0].status == "unchanged"
    assert world.prompts() == [f"Ask word{n}" for n in range(100)]
    assert [split_exchange(m.text)[1] for m in world.memories()] == [f"Tell word{n}" for n in range(100)]
    assert not world.entry("a.jsonl").skipped


def test_a_record_cut_in_the_middle_is_taken_once_it_is_whole(world: World) -> None:
    """C-001, C-039: it is counted as cut meanwhile, and the records before it are kept."""
    first, second = exchange(0, "Ask word0", "Tell word0")
    whole = json.dumps(second).encode()
    path = world.write("a.jsonl", [first, whole[:150]])
    report = world.ingest()
    assert report.skipped == {"cut last line": 1}
    assert world.memories()[0].text == "USER: Ask word0"
    path.write_bytes(path.read_bytes() + whole[150:] + b"\n")
    report = world.ingest()
    assert (report.skipped.total(), report.memories["updated"]) == (0, 1)
    assert world.memories()[0].text == "USER: Ask word0\n\nASSISTANT: Tell word0"


@pytest.mark.parametrize("shorter", [True, False])
def test_a_file_that_was_replaced_is_read_from_the_start(world: World, shorter: bool) -> None:
    """formats.md §0 rule 2: shorter, or as long and with another beginning."""
    world.write("a.jsonl", exchanges(3))
    world.ingest()
    other = exchanges(1 if shorter else 5, first=50)
    path = world.folder / "a.jsonl"
    inode = path.stat().st_ino
    world.write("a.jsonl", other)
    assert path.stat().st_ino == inode
    report = world.ingest()
    assert [file.status for file in report.files] == ["read"]
    assert len(world.memories()) == 3 + len(other) // 2


def test_a_file_swapped_for_another_inode_is_read_from_the_start_and_nothing_is_doubled(world: World) -> None:
    """C-131: dedupe on return."""
    path = world.write("a.jsonl", exchanges(3))
    world.ingest()
    copy = world.folder / "b.tmp"
    copy.write_bytes(path.read_bytes())
    copy.replace(path)
    report = world.ingest()
    assert [file.status for file in report.files] == ["read"]
    assert +report.memories == {"unchanged": 3}


def test_a_file_that_is_gone_takes_nothing_with_it(world: World) -> None:
    """C-131, F-ING-8: and nothing is doubled when it returns."""
    path = world.write("a.jsonl", exchanges(3))
    world.write("b.jsonl", exchanges(1, first=20))
    world.ingest()
    before = world.everything()
    content = path.read_bytes()
    path.unlink()
    world.ingest()
    assert world.everything() == before
    path.write_bytes(content)
    report = world.ingest()
    assert report.memories["added"] == 0
    assert len(world.memories()) == 4


def test_the_ledger_says_where_reading_goes_on(world: World) -> None:
    """F-ING-7: the cursor stands at the last exchange, its number before it."""
    records = exchanges(3)
    path = world.write("a.jsonl", records)
    world.ingest()
    entry = world.entry("a.jsonl")
    data = path.read_bytes()
    offset = len(b"\n".join(data.split(b"\n")[:4])) + 1
    assert entry.cursor == Cursor(offset, 5)
    assert (entry.format, entry.session, entry.size) == ("claude_code", S1, len(data))
    assert entry.used == {"user": 3, "assistant": 3}
    places = [m.at for m in world.memories()]
    assert entry.last_seq == int(places[1].timestamp() * 1000) if places[1] else None


def test_numbers_rise_in_file_order_even_when_the_clock_runs_backwards(world: World) -> None:
    """formats.md §0 rule 7: never order by clock alone."""
    records = [*exchange(5, "late", "A"), *exchange(1, "early", "B"), *exchange(0, "earliest", "C")]
    world.write("a.jsonl", records)
    world.ingest()
    units = world.store.units([memory.id for memory in world.memories()])
    ordered = sorted(units, key=lambda unit: unit.place)
    assert [unit.prompt.split() for unit in ordered] == [["late"], ["earli"], ["earliest"]]


def test_a_memory_is_as_old_as_its_record_not_as_its_import(world: World) -> None:
    """C-138: a session of 2024 read today."""
    world.write("a.jsonl", exchanges(1, timestamp="2024-02-03T10:00:00.000Z"))
    world.ingest()
    (memory,) = world.memories()
    assert memory.at == datetime(2024, 2, 3, 10, tzinfo=UTC)
    assert "at_source" not in memory.metadata


def test_what_no_record_dates_has_the_time_of_its_file_and_says_so(world: World) -> None:
    """C-138, formats.md §0 rule 7: marked, and the session's own times stay what its records say."""
    path = world.write("a.jsonl", [*exchanges(1), *exchanges(1, first=1, timestamp=None)])
    written = datetime(2024, 2, 3, 10, tzinfo=UTC)
    os.utime(path, (written.timestamp(), written.timestamp()))
    world.ingest()
    undated, dated = world.memories()
    assert (undated.at, undated.metadata["at_source"]) == (written, "mtime")
    assert "at_source" not in dated.metadata
    session = world.store.sessions([SessionId(S1)])[SessionId(S1)]
    assert session.started_at == dated.at
    units = world.store.units([dated.id, undated.id])
    assert [unit.place for unit in units] == [0, 1]


@pytest.mark.parametrize("year", [1989, 2201])
def test_a_file_time_that_cannot_be_meant_dates_nothing(world: World, year: int) -> None:
    """C-133."""
    path = world.write("a.jsonl", exchanges(1, timestamp=None))
    written = datetime(year, 6, 1, tzinfo=UTC).timestamp()
    os.utime(path, (written, written))
    world.ingest()
    (memory,) = world.memories()
    assert (memory.at, memory.metadata["at_source"]) == (None, "none")


def test_two_exchanges_at_the_same_instant_are_two(world: World) -> None:
    """C-062: an id is made of the record, not of the time."""
    now = "2026-03-01T09:00:00.000Z"
    world.write("a.jsonl", exchanges(2, timestamp=now))
    world.ingest()
    assert sorted(world.prompts()) == ["Ask word0", "Ask word1"]
    assert len({memory.at for memory in world.memories()}) == 1


def test_a_dry_run_reports_and_writes_nothing(world: World) -> None:
    world.write("a.jsonl", exchanges(2))
    before = world.everything()
    report = world.ingest(dry_run=True)
    assert report.dry_run
    assert (report.lines, report.memories.total()) == (4, 0)
    assert world.everything() == before
    assert world.store.entries() == []
    assert [file.status for file in world.ingest().files] == ["read"]


def test_a_crash_keeps_what_was_read_before_and_the_next_run_completes_it(world: World) -> None:
    """C-128: exactly once, whatever is interrupted."""
    for n in range(4):
        world.write(f"{n}.jsonl", exchanges(2, first=10 * n, sessionId=f"{n}" * 8 + S1[8:]))
    world.store.failure = lambda: StoreUnavailable("disk full")
    world.store.fails_at = 3
    with pytest.raises(StoreUnavailable):
        world.ingest()
    assert len(world.memories()) == 4
    assert len(world.store.entries()) == 2
    world.store.fails_at = 0
    report = world.ingest()
    assert [file.status for file in report.files] == ["unchanged", "unchanged", "read", "read"]
    assert len(world.memories()) == 8
    assert len(set(world.prompts())) == 8


def test_a_path_that_does_not_exist_is_the_users_mistake(world: World) -> None:
    with pytest.raises(UsageError) as raised:
        world.ingest(world.folder / "nowhere")
    assert "nowhere" in raised.value.message


def test_the_format_that_the_user_names_is_taken(world: World) -> None:
    """``--format``: also for a file that no reader claims."""
    path = world.write("a.jsonl", [b'{"type":"session-note"}\n' * 60, *exchanges(1)])
    assert [file.status for file in world.ingest(path).files] == ["refused"]
    report = world.ingest(path, only="claude_code")
    assert [(file.status, file.format) for file in report.files] == [("read", "claude_code")]
    assert world.prompts() == ["Ask word0"]


def test_naming_another_format_reads_the_file_again(world: World) -> None:
    path = world.write("a.jsonl", exchanges(1))
    world.ingest(path)
    assert [file.status for file in world.ingest(path, only="codex").files] == ["read"]


def test_tool_calls_are_structure_and_can_be_left_out(world: World) -> None:
    """F-ING-6: neither thinking nor payloads reach the text."""
    records = [
        user(uid(1), "Fix it"),
        reply(uid(2), [{"type": "thinking", "thinking": "pondering deeply", "signature": "x"}], uid(1)),
        call(uid(3), "t1", "Edit", {"file_path": "/w/app/a.py", "old_string": "payload"}, uid(2)),
        result(uid(4), "t1", "payload of the result", uid(3)),
        reply(uid(5), "Fixed", uid(4)),
    ]
    world.write("a.jsonl", records)
    world.ingest()
    (memory,) = world.memories()
    assert memory.text == "USER: Fix it\n\nASSISTANT: Fixed"
    assert [tool["target"] for tool in memory.metadata["tools"]] == ["/w/app/a.py"]  # type: ignore[attr-defined]
    assert "payload" not in "".join(world.everything())
    world.append("a.jsonl", exchange(9, "Next", "Done"))
    world.ingest(tool_calls=False)
    kept = {split_exchange(m.text)[0]: m.metadata.get("tools") for m in world.memories()}
    assert kept == {"Fix it": None, "Next": None}


@pytest.mark.parametrize(("characters", "parts"), [(5_999, 1), (6_000, 1), (6_001, 2)])
def test_a_long_exchange_is_split_and_numbered(world: World, characters: int, parts: int) -> None:
    """F-ING-4, F-ING-5: through the whole pipeline; every part finds its neighbours and its references."""
    answer = "word " * 1_300
    room = characters - len("USER: Ask\n\nASSISTANT: ")
    answer = answer[: room - 1] + "x"
    edit = call(uid(2), "t1", "Edit", {"file_path": "/w/app/a.py"}, uid(0))
    world.write("a.jsonl", [user(uid(0), "Ask"), edit, reply(uid(3), answer, uid(2))])
    world.ingest()
    found = sorted(world.memories(), key=lambda memory: int(str(memory.metadata.get("part", 0))))
    assert len(found) == parts
    assert [memory.metadata.get("part") for memory in found] == ([0, 1] if parts == 2 else [None])
    assert all(memory.metadata["tools"] for memory in found)
    assert {memory.origin.record for memory in found} == {uid(0)}
    units = world.store.units([memory.id for memory in found])
    assert sorted(unit.place for unit in units) == list(
        range(min(u.place for u in units), min(u.place for u in units) + parts)
    )


def test_a_chosen_size_of_parts_is_kept_to(world: World) -> None:
    world.write("a.jsonl", exchange(0, "Ask", "word " * 100))
    world.ingest(chunk_characters=200)
    assert len(world.memories()) == 3
    assert max(len(memory.text) for memory in world.memories()) <= 200


def test_progress_is_told_before_each_file(world: World) -> None:
    from memory_fabric.ingest.formats import formats
    from memory_fabric.ingest.pipeline import Seams, ingest

    paths = [world.write(name, exchanges(1)) for name in ("a.jsonl", "b.jsonl")]
    told: list[tuple[Path, int, int]] = []
    seams = Seams(world.store, formats(), ())
    ingest(paths, seams, progress=lambda path, number, of: told.append((path, number, of)))
    assert told == [(paths[0], 1, 2), (paths[1], 2, 2)]


def test_nothing_at_all_is_a_report_of_nothing_usable(world: World) -> None:
    """F-ERR-14: exit code 1 when there was nothing to read."""
    report = world.ingest()
    assert (report.files, report.exit_code) == ([], 1)
    assert world.store.recent(Scope(), 5) == []


SAMPLE = sorted((Path(memory_fabric.__file__).parent / "sample" / "home").rglob("*.jsonl"))


@pytest.mark.parametrize("source", SAMPLE, ids=lambda path: path.stem[:24])
def test_a_sample_read_line_by_line_gives_the_same_as_one_read_whole(
    world: World, tmp_path: Path, source: Path
) -> None:
    """F-ING-7: in every format, whatever stands in the file."""
    name = f"{source.parent.name}/{source.name}"
    records = source.read_bytes().splitlines(keepends=True)
    world.write(name, records)
    world.ingest()
    (tmp_path / "grown").mkdir()
    with closing(World(tmp_path / "grown")) as grown:
        grown.write(name, [])
        for start in range(0, len(records), 3):
            grown.append(name, records[start : start + 3])
            grown.ingest()
        assert grown.kept() == world.kept()
