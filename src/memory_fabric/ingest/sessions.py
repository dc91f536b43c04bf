"""What is known of the sessions of one file while it is read: title, times, working directory, project."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from memory_fabric import clock
from memory_fabric.ingest.project import Projects
from memory_fabric.ingest.redact import redact
from memory_fabric.model.memory import Project, ProjectId, Session, SessionId
from memory_fabric.model.transcript import Exchange, SessionFacts
from memory_fabric.ports import MemoryStore


def next_seq(last: int, exchange: Exchange) -> int:
    """A sequence number that rises in file order and, where the clock allows, lines up across a session's files.

    It is the exchange's time in milliseconds unless that would run backwards: file order comes first
    (formats.md §0 rule 7), yet a session continued in a second file goes on after its first one.
    """
    at = clock.to_millis(exchange.at) if exchange.at else 0
    return max(last + 1, at)


class SessionBook:
    """Gathers ``Session`` values; what the store already knows of a session is kept."""

    def __init__(self, source: str, file: str, store: MemoryStore, projects: Projects) -> None:
        self._source = source
        self._file = file
        self._store = store
        self._projects = projects
        self._sessions: dict[SessionId, Session] = {}
        self._final_titles: set[SessionId] = set()
        self.main: SessionId | None = None
        """The first session met: the file's own."""

    def learn(self, facts: SessionFacts) -> None:
        """Take what a record says about its session.

        Its time begins a session that has none; from then on turns decide, so that reading in pieces, which tells of a
        record in each, gives the same.
        """
        session = self._session(facts.session)
        changes: dict[str, object] = {}
        if facts.title and (facts.final_title or facts.session not in self._final_titles):
            changes["title"] = facts.title
            if facts.final_title:
                self._final_titles.add(facts.session)
        if facts.parent:
            changes["parent"] = facts.parent
        if session.started_at is None:
            session = _spanning(session, facts.at)
        self._sessions[facts.session] = self._with_cwd(replace(session, **changes), facts.cwd)  # type: ignore[arg-type]

    def place(self, exchange: Exchange) -> Project | None:
        """Take an exchange's time, model and directory; returns the project it belongs to.

        The exchange's own directory decides; where that is no project (a temporary directory), the session's, then
        the parent session's (C-149).
        """
        session = self._with_cwd(self._session(exchange.session), exchange.cwd)
        session = _spanning(_spanning(session, exchange.at), exchange.ended_at)
        models = tuple(dict.fromkeys((*session.models, *exchange.models)))
        self._sessions[session.id] = replace(session, models=models)
        return self._projects.identify(exchange.cwd) or self._projects.named(self._inherited(session))

    def sessions(self, redacted: Counter[str]) -> tuple[Session, ...]:
        """All sessions of the file, their titles without secrets."""
        return tuple(self._finished(session, redacted) for session in self._sessions.values())

    def _finished(self, session: Session, redacted: Counter[str]) -> Session:
        if session.title:
            clean = redact(session.title)
            redacted.update(clean.counts)
            session = replace(session, title=clean.text)
        return replace(session, project=self._inherited(session))

    def _inherited(self, session: Session) -> ProjectId | None:
        seen: set[SessionId] = set()
        while session.project is None and session.parent and session.parent not in seen:
            seen.add(session.parent)
            session = self._known([session.parent]).get(session.parent, session)
        return session.project

    def _session(self, id: SessionId) -> Session:  # noqa: A002
        if id not in self._sessions:
            self._sessions[id] = self._known([id]).get(id) or Session(id, self._source, file=self._file)
            if self.main is None:
                self.main = id
        return self._sessions[id]

    def _known(self, ids: Iterable[SessionId]) -> dict[SessionId, Session]:
        wanted = list(ids)
        return self._store.sessions(wanted) | {name: self._sessions[name] for name in wanted if name in self._sessions}

    def _with_cwd(self, session: Session, cwd: str | None) -> Session:
        if cwd is None or (session.cwd is not None and session.project is not None):
            return session
        project = self._projects.identify(cwd)
        return replace(session, cwd=session.cwd or cwd, project=project.id if project else session.project)


def _spanning(session: Session, at: datetime | None) -> Session:
    """The session stretched to include an instant."""
    if at is None:
        return session
    started = min(session.started_at, at) if session.started_at else at
    ended = max(session.ended_at, at) if session.ended_at else at
    return replace(session, started_at=started, ended_at=ended)
