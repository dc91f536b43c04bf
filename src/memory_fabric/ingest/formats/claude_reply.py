"""One assistant message that Claude Code writes as several lines, one a content block (formats.md §1.3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from memory_fabric.ingest.formats.claude_records import Block
from memory_fabric.ingest.formats.claude_text import reply_text
from memory_fabric.ingest.formats.toolcalls import arguments_of, tool_calls
from memory_fabric.model.transcript import ToolCall, Turn


@dataclass(slots=True)
class Reply:
    """A message still open: further blocks may follow, and the results of its calls are awaited."""

    key: tuple[str | None, str | None]
    """``message.id`` and ``requestId``: lines that share them are one message."""
    first: Turn
    """The turn as its first line has it, without text."""
    _texts: list[str] = field(default_factory=list)
    _calls: list[ToolCall] = field(default_factory=list)
    _places: dict[str, list[int]] = field(default_factory=dict)
    _last_line: int | None = None

    def add(self, blocks: list[Block], line: int) -> bool:
        """Add one line's blocks; False when none of them holds text or a call."""
        before = len(self._texts) + len(self._calls)
        for block in blocks:
            if block.type == "text" and (said := reply_text(block)):
                self._texts.append(said)
            elif block.type in {"tool_use", "server_tool_use"} and block.name:
                self._call(block, line)
        self._last_line = line
        return len(self._texts) + len(self._calls) > before

    def settle(self, call: str, *, ok: bool) -> None:
        """Note how a call ended."""
        for place in self._places.get(call, ()):
            self._calls[place] = replace(self._calls[place], ok=ok)

    def turns(self) -> Iterator[Turn]:
        """The finished turn; nothing if it held only thoughts."""
        if self._texts or self._calls:
            yield replace(
                self.first, text="\n\n".join(self._texts), tools=tuple(self._calls), last_line=self._last_line
            )

    def _call(self, block: Block, line: int) -> None:
        begin = len(self._calls)
        self._calls.extend(tool_calls(block.name or "", arguments_of(block.input), line))
        if block.id:
            self._places[block.id] = list(range(begin, len(self._calls)))
