"""Graphs as MCP memory servers give them (formats.md §10): read with tolerance, merged by name, matched with words."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memory_fabric.model.query import Query
from memory_fabric.text import analyse, entity_key, words

MOST_NEEDLES = 12
"""Searches that one question makes at most."""

SHORTEST_STEM = 4
"""Characters from which a stem is asked for in place of its word: shorter ones stand in too much else."""

LONGEST = 6000
"""Characters of one node's observations that are taken, as of a part of a long exchange (F-ING-4)."""

MOST_RELATIONS = 50
"""Relations of one node that are taken."""

EXACT, PARTIAL = 1.0, 0.8
"""A node that the question names, and one that was found by a word of it (F-NORM-3)."""


@dataclass(frozen=True, slots=True)
class Found:
    """A node of an outside graph."""

    name: str
    type: str = ""
    observations: tuple[str, ...] = ()


@dataclass
class Answers:
    """What several calls gave, each node and relation once."""

    nodes: dict[str, Found] = field(default_factory=dict)
    relations: dict[tuple[str, str, str], None] = field(default_factory=dict)
    broken: int = 0
    """Entries that are no node and no relation."""

    def take(self, graph: Mapping[str, Any]) -> None:
        """Add what one call gave; of two versions of a node the one with more observations stays."""
        for item in _listed(graph, "entities"):
            node = _node(item)
            if node is None:
                self.broken += 1
                continue
            known = self.nodes.get(node.name)
            if known is None or len(node.observations) > len(known.observations):
                self.nodes[node.name] = node
        for item in _listed(graph, "relations"):
            ends = _relation(item)
            if ends is None:
                self.broken += 1
            else:
                self.relations[ends] = None

    def of(self, name: str) -> list[tuple[str, str, str]]:
        """The relations (from, relation, to) with this node at an end, in the order they came."""
        return [each for each in self.relations if name in (each[0], each[2])]


def graph_of(structured: object, texts: Iterable[str]) -> Mapping[str, Any] | None:
    """The graph in a tool's result: its structured content, else the JSON of a text; None where there is none."""
    if isinstance(structured, Mapping) and "entities" in structured:
        return structured
    for text in texts:
        try:
            value = json.loads(text)
        except ValueError:
            continue
        if isinstance(value, Mapping) and "entities" in value:
            return value
        if isinstance(value, list) and all(isinstance(each, Mapping) and "name" in each for each in value):
            return {"entities": value}
    return None


def needles(query: Query) -> list[str]:
    """What to search for, most telling first: the whole topic, the things named, then its words one by one.

    The official server looks for one whole string, so two words find nothing; a server that ranks answers the whole
    best.  A word is asked for by its stem where it begins with it: "caching" then finds "cache".
    """
    singly = {word for word in words(query.semantic) if analyse(word)} - {
        hint.casefold() for hint in query.entity_hints
    }
    single = [stemmed(word) for word in sorted(singly, key=lambda word: (-len(word), word))]
    wanted = [query.semantic, *query.entity_hints, *single]
    unique = {each.casefold(): each for each in reversed(wanted) if each.strip()}
    return [each for each in dict.fromkeys(wanted) if unique.get(each.casefold()) == each][:MOST_NEEDLES]


def stemmed(word: str) -> str:
    """The stem of a word where that is a beginning of it worth asking for, else the word."""
    stem = next(iter(analyse(word)), word)
    return stem if len(stem) >= SHORTEST_STEM and word.startswith(stem) else word


def chosen(answers: Answers, query: Query, limit: int) -> list[tuple[Found, float]]:
    """The best nodes with their scores, best first: named ones, then by how much of the question they hold.

    How much is the sum over the question's words in the node of how few of these nodes hold them.  It orders what is
    taken, since a coarse score cannot; what it is worth beside other memories our own scales tell.
    """
    texts = {name: frozenset(analyse(whole(node))) for name, node in answers.nodes.items()}
    spread = Counter(term for held in texts.values() for term in query.terms if term in held)
    rarity = {term: math.log(1.0 + len(texts) / count) for term, count in spread.items()}
    held = {name: sum(rarity[term] for term in query.terms if term in terms) for name, terms in texts.items()}
    asked = f" {entity_key(' '.join(words(query.text)))} "
    raw = {name: EXACT if _named(name, asked, query) else PARTIAL for name in answers.nodes}
    best = sorted(answers.nodes, key=lambda name: (-raw[name], -held[name], name))[:limit]
    return [(answers.nodes[name], raw[name]) for name in best]


def whole(node: Found, query: Query | None = None) -> str:
    """A node as one text: its name and observations joined by ". " (F-NORM-3)."""
    pieces = [node.name, *observed(node, query)]
    return " ".join(piece if place + 1 == len(pieces) else _ended(piece) for place, piece in enumerate(pieces))


def observed(node: Found, query: Query | None = None) -> list[str]:
    """The node's observations in order; of very many, those that hold a word of the question before the others."""
    if sum(map(len, node.observations)) <= LONGEST:
        return list(node.observations)
    terms = frozenset(query.terms) if query is not None else frozenset()
    places = range(len(node.observations))
    room = LONGEST
    kept: list[int] = []
    for place in sorted(places, key=lambda at: (terms.isdisjoint(analyse(node.observations[at])), at)):
        if len(node.observations[place]) <= room or not kept:
            room -= len(node.observations[place])
            kept.append(place)
    return [node.observations[place] for place in sorted(kept)]


def _ended(piece: str) -> str:
    piece = piece.rstrip()
    return piece if piece.endswith((".", "!", "?", ":", ";")) else f"{piece}."


def _named(name: str, asked: str, query: Query) -> bool:
    key = entity_key(" ".join(words(name)))
    if not key or not analyse(name):
        return False
    return f" {key} " in asked or key in {entity_key(" ".join(words(hint))) for hint in query.entity_hints}


def _listed(graph: Mapping[str, Any], key: str) -> Sequence[Any]:
    value = graph.get(key)
    return value if isinstance(value, list | tuple) else ()


def _node(item: Any) -> Found | None:
    if not isinstance(item, Mapping) or not isinstance(item.get("name"), str) or not item["name"].strip():
        return None
    kind = item.get("entityType", item.get("type", ""))
    observations = (_observation(each) for each in _listed(item, "observations"))
    return Found(item["name"], str(kind or ""), tuple(dict.fromkeys(text for text in observations if text.strip())))


def _observation(value: Any) -> str:
    """An observation: a text, or as some servers have it an object with one."""
    if isinstance(value, Mapping):
        value = value.get("content", value.get("text", ""))
    return value if isinstance(value, str) else ""


def _relation(item: Any) -> tuple[str, str, str] | None:
    if not isinstance(item, Mapping):
        return None
    ends = (item.get("from"), item.get("relationType", item.get("type")), item.get("to"))
    return tuple(map(str, ends)) if all(isinstance(end, str) and end for end in ends) else None  # type: ignore[return-value]
