"""What is known of a file's sessions while it is read."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from tests.ingest.world import World

from memory_fabric.ingest.project import Places, Projects
from memory_fabric.ingest.sessions import SessionBook, next_seq
from memory_fabric.model.memory import Session, SessionId
from memory_fabric.model.transcript import Exchange, SessionFacts
from memory_fabric.store.sqlite import SqliteStore

AT = datetime(2026, 3, 1, 9, tzinfo=UTC)
S, CHILD = SessionId("s"), SessionId("s/agent-1")
TALK = Exchange(S, "r1", "Ask", "Tell", at=AT, ended_at=AT + timedelta(minutes=5), cwd="/w/app", models=("m1",))


@pytest.fixture
def book(world: World) -> SessionBook:
    return book_over(world.store)


def book_over(store: SqliteStore) -> SessionBook:
    return SessionBook("claude_code", "/t/a.jsonl", store, Projects(places=Places("/h", "/temporary")))


def sessions(book: SessionBook) -> dict[SessionId, Session]:
    return {session.id: session for session in book.sessions(Counter())}


def test_a_session_spans_its_exchanges_and_unites_their_models(book: SessionBook) -> None:
    book.place(TALK)
    book.place(replace(TALK, at=AT + timedelta(hours=1), ended_at=AT + timedelta(hours=2), models=("m2", "m1")))
    session = sessions(book)[S]
    assert (session.started_at, session.ended_at) == (AT, AT + timedelta(hours=2))
    assert session.models == ("m1", "m2")
    assert (session.source, session.file, session.cwd) == ("claude_code", "/t/a.jsonl", "/w/app")


def test_a_session_without_exchanges_has_the_time_of_its_records(book: SessionBook) -> None:
    book.learn(SessionFacts(S, at=AT))
    assert (sessions(book)[S].started_at, sessions(book)[S].ended_at) == (AT, AT)
    assert book.main == S


def test_a_record_that_is_no_turn_begins_a_session_and_never_stretches_it(book: SessionBook) -> None:
    """F-ING-7: reading in pieces tells of one more record for each piece."""
    book.learn(SessionFacts(S, at=AT - timedelta(minutes=1)))
    book.place(TALK)
    book.learn(SessionFacts(S, at=AT + timedelta(hours=1)))
    session = sessions(book)[S]
    assert (session.started_at, session.ended_at) == (AT - timedelta(minutes=1), AT + timedelta(minutes=5))


def test_the_last_title_wins_unless_the_user_chose_one(book: SessionBook) -> None:
    book.learn(SessionFacts(S, title="Derived"))
    book.learn(SessionFacts(S, title="Later"))
    assert sessions(book)[S].title == "Later"
    book.learn(SessionFacts(S, title="Chosen", final_title=True))
    book.learn(SessionFacts(S, title="Derived again"))
    assert sessions(book)[S].title == "Chosen"
    book.learn(SessionFacts(S, title="Chosen anew", final_title=True))
    assert sessions(book)[S].title == "Chosen anew"


def test_a_title_loses_its_secrets_and_they_are_counted(book: SessionBook) -> None:
    """C-110."""
    book.learn(SessionFacts(S, title="Rotate ghp_" + "a" * 36))
    redacted: Counter[str] = Counter()
    (session,) = book.sessions(redacted)
    assert session.title == "Rotate [redacted:github-token]"
    assert redacted == {"github-token": 1}


def test_the_first_directory_stays_the_sessions(book: SessionBook) -> None:
    book.place(TALK)
    project = book.place(replace(TALK, cwd="/w/other"))
    assert project is not None
    assert project.root == "/w/other"
    assert sessions(book)[S].cwd == "/w/app"


def test_a_later_directory_gives_the_project_that_the_first_one_lacked(book: SessionBook) -> None:
    """C-149: a session that began in a temporary folder."""
    assert book.place(replace(TALK, cwd="/temporary/x")) is None
    project = book.place(TALK)
    session = sessions(book)[S]
    assert project is not None
    assert (session.cwd, session.project) == ("/temporary/x", project.id)


def test_a_child_without_a_project_takes_its_parents(book: SessionBook) -> None:
    """C-149."""
    book.place(TALK)
    book.learn(SessionFacts(CHILD, parent=S))
    project = book.place(replace(TALK, session=CHILD, cwd="/temporary/x"))
    assert project is not None
    assert project.root == "/w/app"
    assert sessions(book)[CHILD].project == project.id


def test_sessions_that_are_each_others_parents_end(book: SessionBook) -> None:
    book.learn(SessionFacts(S, parent=CHILD))
    book.learn(SessionFacts(CHILD, parent=S))
    assert book.place(replace(TALK, cwd=None)) is None
    assert [session.project for session in sessions(book).values()] == [None, None]


def test_a_parent_that_nobody_has_seen_changes_nothing(book: SessionBook) -> None:
    book.learn(SessionFacts(S, parent=SessionId("unknown")))
    assert sessions(book)[S].parent == "unknown"


def test_what_the_store_knows_of_a_session_is_kept(world: World) -> None:
    """F-ING-7: a file that grew says only what is new."""
    world.write("a.jsonl", [])
    first = book_over(world.store)
    first.learn(SessionFacts(S, title="Parser work"))
    project = first.place(TALK)
    from memory_fabric.ports import Batch

    assert project is not None
    world.store.save(Batch(projects=(project,), sessions=first.sessions(Counter())))
    later = book_over(world.store)
    later.place(replace(TALK, at=AT + timedelta(days=1), ended_at=None, cwd=None, models=("m2",)))
    session = sessions(later)[S]
    assert (session.title, session.cwd, session.project) == ("Parser work", "/w/app", project.id)
    assert (session.started_at, session.ended_at) == (AT, AT + timedelta(days=1))
    assert session.models == ("m1", "m2")


def test_numbers_are_the_time_unless_it_runs_backwards() -> None:
    """formats.md §0 rule 7."""
    millis = 1_772_355_600_000
    assert next_seq(-1, TALK) == millis
    assert next_seq(millis - 1, TALK) == millis
    assert next_seq(millis, TALK) == millis + 1
    assert next_seq(5, replace(TALK, at=None)) == 6
    assert next_seq(-1, replace(TALK, at=None)) == 0
