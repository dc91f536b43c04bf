"""The set ``commits``: the subject of a commit, and the session that made it.

Where the project's repository is there, commits are read from it; else the commits that the transcripts' own tool calls
made are asked about.  Which session made a commit is known, in this order, from a trailer of the commit that holds a
session's id, from a session's tool call with that subject, or from its time and files.  What tells the right answer
must not help to find it: see ``aside``.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

from memory_fabric.errors import UsageError
from memory_fabric.evals.own.history import Commit, NoHistory, commits_of
from memory_fabric.evals.own.making import Bias, Made, draw, short_id
from memory_fabric.evals.own.snapshot import COMMIT, Snapshot
from memory_fabric.evals.suite import Question
from memory_fabric.model.transcript import ToolKind
from memory_fabric.text import fold

FEWEST_WORDS = 4
"""Words of a subject that says something; merges and reverts are left out as well (data README)."""

AFTERWARDS = timedelta(hours=1)
"""How long after the last prompt of a session its commit may come."""

NOT_VERBATIM = "commits, not verbatim"
"""Category of all but the subjects that stand word for word in the session's text."""

HINT = 'it is a JSON list of {"id", "query", "gold_sessions"}: see docs/commands.md'

_TRAILER, _CALL, _TIME = "a trailer", "a tool call", "time and files"
_UNCLEAR = "no session is known to have made it"


def commits(held: Snapshot, limit: int) -> Made:
    """At most ``limit`` questions, drawn by chance, of all projects."""
    sessions = _Sessions(held)
    skipped: Counter[str] = Counter()
    asked: dict[str, tuple[Commit, str | None]] = {each.id: (each, None) for each in sessions.commits(None)}
    for project, root in held.roots.items():
        try:
            found: Iterable[Commit] = commits_of(Path(root))
        except NoHistory as why:
            skipped[f"projects: {why}"] += 1
            found = sessions.commits(project)
        asked.update((each.id, (each, project)) for each in found)
    gold_from: Counter[str] = Counter()
    questions: dict[str, Question] = {}
    for commit, home in draw(asked.values(), lambda each: each[0].id):
        gold, how = sessions.makers(commit, home)
        if len(commit.subject.split()) < FEWEST_WORDS or commit.subject.startswith(("Revert ", "Merge ")):
            skipped[f"a subject under {FEWEST_WORDS} words, a merge or a revert"] += 1
        elif not gold:
            skipped[how] += 1
        elif fold(commit.subject) in questions:
            skipped["the same subject as another"] += 1
        elif len(questions) == limit:
            skipped["beyond the limit"] += 1
        else:
            gold_from[how] += 1
            questions[fold(commit.subject)] = _asked(held, commit.id, commit.subject, gold)
    return Made(Bias.COMMITS, tuple(questions.values()), skipped, gold_from)


def given(held: Snapshot, file: Path) -> Made:
    """The questions of a file: a list of ``{"id", "query", "gold_sessions"}``; ``commit`` may stand for ``id``.

    A session of the store is the right one where its id is the one named, or ends the one named: files of transcripts
    are named by date and session.

    Raises:
        UsageError: the file is missing or of another shape, or holds a question twice.
    """
    try:
        rows = [_row(row) for row in json.loads(file.read_bytes())]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{file}: not a file of questions: {error!r:.200}", HINT) from error
    twice = next((id_ for id_, count in Counter(id_ for id_, _, _ in rows).items() if count > 1), None)
    if twice is not None:
        raise UsageError(f"{file}: the question {twice} is there twice", "leave one out")
    questions, skipped = [], Counter[str]()
    for id_, query, named in rows:
        gold = {session for each in named if (session := _session(held, each)) is not None}
        if gold:
            questions.append(_asked(held, id_, query, gold))
        else:
            skipped["the store does not hold its session"] += 1
    return Made(Bias.COMMITS, tuple(questions), skipped, Counter({"the file": len(questions)}))


def _row(row: Any) -> tuple[str, str, list[str]]:
    if not isinstance(row, Mapping):
        raise TypeError(f"{row!r:.200}")
    id_, query, gold = row.get("id", row.get("commit")), row["query"], row["gold_sessions"]
    if not (isinstance(id_, str) and isinstance(query, str) and isinstance(gold, list)):
        raise TypeError(f"{row!r:.200}")
    return id_, query, list(map(str, gold))


def _session(held: Snapshot, named: str) -> str | None:
    """The session of the store that is meant; an id of a few letters at the end of another means nothing."""
    if named in held.sessions:
        return named
    return next((each for each in held.sessions if len(each) >= 8 and named.endswith(f"-{each}")), None)


def _asked(held: Snapshot, id_: str, subject: str, gold: set[str]) -> Question:
    folded = fold(subject)
    verbatim = any(folded in fold(held.chunks[id_].text) for session in gold for id_ in held.sessions[session])
    categories = (Bias.COMMITS.value,) if verbatim else (Bias.COMMITS.value, NOT_VERBATIM)
    return Question(id_, subject, frozenset(gold), categories)


@dataclass(slots=True)
class _Span:
    """When a session spoke, and what files its tools touched."""

    first: datetime
    last: datetime
    files: set[str] = field(default_factory=set)


class _Sessions:
    """What the sessions of a store did, as far as it tells who made a commit."""

    def __init__(self, held: Snapshot) -> None:
        self._held = held

    @cached_property
    def _calls(self) -> dict[tuple[str | None, str], set[str]]:
        """Project and subject → sessions whose tools made such a commit."""
        found: defaultdict[tuple[str | None, str], set[str]] = defaultdict(set)
        for chunk in self._held.chunks.values():
            made = {self._held.entities[each].name for each in chunk.mentions if self._is_commit(each)}
            for tool in chunk.tools:
                subject = " ".join(str(tool.get("target", "")).split())
                if tool.get("kind") == ToolKind.COMMIT and any(_same(name, subject) for name in made):
                    found[chunk.project, subject].add(chunk.session)
        return dict(found)

    @cached_property
    def _spans(self) -> dict[tuple[str | None, str], _Span]:
        """Project and session → span."""
        spans: dict[tuple[str | None, str], _Span] = {}
        for chunk in self._held.chunks.values():
            if chunk.at is None:
                continue
            span = spans.setdefault((chunk.project, chunk.session), _Span(chunk.at, chunk.at))
            span.first, span.last = min(span.first, chunk.at), max(span.last, chunk.at)
            span.files.update(str(tool.get("target")) for tool in chunk.tools if tool.get("kind") == ToolKind.FILE)
        return spans

    def _is_commit(self, entity: str) -> bool:
        named = self._held.entities.get(entity)
        return named is not None and named.label == COMMIT

    def commits(self, project: str | None) -> Iterator[Commit]:
        """Commits that tool calls made in a project; one that failed has no entity."""
        for place, subject in sorted(self._calls, key=repr):
            if place == project:
                yield Commit(short_id(Bias.COMMITS, f"{project} {subject}"), None, subject, (), ())

    def makers(self, commit: Commit, project: str | None) -> tuple[set[str], str]:
        """The sessions that made a commit, and how that is known; none, and why."""
        named = {found for value in commit.trailers if (found := _session(self._held, value)) is not None}
        if named:
            return named, _TRAILER
        called = self._calls.get((project, " ".join(commit.subject.split())))
        if called:
            return set(called), _CALL
        shared = self._shared(commit, project)
        most = max(shared.values(), default=0)
        best = {session for session, count in shared.items() if count == most}
        if len(best) > 1:
            return set(), "several sessions may have made it"
        return best, _TIME if best else _UNCLEAR

    def _shared(self, commit: Commit, project: str | None) -> dict[str, int]:
        """Session → files that it touched of this commit's, for those that spoke about when it was made."""
        if commit.at is None:
            return {}
        found = {}
        for (place, session), span in self._spans.items():
            if place == project and span.first <= commit.at <= span.last + AFTERWARDS:
                count = _touched(commit.files, span.files)
                if count:
                    found[session] = count
        return found


def _touched(files: Sequence[str], by: set[str]) -> int:
    return sum(any(each == path or each.endswith(f"/{path}") for each in by) for path in files)


def _same(name: str, subject: str) -> bool:
    """Whether an entity's name, which is cut where it is long, is this subject."""
    return name == subject or (name.endswith("…") and subject.startswith(name.removesuffix("…")))
