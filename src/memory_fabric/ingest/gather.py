"""Collects what one file gives into the batch that one transaction writes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from memory_fabric.ingest.extract.combine import united
from memory_fabric.model.graph import Entity, EntityId, Mention, Relation
from memory_fabric.model.memory import Memory, Project, Session
from memory_fabric.ports import Batch, Extraction, LedgerEntry, Record


class Gathered:
    """Records in order, entities once each with their aliases united."""

    def __init__(self) -> None:
        self._records: list[Record] = []
        self._entities: dict[EntityId, Entity] = {}
        self._relations: list[Relation] = []
        self._mentions: dict[Mention, None] = {}

    def add(self, memory: Memory, seq: int, part: int, found: Extraction) -> None:
        """Take one memory and what was extracted from it."""
        names = {entity.id: entity.name for entity in found.entities}
        mentioned = dict.fromkeys(names[m.entity] for m in found.mentions if m.entity in names)
        record = Record(replace(memory, entities=tuple(mentioned)), seq, part, found.statements)
        self._records.append(record)
        for entity in found.entities:
            known = self._entities.get(entity.id)
            self._entities[entity.id] = entity if known is None else united(known, entity)
        self._relations.extend(found.relations)
        self._mentions.update(dict.fromkeys(found.mentions))

    def batch(
        self, projects: Iterable[Project], sessions: Iterable[Session], ledger: LedgerEntry | None = None
    ) -> Batch:
        """Everything, ready to be saved."""
        return Batch(
            projects=tuple(projects),
            sessions=tuple(sessions),
            records=tuple(self._records),
            entities=tuple(self._entities.values()),
            relations=tuple(self._relations),
            mentions=tuple(self._mentions),
            ledger=ledger,
        )
