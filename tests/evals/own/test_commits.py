"""Commits and the sessions that made them: by trailer, by tool call, by time and files, or from a file."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from shutil import which

import pytest
from tests.evals.own.held import START, chunk, entity, held

from memory_fabric.errors import UsageError
from memory_fabric.evals.own.commits import NOT_VERBATIM, commits, given
from memory_fabric.evals.own.history import NoHistory, commits_of
from memory_fabric.evals.own.snapshot import COMMIT, Chunk, Named, Snapshot

SUBJECT = "Parse dates with the strict reader"
A, B = "aaaaaaaa-0000-4000-8000-000000000000", "bbbbbbbb-0000-4000-8000-000000000000"

needs_git = pytest.mark.skipif(which("git") is None, reason="git is not installed")


def made(subject: str = SUBJECT) -> Named:
    return entity(subject if len(subject) <= 80 else f"{subject[:79].rstrip()}…", "artifact", COMMIT)


def caller(subject: str = SUBJECT, *, session: str = A, ok: bool = True, said: str = "Dates are wrong") -> Chunk:
    tool = {"kind": "commit", "name": "Bash", "target": subject}
    return chunk(f"c-{session}", said, session=session, tools=(tool,), mentions=(made(subject).id,) if ok else ())


def test_a_commit_that_a_tool_made_is_asked_about() -> None:
    found = commits(held([caller(), chunk("o", "Other", session=B)], [made()]), 10)
    (question,) = found.questions
    assert question.text == SUBJECT
    assert question.gold == {A}
    assert found.gold_from == {"a tool call": 1}


def test_a_commit_that_failed_is_not() -> None:
    assert not commits(held([caller(ok=False)], [made()]), 10).questions


@pytest.mark.parametrize(("words", "asked"), [(3, 0), (4, 1), (5, 1)])
def test_a_subject_has_four_words_at_least(words: int, asked: int) -> None:
    subject = " ".join(SUBJECT.split()[:words])
    assert len(commits(held([caller(subject)], [made(subject)]), 10).questions) == asked


@pytest.mark.parametrize("subject", ["Revert the strict reader now", "Merge branch main into topic"])
def test_reverts_and_merges_are_left_out(subject: str) -> None:
    assert not commits(held([caller(subject)], [made(subject)]), 10).questions


@pytest.mark.parametrize("length", [79, 80, 81, 120])
def test_a_long_subject_is_known_by_its_cut_name(length: int) -> None:
    """Names of commits are cut at 80 characters (F-EXTR-8)."""
    subject = ("Parse dates with the reader " + "x" * 200)[:length]
    assert len(commits(held([caller(subject)], [made(subject)]), 10).questions) == 1


@pytest.mark.parametrize(
    ("said", "verbatim"),
    [("I will parse  dates with the\nstrict READER now", True), ("Parse dates with the reader", False)],
)
def test_a_subject_that_stands_in_the_sessions_text_is_told_apart(said: str, verbatim: bool) -> None:
    (question,) = commits(held([caller(said=said)], [made()]), 10).questions
    assert (NOT_VERBATIM in question.categories) is not verbatim


def test_one_subject_is_asked_once(tmp_path: Path) -> None:
    """In two projects: which one is meant the subject does not tell."""
    other = caller(session=B)
    chunks = [caller(), Chunk("x", other.text, "exchange", B, START, "p2", other.tools, other.mentions)]
    found = commits(held(chunks, [made()], roots={"p1": str(tmp_path / "1"), "p2": str(tmp_path / "2")}), 10)
    assert len(found.questions) == 1
    assert found.skipped["the same subject as another"] == 1
    assert found.skipped["projects: no git repository at the project's root"] == 2


# ── git ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

Commit = Callable[..., None]


@pytest.fixture
def repository(tmp_path: Path) -> tuple[Path, Commit]:
    """A repository, and a way to commit to it."""
    root = tmp_path / "app"
    root.mkdir()

    def git(*words: str, env: Mapping[str, str] | None = None) -> None:
        person = ["-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", "-C", str(root), *person, *words], check=True, capture_output=True, env=env)

    def commit(message: str, *files: str, minute: int = 0) -> None:
        for file in files:
            (root / file).parent.mkdir(parents=True, exist_ok=True)
            (root / file).write_text(f"{message} {minute}", encoding="utf-8")
        git("add", "-A")
        stamp = (START + timedelta(minutes=minute)).isoformat()
        import os

        dates = {**os.environ, "GIT_AUTHOR_DATE": stamp, "GIT_COMMITTER_DATE": stamp}
        git("commit", "--allow-empty", "-q", "-m", message, env=dates)

    git("init", "-q")
    return root, commit


def project(root: Path, *chunks: Chunk, entities: tuple[Named, ...] = ()) -> Snapshot:
    return held(chunks, entities, roots={"p1": str(root)})


@needs_git
def test_the_history_says_subject_time_trailers_and_files(repository: tuple[Path, Commit]) -> None:
    root, commit = repository
    commit(
        f"{SUBJECT}\n\nWhy: because\n\nAgent-Session: {A}\nReviewed-by: Somebody", "src/dates.py", "a b.txt", minute=5
    )
    (found,) = commits_of(root)
    assert found.subject == SUBJECT
    assert found.at == START + timedelta(minutes=5)
    assert found.trailers == (A, "Somebody")
    assert set(found.files) == {"src/dates.py", "a b.txt"}
    assert len(found.id) == 40


def test_where_there_is_no_repository_there_is_no_history(tmp_path: Path) -> None:
    with pytest.raises(NoHistory, match="no git"):
        commits_of(tmp_path)


@needs_git
def test_a_damaged_repository_is_no_history(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    with pytest.raises(NoHistory, match="could not read"):
        commits_of(tmp_path)


@needs_git
def test_another_repository_in_the_environment_is_not_read(
    repository: tuple[Path, Commit], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, commit = repository
    commit(SUBJECT, "a.py")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    assert len(commits_of(root)) == 1


@needs_git
def test_a_trailer_with_a_sessions_id_tells_who_made_it(repository: tuple[Path, Commit]) -> None:
    """Before a tool call, which another session may have made with the same words."""
    root, commit = repository
    commit(f"{SUBJECT}\n\nAgent-Session: 2026-03-01-{B}", "dates.py")
    found = commits(project(root, caller(), chunk("o", "x", session=B), entities=(made(),)), 10)
    assert [each.gold for each in found.questions] == [{B}]
    assert found.gold_from == {"a trailer": 1}


@needs_git
def test_then_the_tool_call_tells(repository: tuple[Path, Commit]) -> None:
    root, commit = repository
    commit(f"{SUBJECT}\n\nSigned-off-by: Somebody", "dates.py")
    found = commits(project(root, caller(), entities=(made(),)), 10)
    assert [each.gold for each in found.questions] == [{A}]
    assert found.gold_from == {"a tool call": 1}


def working(session: str, *files: str, first: int = 0, last: int = 10) -> list[Chunk]:
    """A session that touched files from minute to minute."""
    tools = [{"kind": "file", "name": "Edit", "target": file} for file in files]
    return [
        chunk(f"{session} {minute}", "Dates", session=session, minute=minute, tools=tools) for minute in (first, last)
    ]


@needs_git
@pytest.mark.parametrize(("minute", "asked"), [(-1, 0), (0, 1), (1, 1), (10 + 59, 1), (10 + 60, 1), (10 + 61, 0)])
def test_then_time_and_files(repository: tuple[Path, Commit], minute: int, asked: int) -> None:
    """From the first prompt to one hour after the last one."""
    root, commit = repository
    commit(SUBJECT, "src/dates.py", minute=minute)
    found = commits(project(root, *working(A, "/elsewhere/src/dates.py")), 10)
    assert len(found.questions) == asked
    assert found.gold_from == ({"time and files": 1} if asked else {})
    assert found.skipped["no session is known to have made it"] == 1 - asked


@needs_git
@pytest.mark.parametrize(
    ("path", "asked"), [("src/dates.py", 1), ("/w/src/dates.py", 1), ("/w/other_src/dates.py", 0), ("/w/dates.py", 0)]
)
def test_a_file_is_the_same_by_its_path_below_the_root(repository: tuple[Path, Commit], path: str, asked: int) -> None:
    root, commit = repository
    commit(SUBJECT, "src/dates.py")
    assert len(commits(project(root, *working(A, path)), 10).questions) == asked


@needs_git
def test_of_two_sessions_the_one_that_touched_more_of_the_files_made_it(repository: tuple[Path, Commit]) -> None:
    root, commit = repository
    commit(SUBJECT, "a.py", "b.py")
    less, more = working(A, "/w/a.py"), working(B, "/w/a.py", "/w/b.py")
    assert [each.gold for each in commits(project(root, *less, *more), 10).questions] == [{B}]


@needs_git
def test_where_both_touched_as_many_it_is_not_asked_about(repository: tuple[Path, Commit]) -> None:
    root, commit = repository
    commit(SUBJECT, "a.py")
    found = commits(project(root, *working(A, "/w/a.py"), *working(B, "/w/a.py")), 10)
    assert not found.questions
    assert found.skipped["several sessions may have made it"] == 1


# ── a file of questions ──────────────────────────────────────────────────────────────────────────────────────────────


def file(folder: Path, rows: object) -> Path:
    path = folder / "questions.json"
    path.write_text(rows if isinstance(rows, str) else json.dumps(rows), encoding="utf-8")
    return path


def test_questions_may_be_given_with_their_sessions(tmp_path: Path) -> None:
    rows = [
        {"id": "q1", "query": SUBJECT, "gold_sessions": [A]},
        {"commit": "q2", "query": "Another", "gold_sessions": [f"2026-03-01-{B}", "nowhere"]},
        {"id": "q3", "query": "A third", "gold_sessions": ["nowhere"]},
    ]
    found = given(held([chunk("a", "x", session=A), chunk("b", "x", session=B)]), file(tmp_path, rows))
    assert {each.id: set(each.gold) for each in found.questions} == {"q1": {A}, "q2": {B}}
    assert found.skipped == {"the store does not hold its session": 1}


@pytest.mark.parametrize(("session", "known"), [("1234567", False), ("12345678", True), ("123456789", True)])
def test_a_short_id_at_the_end_of_another_means_nothing(tmp_path: Path, session: str, known: bool) -> None:
    rows = [{"id": "q", "query": SUBJECT, "gold_sessions": [f"2026-{session}"]}]
    assert bool(given(held([chunk("a", "x", session=session)]), file(tmp_path, rows)).questions) is known


@pytest.mark.parametrize(
    "rows",
    ["[", {"id": "q"}, [{"id": "q", "query": "x"}], [{"query": "x", "gold_sessions": []}], ["q"],
     [{"id": "q", "query": "x", "gold_sessions": "s"}]],
)  # fmt: skip
def test_a_file_of_another_shape_is_refused(tmp_path: Path, rows: object) -> None:
    with pytest.raises(UsageError, match="not a file of questions"):
        given(held([]), file(tmp_path, rows))


def test_a_question_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    row = {"id": "q", "query": "x", "gold_sessions": [A]}
    with pytest.raises(UsageError, match="q is there twice"):
        given(held([]), file(tmp_path, [row, row]))


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none\.json"):
        given(held([]), tmp_path / "none.json")
