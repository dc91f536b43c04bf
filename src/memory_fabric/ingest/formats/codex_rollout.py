"""One Codex rollout, record by record, as turns and facts (formats.md §3.2, C-024)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from memory_fabric.clock import parse_instant
from memory_fabric.ingest.formats import codex_tools
from memory_fabric.ingest.formats.claude_text import without_own_output
from memory_fabric.ingest.formats.codex_drafts import Draft, Drafts, Layer
from memory_fabric.ingest.formats.codex_text import folder_of, said
from memory_fabric.ingest.lines import Line
from memory_fabric.model.memory import SessionId
from memory_fabric.model.transcript import Role, SessionFacts, Tally, ToolCall, Turn

REACHES_BACK = "rollback before the resume point"
"""Counted when a rollback reaches turns before the cursor, which can no longer be marked in this read."""

REPLAY_SPAN = timedelta(seconds=1)
"""A child's copy of its parent's history is stamped within the second of the spawn (formats.md §3.2)."""

_CALLS = frozenset(
    "function_call custom_tool_call local_shell_call web_search_call tool_search_call image_generation_call".split()
)
_OUTPUTS = frozenset("function_call_output custom_tool_call_output tool_search_output local_shell_call_output".split())
_TOOL_EVENTS = frozenset("exec_command_end patch_apply_end mcp_tool_call_end web_search_end".split())
_TEXT_EVENTS = {"user_message": Role.USER, "agent_message": Role.ASSISTANT}
_TEXT_ITEMS = {"UserMessage": Role.USER, "AgentMessage": Role.ASSISTANT}
_TOOL_ITEMS = frozenset("CommandExecution McpToolCall FileChange WebSearch Extension".split())

Items = Iterator[Turn | SessionFacts]


@dataclass(frozen=True, slots=True)
class Identity:
    """What the first ``session_meta`` says."""

    session: SessionId
    parent: SessionId | None = None
    sidechain: bool = False
    cwd: str | None = None
    branch: str | None = None
    started: datetime | None = None

    @classmethod
    def of(cls, meta: Mapping[str, Any]) -> Identity:
        """The identity in a ``session_meta`` payload, or in the bare object of rollouts before September 2025."""
        session = SessionId(str(meta["id"]))
        source = meta.get("source")
        spawned = source.get("subagent") if isinstance(source, Mapping) else None
        spawn = spawned.get("thread_spawn") if isinstance(spawned, Mapping) else None
        parents = (
            spawn.get("parent_thread_id") if isinstance(spawn, Mapping) else None,
            meta.get("parent_thread_id"),
            meta.get("forked_from_id"),
            meta.get("session_id"),
        )
        parent = next((p for p in parents if isinstance(p, str) and p and p != session), None)
        git = meta.get("git")
        branch = git.get("branch") if isinstance(git, Mapping) else None
        return cls(
            session=session,
            parent=SessionId(parent) if parent else None,
            sidechain=spawned is not None or meta.get("thread_source") == "subagent",
            cwd=_string(meta.get("cwd")) or None,
            branch=_string(branch) or None,
            started=parse_instant(meta.get("timestamp")),
        )


@dataclass(slots=True)
class Rollout:
    """The state of reading one rollout."""

    identity: Identity
    tally: Tally
    drafts: Drafts
    replays: bool
    """The file begins with a copy of its parent's history."""
    seekable: bool
    """Offsets are places in the file (not in compressed data)."""
    cwd: str | None = None
    model: str | None = None
    _met: bool = False
    _replayed_until: datetime | None = None
    _line: Line = field(default=Line(1, 0, b"", True))
    _at: datetime | None = None

    def feed(self, line: Line, record: Mapping[str, Any]) -> Items:
        """What one record adds; counts it once."""
        self._line, self._at = line, parse_instant(record.get("timestamp"))
        payload, kind = record.get("payload"), _string(record.get("type"))
        if not isinstance(payload, Mapping):
            yield from self._bare(record, kind)
            return
        if kind == "session_meta":
            yield from self._meta(payload)
        elif self._in_replay():
            self.tally.skip("replayed parent history")
        elif kind == "turn_context":
            yield from self._context(payload)
        elif kind == "response_item":
            yield from self._response(payload)
        elif kind == "event_msg":
            yield from self._event(payload)
        elif kind == "compacted":
            yield from self._compacted(payload)
        else:
            self.tally.skip(_reason(kind))

    def end(self) -> Iterator[Turn]:
        """The turns still held when the file ends."""
        return self._turns(self.drafts.rest())

    # ── the envelope ────────────────────────────────────────────────────────────────────────────────────────────

    def _bare(self, record: Mapping[str, Any], kind: str) -> Items:
        """A line without envelope: rollouts from before September 2025."""
        if is_bare_meta(record):
            yield from self._meta(record)
        elif kind:
            yield from self._response(record)
        else:
            self.tally.skip("state" if "record_type" in record else _reason(kind))

    def _meta(self, meta: Mapping[str, Any]) -> Items:
        if self._met or meta.get("id") != self.identity.session:
            self.tally.skip("copied session_meta")
            return
        self._met = True
        self.tally.use("session_meta")
        began = self._at or self.identity.started
        if self.replays and began is not None:
            self._replayed_until = began + REPLAY_SPAN
        self.cwd = self.cwd or self.identity.cwd
        identity = self.identity
        yield SessionFacts(identity.session, cwd=identity.cwd, parent=identity.parent, at=identity.started or self._at)

    def _in_replay(self) -> bool:
        if self._replayed_until is None:
            return False
        if self._at is None or self._at < self._replayed_until:
            return True
        self._replayed_until = None
        return False

    def _context(self, context: Mapping[str, Any]) -> Items:
        self.tally.use("turn_context")
        self.model = _string(context.get("model")) or self.model
        yield from self._moved(_string(context.get("cwd")))

    def _moved(self, cwd: str) -> Items:
        if cwd and cwd != self.cwd:
            self.cwd = cwd
            yield SessionFacts(self.identity.session, cwd=cwd, at=self._at)

    def _compacted(self, payload: Mapping[str, Any]) -> Items:
        """A summary of what was said; its ``replacement_history`` repeats old items and is not read."""
        text = without_own_output(_string(payload.get("message"))).strip()
        if not text:
            self.tally.skip("compacted without text")
            return
        self.tally.use("summary")
        yield from self._turns(self.drafts.add(self._draft(Role.SUMMARY, text, "".join(text.split()))))

    # ── response items ──────────────────────────────────────────────────────────────────────────────────────────

    def _response(self, item: Mapping[str, Any]) -> Items:
        kind = _string(item.get("type"))
        if kind == "message":
            yield from self._message(item)
        elif kind in _CALLS:
            self.tally.use("tool_call")
            yield from self._call(codex_tools.calls_of(item, self._line.number), Layer.RESPONSE, _call_id(item), None)
        elif kind in _OUTPUTS:
            self.tally.use("tool_result")
            self.drafts.resolve(_call_id(item), codex_tools.outcome(item.get("output")))
        else:
            self.tally.skip(_reason(kind))

    def _message(self, item: Mapping[str, Any]) -> Items:
        role = _string(item.get("role"))
        if role not in ("user", "assistant"):
            self.tally.skip(f"{_reason(role)} role")
            return
        message = said(item.get("content"), user=role == "user")
        yield from self._say(Role(role), message.text, message.key, Layer.RESPONSE)
        if message.environment and self.cwd is None:
            yield from self._moved(folder_of(message.environment) or "")

    # ── events ──────────────────────────────────────────────────────────────────────────────────────────────────

    def _event(self, event: Mapping[str, Any]) -> Items:
        kind = _string(event.get("type"))
        if kind in _TEXT_EVENTS:
            yield from self._event_message(event, _TEXT_EVENTS[kind])
        elif kind in _TOOL_EVENTS:
            self.tally.use("tool_result")
            yield from self._tool_event(kind, event, Layer.EVENT)
        elif kind == "item_completed":
            yield from self._item(event.get("item"))
        elif kind == "thread_rolled_back":
            self._rolled_back(event.get("num_turns"))
        elif kind == "thread_name_updated" and _string(event.get("thread_name")):
            self.tally.use("title")
            yield SessionFacts(self.identity.session, title=_string(event["thread_name"]), at=self._at)
        else:
            self.tally.skip(_reason(kind))

    def _event_message(self, event: Mapping[str, Any], role: Role) -> Items:
        text = _string(event.get("message"))
        images = event.get("images")
        content: list[object] = [text]
        if role is Role.USER and isinstance(images, list):
            content += [{"type": "image", "image_url": image} for image in images]
        message = said(content, user=role is Role.USER)
        yield from self._say(role, message.text, message.key, Layer.EVENT)

    def _item(self, item: object) -> Items:
        """A completed item of the third generation."""
        if not isinstance(item, Mapping):
            self.tally.skip("item_completed without item")
            return
        kind = _string(item.get("type"))
        if kind in _TEXT_ITEMS:
            role = _TEXT_ITEMS[kind]
            message = said(item.get("content"), user=role is Role.USER)
            yield from self._say(role, message.text, message.key, Layer.ITEM)
        elif kind in _TOOL_ITEMS:
            self.tally.use("tool_result")
            yield from self._tool_event(kind, item, Layer.ITEM)
        else:
            self.tally.skip(f"item {_reason(kind)}")

    def _tool_event(self, kind: str, event: Mapping[str, Any], layer: Layer) -> Items:
        """The end of a tool call: adds the call unless another layer has it, and tells whether it succeeded."""
        number = self._line.number
        calls: tuple[ToolCall, ...]
        if kind in ("exec_command_end", "CommandExecution"):
            calls = codex_tools.command_calls(event, number)
            ok = codex_tools.exit_ok(event.get("exit_code"))
        elif kind in ("patch_apply_end", "FileChange"):
            calls, ok = codex_tools.file_calls(event.get("changes"), number), codex_tools.succeeded(event)
        elif kind in ("mcp_tool_call_end", "McpToolCall"):
            calls, ok = codex_tools.mcp_calls(event, number), codex_tools.succeeded(event)
        else:
            action = event.get("action")
            calls, ok = codex_tools.web_calls(action if isinstance(action, Mapping) else event, number), None
        yield from self._call(calls, layer, _call_id(event), ok)

    def _rolled_back(self, turns: object) -> None:
        count = turns if isinstance(turns, int) else 0
        reached = self.drafts.roll_back(count)
        self.tally.use("rollback" if reached >= count else REACHES_BACK)

    # ── turns ───────────────────────────────────────────────────────────────────────────────────────────────────

    def _say(self, role: Role, text: str, key: str, layer: Layer) -> Items:
        if not text:
            self.tally.skip("injected" if role is Role.USER else "no text")
            return
        if (first := self.drafts.copy_of(role, key, layer)) is not None:
            first.layers.add(layer)
            first.last_line = self._line.number
            self.tally.skip("copy in another layer")
            return
        self.tally.use(role.value)
        draft = self._draft(role, text, key)
        draft.layers.add(layer)
        yield from self._turns(self.drafts.add(draft))

    def _call(self, calls: tuple[ToolCall, ...], layer: Layer, call_id: str, ok: bool | None) -> Items:
        if calls:
            held = self.drafts.held
            if not held or held[-1].role is not Role.ASSISTANT or held[-1].abandoned:
                yield from self._turns(self.drafts.add(self._draft(Role.ASSISTANT, "", "")))
            draft = self.drafts.held[-1]
            draft.last_line = self._line.number
            self.drafts.attach(draft, calls, layer, call_id)
        self.drafts.resolve(call_id, ok)

    def _draft(self, role: Role, text: str, key: str) -> Draft:
        line, at = self._line, self._at or self.identity.started
        return Draft(
            role=role,
            text=text,
            key=key,
            record=f"{self.identity.session}:{line.number}",
            at=at,
            at_source="record" if self._at else "file" if at else "none",
            line=line.number,
            offset=line.offset if self.seekable else None,
            cwd=self.cwd,
            branch=self.identity.branch,
            model=self.model if role is Role.ASSISTANT else None,
        )

    def _turns(self, drafts: Iterator[Draft]) -> Iterator[Turn]:
        for draft in drafts:
            if draft.text or draft.calls:
                yield draft.turn(self.identity.session, self.identity.sidechain)


def is_bare_meta(record: Mapping[str, Any]) -> bool:
    """Whether a line is the bare meta object of rollouts before September 2025."""
    named = isinstance(record.get("id"), str) and isinstance(record.get("timestamp"), str)
    return named and "type" not in record and ("instructions" in record or "git" in record)


_SHORT_NAME = re.compile(r"[\w./-]{1,40}")


def _reason(kind: str) -> str:
    """A record's type as a reason to skip it; a type that is no plain name is content and stays out of reports."""
    return kind if _SHORT_NAME.fullmatch(kind) else "unknown type"


def _call_id(item: Mapping[str, Any]) -> str:
    return _string(item.get("call_id")) or _string(item.get("id"))


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""
