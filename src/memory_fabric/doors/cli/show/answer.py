"""The answer to a question, for people: numbered passages with their reasons and sources."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from memory_fabric.doors.cli.lines import columns, day, one_line, place, plain, wrap
from memory_fabric.doors.cli.paint import Paint
from memory_fabric.doors.results import by_contribution
from memory_fabric.doors.snippet import WIDTH, matches, passage
from memory_fabric.model.graph import Entity, EntityId, Relation
from memory_fabric.model.memory import Memory, MemoryKind, Project, ProjectId, Session, SessionId
from memory_fabric.model.result import Answer, Result
from memory_fabric.search.related import as_written

INDENT = "    "
LABEL = 8
FACTS = 4
"""Relations shown beside a result; the rest is counted."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What the results are shown with."""

    paint: Paint = Paint()
    width: int = 100
    names: Mapping[EntityId, Entity] = field(default_factory=dict)
    sessions: Mapping[SessionId, Session] = field(default_factory=dict)
    projects: Mapping[ProjectId, Project] = field(default_factory=dict)
    short: Mapping[str, str] = field(default_factory=dict)
    """Folders, and what is shown for them."""
    explain: bool = False
    characters: int = WIDTH
    """Of one passage."""


def answer_lines(answer: Answer, shown: Shown) -> Iterator[str]:
    """Every result, a blank line between two."""
    for number, result in enumerate(answer.results, 1):
        if number > 1:
            yield ""
        yield from result_lines(number, result, answer, shown)


def result_lines(number: int, result: Result, answer: Answer, shown: Shown) -> Iterator[str]:
    """One result."""
    candidate = result.candidate
    memory = candidate.memory
    yield _headline(number, result, answer.mix, shown)
    yield from _passage(memory, answer.query.terms, shown)
    facts = _facts(candidate.relations, shown)
    if facts:
        yield from _labelled("facts", facts, shown)
    yield _source("source", memory, shown)
    for other in candidate.absorbed if shown.explain else ():
        yield _source("also", other, shown)
    if shown.explain:
        yield from _labelled("score", _reasons(result), shown, dim=True)
        yield from _labelled("found", _found_by(result, answer), shown, dim=True)
        if candidate.linked:
            yield from _labelled("linked", f"{', '.join(candidate.linked)} (also stands elsewhere)", shown, dim=True)


def _headline(number: int, result: Result, mix: Mapping[str, float], shown: Shown) -> str:
    candidate, paint = result.candidate, shown.paint
    memory = candidate.memory
    project = shown.projects.get(memory.project) if memory.project else None
    marks = [", ".join(by_contribution(candidate, mix))]
    if candidate.absorbed:
        marks.append(f"×{1 + len(candidate.absorbed)}")
    if candidate.cross_validated:
        marks.append("cross-validated")
    if memory.kind is not MemoryKind.EXCHANGE:
        marks.append(memory.kind.value)
    start = [paint.bold(f"{number:>2}. {result.score:.2f}"), day(memory.at)]
    if project:
        start.append(paint.bold(plain(project.name)))
    end = paint.dim(f"[{' · '.join(marks)}]")
    session = shown.sessions.get(memory.origin.session)
    used = columns(f"{number:>2}. {result.score:.2f}  {day(memory.at)}  []  ") + columns(" · ".join(marks))
    used += columns(project.name) + 2 if project else 0
    title = one_line(session.title, shown.width - used) if session and session.title and shown.width - used > 8 else ""
    return "  ".join([*start, *([title] if title else []), end])


def _passage(memory: Memory, terms: Collection[str], shown: Shown) -> Iterator[str]:
    """The prompt and the reply, told apart."""
    cut = passage(plain(memory.text), terms, shown.characters)
    note = "" if cut.reply or memory.kind is MemoryKind.EXCHANGE else memory.kind.value
    if cut.prompt:
        yield from _labelled(note or "user", cut.prompt, shown, terms=terms)
    if cut.reply:
        yield from _labelled("agent", cut.reply, shown, terms=terms)


def _source(label: str, memory: Memory, shown: Shown) -> str:
    """Where it was read, in one line however long, so that it can be copied."""
    return shown.paint.dim(f"{INDENT}{label:<{LABEL}}{place(memory.origin, shown.short)}")


def _labelled(label: str, text: str, shown: Shown, *, terms: Collection[str] = (), dim: bool = False) -> Iterator[str]:
    paint = shown.paint
    rest = INDENT + " " * LABEL
    for place_, line in enumerate(wrap(text, shown.width, rest, rest)):
        body = line[len(rest) :]
        head = INDENT + (label.ljust(LABEL) if place_ == 0 else " " * LABEL)
        yield paint.dim(head) + (paint.dim(body) if dim else emphasised(body, terms, paint))


def emphasised(line: str, terms: Collection[str], paint: Paint) -> str:
    """The line with what was asked for marked."""
    if not paint.on or not terms:
        return line
    pieces, last = [], 0
    for start, end, _ in matches(line, terms):
        if start >= last:
            pieces += [line[last:start], paint.hit(line[start:end])]
            last = end
    return "".join((*pieces, line[last:]))


def _facts(relations: Collection[Relation], shown: Shown) -> str:
    """Relations as they were said: ``pgvector —used_for→ RAG``."""
    said = list(dict.fromkeys(fact(relation, shown.names) for relation in relations))
    more = f"  (+{len(said) - FACTS} more)" if len(said) > FACTS else ""
    return " · ".join(said[:FACTS]) + more


def fact(relation: Relation, names: Mapping[EntityId, Entity]) -> str:
    """A relation as it was said, and when it ended if it did."""
    subject, label, object_ = as_written(relation, dict(names))
    ended = f" (until {day(relation.valid_to)})" if relation.valid_to else ""
    return plain(f"{subject} —{label}→ {object_}{ended}")


def _reasons(result: Result) -> str:
    """The factors as they multiply (or add) up to the score."""
    if result.summed:
        parts = [f"{factor.weight:g}·{factor.name} {factor.value:.3f}" for factor in result.factors]
        raw = f" (raw {result.raw_score:.3f})" if result.raw_score > 1 else ""
        return f"{result.score:.3f}{raw} = {' + '.join(parts)}"
    parts = [f"{factor.name} {factor.value:.3f}^{factor.weight:g}" for factor in result.factors]
    return f"{result.score:.3f} = {' × '.join(parts)}"


def _found_by(result: Result, answer: Answer) -> str:
    parts = [
        f"{source} {result.candidate.found_by[source]:.2f} (weight {answer.mix.get(source, 0.0):.2f})"
        for source in by_contribution(result.candidate, answer.mix)
    ]
    return ", ".join(parts)
