"""Pipeline one: a transcript file becomes memories, entities and relations in the store.

    path ─look→ unchanged? ─identify→ Format ─read→ Turn… ─exchanges→ Exchange… ─redact→ ─memories→ Memory…
         ─extract→ Entity…, Relation… ─→ one Batch ─save→ store

One transaction a file.  Reading again changes nothing; a file that grew is read from its last exchange on; a file
that disappeared takes nothing with it (C-131).  A file that cannot be read is reported and the others go on.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from memory_fabric.clock import parse_instant
from memory_fabric.errors import FormatError
from memory_fabric.ingest import assemble
from memory_fabric.ingest.discover import Skipped, discover
from memory_fabric.ingest.exchange import exchanges
from memory_fabric.ingest.extract import extract_all
from memory_fabric.ingest.formats.codex_rollout import REACHES_BACK
from memory_fabric.ingest.gather import Gathered
from memory_fabric.ingest.identify import identify
from memory_fabric.ingest.progress import Look, Resume, entry_of, look
from memory_fabric.ingest.project import Projects
from memory_fabric.ingest.report import FileReport, IngestReport
from memory_fabric.ingest.sessions import SessionBook, next_seq
from memory_fabric.model.transcript import SessionFacts, Tally
from memory_fabric.ports import Batch, Extractor, Format, Store

Progress = Callable[[Path, int, int], None]
"""Told before each file: its path, its number from 1, how many there are."""


@dataclass(frozen=True, slots=True)
class Seams:
    """What an ingest works with."""

    store: Store
    formats: Sequence[Format]
    extractors: Sequence[Extractor]
    chunk_characters: int = assemble.CHUNK_CHARACTERS
    tool_calls: bool = True
    """False leaves out what tools touched."""


def ingest(
    paths: Iterable[Path],
    seams: Seams,
    *,
    only: Format | None = None,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> IngestReport:
    """Read every transcript below these paths, by path; ``only`` is the format that the user named.

    Raises:
        UsageError: a path that does not exist.
        StoreUnavailable: the store failed; files before this one are kept.
    """
    started = time.monotonic()
    report = IngestReport(dry_run=dry_run)
    passed_over: list[Skipped] = []
    files = sorted(discover(paths, passed_over), key=_parents_first)
    report.places.extend((str(skipped.path), skipped.reason) for skipped in passed_over)
    projects = Projects(seams.store.projects())
    for number, path in enumerate(files, 1):
        if progress is not None:
            progress(path, number, len(files))
        report.files.append(_one_file(path, seams, projects, only, report))
    report.seconds = time.monotonic() - started
    return report


def _parents_first(path: Path) -> tuple[str, ...]:
    """Orders by path, a session before the folder of its sub-agents, which take their project from it (C-149)."""
    return path.with_suffix("").parts


@dataclass(slots=True)
class _Account:
    """What became of everything in one file; added to the report only once the file is done."""

    tally: Tally = field(default_factory=Tally)
    redacted: Counter[str] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)

    def enter(self, report: IngestReport) -> None:
        """Add it to the report."""
        report.used.update(self.tally.used)
        report.skipped.update(self.tally.skipped)
        report.redacted.update(self.redacted)
        report.dropped.update(self.dropped)


def _one_file(path: Path, seams: Seams, projects: Projects, only: Format | None, report: IngestReport) -> FileReport:
    """Read one file, whatever becomes of it."""
    entry = seams.store.entry(str(path))
    reader: Format | None = None
    account = _Account()
    try:
        seen = look(path, entry, only)
        if seen.status == "unchanged" and entry is not None:
            return FileReport(str(path), "unchanged", entry.format)
        reader = only or identify(path, seams.formats)
        if seen.status == "grown" and not reader.appends:
            seen = look(path, None, reader)
        batch = _read(seen, reader, account, seams, projects)
        if seen.start.offset and account.tally.used.get(REACHES_BACK):
            seen, account = look(path, None, reader), _Account()
            batch = _read(seen, reader, account, seams, projects)
    except FormatError as error:
        if reader is None:
            return FileReport(str(path), "refused", reason=error.message)
        if not report.dry_run:
            seams.store.save(Batch(ledger=entry_of(seen, reader, account.tally, None, error=error.message)))
        return FileReport(str(path), "failed", reader.name, error.message, account.tally.first_broken_line)
    except OSError as error:
        reason = f"cannot be read: {error.strerror or error}"
        return FileReport(str(path), "failed", reader.name if reader else None, reason, unreadable=True)
    if not report.dry_run:
        report.saved(seams.store.save(batch))
    account.enter(report)
    report.bytes += seen.size - seen.start.offset
    report.sessions.update(session.id for session in batch.sessions)
    return FileReport(str(path), seen.status, reader.name, first_broken_line=account.tally.first_broken_line)


def _read(seen: Look, reader: Format, account: _Account, seams: Seams, projects: Projects) -> Batch:
    """Everything new in one file, as one transaction."""
    file = str(seen.path)
    book = SessionBook(reader.name, file, seams.store, projects)
    gathered = Gathered()
    resume = Resume(seen.start, seen.last_seq)
    seq, written = seen.last_seq, parse_instant(seen.mtime_ns / 1e9)
    for item in exchanges(reader.read(seen.path, account.tally, seen.start)):
        if isinstance(item, SessionFacts):
            book.learn(item)
            continue
        project = book.place(item)
        seq = next_seq(seq, item)
        resume.pass_by(item, seq)
        dated = assemble.dated(item, written)
        clean = assemble.redact_exchange(dated if seams.tool_calls else assemble.without_tools(dated), account.redacted)
        parts = assemble.memories(clean, reader.name, file, project.id if project else None, seams.chunk_characters)
        for part, memory in enumerate(parts):
            found = extract_all(
                seams.extractors, memory, clean if part == 0 else assemble.without_tools(clean), project
            )
            account.dropped.update(found.dropped)
            gathered.add(memory, seq, part, found)
    ledger = entry_of(seen, reader, account.tally, resume, book.main)
    return gathered.batch(projects.seen(), book.sessions(account.redacted), ledger)
