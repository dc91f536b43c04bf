"""Rows of the file to nodes and links."""

from __future__ import annotations

import json

from memory_fabric.model.graph import EntityId, Relation, RelationOrigin, as_stated
from memory_fabric.model.nodes import Link, Node
from memory_fabric.model.vocabulary import Predicate
from memory_fabric.store.sqlite.rows import Row


def node_of(row: Row) -> Node:
    """A node from its row, name, type and observations (see queries.sql)."""
    _, name, type_, observations = row
    return Node(str(name), str(type_), tuple(json.loads(str(observations))))


def link_of(row: Row) -> Link:
    """A link in the direction in which it was given (F-VOC-5)."""
    subject, predicate, object_, label, *names = row
    relation = Relation(
        EntityId(str(subject)),
        None if predicate is None else Predicate(str(predicate)),
        EntityId(str(object_)),
        str(label),
        RelationOrigin.STATED,
    )
    shown = {subject: str(names[0]), object_: str(names[1])}
    start, said, end = as_stated(relation)
    return Link(shown[start], said, shown[end])
