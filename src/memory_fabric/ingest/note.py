"""What a note says: the same extractors as for transcripts, and the names that only its wording marks (F-CMD-1)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from memory_fabric.ingest.extract import extract_all
from memory_fabric.ingest.extract.coined import Coined, title
from memory_fabric.ingest.extract.naming import scoped_id
from memory_fabric.lexicon import Lexicon
from memory_fabric.model.graph import Entity, Mention
from memory_fabric.model.memory import Memory, Project
from memory_fabric.model.transcript import Exchange
from memory_fabric.model.vocabulary import Kind
from memory_fabric.ports import Extraction, Extractor
from memory_fabric.text import entity_key

_MARK = re.compile(r"\[redacted:[a-z0-9-]+\]")
"""The kind of a secret that was taken out, which is no name: offsets stay as they are."""


def extract_note(
    extractors: Sequence[Extractor], lexicon: Lexicon, memory: Memory, project: Project | None
) -> Extraction:
    """Everything found in one part of a note.

    A note in which nothing is found, or whose extraction failed, has a decision for an entity, called by its first
    sentence: it is kept, and the graph leads to it (F-ERR-9).
    """
    memory = replace(memory, text=_MARK.sub(lambda mark: "[redacted]".ljust(len(mark.group())), memory.text))
    said = Exchange(memory.origin.session, memory.origin.record or memory.id, memory.text, "", at=memory.at)
    found = extract_all([*extractors, Coined(lexicon)], memory, said, project)
    if found.entities or memory.metadata.get("part"):
        return found
    name = title(memory.text)
    decision = Entity(scoped_id(Kind.DECISION, project, entity_key(name)), name, Kind.DECISION, label="decision")
    return replace(found, entities=(decision,), mentions=(Mention(memory.id, decision.id),))
