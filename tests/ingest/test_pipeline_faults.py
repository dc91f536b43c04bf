"""Files that cannot be read, secrets, our own output, and the report that accounts for all (F-ING-8, F-ING-10)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.formats.claude_records import call, reply, result, user
from tests.ingest.world import S1, World, exchange, exchanges, lines, uid

import memory_fabric
from memory_fabric.curate.health import Verdict, examine
from memory_fabric.errors import MalformedFile
from memory_fabric.ingest.discover import COMPRESSED_TWIN
from memory_fabric.ingest.formats import formats
from memory_fabric.ingest.pipeline import Seams, ingest
from memory_fabric.ingest.report import FileReport, IngestReport
from memory_fabric.model.memory import MemoryKind, SessionId
from memory_fabric.model.transcript import SessionFacts, Tally, Turn
from memory_fabric.ports import Cursor
from memory_fabric.text import split_exchange

SAMPLE = sorted((Path(memory_fabric.__file__).parent / "sample" / "home").rglob("*.jsonl"))


# ── files that cannot be read ────────────────────────────────────────────────────────────────────────────────────────


def test_a_broken_line_is_counted_and_named_and_the_rest_is_kept(world: World) -> None:
    """C-001, F-ING-8: the report says which line, never what stood in it."""
    path = world.write("a.jsonl", [*exchanges(1), b'{"type":"user","message":"priv\n', *exchanges(1, first=1)])
    report = world.ingest()
    (file,) = report.files
    assert (file.status, file.first_broken_line, report.exit_code) == ("read", 3, 0)
    assert report.skipped == {"broken json": 1}
    assert report.lines == 5
    assert report.as_json()["problems"] == [{"path": str(path), "status": "read", "reason": None, "line": 3}]
    assert "priv" not in str(report)
    assert world.entry("a.jsonl").skipped == {"broken json": 1}


def test_a_malformed_file_is_reported_and_the_others_go_on(world: World) -> None:
    """C-154, F-ERR-14: a partial failure shows in counts and in the exit code."""
    world.write("a.jsonl", exchanges(1))
    world.write("b.jsonl", [b'{"parentUuid":null,"sessionId":"s","type":"user","uuid":"u1" oops}\n'])
    world.write("c.jsonl", exchanges(1, first=3))
    report = world.ingest()
    assert [file.status for file in report.files] == ["read", "failed", "read"]
    assert report.files[1].reason
    assert report.exit_code == 1
    assert world.prompts() == ["Ask word0", "Ask word3"]
    assert [Path(entry.path).name for entry in world.store.entries()] == ["a.jsonl", "b.jsonl", "c.jsonl"]


def test_a_failed_file_can_be_looked_up_and_is_tried_again(world: World) -> None:
    """Design promise 1: the reason is kept where ``doctor`` shows it, until the file can be read."""
    path = world.write("b.jsonl", [b'{"parentUuid":null,"sessionId":"s","type":"user","uuid":"u1" oops}\n'])
    world.ingest()
    assert "b.jsonl" in (world.entry("b.jsonl").error or "")
    assert world.ingest().files[0].status == "failed"
    shown = [check for check in examine(world.store, lambda: None) if check.verdict is Verdict.FAIL]
    assert [check.name for check in shown] == ["source file"]
    assert "b.jsonl" in shown[0].detail
    whole = path.read_bytes()
    path.unlink()
    assert all(check.verdict is not Verdict.FAIL for check in examine(world.store, lambda: None))
    path.write_bytes(whole)
    path.write_bytes(lines(exchanges(1)))
    world.ingest()
    assert world.entry("b.jsonl").error is None
    assert world.prompts() == ["Ask word0"]


def test_a_dry_run_leaves_no_trace_of_a_failed_file(world: World) -> None:
    world.write("b.jsonl", [b'{"parentUuid":null,"sessionId":"s","type":"user","uuid":"u1" oops}\n'])
    world.ingest(dry_run=True)
    assert list(world.store.entries()) == []


def test_a_failed_file_adds_nothing_to_the_counts(world: World) -> None:
    """F-ING-10: used and skipped are of the files that were read."""
    secret = b'{"parentUuid":null,"sessionId":"s","type":"user","uuid":"u1" ' + b"ghp_" + b"a" * 36 + b"}\n"
    world.write("b.jsonl", [secret])
    report = world.ingest()
    assert (report.lines, report.redacted.total(), report.dropped.total()) == (0, 0, 0)
    assert report.files[0].first_broken_line == 1


def test_a_file_of_no_known_format_is_refused_with_a_reason(world: World) -> None:
    """formats.md §9: never a guess; alone it is exit code 1, beside a transcript it is not."""
    path = world.write("notes.json", [b'[{"mapping": {}, "title": "x"}]'])
    report = world.ingest(path)
    (file,) = report.files
    assert (file.status, file.format) == ("refused", None)
    assert file.reason == "notes.json: a ChatGPT export, which has no reader"
    assert report.exit_code == 1
    world.write("a.jsonl", exchanges(1))
    assert world.ingest().exit_code == 0


def test_an_empty_file_is_refused_and_read_once_it_holds_something(world: World) -> None:
    world.write("a.jsonl", [])
    assert [file.status for file in world.ingest().files] == ["refused"]
    world.append("a.jsonl", exchanges(1))
    assert [file.status for file in world.ingest().files] == ["read"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nothing is barred to root")
def test_a_barred_file_is_reported_and_the_others_are_read(world: World) -> None:
    """C-040: exit code 1 only if nothing was readable."""
    barred = world.write("b.jsonl", exchanges(1, first=5))
    world.write("a.jsonl", exchanges(1))
    barred.chmod(0)
    report = world.ingest()
    assert [file.status for file in report.files] == ["read", "failed"]
    assert "cannot be read" in str(report.files[1].reason)
    assert report.exit_code == 0
    assert world.ingest(barred).exit_code == 1


def test_a_file_that_vanishes_after_it_was_found_is_reported_and_the_others_are_read(world: World) -> None:
    """C-040: it is named; the exit code is 0 since something was readable, and 1 when it was all there was."""
    paths = [world.write("a.jsonl", exchanges(1)), world.write("b.jsonl", exchanges(1, first=3))]

    def vanish(path: Path, number: int, of: int) -> None:
        assert of >= number
        if path.name == "b.jsonl":
            path.unlink()

    seams = Seams(world.store, formats(), ())
    report = ingest(paths, seams, progress=vanish)
    assert [file.status for file in report.files] == ["read", "failed"]
    assert str(report.files[1].reason).startswith("cannot be read: ")
    assert report.exit_code == 0
    paths[1].write_bytes(b"")
    assert ingest(paths[1:], seams, progress=vanish).exit_code == 1


def test_a_link_that_leads_nowhere_and_a_folder_named_like_a_file_end_nothing(world: World) -> None:
    """C-034, C-040: passed over with a reason."""
    world.write("a.jsonl", exchanges(1))
    (world.folder / "b.jsonl").symlink_to(world.folder / "gone.jsonl")
    (world.folder / "c.jsonl").mkdir()
    report = world.ingest()
    assert [file.status for file in report.files] == ["read"]
    assert report.places == [(str(world.folder / "b.jsonl"), "link that leads nowhere")]
    assert report.as_json()["passed_over"] == [
        {"path": str(world.folder / "b.jsonl"), "reason": "link that leads nowhere"}
    ]


def test_a_compressed_twin_is_passed_over_with_its_reason(world: World) -> None:
    """C-025: the plain one wins."""
    world.write("a.jsonl", exchanges(1))
    world.write("a.jsonl.zst", [b"\x28\xb5\x2f\xfd"])
    assert world.ingest().places == [(str(world.folder / "a.jsonl.zst"), COMPRESSED_TWIN)]


def files(*statuses: str, unreadable: bool = False) -> IngestReport:
    return IngestReport(files=[FileReport("x", s, unreadable=unreadable and s == "failed") for s in statuses])


@pytest.mark.parametrize(
    ("report", "code"),
    [
        (files("read"), 0),
        (files("unchanged"), 0),
        (files("grown", "refused"), 0),
        (files("refused"), 1),
        (files("read", "failed"), 1),
        (files("failed"), 1),
        (files("unchanged", "failed", unreadable=True), 0),
        (files("refused", "failed", unreadable=True), 1),
        (files(), 1),
    ],
)
def test_the_exit_code_tells_partial_failure_from_nothing_new(report: IngestReport, code: int) -> None:
    """C-040, C-154: a no-op is success, a failed file is not, one that is barred fails nothing else."""
    assert report.exit_code == code


# ── secrets and our own output ───────────────────────────────────────────────────────────────────────────────────────

MIXED = "q7Rt2Zx9Lm4Wc8Vb1Np6Ks3Yd5Hf0Jg7Ta2Eu9Qo4Ri"
SECRETS = {
    "prompt": "sk-ant-api03-" + "A" * 40,
    "reply": "ghp_" + "a" * 36,
    "command": "AKIA" + "B" * 16,
    "output": "sk-proj-" + MIXED,
    "title": "glpat-" + MIXED[:20],
    "database": "hunter2hunter2",
    "bearer": "Zz9" + MIXED[:30],
}


def test_no_secret_is_in_any_byte_of_the_database(world: World) -> None:
    """C-110, F-PRIV-1: in prompt, reply, tool input, tool output and title; text, index and journal alike."""
    records: list[dict[str, Any]] = [
        user(uid(0), f"Use {SECRETS['prompt']} and postgres://u:{SECRETS['database']}@h/db"),
        reply(uid(1), f"Pushed with {SECRETS['reply']}", uid(0)),
        call(
            uid(2),
            "t1",
            "Bash",
            {"command": f"curl -H 'Authorization: Bearer {SECRETS['bearer']}' {SECRETS['command']}"},
        ),
        result(uid(3), "t1", f"key {SECRETS['output']}", uid(2)),
        {"type": "custom-title", "customTitle": f"Rotate {SECRETS['title']}", "sessionId": S1},
    ]
    world.write("a.jsonl", records)
    report = world.ingest()
    assert report.redacted.total() == 6
    assert world.store.sessions([SessionId(S1)])[SessionId(S1)].title == "Rotate [redacted:gitlab-token]"
    stored = [path.read_bytes() for path in world.database.parent.iterdir() if path.is_file()]
    assert len(stored) >= 2
    for name, secret in SECRETS.items():
        assert not any(secret.encode() in data or secret.lower().encode() in data for data in stored), name
    assert any(b"Pushed with" in data for data in stored)


def test_our_own_output_is_never_ingested(world: World) -> None:
    """Decision 12, formats.md §0 rule 10: an injected block is no memory, the prompt around it is."""
    block = '<memory-context source="memory-fabric">\nRecalled wisdom\n\nmore wisdom\n</memory-context>'
    world.write("a.jsonl", [*exchange(0, block, "Fine"), *exchange(1, f"{block}\nMove on", "Moved")])
    world.ingest()
    assert "wisdom" not in "".join(world.everything())
    assert [split_exchange(memory.text) for memory in world.memories()] == [("", "Fine"), ("Move on", "Moved")]


def test_error_texts_and_injected_reminders_are_no_memories(world: World) -> None:
    """C-021, C-032: counted by reason."""
    failed = reply(uid(9), "API Error: 500", uid(1), isApiErrorMessage=True)
    reminder = user(uid(10), "<system-reminder>\nMind the gap\n</system-reminder>", uid(9), 40)
    world.write("a.jsonl", [*exchanges(1), failed, reminder])
    report = world.ingest()
    assert report.skipped == {"api error": 1, "injected": 1}
    assert len(world.memories()) == 1
    assert "API Error" not in "".join(world.everything())


def test_a_compaction_summary_is_kept_as_derived_text(world: World) -> None:
    """C-019."""
    summary = user(uid(9), "This session is being continued. The user wants tabs.", None, 40, isCompactSummary=True)
    world.write("a.jsonl", [*exchanges(1), summary, *exchanges(1, first=3)])
    world.ingest()
    kinds = {memory.text: memory.kind for memory in world.memories()}
    assert kinds["This session is being continued. The user wants tabs."] is MemoryKind.SUMMARY
    assert list(kinds.values()).count(MemoryKind.EXCHANGE) == 2


def test_a_lone_surrogate_and_a_nul_reach_the_store_repaired(world: World) -> None:
    """C-006."""
    world.write("a.jsonl", exchange(0, "ship it \ud83d now\0", "done"))
    world.ingest()
    assert world.memories()[0].text == "USER: ship it \ufffd now\n\nASSISTANT: done"


# ── the report ───────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("path", SAMPLE, ids=lambda path: path.stem[:24])
def test_every_line_of_the_sample_is_in_the_report(world: World, path: Path) -> None:
    """F-ING-10, design promise 1: used and skipped add up to the lines, the memories to what was found."""
    report = world.ingest(path)
    assert report.lines == path.read_bytes().count(b"\n")
    entry = world.store.entry(str(path.resolve()))
    assert entry is not None
    assert sum(entry.used.values()) + sum(entry.skipped.values()) == report.lines
    assert report.memories["added"] == len(world.memories())
    assert report.bytes == path.stat().st_size
    assert report.exit_code == 0


def test_the_report_adds_up_over_all_files(world: World) -> None:
    report = world.ingest(*SAMPLE)
    assert report.lines == sum(path.read_bytes().count(b"\n") for path in SAMPLE)
    shown = report.as_json()
    assert shown["files"] == {"read": len(SAMPLE)}
    assert shown["lines"] == report.lines
    kept = report.memories
    assert len(world.memories()) == kept["added"]
    assert kept["duplicates"] + kept["updated"] == 4


class Claimant:
    """A format that claims everything."""

    appends = True

    def __init__(self, name: str) -> None:
        self.name = name

    def claims(self, path: Path, head: bytes) -> bool:
        """Always."""
        return path.exists() and bool(head)

    def read(self, path: Path, tally: Tally, start: Cursor = Cursor()) -> Iterator[Turn | SessionFacts]:
        """Nothing, and nothing of it was readable."""
        tally.broken(start.line)
        raise MalformedFile(f"{path.name}: nothing in it can be read")
        yield


def test_a_file_that_two_formats_claim_is_refused_with_their_names(world: World) -> None:
    """formats.md §9: the user decides, with ``--format``."""
    path = world.write("a.jsonl", exchanges(1))
    report = ingest([path], Seams(world.store, (Claimant("one"), Claimant("two")), ()))
    assert [(file.status, file.reason) for file in report.files] == [("refused", "a.jsonl: claimed by one, two")]
    assert report.exit_code == 1


def test_a_file_that_its_format_cannot_read_names_its_first_broken_line(world: World) -> None:
    """C-154."""
    path = world.write("a.jsonl", exchanges(1))
    report = ingest([path], Seams(world.store, (Claimant("one"),), ()))
    (file,) = report.files
    assert (file.status, file.format, file.first_broken_line) == ("failed", "one", 1)
    (entry,) = world.store.entries()
    assert (entry.error, entry.cursor) == ("a.jsonl: nothing in it can be read", Cursor())


def test_a_file_that_fails_later_keeps_what_was_read_before(world: World) -> None:
    """F-ING-8: a damaged source does not remove memory."""
    path = world.write("a.jsonl", exchanges(2))
    world.ingest()
    world.write("a.jsonl", [b'{"parentUuid":null,"sessionId":"s","type":"user","uuid":"u1" oops}\n'])
    report = world.ingest(path)
    assert report.exit_code == 1
    assert len(world.memories()) == 2
    assert world.entry("a.jsonl").error
