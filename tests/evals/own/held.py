"""What a store holds, as a test says it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta

from memory_fabric.evals.own.snapshot import Chunk, Named, Snapshot
from memory_fabric.text import entity_key, exchange_text

START = datetime(2026, 3, 1, 9, tzinfo=UTC)

COMMON = "check the folder when the hook fails and update the branch before the review starts again"
"""Words that every filler passage holds, so that none of them is rare."""


def chunk(
    id_: str,
    prompt: str,
    reply: str = "",
    *,
    session: str = "s1",
    kind: str = "exchange",
    minute: int | None = 0,
    project: str | None = "p1",
    tools: Iterable[Mapping[str, str]] = (),
    mentions: Iterable[str] = (),
) -> Chunk:
    at = None if minute is None else START + timedelta(minutes=minute)
    text = exchange_text(prompt, reply)
    return Chunk(id_, text, kind, session, at, project, tuple(tools), tuple(mentions))


def entity(
    name: str, kind: str | None = "technology", label: str | None = None, aliases: tuple[str, ...] = ()
) -> Named:
    return Named(entity_key(name), name, kind, label, aliases)


def fillers(count: int, text: str = COMMON) -> list[Chunk]:
    """Passages that say the same common words, one a session."""
    return [chunk(f"filler-{number}", text, session=f"filler-{number}") for number in range(count)]


def held(
    chunks: Iterable[Chunk],
    entities: Iterable[Named] = (),
    *,
    related: Iterable[str] | None = None,
    roots: Mapping[str, str] | None = None,
    parents: Mapping[str, str] | None = None,
) -> Snapshot:
    """A snapshot; a relation rests on every memory unless said otherwise."""
    by_id = {each.id: each for each in chunks}
    return Snapshot(
        by_id,
        {each.id: each for each in entities},
        frozenset(by_id if related is None else related),
        {"p1": "/nowhere"} if roots is None else roots,
        parents or {},
    )
