"""Memories as our own tools show them, in schemas and in values (F-MCP-1 to F-MCP-3)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory_fabric.doors.mcp.arguments import Json
from memory_fabric.doors.results import instant, rounded
from memory_fabric.doors.snippet import snippet
from memory_fabric.model.memory import Memory, MemoryId, Project, ProjectId, Session, SessionId

if TYPE_CHECKING:
    from memory_fabric.app import Fabric
    from memory_fabric.model.result import Result

LONGEST_TEXT = 2_500
"""Characters of a result's text (F-MCP-1)."""

WIDTHS = (LONGEST_TEXT, 600, 160)
"""Characters of a text, the first that the budget allows; the last is an index line."""


@dataclass(frozen=True, slots=True)
class Labels:
    """Names for people of the projects and sessions of some memories."""

    projects: Mapping[ProjectId, Project]
    sessions: Mapping[SessionId, Session]

    @classmethod
    def of(cls, fabric: Fabric, memories: Sequence[Memory]) -> Labels:
        """Those that these memories belong to."""
        projects = {each.id: each for each in fabric.store.projects()}
        return cls(projects, fabric.store.sessions([each.origin.session for each in memories]))

    def project(self, id_: ProjectId | None) -> str | None:
        """A project's name; its id where no name is known."""
        if id_ is None:
            return None
        return self.projects[id_].name if id_ in self.projects else str(id_)

    def common(self, memory: Memory) -> Json:
        """Where and when."""
        session = self.sessions.get(memory.origin.session)
        return {
            "project": self.project(memory.project),
            "session_title": session.title if session else None,
            "date": instant(memory.at),
        }


def result_json(result: Result, terms: Collection[str], labels: Labels, width: int) -> Json:
    """A result with at most ``width`` characters of its text, around what was asked for."""
    memory = result.candidate.memory
    text = memory.text if len(memory.text) <= width else snippet(memory.text, terms, width)
    return {
        "id": memory.id,
        "text": text,
        **labels.common(memory),
        "score": rounded(result.score),
        "matched_by": matched_by(result.candidate.found_by),
        "cut": len(memory.text) > width,
    }


def matched_by(found_by: Collection[str]) -> str:
    """``graph`` for relations alone, ``both`` for relations and likeness, ``vector`` for likeness alone.

    Likeness is of meaning or of words: F-MCP-1 has no word of its own for full text, nor for nearness in time, which
    comes beside the others.
    """
    others = [name for name in found_by if name not in ("graph", "time")]
    if "graph" in found_by:
        return "both" if others else "graph"
    return "vector"


def opened_json(memory: Memory, labels: Labels, text: str, *, complete: bool) -> Json:
    """A memory with its text, or a part of it, and the line it was read from."""
    origin = memory.origin
    place = origin.file or origin.source
    return {
        "id": memory.id,
        "text": text,
        **labels.common(memory),
        "kind": memory.kind.value,
        "source": f"{place}:{origin.first_line}" if origin.file and origin.first_line else place,
        "complete": complete,
    }


def held(fabric: Fabric, given: Sequence[str]) -> dict[str, Memory]:
    """The memories that these ids name, by the id as given, in that order: as it is, or as ``source:id``."""
    bare = {each: each.strip() for each in given}
    after = {each: name.partition(":")[2] for each, name in bare.items()}
    there = {
        each.id: each for each in fabric.get([MemoryId(name) for name in {*bare.values(), *after.values()} if name])
    }
    found = {each: there.get(MemoryId(bare[each])) or there.get(MemoryId(after[each])) for each in bare}
    return {each: memory for each, memory in found.items() if memory is not None}
