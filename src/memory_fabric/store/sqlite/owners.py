"""Projects and sessions: written only where something new is said, and who owns a memory that two sessions hold."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from memory_fabric.model.memory import Project, ProjectId, Session, SessionId
from memory_fabric.store.sqlite.queries import query
from memory_fabric.store.sqlite.rows import all_rows, millis, session_of, to_json
from memory_fabric.store.sqlite.scope import as_list


@dataclass(frozen=True, slots=True)
class KnownSession:
    """A stored session and its row."""

    row: int
    session: Session


def next_row(connection: sqlite3.Connection, table: str) -> int:
    """The first free row of a table; safe inside a write transaction."""
    return int(connection.execute(f"SELECT ifnull(max(row), 0) + 1 FROM {table}").fetchone()[0])


def keep_projects(
    connection: sqlite3.Connection, projects: Iterable[Project], named: Iterable[ProjectId]
) -> dict[ProjectId, int]:
    """Store projects, and return id → row for them and for ``named`` ones.

    A project that is only named is stored under its id until it is described.  A description replaces name and root;
    a remote and a root commit that it leaves out stay.
    """
    said = {project.id: project for project in projects}
    ids = list(dict.fromkeys([*said, *named]))
    known = {str(row[1]): row for row in all_rows(connection, query("projects_by_id"), {"ids": as_list(ids)})}
    rows: dict[ProjectId, int] = {}
    fresh = next_row(connection, "projects") if len(known) < len(ids) else 0
    for id_ in ids:
        project = said.get(id_)
        if (old := known.get(id_)) is None:
            project = project or Project(id_, str(id_), "")
            rows[id_], fresh = fresh, fresh + 1
            values = (rows[id_], id_, project.name, project.root, project.remote, project.root_commit)
            connection.execute("INSERT INTO projects VALUES (?, ?, ?, ?, ?, ?)", values)
            continue
        rows[id_] = int(str(old[0]))
        if project is None:
            continue
        new = (project.name, project.root, project.remote or old[4], project.root_commit or old[5])
        if new != tuple(old[2:]):
            connection.execute(query("change_project"), (*new, rows[id_]))
    return rows


def known_sessions(connection: sqlite3.Connection, ids: Iterable[SessionId]) -> dict[SessionId, KnownSession]:
    """The stored sessions of these ids."""
    found = all_rows(connection, query("sessions_by_id"), {"ids": as_list(ids)})
    sessions = [(int(str(row[0])), session_of(row[1:])) for row in found]
    return {session.id: KnownSession(row, session) for row, session in sessions}


def keep_sessions(
    connection: sqlite3.Connection,
    sessions: Sequence[Session],
    named: Iterable[tuple[SessionId, str]],
    projects: dict[ProjectId, int],
) -> dict[SessionId, KnownSession]:
    """Store sessions, and return those and the ``named`` ones (id, source), stored bare where they are unknown.

    What is said later wins, what is left out stays, the times span both, models unite.
    """
    said: dict[SessionId, Session] = {}
    for session in [*sessions, *(Session(id_, source) for id_, source in named)]:
        said[session.id] = merged(said[session.id], session) if session.id in said else session
    known = known_sessions(connection, said)
    fresh = next_row(connection, "sessions") if len(known) < len(said) else 0
    kept: dict[SessionId, KnownSession] = {}
    for id_, session in said.items():
        if (old := known.get(id_)) is None:
            kept[id_], fresh = KnownSession(fresh, session), fresh + 1
            connection.execute(query("add_session"), (kept[id_].row, *_columns(session, projects)))
            continue
        kept[id_] = KnownSession(old.row, merged(old.session, session))
        if kept[id_] != old:
            own = kept[id_].session.project
            rows = projects if own is None or own in projects else keep_projects(connection, (), (own,))
            connection.execute(query("change_session"), (*_columns(kept[id_].session, rows), old.row))
    return kept


def merged(old: Session, new: Session) -> Session:
    """One session of two accounts."""
    starts = [at for at in (old.started_at, new.started_at) if at is not None]
    ends = [at for at in (old.ended_at, new.ended_at) if at is not None]
    return replace(
        old,
        source=new.source or old.source,
        project=new.project or old.project,
        cwd=new.cwd or old.cwd,
        title=new.title or old.title,
        started_at=min(starts, default=None),
        ended_at=max(ends, default=None),
        models=tuple(dict.fromkeys([*old.models, *new.models])),
        parent=new.parent or old.parent,
        file=new.file or old.file,
    )


def comes_first(session: Session, owner: Session) -> bool:
    """Whether ``session`` takes over a memory that both hold from its ``owner`` (C-016).

    A parent goes before its child; else the one that began earlier; a resumed copy begins with the original's own
    records, so then the one that ended earlier.  Unknown times come last.  A copy that says nothing of its own yet is
    like its original in all of this: the owner stays, since the original was there first.
    """
    if owner.parent == session.id or session.parent == owner.id:
        return owner.parent == session.id
    return _rank(session) < _rank(owner)


def _rank(session: Session) -> tuple[float, float]:
    began, ended = millis(session.started_at), millis(session.ended_at)
    return (math.inf if began is None else began, math.inf if ended is None else ended)


def _columns(session: Session, projects: dict[ProjectId, int]) -> tuple[object, ...]:
    return (
        session.id,
        session.source,
        projects[session.project] if session.project is not None else None,
        session.cwd,
        session.title,
        millis(session.started_at),
        millis(session.ended_at),
        to_json(session.models),
        session.parent,
        session.file,
    )
