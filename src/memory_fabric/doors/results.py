"""An answer as JSON: the seeds' result format, and what explains it (F-RES-1 to F-RES-5).

The keys and their types are a contract: other programs read them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from memory_fabric.model.graph import Entity, EntityId, Relation
from memory_fabric.model.memory import Memory, Origin
from memory_fabric.model.result import Answer, Candidate, Outage, Result
from memory_fabric.search.related import as_written

DIGITS = 4
"""Decimals of every score."""

Json = dict[str, Any]
Names = Mapping[EntityId, Entity]


def answer_json(answer: Answer, names: Names, notes: Sequence[str] = ()) -> Json:
    """The answer, best result first.

    ``names`` are the entities of ``relation_ends(answer)``; ``notes`` are added to the answer's own.
    """
    return {
        "query": answer.query.text,
        "total_results": answer.total,
        "sources": {**answer.counts, "merged": answer.merged},
        "results": [result_json(result, answer.mix, names) for result in answer.results],
        "mix": {source: rounded(weight) for source, weight in answer.mix.items()},
        "outages": [outage_json(outage) for outage in answer.outages],
        "degraded": answer.degraded,
        "sure": answer.sure,
        "notes": [*notes, *answer.notes],
        "seconds": {stage: rounded(seconds) for stage, seconds in answer.seconds.items()},
    }


def relation_ends(answer: Answer) -> list[EntityId]:
    """Entities at either end of the relations of an answer, each once."""
    return ends_of(relation for result in answer.results for relation in result.candidate.relations)


def ends_of(relations: Any) -> list[EntityId]:
    """Entities at either end of some relations, each once, in order."""
    return list(dict.fromkeys(end for relation in relations for end in (relation.subject, relation.object)))


def result_json(result: Result, mix: Mapping[str, float], names: Names) -> Json:
    """One result; ``id`` and ``source`` are those of the best of what was folded together (F-RES-4)."""
    candidate = result.candidate
    memory = candidate.memory
    source = main_source(candidate, mix)
    together = (memory, *candidate.absorbed)
    return {
        "id": memory.id if memory.origin.outside is not None else f"{source}:{memory.id}",
        "text": memory.text,
        "score": rounded(result.score),
        "source": source,
        "timestamp": next((instant(each.at) for each in together if each.at is not None), None),
        "cross_validated": candidate.cross_validated,
        "entities": list(dict.fromkeys(name for each in together for name in each.entities)),
        "graph_relations": [relation_json(relation, names) for relation in candidate.relations],
        "kind": memory.kind.value,
        "project": memory.project,
        "origin": origin_json(memory.origin),
        "factors": [
            {"name": factor.name, "value": rounded(factor.value), "weight": factor.weight} for factor in result.factors
        ],
        "found_by": {name: rounded(value) for name, value in candidate.found_by.items()},
        "absorbed": [memory_json(each) for each in candidate.absorbed],
        "metadata": _metadata(candidate, source),
    }


def main_source(candidate: Candidate, mix: Mapping[str, float]) -> str:
    """The outside memory that holds it, else the search source that contributed most, else the source system."""
    if candidate.memory.origin.outside is not None:
        return candidate.memory.origin.outside
    return next(iter(by_contribution(candidate, mix)), candidate.memory.origin.source)


def by_contribution(candidate: Candidate, mix: Mapping[str, float]) -> list[str]:
    """The search sources that know it, by their own relevance times their weight; ties by name."""
    return sorted(candidate.found_by, key=lambda source: (-candidate.found_by[source] * mix.get(source, 0.0), source))


def memory_json(memory: Memory) -> Json:
    """A memory without a score."""
    return {
        "id": memory.id,
        "text": memory.text,
        "timestamp": instant(memory.at),
        "kind": memory.kind.value,
        "project": memory.project,
        "origin": origin_json(memory.origin),
        "entities": list(memory.entities),
    }


def origin_json(origin: Origin) -> Json:
    """Where it was read: enough to open the source at the right line."""
    return {
        "source": origin.source,
        "session": origin.session,
        "file": origin.file,
        "first_line": origin.first_line,
        "last_line": origin.last_line,
        "record": origin.record,
    }


def relation_json(relation: Relation, names: Names) -> Json:
    """A relation in the direction in which it was said (F-RES-2, F-VOC-5)."""
    subject, label, object_ = as_written(relation, dict(names))
    return {"from": subject, "relation": label, "to": object_}


def outage_json(outage: Outage) -> Json:
    """A source that did not answer, why, and what helps."""
    return {"source": outage.source, "reason": outage.reason, "remedy": outage.remedy}


def instant(at: datetime | None) -> str | None:
    """ISO 8601 in UTC with ``Z``; milliseconds only where there are some (F-NORM-6)."""
    if at is None:
        return None
    text = at.astimezone(UTC).isoformat(timespec="milliseconds").removesuffix("+00:00")
    return text.removesuffix(".000") + "Z"


def rounded(value: float) -> float:
    """A score as it is printed."""
    return round(value, DIGITS)


def _metadata(candidate: Candidate, source: str) -> Json:
    """The memory's own, what was folded into it (F-DEDUP-3), and what it was linked by (F-XREF-5)."""
    memory = candidate.memory
    extra: Json = {}
    if candidate.absorbed:
        extra = {
            "merged_from": [each.id for each in candidate.absorbed],
            "primary_source": source,
            "source_primary": memory.origin.source,
            "source_secondary": [each.origin.source for each in candidate.absorbed],
            "primary_metadata": dict(memory.metadata),
            "secondary_metadata": [dict(each.metadata) for each in candidate.absorbed],
        }
    linked = {
        "cross_referenced": bool(candidate.linked),
        "found_entities": list(candidate.linked),
    }
    return {**memory.metadata, **extra, "cross_reference_info": linked}
