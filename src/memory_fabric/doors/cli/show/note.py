"""What ``remember`` and ``forget`` did, for people (F-CMD-5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from memory_fabric.curate.forget import Forgotten
from memory_fabric.curate.note import Outcome, Remembered, Status
from memory_fabric.doors.cli.lines import count, day, one_line, plain, rows
from memory_fabric.doors.cli.paint import Paint
from memory_fabric.doors.notes import first_line, names_of, type_of
from memory_fabric.doors.results import relation_json
from memory_fabric.model.graph import Entity
from memory_fabric.model.memory import Memory

LISTED = 10
"""Memories that are shown before one is asked about all."""

_WORDS = {Outcome.SUCCESS: " SUCCESS", Outcome.FAILED: " ANTI-PATTERN", None: ""}


def remembered_lines(said: Remembered, paint: Paint, width: int) -> Iterator[str]:
    """A heading, then what there is to know of the note, a line each."""
    if said.status is Status.CONTRARY:
        yield paint.warn("Not stored: an earlier note says the opposite")
        yield from rows([("says", _shown(memory)) for memory in said.contrary], width)
        return
    if said.status is Status.DUPLICATE:
        yield f"Remembered already{_WORDS[said.outcome]}: {_shown(said.memory)}"
        return
    yield paint.good(f"Remembered{_WORDS[said.outcome]}") + paint.dim(f"  {said.memory.id}")
    yield from rows(_facts(said), width)


def _facts(said: Remembered) -> Iterator[tuple[str, str]]:
    yield "category", said.category
    yield "lesson", plain(said.lesson or "")
    yield "agent", plain(said.agent or "")
    yield "project", plain(said.project.name) if said.project else "all projects"
    yield "created", _entities(said.new_entities)
    yield "added to", _entities(said.known_entities)
    names = names_of(said)
    yield "relations", "; ".join(" ".join(relation_json(each, names).values()) for each in said.relations)
    yield from (("looks like", _shown(memory)) for memory in said.similar)
    yield from (("opposite", _shown(memory)) for memory in said.contrary)
    yield "in all", f"{count(said.entities_total, 'entity', 'entities')}, {count(said.relations_total, 'relation')}"


def _entities(entities: Sequence[Entity]) -> str:
    return ", ".join(f"{plain(entity.name)} ({plain(type_of(entity))})" for entity in entities)


def _shown(memory: Memory) -> str:
    return f"{day(memory.at)} “{one_line(first_line(memory), 72)}” ({memory.id})"


def forgotten_lines(gone: Forgotten, paint: Paint, width: int, *, asked: bool) -> Iterator[str]:
    """How many, and the first lines of the first ten; ``asked``: they are still there."""
    number = count(len(gone.memories), "memory", "memories")
    yield paint.bold(f"Would forget {number}" if asked else f"Forgot {count(gone.count, 'memory', 'memories')}")
    for memory in gone.memories[:LISTED]:
        lead = f"  {memory.id}  {day(memory.at)}  "
        yield lead + one_line(first_line(memory), max(20, width - len(lead)))
    if len(gone.memories) > LISTED:
        yield f"  and {len(gone.memories) - LISTED:,} more"


def unknown_remarks(unknown: Iterable[str]) -> list[str]:
    """What was asked for and is not there."""
    return [f"nothing is remembered as {one_line(each, 80)}" for each in unknown]
