"""What is worth pushing to a memory elsewhere, as parcels without secrets (F-CMD-10, F-PRIV-1).

Pushed are the things that somebody said on purpose, not everything that was read:

* decisions stated in conversations, each once a project (not those of summaries, which are derived: C-019);
* notes: what a person or an agent asked to remember;
* entities and links that a client wrote, and entities that something was observed of, with the observations.

A memory that keeps a graph also gets the entities that a pushed decision names and the relations that rest on it.  A
note that names entities is there as their observation and not a second time.  A memory that keeps texts alone gets
links as short sentences, and of entities only their observations, which are notes.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory_fabric.model.graph import EntityId, Relation, RelationOrigin, as_stated
from memory_fabric.model.memory import Memory, MemoryId, MemoryKind, Project, ProjectId, Statement, StatementKind
from memory_fabric.model.nodes import Link, Node
from memory_fabric.model.query import Scope
from memory_fabric.ports import Parcel, Store
from memory_fabric.ports.outbox import LINK, MEMORY, NODE, OBSERVATION, pieces, sentence
from memory_fabric.text import entity_key, text_hash

Redact = Callable[[Any], Any]
"""A JSON value without secrets."""

ALL = sys.maxsize
"""No limit: a store holds few things that were said on purpose."""


@dataclass(frozen=True, slots=True)
class Observed:
    """What was observed of an entity, and the memory that holds it."""

    memory: MemoryId
    entity: str
    text: str


@dataclass(frozen=True, slots=True)
class Worth:
    """What one store has to push, read once for all targets."""

    memories: tuple[Mapping[str, object], ...]
    """Payloads of decisions and notes, oldest first."""
    nodes: tuple[Node, ...] = ()
    links: tuple[Link, ...] = ()
    """Those that a client wrote."""
    stated: tuple[Link, ...] = ()
    """Those that a pushed decision states."""
    named: tuple[Node, ...] = ()
    """Entities at an end of those, or named by a decision, that are not among ``nodes``."""
    observed: tuple[Observed, ...] = ()


def gather(store: Store, redact: Redact, only: Sequence[MemoryId] | None = None) -> Worth:
    """Everything worth pushing; ``only``: what these memories say."""
    wanted = None if only is None else frozenset(only)
    projects = {project.id: project for project in store.projects()}
    decisions = [
        (memory, statement)
        for memory, statement in reversed(store.statements([StatementKind.DECISION], Scope(), ALL))
        if memory.kind is MemoryKind.EXCHANGE and (wanted is None or memory.id in wanted)
    ]
    notes = [
        memory
        for memory in reversed(store.recent(Scope(kinds=(MemoryKind.NOTE,)), ALL))
        if wanted is None or memory.id in wanted
    ]
    observed = [Observed(*row) for row in store.written_observations() if wanted is None or row[0] in wanted]
    about = {entity_key(each.entity) for each in observed}
    nodes = [node for node in store.written_nodes() if wanted is None or entity_key(node.name) in about]
    stated, named = _said_by(store, decisions, {entity_key(node.name) for node in nodes})
    return Worth(
        memories=tuple(
            redact(payload)
            for payload in (
                *(_decision(memory, statement, projects) for memory, statement in _each_once(decisions)),
                *(_note(memory, projects) for memory in notes),
            )
        ),
        nodes=tuple(_clean_node(node, redact) for node in nodes),
        observed=tuple(Observed(each.memory, redact(each.entity), redact(each.text)) for each in observed),
        links=tuple(_clean_link(link, redact) for link in (store.written_links() if wanted is None else ())),
        stated=tuple(_clean_link(link, redact) for link in stated),
        named=tuple(_clean_node(node, redact) for node in named),
    )


def parcels(worth: Worth, target: str, *, graph: bool) -> list[Parcel]:
    """What goes to one target: entities before what points to them."""
    if not graph:
        return [*(_text(target, payload) for payload in worth.memories), *(_link(target, each) for each in worth.links)]
    known = {each.memory for each in worth.observed}
    alone = (payload for payload in worth.memories if payload["memory_id"] not in known)
    links = dict.fromkeys((*worth.links, *worth.stated))
    return [
        *(_node(target, node) for node in (*worth.nodes, *worth.named)),
        *(_observation(target, each) for each in worth.observed),
        *(_text(target, payload) for payload in alone),
        *(_link(target, link) for link in links),
    ]


def _each_once(decisions: Sequence[tuple[Memory, Statement]]) -> Iterator[tuple[Memory, Statement]]:
    """The first time that each decision was stated in its project."""
    seen: set[tuple[ProjectId | None, str]] = set()
    for memory, statement in decisions:
        key = (memory.project, text_hash(statement.text))
        if key not in seen:
            seen.add(key)
            yield memory, statement


def _decision(memory: Memory, statement: Statement, projects: Mapping[ProjectId, Project]) -> dict[str, object]:
    return {
        **_common(memory, projects),
        "key": f"decision:{memory.project or ''}:{text_hash(statement.text)}",
        "kind": "decision",
        "text": statement.text,
        "category": statement.category,
        "confidence": statement.confidence,
        "source": statement.speaker if statement.speaker == "user" else "agent",
        "entities": list(statement.entities),
        **({"rationale": statement.rationale} if statement.rationale else {}),
    }


def _note(memory: Memory, projects: Mapping[ProjectId, Project]) -> dict[str, object]:
    told = {name: memory.metadata[name] for name in ("outcome", "lesson", "agent") if memory.metadata.get(name)}
    return {
        **_common(memory, projects),
        "key": f"note:{memory.id}",
        "kind": "note",
        "text": memory.text,
        "category": str(memory.metadata.get("category", "note")),
        "confidence": 0.99,
        "source": "agent" if "agent" in told else "user",
        "entities": list(memory.entities),
        **told,
    }


def _common(memory: Memory, projects: Mapping[ProjectId, Project]) -> dict[str, object]:
    project = projects.get(memory.project) if memory.project else None
    return {
        "memory_id": memory.id,
        "timestamp": memory.at.isoformat() if memory.at else None,
        "session_id": memory.origin.session,
        "project": project.name if project else None,
        "project_id": memory.project,
        "scope": "project" if memory.project else "global",
    }


def _said_by(
    store: Store, decisions: Sequence[tuple[Memory, Statement]], known: set[str]
) -> tuple[list[Link], list[Node]]:
    """Links that rest on memories with decisions, and the entities that they and the decisions name."""
    evidence = store.evidence(list(dict.fromkeys(memory.id for memory, _ in decisions)), Scope())
    stated = dict.fromkeys(_ends(each) for every in evidence.values() for each in every if _said(each))
    keys = {entity_key(name): name for _, statement in decisions for name in statement.entities}
    ids = dict.fromkeys([*(EntityId(end) for start, _, stop in stated for end in (start, stop)), *map(EntityId, keys)])
    entities = store.entities(list(ids))
    links = [
        Link(entities[start].name, label, entities[end].name)
        for start, label, end in stated
        if start in entities and end in entities
    ]
    named = [
        Node(entity.name, entity.label or (entity.kind.value if entity.kind else "entity"))
        for id_, entity in entities.items()
        if id_ not in known
    ]
    return links, named


def _said(relation: Relation) -> bool:
    return relation.origin is RelationOrigin.STATED


def _ends(relation: Relation) -> tuple[EntityId, str, EntityId]:
    return as_stated(relation)


def _text(target: str, payload: Mapping[str, object]) -> Parcel:
    body = {name: value for name, value in payload.items() if name != "key"}
    memory = MemoryId(str(payload["memory_id"]))
    return Parcel(target, str(payload["key"]), MEMORY, body, _hashes(str(payload["text"])), memory)


def _node(target: str, node: Node) -> Parcel:
    return Parcel(target, f"node:{entity_key(node.name)}", NODE, {"name": node.name, "entityType": node.type})


def _observation(target: str, observed: Observed) -> Parcel:
    """A parcel of its own, so that forgetting the memory takes it back."""
    key = f"observation:{observed.memory}:{entity_key(observed.entity)}"
    payload = {"entity": observed.entity, "text": observed.text}
    return Parcel(target, key, OBSERVATION, payload, _hashes(observed.text, observed.entity), observed.memory)


def _hashes(text: str, entity: str | None = None) -> tuple[str, ...]:
    """Of the whole and of its pieces, each also behind the name of its entity."""
    texts = dict.fromkeys((text, *pieces(text)))
    named = [f"{entity}: {each}" for each in texts] if entity is not None else []
    return tuple(map(text_hash, (*texts, *named)))


def _link(target: str, link: Link) -> Parcel:
    payload = {"from": link.start, "to": link.end, "relationType": link.relation}
    key = json.dumps([entity_key(link.start), link.relation, entity_key(link.end)], ensure_ascii=False)
    return Parcel(target, f"link:{key}", LINK, payload, (text_hash(sentence(payload)),))


def _clean_node(node: Node, redact: Redact) -> Node:
    return Node(redact(node.name), redact(node.type))


def _clean_link(link: Link, redact: Redact) -> Link:
    return Link(redact(link.start), redact(link.relation), redact(link.end))
