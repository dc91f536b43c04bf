"""The set ``cross-session``: where else a thing came up, asked from what one session says beside it (F-EVAL-3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from memory_fabric.evals.own.making import Bias, Made, draw, short_id
from memory_fabric.evals.own.snapshot import COMMIT, Named, Snapshot
from memory_fabric.evals.own.wording import Wording
from memory_fabric.evals.suite import Question
from memory_fabric.model.vocabulary import Kind
from memory_fabric.text import analyse, entity_key

KINDS = frozenset((Kind.TECHNOLOGY, Kind.CONCEPT, Kind.ARTIFACT, Kind.PROBLEM, Kind.DECISION))
"""What is asked about (F-EVAL-3): not projects, which everything is about, nor persons."""

SESSIONS = 2
"""A thing of fewer sessions has no elsewhere (F-EVAL-3)."""

FEWEST, MOST = 2, 14
"""Passages that mention it (F-EVAL-3); a thing of more is not to be told apart."""

HINTS = 3
"""Words from the session that is known already."""


def cross_session(held: Snapshot, wording: Wording, limit: int) -> Made:
    """At most ``limit`` questions, one a name, drawn by chance.

    Things of one name, as the copies of a file in several checkouts, are one: whoever asks by that name means them all.
    """
    questions: list[Question] = []
    known: dict[str, frozenset[str]] = {}
    skipped: Counter[str] = Counter()
    for key in draw({entity_key(each.name) for each in held.entities.values()}, str):
        made = _question(held, wording, key, [held.entities[each] for each in sorted(held.names[key])])
        if isinstance(made, str):
            skipped[made] += 1
        elif len(questions) == limit:
            skipped["beyond the limit"] += 1
        else:
            questions.append(made[0])
            known[made[0].id] = made[1]
    gold_from = Counter({"mentions in other sessions": len(questions)})
    return Made(Bias.CROSS_SESSION, tuple(questions), skipped, gold_from, known)


def _question(
    held: Snapshot, wording: Wording, key: str, things: Sequence[Named]
) -> tuple[Question, frozenset[str]] | str:
    """A question about what bears this name, with the passages it takes for known, or why there is none."""
    chunks = tuple(dict.fromkeys(chunk for each in things for chunk in held.mentioning.get(each.id, ())))
    reason = _unfit(held, things, chunks)
    if reason is not None:
        return reason
    name = things[0].name
    for known in draw(chunks, lambda each: f"{key} {each}"):
        here = held.conversation(held.chunks[known].session)
        gold = frozenset(each for each in chunks if held.conversation(held.chunks[each].session) != here)
        hints = wording.hints(known, HINTS, frozenset(analyse(name)))
        if len(hints) == HINTS:
            text = f"Where else did {name} come up, besides the {hints[0]}, {hints[1]} and {hints[2]}?"
            question = Question(short_id(Bias.CROSS_SESSION, key), text, gold, (Bias.CROSS_SESSION.value,))
            return question, held.conversations[here]
    return "no plain words beside it"


def _unfit(held: Snapshot, things: Sequence[Named], chunks: Sequence[str]) -> str | None:
    if any(each.kind not in KINDS or each.label == COMMIT for each in things):
        return "of another kind"
    if not FEWEST <= len(chunks) <= MOST:
        return f"not in {FEWEST} to {MOST} passages"
    sessions = {held.conversation(held.chunks[each].session) for each in chunks}
    return None if len(sessions) >= SESSIONS else "in one session only"
