"""Which session a Claude Code record belongs to, and what it says about it (formats.md §1.5, §1.6)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from memory_fabric.clock import parse_instant
from memory_fabric.ingest.formats.claude_records import Record
from memory_fabric.model.memory import SessionId
from memory_fabric.model.transcript import SessionFacts

AGENT_FILE = "agent-"
"""Sub-agent transcripts are named ``agent-<id>.jsonl``; the session id inside is their trunk's."""


@dataclass(slots=True)
class _Known:
    cwd: str | None = None
    dated: bool = False
    parent: str | None = None


@dataclass(slots=True)
class Sessions:
    """Sessions of one file.

    A sub-agent is a session of its own, ``<trunk>/agent-<agent id>``, with the trunk as parent, so that its turns never
    mix with the trunk's.  Inline sidechains of old versions have no agent id: the first 8 characters of the uuid that
    begins the sidechain stand for it (reading that resumes within such a sidechain begins another).
    """

    path: Path
    first: str | None = None
    """The first session id in the file."""
    _trunk: str = field(init=False)
    _agent: str | None = field(init=False)
    _known: dict[SessionId, _Known] = field(default_factory=dict)
    _roots: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        stem = self.path.stem
        self._agent = stem.removeprefix(AGENT_FILE) if stem.startswith(AGENT_FILE) else None
        inside = self._agent is not None and self.path.parent.name == "subagents"
        self._trunk = self.first or (self.path.parent.parent.name if inside else stem)

    def of(self, record: Record) -> SessionId:
        """The session of a record; records without an id continue the file's."""
        if record.session_id:
            self._trunk = record.session_id
        if not self.is_sidechain(record):
            return SessionId(self._trunk)
        agent = record.agent_id or self._agent or self._sidechain(record)
        return SessionId(f"{self._trunk}/{AGENT_FILE}{agent}")

    def is_sidechain(self, record: Record) -> bool:
        """Whether a record was spoken inside a sub-agent."""
        return bool(record.is_sidechain) or self._agent is not None

    def news(self, record: Record, session: SessionId) -> Iterator[SessionFacts]:
        """What this record says of its session that was not known: cwd, the session it came from, a first time."""
        known = self._known.setdefault(session, _Known())
        parent = self._parent(record, session)
        cwd = record.cwd if record.cwd and record.cwd != known.cwd else None
        at = None if known.dated else parse_instant(record.timestamp)
        new_parent = parent if parent and known.parent is None else None
        if cwd is None and at is None and new_parent is None:
            return
        known.cwd, known.dated = cwd or known.cwd, known.dated or at is not None
        known.parent = known.parent or new_parent
        yield SessionFacts(session, cwd=cwd, parent=SessionId(new_parent) if new_parent else None, at=at)

    def _parent(self, record: Record, session: SessionId) -> str | None:
        if session != self._trunk:
            return self._trunk
        fork = record.forked_from.session_id if record.forked_from else None
        return fork if fork != session else None

    def _sidechain(self, record: Record) -> str:
        uuid = record.uuid or "unknown"
        root = self._roots.get(record.parent_uuid or "", uuid)
        self._roots[uuid] = root
        return root[:8]
