"""The suite ``commits``: its data, and how memories become files."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.evals.conftest import FIRST, QUERIES, SECOND, SESSIONS, A, B, C, MakeData

from memory_fabric.errors import UsageError
from memory_fabric.evals.commits import Commits, read_commits
from memory_fabric.model.memory import Memory, MemoryId, MemoryKind, Origin, SessionId


def memory(file: str | None, at: str | None = "2026-03-01T09:00:30+00:00", session: str = "s") -> Memory:
    origin = Origin("claude_code", SessionId(session), f"/t/{file}.jsonl" if file else None)
    when = datetime.fromisoformat(at) if at else None
    return Memory(MemoryId(f"m{file}{at}"), "text", MemoryKind.EXCHANGE, None, when, origin)


@pytest.fixture
def commits(make_data: MakeData) -> Commits:
    return read_commits(make_data())


@pytest.mark.parametrize("packed", [True, False])
def test_the_data_is_read_plain_and_packed(make_data: MakeData, packed: bool) -> None:
    commits = read_commits(make_data(packed=packed))
    assert [question.id for question in commits.questions] == ["c1", "c2", "c3"]
    first, second, third = commits.questions
    assert first.text == "Parse dates with the strict reader"
    assert first.gold == frozenset({FIRST, SECOND})
    assert [question.verbatim for question in (first, second, third)] == [False, True, False]
    assert {key: len(files) for key, files in commits.transcripts.items()} == {A: 2, B: 1, C: 1}
    assert commits.transcripts[A][0].first == datetime(2026, 3, 1, 9, tzinfo=UTC)
    assert commits.transcripts[C][0].first is None


def test_dated_questions_carry_the_instant_of_their_commit(make_data: MakeData) -> None:
    """With the offset of whoever committed; the undated suite has none whatever the file says."""
    rows = [{**row, "date": "2026-03-01T10:30:00+11:00"} for row in QUERIES]
    dated = read_commits(make_data(rows), dated=True)
    assert {question.around for question in dated.questions} == {datetime(2026, 2, 28, 23, 30, tzinfo=UTC)}
    assert {question.around for question in read_commits(make_data(rows)).questions} == {None}


@pytest.mark.parametrize("rows", [QUERIES, [{**QUERIES[0], "date": "last Tuesday"}], [{**QUERIES[0], "date": None}]])
def test_a_dated_suite_needs_every_date(make_data: MakeData, rows: list[dict[str, Any]]) -> None:
    with pytest.raises(UsageError, match="not of the shape"):
        read_commits(make_data(rows), dated=True)


def test_the_plain_file_wins_over_the_packed_one(make_data: MakeData) -> None:
    make_data(sessions=[], packed=True)
    assert read_commits(make_data()).transcripts


def test_items_are_files_in_the_order_found_each_once(commits: Commits) -> None:
    assert commits.ranking([memory(C), memory(B), memory(C)]) == [C, B]


def test_a_memory_stands_in_every_file_of_its_session_whose_time_includes_it(commits: Commits) -> None:
    """The later file repeats the earlier one's records: its own first, then the other."""
    assert commits.ranking([memory(SECOND)]) == [SECOND, FIRST]
    assert commits.ranking([memory(FIRST)]) == [FIRST, SECOND]
    assert commits.ranking([memory(SECOND, "2026-03-01T12:00:00+00:00")]) == [SECOND]


@pytest.mark.parametrize(
    ("at", "found"),
    [
        ("2026-03-01T09:00:00+00:00", [SECOND, FIRST]),
        ("2026-03-01T08:59:59+00:00", [SECOND]),
        ("2026-03-01T09:01:00+00:00", [SECOND, FIRST]),
        ("2026-03-01T09:01:01+00:00", [SECOND]),
        (None, [SECOND]),
    ],
)
def test_both_ends_of_a_files_time_belong_to_it(commits: Commits, at: str | None, found: list[str]) -> None:
    assert commits.ranking([memory(SECOND, at)]) == found


def test_a_file_that_the_data_does_not_name_is_an_item_all_the_same(commits: Commits) -> None:
    """It takes a rank: left out, it would flatter the measure."""
    assert commits.ranking([memory("unknown"), memory(B)]) == ["unknown", B]


def test_a_memory_without_a_file_is_one_item(commits: Commits) -> None:
    assert commits.ranking([memory(None), memory(None, None)]) == [""]


def test_a_sub_agents_file_is_an_item_of_its_own(commits: Commits) -> None:
    assert commits.ranking([memory("agent-c0ffee")]) == ["agent-c0ffee"]


@pytest.mark.parametrize(
    ("part", "queries", "sessions"),
    [
        ("0 files match", None, SESSIONS),
        ("no sessions.json", QUERIES, None),
        ("not of the shape", "{", SESSIONS),
        ("not of the shape", [{"commit": "c1"}], SESSIONS),
        ("not of the shape", 5, SESSIONS),
        ("not of the shape", {"queries": []}, SESSIONS),
        ("not of the shape", [{**QUERIES[0], "gold_sessions": None}], SESSIONS),
        ("not of the shape", QUERIES, "["),
        ("not of the shape", QUERIES, [{"file": "a"}]),
        ("not of the shape", QUERIES, 7),
    ],
)
def test_data_of_another_shape_is_the_users_mistake(
    make_data: MakeData, part: str, queries: object, sessions: object
) -> None:
    with pytest.raises(UsageError) as raised:
        read_commits(make_data(queries, sessions))
    assert part in raised.value.message
    assert raised.value.hint


def test_a_packed_file_that_is_damaged_is_the_users_mistake(make_data: MakeData) -> None:
    folder = make_data(sessions=None)
    (folder / "sessions.json.gz").write_bytes(b"\x1f\x8b damaged")
    with pytest.raises(UsageError):
        read_commits(folder)


def test_two_files_of_questions_are_the_users_mistake(make_data: MakeData) -> None:
    folder = make_data()
    (folder / "queries_more.json").write_text(json.dumps(QUERIES), encoding="utf-8")
    with pytest.raises(UsageError, match="2 files match"):
        read_commits(folder)


def test_a_suite_without_questions_is_the_users_mistake(make_data: MakeData) -> None:
    with pytest.raises(UsageError):
        read_commits(make_data(queries=[]))


def test_a_question_asked_twice_is_the_users_mistake(make_data: MakeData) -> None:
    """Answers are kept by commit: the second would silently replace the first."""
    with pytest.raises(UsageError, match="c1"):
        read_commits(make_data(queries=[*QUERIES, QUERIES[0]]))


def test_a_question_without_gold_is_left_out_and_counted(make_data: MakeData) -> None:
    """Nothing can be found for it; a set of none but such questions is the user's mistake."""
    bare = {**QUERIES[0], "commit": "c9", "gold_sessions": []}
    commits = read_commits(make_data(queries=[*QUERIES, bare]))
    assert (len(commits.questions), commits.left_out) == (len(QUERIES), 1)
    with pytest.raises(UsageError, match="no question"):
        read_commits(make_data(queries=[bare]))


def test_the_list_of_sessions_may_lie_beside_the_transcripts(make_data: MakeData, tmp_path: Path) -> None:
    data = make_data()
    beside = tmp_path / "beside"
    beside.mkdir()
    for path in data.glob("sessions.json*"):
        path.rename(beside / path.name)
    assert read_commits(data, beside).transcripts
