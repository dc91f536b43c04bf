"""``remember`` from end to end (F-CMD-1 to F-CMD-6, F-ERR-3, F-ERR-6 to F-ERR-9)."""

from __future__ import annotations

import io
import json
import os
import socket
from pathlib import Path

import pytest
from tests.doors.conftest import Call
from tests.doors.terminal import Sat
from tests.doors.terminal import sit as answer_at

terminal = pytest.mark.skipif(os.name == "nt", reason="terminals are of POSIX")


def test_a_note_is_kept_and_told(call: Call) -> None:
    """F-CMD-5."""
    ended = call("remember", "database-engineer", "uses pgvector for RAG applications", "--success", "--agent", "me")
    assert ended.code == 0
    assert ended.out.startswith("Remembered SUCCESS  m_")
    for line in (
        "  category    database",
        "  agent       me",
        "  project     all projects",
        "  created     database-engineer (agent), pgvector (technology), RAG (pattern)",
        "  relations   database-engineer uses pgvector; pgvector used_for RAG",
        "  in all      4 entities, 2 relations",
    ):
        assert line in ended.out
    assert ended.err == ""
    assert "pgvector" in call("search", "pgvector").out


def test_a_failure_is_called_an_anti_pattern(call: Call) -> None:
    ended = call("remember", "--failed", "Offset pagination timed out; better to use cursors")
    assert ended.out.startswith("Remembered ANTI-PATTERN  m_")
    assert "  lesson      better to use cursors\n" in ended.out
    told = call("remember", "--failed", "Mocks lied to us", "--lesson", "use the real server", "--json").data
    assert (told["outcome"], told["lesson"]) == ("failed", "use the real server")


def test_data_for_programs_is_whole(call: Call) -> None:
    data = call("remember", "Redis holds the sessions", "--category", "architecture", "--json").data
    assert data == {
        "status": "stored",
        "id": data["id"],
        "ids": [data["id"]],
        "chars": 24,
        "category": "architecture",
        "outcome": None,
        "lesson": None,
        "agent": None,
        "project": None,
        "entities": {"new": [{"name": "Redis", "type": "technology"}], "known": []},
        "relations": [],
        "totals": {"entities": 1, "relations": 0},
        "redacted": {},
        "similar": [],
        "contrary": [],
        "notes": [],
    }


def test_the_same_again_is_said_to_be_there(call: Call) -> None:
    call("remember", "Use pnpm")
    ended = call("remember", "use  PNPM")
    assert ended.code == 0
    assert ended.out.startswith("Remembered already: ")
    assert "“Use pnpm”" in ended.out
    assert call("remember", "use pnpm", "--json").data["status"] == "duplicate"


def test_what_looks_like_it_is_shown(call: Call) -> None:
    call("remember", "Always run the migrations before the tests")
    assert "  looks like  20" in call("remember", "Always run the migrations before all the tests").out


def test_the_opposite_outcome_needs_a_yes(call: Call) -> None:
    """F-CMD-4: programs are told, not asked."""
    call("remember", "Offset pagination timed out on large tables", "--failed")
    words = ["remember", "Offset pagination is fine on large tables", "--success"]
    held = call(*words)
    assert held.code == 1
    assert held.out.startswith("Not stored: an earlier note says the opposite\n")
    assert "--yes stores it all the same" in held.err
    data = call(*words, "--json").data
    assert (data["status"], data["ids"], len(data["contrary"])) == ("contrary", [], 1)
    assert call("status", "--json").data["memories"] == 1
    meant = call(*words, "--yes")
    assert meant.code == 0
    assert "  opposite    20" in meant.out


@pytest.mark.parametrize("words", [[""], ["   "], ["-"], []])
def test_nothing_to_remember_is_a_mistake(call: Call, monkeypatch: pytest.MonkeyPatch, words: list[str]) -> None:
    """F-ERR-6."""
    monkeypatch.setattr("sys.stdin", io.StringIO("\n"))
    ended = call("remember", *words)
    assert ended.code == 2
    assert "the text is empty" in ended.err
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert call("remember", *words, "--json").data["error"]["code"] == "usage"


@pytest.mark.parametrize("words", [["-"], []])
def test_words_come_from_standard_input(call: Call, monkeypatch: pytest.MonkeyPatch, words: list[str]) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("piped\nwords\n"))
    data = call("remember", *words, "--json").data
    assert data["chars"] == len("piped\nwords")


def test_options_that_exclude_each_other_are_a_mistake(call: Call) -> None:
    """F-ERR-8."""
    assert call("remember", "x", "--success", "--failed").code == 2
    assert call("remember", "x", "--global", "--project", "y").code == 2
    assert call("remember", "x", "--category", "dreams").code == 2
    assert call("remember", "x", "--project", "nowhere").code == 2


def test_a_secret_is_said_to_be_out_and_one_alone_is_refused(call: Call) -> None:
    """C-110, F-CMD-6."""
    secret = "ghp_" + "a" * 36
    ended = call("remember", f"the staging token is {secret}")
    assert secret not in ended.out + ended.err
    assert "note: secrets were taken out before storing: github-token 1" in ended.err
    refused = call("remember", secret)
    assert refused.code == 2
    assert secret not in refused.out + refused.err


def test_a_long_text_is_kept_whole_and_said_so(call: Call) -> None:
    """F-ERR-7."""
    ended = call("remember", "word " * 479 + "words")
    assert "note: the text has 2,400 characters: stored whole, in 2 parts\n" in ended.err
    assert call("status", "--json").data["memories"] == 2


def test_mem0_without_a_key_keeps_it_here_and_warns(call: Call) -> None:
    """F-ERR-3."""
    ended = call("remember", "Kept here", "--mem0")
    assert ended.code == 0
    assert "note: kept here, not sent to mem0: mem0: no key for mem0" in ended.err
    assert "MEM0_API_KEY" in ended.err
    assert call("status", "--json").data["memories"] == 1
    assert "no key" in call("remember", "Kept here", "--mem0", "--json").data["notes"][-1]


@pytest.mark.sockets
def test_mem0_gets_it_too_when_asked(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """F-CMD-1, F-MEM0-4: only what was asked for goes, once."""
    from tests.mem0.server import KEY, running

    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MEM0_API_KEY", KEY)
    call("remember", "Only of ours")
    with running() as platform:
        (tmp_path / "memory" / "sources.json").write_text(
            json.dumps([{"type": "mem0", "name": "mem0", "host": platform.url}]), encoding="utf-8"
        )
        ended = call("remember", "Redis holds the sessions", "--mem0")
        assert ended.code == 0
        assert "note: sent to mem0" in ended.err
        assert [memory["memory"] for memory in platform.memories.values()] == ["Redis holds the sessions"]
        again = call("remember", "Redis holds the sessions", "--mem0")
        assert "note: mem0 has it already" in again.err
        assert len(platform.memories) == 1


@pytest.mark.sockets
def test_a_dead_mem0_costs_a_warning(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """F-ERR-1."""
    from tests.mem0.server import KEY

    monkeypatch.setenv("MEM0_API_KEY", KEY)
    call("remember", "Only of ours")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: connections are refused
        (tmp_path / "memory" / "sources.json").write_text(
            json.dumps([{"type": "mem0", "name": "mem0", "host": f"http://127.0.0.1:{taken.getsockname()[1]}"}]),
            encoding="utf-8",
        )
        ended = call("remember", "Redis holds the sessions", "--mem0")
    assert ended.code == 0
    assert "note: kept here, not sent to mem0: " in ended.err
    assert call("status", "--json").data["memories"] == 2


def test_a_note_is_embedded_when_it_is_written(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """F-VEC-7."""
    monkeypatch.setenv("MEMORY_FABRIC_EMBEDDER", "hashed")
    call("remember", "Words with vectors")
    assert call("status", "--json").data["vectors"]["pending"] == 0


def test_a_note_belongs_to_the_project_one_stands_in(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = tmp_path / "shop"
    (repository / ".git").mkdir(parents=True)
    (repository / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    monkeypatch.chdir(repository)
    assert "  project     shop\n" in call("remember", "Of the shop").out
    assert "  project     all projects\n" in call("remember", "Of all", "--global").out


def test_escape_sequences_reach_no_terminal(call: Call) -> None:
    ended = call("remember", "red \x1b[31malert\x1b[0m about Redis", "--agent", "a\x1b]0;title\x07b")
    assert "\x1b" not in ended.out
    call("remember", "red \x1b[31malert\x1b[0m about Redis", "--agent", "c")
    assert "\x1b" not in call("remember", "red \x1b[31malert\x1b[0m about Redis").out


# ── at a terminal ────────────────────────────────────────────────────────────────────────────────────────────────────


def sit(answers: dict[str, str], *words: str) -> Sat:
    """At a terminal, where category and scope are taken as they are offered unless a test says otherwise."""
    return answer_at({"What is it about?": "", "Where does it hold": "", **answers}, *words)


@terminal
def test_a_person_confirms_what_it_is_about_and_where_it_holds(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F-CMD-3."""
    repository = tmp_path / "shop"
    (repository / ".git").mkdir(parents=True)
    monkeypatch.chdir(repository)
    taken = sit({}, "remember", "an index on orders beats a cache")
    assert "What is it about? [performance]" in taken.screen
    assert "project     shop" in taken.screen
    changed = sit({"What is it about?": "preference", "Where does it hold": "all"}, "remember", "tabs in Makefiles")
    assert "category    preference" in changed.screen
    assert "project     all projects" in changed.screen
    told = sit({}, "remember", "--category", "security", "--global", "rotate keys")
    assert "What is it about?" not in told.screen
    assert "Where does it hold" not in told.screen


@terminal
def test_a_person_is_asked_for_the_words() -> None:
    """F-ERR-6."""
    sat = sit({"What should be remembered?": "Redis holds the sessions"}, "remember")
    assert sat.code == 0
    assert "Remembered  m_" in sat.screen
    empty = sit({"What should be remembered?": ""}, "remember", "  ")
    assert empty.code == 2
    assert "The text is empty." in empty.screen


@terminal
def test_a_person_is_asked_what_to_do_instead() -> None:
    """F-CMD-2."""
    sat = sit({"What should be done instead?": "stream it"}, "remember", "--failed", "The import ran out of memory")
    assert sat.code == 0
    assert "lesson      stream it" in sat.screen
    knows = sit({}, "remember", "--failed", "It broke, better to wait")
    assert "What should be done instead?" not in knows.screen


@terminal
def test_a_person_is_asked_which_of_two_outcomes_it_was() -> None:
    """F-ERR-8."""
    sat = sit({"Did it work?": "y"}, "remember", "--failed", "--success", "Feature flags")
    assert "Remembered SUCCESS" in sat.screen


@terminal
@pytest.mark.parametrize(("answer", "code", "memories"), [("y", 0, 2), ("n", 1, 1), ("", 1, 1)])
def test_a_person_is_asked_before_the_opposite_is_stored(call: Call, answer: str, code: int, memories: int) -> None:
    """F-CMD-4."""
    call("remember", "Offset pagination timed out on large tables", "--failed")
    sat = sit({"Store it all the same?": answer}, "remember", "--success", "Offset pagination is fine on large tables")
    assert sat.code == code
    assert "an earlier note says the opposite" in sat.screen
    assert call("status", "--json").data["memories"] == memories


@terminal
def test_programs_are_never_asked() -> None:
    sat = sit({}, "remember", "--failed", "It broke", "--json")
    assert sat.code == 0
    assert "?" not in sat.screen
