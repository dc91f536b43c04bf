"""What a file looks like that no reader claims: a refusal should tell its reason (formats.md §9).

Only shapes are named, never content.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory_fabric.ingest.formats.head import Outline, objects, outline


@dataclass(frozen=True, slots=True)
class Looks:
    """What a file seems to be."""

    what: str
    remedy: str = ""


_MAGICS = (
    (b"SQLite format 3\0", Looks("a SQLite database (Cursor and OpenCode keep sessions so)")),
    (b"PK\x03\x04", Looks("a zip archive", "unpack it first")),
    (b"\x28\xb5\x2f\xfd", Looks("zstd-compressed, without a Codex rollout inside")),
    (b"\x1f\x8b", Looks("gzip-compressed", "unpack it first")),
)

Shape = Callable[[dict[str, Any]], bool]


def _has(*keys: str) -> Shape:
    wanted = frozenset(keys)
    return lambda record: wanted <= record.keys()


def _typed(*types: str) -> Shape:
    return lambda record: record.get("type") in types


_EXEC_TYPES = ("thread.started", "turn.started", "turn.completed", "turn.failed", "item.started", "item.completed")

_RECORDS: tuple[tuple[Shape, Looks], ...] = (
    (
        _typed(*_EXEC_TYPES),
        Looks("the output of `codex exec --json`, not a rollout", "ingest the rollout below ~/.codex/sessions"),
    ),
    (_has("session_id", "ts", "text"), Looks("a prompt log (Codex history), not a transcript")),
    (_has("id", "thread_name", "updated_at"), Looks("an index of Codex session names, not a transcript")),
    (_has("display", "project", "timestamp"), Looks("a prompt log (Claude Code history), not a transcript")),
    (_typed("entity", "relation"), Looks("the graph file of a memory server", "use `memory-fabric load`")),
    (_typed("session.start"), Looks("a Copilot CLI session, which has no reader")),
    (_typed("session", "session_start"), Looks("a session log of a harness that has no reader")),
    (_has("role", "content"), Looks("a bare role/content log: it names no session")),
    (_has("role", "message"), Looks("a bare role/message log: it names no session")),
)

_DOCUMENTS: tuple[tuple[str, frozenset[str], Looks], ...] = (
    ("[{", frozenset({"mapping"}), Looks("a ChatGPT export, which has no reader")),
    ("[{", frozenset({"chat_messages"}), Looks("a Claude.ai export, which has no reader")),
    ("[", frozenset({"sessionId", "messageId", "message"}), Looks("a prompt log (Gemini CLI), not a transcript")),
    ("[", frozenset({"role", "parts"}), Looks("a saved chat of Gemini CLI: it names no session")),
    ("[{", frozenset({"role", "content"}), Looks("a bare role/content log: it names no session")),
    ("{", frozenset({"trajectory"}), Looks("a SWE-agent trajectory, which has no reader")),
    ("{", frozenset({"history"}), Looks("a saved chat: it names no session")),
)


def describe(path: Path, head: bytes) -> Looks:
    """What this file looks like, for a refusal.  Never raises."""
    if not head.strip():
        return Looks("an empty file")
    for magic, looks in _MAGICS:
        if head.startswith(magic):
            return looks
    if b"\0" in head:
        return Looks("a binary file")
    seen = outline(head)
    if seen.container:
        return _json(head, seen)
    if path.suffix.casefold() in {".md", ".markdown"} or head.lstrip().startswith((b"# ", b"## ")):
        return Looks("Markdown, not a transcript file")
    return Looks("plain text, not a transcript file")


def _json(head: bytes, seen: Outline) -> Looks:
    records = objects(head)
    for shape, looks in _RECORDS:
        if any(shape(record) for record in records):
            return looks
    for containers, keys, looks in _DOCUMENTS:
        if seen.container in containers and keys <= seen.keys:
            return looks
    if not records and not seen.keys:
        return Looks("JSON that is cut or broken, or holds no object")
    return Looks("JSON lines of an unknown shape" if len(records) > 1 else "JSON of an unknown shape")
