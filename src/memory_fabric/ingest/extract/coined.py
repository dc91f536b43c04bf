"""Names that a note brings up though no list knows them (features.md §9.2, assignment rules of ``remember``).

Only for what somebody asked to remember: in transcripts these rules would find noise (F-EXTR-3).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory_fabric.ingest.extract.naming import entity_id, refusal, scoped_id
from memory_fabric.lexicon import Lexicon
from memory_fabric.model.graph import Entity, EntityId, Mention
from memory_fabric.model.memory import Memory, Project
from memory_fabric.model.transcript import Exchange
from memory_fabric.model.vocabulary import Kind
from memory_fabric.ports import Extraction
from memory_fabric.text import STOP_WORDS, entity_key

MAX_TITLE = 80
"""Characters of a name that is a sentence (F-EXTR-8)."""

FAILED = "failed"
"""The outcome that makes an anti-pattern of a note."""

_WORD = re.compile(r"(?<![\w./@#$\\:-])[^\W\d_][\w-]*(?:\.[\w-]+)*(?![\w/@\\(:-]|\.[\w-])")
_OPENS = re.compile(r"(?:\A|[.!?:;…\n]|[-*•]\s)[\s\"'“‘(*_`]*\Z")
_CAPITALISED = re.compile(r"[^\W\d_](?:[^\W\d_]|\d)*[a-z](?:[^\W\d_]|\d)*")
_HYPHENATED = re.compile(r"[a-z]{3,}(?:-[a-z]{3,}){1,3}")
_SENTENCE = re.compile(r"(?<=[.!?])\s|\n|;\s")

_CALENDAR = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august "
    "september october november december english".split()
)
_AFFIXES = frozenset(
    "based like free only specific related friendly level side time wide aware ready style type first pre post non "
    "multi self well long short high low real read write follow full end day week month year hour minute second two "
    "three four five side built hand left right hard soft old new state cross open closed".split()
)
"""Parts that make an adjective or a common word of a hyphenated one: ``read-only``, ``git-based``."""


class Coined:
    """The extractor of the names that only a note's own wording marks as names.

    A capitalised single word inside a sentence is a technology; a hyphenated word an agent where it is known as one,
    else a pattern; an agent that the note belongs to is a person; what failed is an anti-pattern.
    """

    name = "coined"

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon

    def extract(self, memory: Memory, exchange: Exchange, project: Project | None) -> Extraction:  # noqa: ARG002
        """Entities and their mentions; no relations."""
        found: dict[EntityId, Entity] = {}
        for entity in (*self._words(memory.text), *self._said(memory, project)):
            found.setdefault(entity.id, entity)
        return Extraction(tuple(found.values()), mentions=tuple(Mention(memory.id, id_) for id_ in found))

    def _words(self, text: str) -> Iterator[Entity]:
        taken = [(spotted.start, spotted.end) for spotted in self._lexicon.spot(text)]
        for match in _WORD.finditer(text):
            word = match.group()
            if any(start < match.end() and match.start() < end for start, end in taken):
                continue
            kind = self._kind(word, opens=_OPENS.search(text, 0, match.start()) is not None)
            if kind is not None and refusal(word, self._lexicon) is None:
                label = {Kind.TECHNOLOGY: "technology", Kind.CONCEPT: "pattern"}[kind]
                yield Entity(entity_id(kind, word), word, kind, label=label)

    def _kind(self, word: str, *, opens: bool) -> Kind | None:
        folded = word.casefold()
        if folded in STOP_WORDS or folded in _CALENDAR:
            return None
        if "-" in word:
            parts = word.split("-")
            plain = any(part in STOP_WORDS or part in _AFFIXES for part in parts)
            return Kind.CONCEPT if _HYPHENATED.fullmatch(word) and not plain else None
        if not word[0].isupper() or not _CAPITALISED.fullmatch(word):
            return None
        camel = any(sign.isupper() for sign in word[1:])
        return None if opens and not camel else Kind.TECHNOLOGY

    def _said(self, memory: Memory, project: Project | None) -> Iterator[Entity]:
        agent = memory.metadata.get("agent")
        if agent:
            name = str(agent)
            yield Entity(entity_id(Kind.PERSON, name), name, Kind.PERSON, label="agent")
        if memory.metadata.get("outcome") == FAILED and not memory.metadata.get("part"):
            name = title(memory.text)
            identity = scoped_id(Kind.CONCEPT, project, f"anti-pattern/{entity_key(name)}")
            yield Entity(identity, name, Kind.CONCEPT, label="anti_pattern")


def title(text: str) -> str:
    """The first sentence as a name, of at most 80 characters."""
    sentence = " ".join(_SENTENCE.split(text.strip(), maxsplit=1)[0].split()).rstrip(".:;,")
    return sentence if len(sentence) <= MAX_TITLE else sentence[: MAX_TITLE - 1].rstrip() + "…"
