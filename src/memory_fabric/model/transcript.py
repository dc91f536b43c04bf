"""What the readers of transcript files yield, and what an exchange is made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from memory_fabric.model.memory import SessionId


class Role(StrEnum):
    """Who speaks."""

    USER = "user"
    ASSISTANT = "assistant"
    SUMMARY = "summary"
    """Derived text (a compaction summary, an away summary): low authority, nobody's own words."""


class ToolKind(StrEnum):
    """What a tool call touches (F-EDGE-3)."""

    FILE = "file"
    COMMAND = "command"
    SEARCH = "search"
    URL = "url"
    MCP = "mcp"
    COMMIT = "commit"
    AGENT = "agent"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call as structure, never as a wall of text (F-ING-6)."""

    kind: ToolKind
    name: str
    """The tool's own name: ``Edit``, ``Bash``, ``mcp__github__create_issue``."""
    target: str
    """File path, command line, query, address, MCP server name or commit subject; at most 2,000 characters."""
    line: int | None = None
    """1-based line of the call."""
    ok: bool | None = None
    """False when its result was an error, None while unknown."""
    writes: bool = False
    """True for tools that change the file they name."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of one speaker, its tool calls beside it.

    Several records of a file that form one message (Claude Code writes one line a content block) are one turn.
    """

    role: Role
    text: str
    """May be empty when the turn holds tool calls only."""
    session: SessionId
    record: str
    """Stable id of the first record (uuid, message id, or ``line:N``); for a forked copy the original's id."""
    at: datetime | None = None
    at_source: str = "record"
    """``record``, ``file``, ``mtime`` or ``none`` (formats.md §0 rule 7)."""
    first_line: int | None = None
    last_line: int | None = None
    tools: tuple[ToolCall, ...] = ()
    cwd: str | None = None
    branch: str | None = None
    model: str | None = None
    sidechain: bool = False
    """Spoken inside a sub-agent."""
    abandoned: bool = False
    """On a branch that the user rewound away from."""
    offset: int | None = None
    """Byte offset of the first record in the file: where reading may resume."""


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """What a record says about its session; later facts of the same session win, None says nothing."""

    session: SessionId
    cwd: str | None = None
    title: str | None = None
    parent: SessionId | None = None
    at: datetime | None = None
    """The time of some record, for sessions that hold no turn."""
    final_title: bool = False
    """True for a title the user chose: no derived title replaces it."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A prompt and all assistant text until the next prompt (F-ING-2)."""

    session: SessionId
    record: str
    prompt: str
    """Empty for what an agent said before anybody asked."""
    reply: str
    derived: bool = False
    """The exchange is one SUMMARY turn; ``prompt`` is empty."""
    at: datetime | None = None
    at_source: str = "record"
    ended_at: datetime | None = None
    first_line: int | None = None
    last_line: int | None = None
    tools: tuple[ToolCall, ...] = ()
    cwd: str | None = None
    branch: str | None = None
    models: tuple[str, ...] = ()
    sidechain: bool = False
    abandoned: bool = False
    offset: int | None = None


@dataclass(slots=True)
class Tally:
    """What became of every line (or record, for one-document formats) of one file; nothing goes uncounted.

    ``used`` and ``skipped`` count lines by disposition; ``lines`` is their sum.  The only mutable value:
    a reader fills it while it streams.
    """

    used: dict[str, int] = field(default_factory=dict)
    """Lines that became text, tool calls or session facts, by what they were (``user``, ``tool_result``)."""
    skipped: dict[str, int] = field(default_factory=dict)
    """Lines that hold nothing to remember, by reason (``progress``, ``broken json``, ``api error``, ``injected``)."""
    first_broken_line: int | None = None

    def use(self, what: str) -> None:
        """Count one line that was used."""
        self.used[what] = self.used.get(what, 0) + 1

    def skip(self, reason: str) -> None:
        """Count one line that was not."""
        self.skipped[reason] = self.skipped.get(reason, 0) + 1

    def broken(self, line: int, reason: str = "broken json") -> None:
        """Count one line that could not be read, and keep the first such line's number."""
        self.skip(reason)
        if self.first_broken_line is None:
            self.first_broken_line = line

    @property
    def lines(self) -> int:
        """All lines seen."""
        return sum(self.used.values()) + sum(self.skipped.values())
