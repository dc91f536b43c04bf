"""Turns to exchanges: a human prompt and all assistant text until the next one (F-ING-2, F-ING-3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from memory_fabric.model.transcript import Exchange, Role, SessionFacts, Turn


@dataclass(slots=True)
class _Open:
    """The exchange that is being collected."""

    prompts: list[Turn] = field(default_factory=list)
    replies: list[Turn] = field(default_factory=list)

    @property
    def turns(self) -> list[Turn]:
        return self.prompts + self.replies

    def takes(self, turn: Turn) -> bool:
        """Whether this turn still belongs here: the same speaker's next words, or the answer to them."""
        first = self.turns[0]
        if turn.session != first.session or turn.abandoned != first.abandoned:
            return False
        if Role.SUMMARY in (turn.role, first.role):
            return False
        return turn.role is Role.ASSISTANT or not self.replies


def exchanges(stream: Iterable[Turn | SessionFacts]) -> Iterator[Exchange | SessionFacts]:
    """Exchanges as they end, those of one session in order; facts pass through where they stood.

    Consecutive prompts without an answer between them are one exchange (steering text, a queued command).  A summary
    is an exchange of its own.  Turns of a sub-agent that stand among their parent's are collected apart, by session.
    """
    pending: dict[str, _Open] = {}
    for item in stream:
        if isinstance(item, SessionFacts):
            yield item
            continue
        current = pending.get(item.session)
        if current is not None and not current.takes(item):
            yield _close(current)
            current = None
        if current is None:
            current = pending[item.session] = _Open()
        (current.prompts if item.role is Role.USER else current.replies).append(item)
    for current in pending.values():
        yield _close(current)


def _close(collected: _Open) -> Exchange:
    turns = collected.turns
    first, last = turns[0], turns[-1]
    lines = [line for turn in turns for line in (turn.first_line, turn.last_line) if line is not None]
    timed = [turn for turn in turns if turn.at is not None]
    begins = timed[0] if timed and first.at is None else first
    return Exchange(
        session=first.session,
        record=first.record,
        prompt=_joined(collected.prompts),
        reply=_joined(collected.replies),
        derived=first.role is Role.SUMMARY,
        at=begins.at,
        at_source=begins.at_source,
        ended_at=timed[-1].at if timed else None,
        first_line=min(lines, default=None),
        last_line=max(lines, default=None),
        tools=tuple(tool for turn in turns for tool in turn.tools),
        cwd=first.cwd or last.cwd,
        branch=first.branch,
        models=tuple(dict.fromkeys(turn.model for turn in turns if turn.model)),
        sidechain=first.sidechain,
        abandoned=first.abandoned,
        offset=first.offset,
    )


def _joined(turns: Iterable[Turn]) -> str:
    return "\n\n".join(text for turn in turns if (text := turn.text.strip()))
