"""Records of a Claude Code file, one at a time, into turns and session facts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from memory_fabric.clock import parse_instant
from memory_fabric.ingest.formats.claude_chain import Chain, fingerprint, queued_command, replay_key
from memory_fabric.ingest.formats.claude_records import Block, Record, blocks_of
from memory_fabric.ingest.formats.claude_reply import Reply
from memory_fabric.ingest.formats.claude_sessions import Sessions
from memory_fabric.ingest.formats.claude_text import is_continuation, spoken, without_own_output
from memory_fabric.ingest.lines import Line
from memory_fabric.model.memory import SessionId
from memory_fabric.model.transcript import Role, SessionFacts, Tally, Turn

Item = Turn | SessionFacts

_SYNTHETIC = "<synthetic>"
_TITLES = frozenset({"summary", "ai-title", "custom-title"})
_SILENT = frozenset({"progress", "file-history-snapshot", "content-replacement"})
METADATA = frozenset(
    "last-prompt tag mode permission-mode agent-name agent-setting agent-color pr-link worktree-state "
    "ai-title custom-title queue-operation".split()
)
"""Types that carry a session id and no uuid (formats.md §1.2)."""
_TYPE_NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")


@dataclass(slots=True)
class TurnReader:
    """The state of reading one file: replies still open, and what was seen before."""

    path: Path
    tally: Tally
    chain: Chain
    sessions: Sessions = field(init=False)
    _open: dict[SessionId, Reply] = field(default_factory=dict)
    _seen: set[str] = field(default_factory=set)
    _contents: set[tuple[object, ...]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.sessions = Sessions(self.path, self.chain.session)

    def take(self, record: Record, line: Line) -> Iterator[Item]:
        """What one record completes; counts its line once."""
        kind = record.type or ""
        if kind in _SILENT:
            self.tally.skip(kind)
            return
        session = self.sessions.of(record)
        facts = list(self.sessions.news(record, session))
        yield from facts
        if kind == "user":
            yield from self._user(record, line, session)
        elif kind == "assistant":
            yield from self._assistant(record, line, session)
        elif kind in _TITLES:
            yield from self._title(record, session)
        elif kind in {"attachment", "queue-operation"}:
            yield from self._queued(record, line, session)
        elif kind == "system":
            yield from self._system(record, line, session)
        elif kind in METADATA:
            if facts:
                self.tally.use("metadata")
            else:
                self.tally.skip("metadata")
        else:
            self.tally.skip(f"unknown type {kind}" if _TYPE_NAME.fullmatch(kind) else "unknown type")

    def finish(self) -> Iterator[Item]:
        """The replies that were still open when the file ended."""
        for reply in self._open.values():
            yield from reply.turns()
        self._open.clear()

    # ── by kind of record ────────────────────────────────────────────────────────────────────────────────────────

    def _user(self, record: Record, line: Line, session: SessionId) -> Iterator[Item]:
        blocks = blocks_of(record.message.content if record.message else None)
        results = [block for block in blocks if block.type == "tool_result"]
        for block in results:
            self._settle(block, record, session)
        if record.is_meta and not record.is_compact_summary:
            self._count(results, "injected")
            return
        whole = "\n\n".join(block.text for block in blocks if block.type == "text" and block.text)
        if record.is_compact_summary or is_continuation(whole):
            yield from self._summary(record, line, session, whole)
            return
        said = spoken(blocks)
        if not said.text:
            self._count(results, said.reason)
        elif self._is_copy(record, said.text):
            self.tally.skip("duplicate")
        else:
            self.tally.use("user")
            yield from self._say(record, line, session, Role.USER, said.text)

    def _assistant(self, record: Record, line: Line, session: SessionId) -> Iterator[Item]:
        message = record.message
        reason = self._refused(record)
        if message is None or reason:
            self.tally.skip(reason or "empty")
            return
        blocks = blocks_of(message.content)
        content = tuple(block.text or block.id or "" for block in blocks)
        if self._is_copy(record, content) or self._is_repeat(message.id, content):
            self.tally.skip("duplicate")
            return
        key = (message.id, record.request_id)
        reply = self._open.get(session)
        if reply is None or message.id is None or reply.key != key:
            yield from self._close(session)
            reply = self._open[session] = Reply(key, self._turn(record, line, session, Role.ASSISTANT))
        self._count_reply(reply.add(blocks, line.number), blocks)

    def _title(self, record: Record, session: SessionId) -> Iterator[Item]:
        title = (record.custom_title or record.ai_title or record.summary or "").strip()
        if record.type == "summary" and record.leaf_uuid not in self.chain.leaves:
            self.tally.skip("title of another session")
        elif not title:
            self.tally.skip("empty")
        else:
            self.tally.use("title")
            yield SessionFacts(session, title=title, final_title=record.type == "custom-title")

    def _queued(self, record: Record, line: Line, session: SessionId) -> Iterator[Item]:
        """Prompts that waited in the queue: from the attachment, or from a ``remove`` that has no twin (C-010)."""
        if record.type == "attachment":
            said = queued_command(record)
        elif record.operation == "remove":
            said = spoken(blocks_of(record.content)).text
            said = "" if fingerprint(said) in self.chain.said else said
        else:
            said = ""
        if not said:
            self.tally.skip(str(record.type))
        elif self._is_copy(record, said):
            self.tally.skip("duplicate")
        else:
            self.tally.use("queued prompt")
            yield from self._say(record, line, session, Role.USER, said)

    def _system(self, record: Record, line: Line, session: SessionId) -> Iterator[Item]:
        if record.subtype == "away_summary":
            content = "\n\n".join(block.text for block in blocks_of(record.content) if block.text)
            yield from self._summary(record, line, session, content)
        else:
            self.tally.skip(
                {"compact_boundary": "compact boundary", "api_error": "api error"}.get(record.subtype or "", "system")
            )

    # ── parts ────────────────────────────────────────────────────────────────────────────────────────────────────

    def _summary(self, record: Record, line: Line, session: SessionId, content: str) -> Iterator[Item]:
        summary = without_own_output(content).strip()
        if not summary:
            self.tally.skip("empty")
        elif self._is_copy(record, summary):
            self.tally.skip("duplicate")
        else:
            self.tally.use("summary")
            yield from self._say(record, line, session, Role.SUMMARY, summary)

    def _say(self, record: Record, line: Line, session: SessionId, role: Role, said: str) -> Iterator[Item]:
        yield from self._close(session)
        yield replace(self._turn(record, line, session, role), text=said)

    def _close(self, session: SessionId) -> Iterator[Item]:
        reply = self._open.pop(session, None)
        if reply is not None:
            yield from reply.turns()

    def _turn(self, record: Record, line: Line, session: SessionId, role: Role) -> Turn:
        at = parse_instant(record.timestamp)
        return Turn(
            role=role,
            text="",
            session=session,
            record=record.identity or f"line:{line.number}",
            at=at,
            at_source="record" if at else "none",
            first_line=line.number,
            last_line=line.number,
            cwd=record.cwd or None,
            branch=record.git_branch or None,
            model=record.message.model if record.message and role is Role.ASSISTANT else None,
            sidechain=self.sessions.is_sidechain(record),
            abandoned=record.uuid in self.chain.abandoned,
            offset=line.offset,
        )

    def _settle(self, block: Block, record: Record, session: SessionId) -> None:
        """Tell the open reply how one of its calls ended."""
        reply = self._open.get(session)
        if reply is not None and block.tool_use_id:
            reply.settle(block.tool_use_id, ok=not (block.is_error or record.result_failed))

    def _refused(self, record: Record) -> str:
        """Why an assistant record is nobody's words, or ""."""
        message = record.message
        if record.is_api_error_message:
            return "api error"
        if message is None:
            return ""
        if message.model == _SYNTHETIC:
            return "synthetic"
        if record.is_sidechain and message.id in self.chain.trunk_messages:
            return "sidechain copy"
        return ""

    def _is_copy(self, record: Record, content: object) -> bool:
        """Whether this record was read before: same id, or a replay after compaction; notes it otherwise."""
        identity = record.identity
        if identity is not None and identity in self._seen:
            return True
        key = replay_key(record, content)
        if key is not None and record.uuid:
            if key in self._contents:
                return True
            self._contents.add(key)
        if identity is not None:
            self._seen.add(identity)
        return False

    def _is_repeat(self, message: str | None, content: tuple[str, ...]) -> bool:
        """Whether this message had exactly these blocks before: old versions repeat replies when they resume."""
        if message is None or not any(content):
            return False
        key = (message, content)
        if key in self._contents:
            return True
        self._contents.add(key)
        return False

    def _count(self, results: list[Block], reason: str) -> None:
        if results:
            self.tally.use("tool_result")
        else:
            self.tally.skip(reason)

    def _count_reply(self, added: bool, blocks: list[Block]) -> None:
        if added:
            self.tally.use("assistant")
        elif any(block.type in {"thinking", "redacted_thinking"} for block in blocks):
            self.tally.skip("thinking")
        else:
            self.tally.skip("empty")
