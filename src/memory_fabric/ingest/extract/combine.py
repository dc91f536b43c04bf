"""What several extractors found in one memory, as one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from memory_fabric.errors import ExtractionError
from memory_fabric.model.graph import Entity, EntityId, Mention, Relation
from memory_fabric.model.memory import Memory, Project, Statement
from memory_fabric.model.transcript import Exchange
from memory_fabric.ports import Extraction, Extractor


def extract_all(
    extractors: Sequence[Extractor], memory: Memory, exchange: Exchange, project: Project | None
) -> Extraction:
    """Everything the extractors find, each entity, relation and mention once, in the order first found.

    Entities of one id unite their aliases and keep the first name.  A relation said twice under one label stays
    once; relations whose ends are not both among the entities are dropped and counted (``unknown end``), as are
    those with equal ends (``same ends``).
    """
    entities: dict[EntityId, Entity] = {}
    relations: dict[tuple[EntityId, str, EntityId], Relation] = {}
    mentions: dict[Mention, None] = {}
    statements: dict[Statement, None] = {}
    dropped: Counter[str] = Counter()
    parts = [_tried(extractor, memory, exchange, project) for extractor in extractors]
    for part in parts:
        for entity in part.entities:
            known = entities.get(entity.id)
            entities[entity.id] = entity if known is None else united(known, entity)
        mentions.update(dict.fromkeys(part.mentions))
        statements.update(dict.fromkeys(part.statements))
        dropped.update(part.dropped)
    for relation in (relation for part in parts for relation in part.relations):
        if relation.subject == relation.object:
            dropped["same ends"] += 1
        elif relation.subject not in entities or relation.object not in entities:
            dropped["unknown end"] += 1
        else:
            relations.setdefault((relation.subject, relation.label, relation.object), relation)
    return Extraction(
        entities=tuple(entities.values()),
        relations=tuple(relations.values()),
        mentions=tuple(mentions),
        statements=tuple(statements),
        dropped=dict(dropped),
    )


def _tried(extractor: Extractor, memory: Memory, exchange: Exchange, project: Project | None) -> Extraction:
    """What one extractor finds; where it cannot, the memory is kept without its facts, which is counted (F-ERR-9)."""
    try:
        return extractor.extract(memory, exchange, project)
    except ExtractionError:
        return Extraction(dropped={f"{extractor.name} failed": 1})


def united(first: Entity, second: Entity) -> Entity:
    """One entity found twice: the first name and label, all aliases in order."""
    aliases = dict.fromkeys((*first.aliases, second.name, *second.aliases))
    aliases.pop(first.name, None)
    return Entity(first.id, first.name, first.kind or second.kind, tuple(aliases), first.label or second.label)
