"""Turns of a Codex rollout while they are being put together.

The same message may stand in up to three layers, tool results come lines after their calls, and a rollback may mark
what was said before: turns are held until the next prompt, or to the end where the file holds a rollback.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import Enum

from memory_fabric.model.memory import SessionId
from memory_fabric.model.transcript import Role, ToolCall, Turn


class Layer(Enum):
    """Where Codex writes the same thing (formats.md §3.2, the three generations)."""

    RESPONSE = "response_item"
    EVENT = "event_msg"
    ITEM = "item_completed"


@dataclass(slots=True)
class Call:
    """A tool call whose result may still come."""

    tool: ToolCall
    layer: Layer
    twin: bool = False
    """Its copy in another layer was seen."""


@dataclass(slots=True)
class Draft:
    """A turn that may still change."""

    role: Role
    text: str
    key: str
    record: str
    at: datetime | None
    at_source: str
    line: int
    offset: int | None
    cwd: str | None
    branch: str | None
    model: str | None
    last_line: int = 0
    layers: set[Layer] = field(default_factory=set)
    calls: list[Call] = field(default_factory=list)
    abandoned: bool = False

    def turn(self, session: SessionId, sidechain: bool) -> Turn:
        """The finished turn."""
        return Turn(
            role=self.role,
            text=self.text,
            session=session,
            record=self.record,
            at=self.at,
            at_source=self.at_source,
            first_line=self.line,
            last_line=max(self.line, self.last_line),
            tools=tuple(call.tool for call in self.calls),
            cwd=self.cwd,
            branch=self.branch,
            model=self.model,
            sidechain=sidechain,
            abandoned=self.abandoned,
            offset=self.offset,
        )


@dataclass(slots=True)
class Drafts:
    """The turns held back, in file order."""

    hold_all: bool
    held: list[Draft] = field(default_factory=list)
    _by_id: dict[str, list[Call]] = field(default_factory=dict)
    """Calls since the last prompt, by call id."""
    _calls: list[Call] = field(default_factory=list)
    """Calls since the last prompt."""

    def copy_of(self, role: Role, key: str, layer: Layer) -> Draft | None:
        """The adjacent turn of which this message is the copy in another layer (C-024), or None."""
        found = None
        for draft in reversed(self.held):
            if role is Role.ASSISTANT and not draft.text:
                continue
            if draft.role is not role or draft.key != key or draft.abandoned:
                break
            if layer not in draft.layers:
                found = draft
        return found

    def add(self, draft: Draft) -> Iterator[Draft]:
        """Hold a new turn; yields those that can no longer change."""
        ready: list[Draft] = []
        if draft.role is Role.USER:
            self._by_id.clear()
            self._calls.clear()
            if not self.hold_all:
                keep = len(self.held)
                while keep and self._same(self.held[keep - 1], draft):
                    keep -= 1
                ready, self.held = self.held[:keep], self.held[keep:]
        self.held.append(draft)
        yield from ready

    @staticmethod
    def _same(left: Draft, right: Draft) -> bool:
        return left.role is right.role and left.key == right.key

    def rest(self) -> Iterator[Draft]:
        """Everything still held, at the end of the file."""
        ready, self.held = self.held, []
        yield from ready

    def attach(self, draft: Draft, calls: Iterable[ToolCall], layer: Layer, call_id: str) -> None:
        """Put calls beside a turn, except those whose copy in another layer is already there."""
        known = self._by_id.get(call_id) if call_id else None
        if known and known[0].layer is not layer:
            return
        for tool in calls:
            call = self._twin(tool, layer)
            if call is None:
                call = Call(tool, layer)
                draft.calls.append(call)
                self._calls.append(call)
            if call_id:
                self._by_id.setdefault(call_id, []).append(call)

    def _twin(self, tool: ToolCall, layer: Layer) -> Call | None:
        for call in self._calls:
            same = (call.tool.kind, call.tool.target) == (tool.kind, tool.target)
            if same and call.layer is not layer and not call.twin:
                call.twin = True
                return call
        return None

    def resolve(self, call_id: str, ok: bool | None) -> None:
        """Note whether a call since the last prompt succeeded."""
        if ok is None:
            return
        for call in self._by_id.get(call_id, ()):
            call.tool = replace(call.tool, ok=ok)

    def roll_back(self, turns: int) -> int:
        """Mark the last user turns, and everything after them, as abandoned; returns how many there were."""
        live = [i for i, draft in enumerate(self.held) if draft.role is Role.USER and not draft.abandoned]
        reached = live[-turns:] if turns > 0 else []
        if reached:
            first = 0 if len(reached) < turns else reached[0]
            for draft in self.held[first:]:
                draft.abandoned = True
        return len(reached)
