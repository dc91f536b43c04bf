"""What an ingest did, for people: everything read, left out, redacted, dropped, and why (F-ING-10)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from memory_fabric.doors.cli.lines import count, plain, rows, short_path, size, tally, wrap
from memory_fabric.doors.cli.paint import Paint
from memory_fabric.ingest.report import FileReport, IngestReport

PROBLEMS = 10
"""Problems that are listed; the rest is counted."""

_STATUSES = {
    "read": "read",
    "grown": "grown",
    "unchanged": "unchanged",
    "refused": "no transcript",
    "failed": "failed",
}


def report_lines(report: IngestReport, paint: Paint, width: int) -> list[str]:
    """The whole report, its headline first."""
    return [paint.bold(_headline(report)), *rows(_facts(report), width), *_problems(report, paint, width)]


def _headline(report: IngestReport) -> str:
    fresh = report.count("read") + report.count("grown")
    taken = f"{count(fresh, 'file')} ({size(report.bytes)}) in {report.seconds:.1f} s"
    if report.dry_run:
        return f"Would read {taken}; nothing was written"
    if not fresh:
        return f"Nothing new in {count(len(report.files), 'file')}"
    return f"Read {taken}"


def _facts(report: IngestReport) -> Iterator[tuple[str, str]]:
    """Label and text of every line; those without text are left out by ``rows``."""
    statuses = Counter(file.status for file in report.files)
    yield "files", ", ".join(f"{statuses[status]:,} {word}" for status, word in _STATUSES.items() if statuses[status])
    yield "passed over", tally(Counter(reason for _, reason in report.places))
    if report.lines:
        yield "lines", f"{report.lines:,} = {report.used.total():,} used + {report.skipped.total():,} left out"
    yield "used", tally(report.used)
    yield "left out", tally(report.skipped)
    if not report.dry_run:
        yield "memories", _memories(report)
        yield "relations", f"{report.memories['relations']:,} added" if report.memories["relations"] else ""
    yield "not taken", tally(report.dropped)
    if report.redacted:
        yield "redacted", f"{count(report.redacted.total(), 'secret')}: {tally(report.redacted)}"
    yield "vectors", _vectors(report)


def _memories(report: IngestReport) -> str:
    kept = report.memories
    parts = [f"{kept['added']:,} added"] if report.lines or kept["added"] else []
    parts += [f"{kept[name]:,} {name}" for name in ("updated", "unchanged", "duplicates") if kept[name]]
    if kept["forgotten"]:
        parts.append(f"{kept['forgotten']:,} held back because they were forgotten")
    sessions = f", from {count(len(report.sessions), 'session')}" if report.sessions and parts else ""
    return ", ".join(parts) + sessions


def _vectors(report: IngestReport) -> str:
    if not report.embedded and not report.pending:
        return ""
    if not report.embedded:
        return f"none yet for {count(report.pending, 'memory', 'memories')}: `memory-fabric ingest` makes them"
    left = f", {report.pending:,} still without" if report.pending else ""
    return f"{count(report.embedded, 'memory', 'memories')} embedded{left}"


def _problems(report: IngestReport, paint: Paint, width: int) -> Iterator[str]:
    """Files that failed, then those with broken lines, then those that are no transcripts."""
    order = {"failed": 0, "read": 1, "grown": 1, "unchanged": 1, "refused": 2}
    found = sorted(
        (file for file in report.files if file.reason or file.first_broken_line), key=lambda f: order[f.status]
    )
    if not found:
        return
    yield ""
    yield paint.bold("Problems")
    for file in found[:PROBLEMS]:
        mark = paint.bad("✗") if file.status == "failed" else paint.warn("!")
        head, *rest = wrap(plain(_problem(file)), width, "    ", "      ")
        yield f"  {mark} {head[4:]}"
        yield from rest
    if len(found) > PROBLEMS:
        yield f"    and {len(found) - PROBLEMS:,} more: --json lists them all"


def _problem(file: FileReport) -> str:
    line = f":{file.first_broken_line}" if file.first_broken_line else ""
    reason = file.reason or "a broken line was left out, the rest was read"
    name = file.path.replace("\\", "/").rpartition("/")[2]
    return f"{short_path(file.path)}{line}: {reason.removeprefix(f'{name}: ')}"


def report_line(report: IngestReport) -> str:
    """The report in one line, for rounds of ``--watch``."""
    kept = report.memories
    parts = [f"{kept['added']:,} added"]
    parts += [f"{kept[name]:,} {name}" for name in ("updated", "duplicates") if kept[name]]
    failed = f"; {count(len(report.failed), 'file')} failed" if report.failed else ""
    fresh = count(report.count("read") + report.count("grown"), "file")
    return f"{fresh}: {', '.join(parts)}{failed}"
