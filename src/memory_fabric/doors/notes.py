"""What ``remember`` and ``forget`` did, as JSON: a contract, as that of answers is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memory_fabric.curate.forget import Forgotten
from memory_fabric.curate.note import Remembered
from memory_fabric.doors.results import Json, Names, instant, memory_json, origin_json, relation_json
from memory_fabric.model.graph import Entity
from memory_fabric.model.memory import Memory

PREVIEW = 200
"""Characters of a memory's first line, where it is shown to be told from others."""


def remembered_json(said: Remembered, notes: Sequence[str] = ()) -> Json:
    """What became of a note (F-CMD-5); ``notes`` are added to its own."""
    return {
        "status": said.status.value,
        "id": said.memory.id,
        "ids": list(said.ids),
        "chars": said.characters,
        "category": said.category,
        "outcome": said.outcome.value if said.outcome else None,
        "lesson": said.lesson,
        "agent": said.agent,
        "project": said.memory.project,
        "entities": {
            "new": [entity_json(entity) for entity in said.new_entities],
            "known": [entity_json(entity) for entity in said.known_entities],
        },
        "relations": [relation_json(relation, names_of(said)) for relation in said.relations],
        "totals": {"entities": said.entities_total, "relations": said.relations_total},
        "redacted": dict(said.redacted),
        "similar": [memory_json(memory) for memory in said.similar],
        "contrary": [memory_json(memory) for memory in said.contrary],
        "notes": [*said.notes, *notes],
    }


def entity_json(entity: Entity) -> Json:
    """A name and its type as it is shown (F-VOC-3)."""
    return {"name": entity.name, "type": type_of(entity)}


def type_of(entity: Entity) -> str:
    """The type as given, else the kind."""
    return entity.label or (entity.kind.value if entity.kind else "")


def names_of(said: Remembered) -> Names:
    """The entities of a note by id."""
    return {entity.id: entity for entity in (*said.new_entities, *said.known_entities)}


def forgotten_json(gone: Forgotten, *, dry_run: bool) -> Json:
    """What went, or would go, and what nothing has."""
    return {
        "forgotten": gone.count,
        "dry_run": dry_run,
        "memories": [_brief(memory) for memory in gone.memories],
        "unknown": list(gone.unknown),
    }


def _brief(memory: Memory) -> Mapping[str, object]:
    return {
        "id": memory.id,
        "preview": first_line(memory)[:PREVIEW],
        "timestamp": instant(memory.at),
        "kind": memory.kind.value,
        "project": memory.project,
        "origin": origin_json(memory.origin),
    }


def first_line(memory: Memory) -> str:
    """The first line of a memory's text that says something."""
    return next((line.strip() for line in memory.text.splitlines() if line.strip()), "")
