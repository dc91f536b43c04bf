"""Codex CLI rollouts: plain or compressed, in all three generations (formats.md §3, C-024, C-025, C-038)."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from memory_fabric.clock import parse_instant
from memory_fabric.errors import MalformedFile
from memory_fabric.ingest.formats.codex_drafts import Drafts
from memory_fabric.ingest.formats.codex_file import is_compressed, rollout_lines, unpacked_head
from memory_fabric.ingest.formats.codex_rollout import REPLAY_SPAN, Identity, Rollout, is_bare_meta
from memory_fabric.ingest.formats.head import objects
from memory_fabric.ingest.lines import Line, decode_json
from memory_fabric.model.memory import SessionId
from memory_fabric.model.transcript import SessionFacts, Tally, Turn
from memory_fabric.ports import Cursor

_ENVELOPE = frozenset("session_meta turn_context response_item event_msg compacted".split())
_CUT_META = re.compile(
    rb'\{\s*(?:"timestamp"\s*:\s*"[^"]*"\s*,\s*|"ordinal"\s*:\s*\d+\s*,\s*)*'
    rb'"type"\s*:\s*"session_meta"\s*,\s*"payload"\s*:\s*\{'
)
"""A first line longer than the head, as Codex writes it (its instructions may be long)."""

_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


class Codex:
    """Rollouts of the Codex CLI and its siblings.

    Record ids are ``<session>:<line>``: a rollout only grows, and keeps its lines when it is archived or compressed,
    so they are stable (C-038).
    """

    name = "codex"
    appends = True

    def __init__(self, pause: Callable[[float], None] = time.sleep) -> None:
        """``pause`` is called, with seconds, before a rollout that has just vanished is looked for again (C-025)."""
        self._pause = pause

    def claims(self, path: Path, head: bytes) -> bool:  # noqa: ARG002 (the name says nothing)
        """An enveloped record with a payload, or the bare meta object of old rollouts."""
        plain = unpacked_head(head)
        records = objects(plain)
        if not records:
            return _CUT_META.match(plain.lstrip(b"\xef\xbb\xbf \r\n")) is not None
        return any(_enveloped(record) for record in records) or _is_old(records)

    def read(self, path: Path, tally: Tally, start: Cursor = Cursor()) -> Iterator[Turn | SessionFacts]:
        """Turns of one rollout; turns are held until the next prompt, or to the end if the file holds a rollback.

        A line cut off at the end is counted as broken on a cold read and left for the next read when tailing.

        Raises:
            MalformedFile: no line can be read, or the compressed data is damaged.
            OSError: the file cannot be opened.
        """
        scan = _scan(rollout_lines(path, self._pause), start)
        rollout = Rollout(
            identity=scan.identity(path),
            tally=tally,
            drafts=Drafts(hold_all=scan.rolled_back),
            replays=scan.replays and start.offset == 0,
            seekable=not is_compressed(path, self._pause),
            cwd=scan.cwd,
            model=scan.model,
        )
        cold = start.offset == 0
        number, readable = start.line - 1, not cold
        try:
            for line in rollout_lines(path, self._pause, start):
                number = line.number
                record = _record(line, tally, cold=cold)
                if record is not None:
                    readable = True
                    yield from rollout.feed(line, record)
        except MalformedFile:
            if not readable:
                raise
            tally.broken(number + 1, "damaged compression")
        if tally.skipped.get("broken json") and not readable:
            raise MalformedFile(f"{path.name}: no line of it can be read")
        yield from rollout.end()


def _enveloped(record: Mapping[str, Any]) -> bool:
    known = record.get("type") in _ENVELOPE and isinstance(record.get("payload"), Mapping)
    return known and "timestamp" in record and "uuid" not in record


def _is_old(records: list[dict[str, Any]]) -> bool:
    return is_bare_meta(records[0]) and "sessionId" not in records[0]


def _record(line: Line, tally: Tally, *, cold: bool) -> dict[str, Any] | None:
    """The record of one line; None, and counted, for everything else."""
    if line.too_long:
        tally.broken(line.number, "line too long")
        return None
    if not line.raw.strip():
        tally.skip("blank")
        return None
    try:
        value = decode_json(line.raw)
    except ValueError:
        if line.terminated:
            tally.broken(line.number)
        elif cold:
            tally.broken(line.number, "cut last line")
        return None
    if isinstance(value, dict):
        return value
    tally.skip("not an object")
    return None


@dataclass(slots=True)
class _Scan:
    """What has to be known of a rollout before its first record is read."""

    meta: Mapping[str, Any] | None = None
    began: datetime | None = None
    rolled_back: bool = False
    replays: bool = False
    cwd: str | None = None
    model: str | None = None

    def identity(self, path: Path) -> Identity:
        """Of the first ``session_meta``, else from the right of the file name."""
        if self.meta is not None:
            return Identity.of(self.meta)
        found = _UUID.findall(path.name)
        return Identity(SessionId(found[-1] if found else path.name.partition(".")[0]))


def _scan(lines: Iterator[Line], start: Cursor) -> _Scan:
    """One look through the whole file; only lines that name what is sought are decoded."""
    scan = _Scan()
    try:
        for line in lines:
            raw = line.raw
            if line.number == 1 or b"session_meta" in raw:
                _note_meta(scan, _decoded(raw))
            if b"thread_rolled_back" in raw:
                scan.rolled_back = True
            if line.offset < start.offset and b"turn_context" in raw:
                _note_context(scan, _decoded(raw))
    except MalformedFile:
        return scan
    return scan


def _decoded(raw: bytes) -> Mapping[str, Any]:
    try:
        value = decode_json(raw)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _note_meta(scan: _Scan, record: Mapping[str, Any]) -> None:
    meta = record.get("payload") if record.get("type") == "session_meta" else record if is_bare_meta(record) else None
    if not isinstance(meta, Mapping) or not isinstance(meta.get("id"), str):
        return
    if scan.meta is None:
        scan.meta, scan.began = meta, parse_instant(record.get("timestamp"))
        scan.cwd = meta.get("cwd") if isinstance(meta.get("cwd"), str) else None
        scan.replays = isinstance(meta.get("forked_from_id"), str)
    elif meta["id"] != scan.meta["id"]:
        at = parse_instant(record.get("timestamp"))
        within = at is not None and scan.began is not None and at < scan.began + REPLAY_SPAN
        scan.replays = scan.replays or within


def _note_context(scan: _Scan, record: Mapping[str, Any]) -> None:
    context = record.get("payload")
    if record.get("type") != "turn_context" or not isinstance(context, Mapping):
        return
    for name in ("cwd", "model"):
        if isinstance(context.get(name), str):
            setattr(scan, name, context[name])
