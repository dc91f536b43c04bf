"""The same record in several files, and one pipeline for every format: resume, fork, archive, rollback."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.formats.claude_records import reply, user
from tests.ingest.world import S1, S2, World, exchange, exchanges, uid

from memory_fabric.ingest.formats.codex_rollout import REACHES_BACK
from memory_fabric.model.memory import SessionId
from memory_fabric.text import split_exchange

THREAD = "019c8880-2222-7222-8222-222222222222"
NAME = f"rollout-2026-05-01T10-00-00-{THREAD}.jsonl"


def original() -> list[dict[str, Any]]:
    """Two exchanges of the first session."""
    return exchanges(2)


def copied() -> list[dict[str, Any]]:
    """The same records under the resumed session's id, and one exchange more."""
    return [*exchanges(2, sessionId=S2), *exchanges(1, first=2, sessionId=S2)]


EXPECTED = {"Ask word0": S1, "Ask word1": S1, "Ask word2": S2}


@pytest.mark.parametrize("original_first", [True, False])
def test_a_resumed_copy_owns_only_what_it_adds(world: World, original_first: bool) -> None:
    """C-016: whichever file is read first; the copy keeps the original's times, and its name sorts first."""
    paths = [world.write(f"{S2}.jsonl", copied()), world.write(f"{S1}.jsonl", original())]
    for path in reversed(paths) if original_first else paths:
        world.ingest(path)
    assert world.owners() == EXPECTED
    before = world.everything()
    for path in paths:
        with path.open("ab"):
            pass
    world.ingest()
    assert world.everything() == before


def test_a_copy_that_says_nothing_of_its_own_yet_takes_nothing_over(world: World) -> None:
    """C-016, C-037: read in the moment after a session was resumed, its copy is like the original in every time."""
    world.ingest(world.write(f"{S1}.jsonl", original()))
    world.ingest(world.write(f"{S2}.jsonl", copied()[:4]))
    world.ingest(world.append(f"{S2}.jsonl", copied()[4:]))
    assert world.owners() == EXPECTED


def test_an_original_that_is_still_growing_when_its_copy_is_read_keeps_its_own(world: World) -> None:
    """C-016: what the copy adds stays its own, whatever else the original goes on to say."""
    world.write(f"{S1}.jsonl", original())
    world.write(f"{S2}.jsonl", copied())
    world.ingest()
    world.append(f"{S1}.jsonl", exchanges(2, first=8))
    world.ingest()
    assert world.owners() == {**EXPECTED, "Ask word8": S1, "Ask word9": S1}


def test_a_reply_that_only_the_copy_holds_is_kept_for_the_original(world: World) -> None:
    """C-016: the first session was cut off before the answer; nothing is lost, and reading again changes nothing."""
    cut = world.write(f"{S1}.jsonl", original()[:3])
    whole = world.write(f"{S2}.jsonl", copied())
    world.ingest(cut)
    world.ingest(whole)
    assert world.owners() == EXPECTED
    assert [memory.text for memory in world.memories() if "word1" in memory.text] == [
        "USER: Ask word1\n\nASSISTANT: Tell word1"
    ]
    before = world.everything()
    world.ingest()
    assert world.everything() == before


def test_a_copy_counts_as_duplicates(world: World) -> None:
    """Design promise 1: what is not stored again is counted."""
    world.ingest(world.write(f"{S1}.jsonl", original()))
    report = world.ingest(world.write(f"{S2}.jsonl", copied()))
    assert (report.memories["duplicates"], report.memories["added"]) == (2, 1)


@pytest.mark.parametrize("original_first", [True, False])
def test_a_fork_is_linked_to_its_parent_and_owns_only_what_it_adds(world: World, original_first: bool) -> None:
    """C-017: fresh uuids, the original's named in ``forkedFrom``."""
    fork = []
    for number, record in enumerate(original()):
        fresh = {"uuid": uid(500 + number), "sessionId": S2}
        fork.append({**record, **fresh, "forkedFrom": {"sessionId": S1, "messageUuid": record["uuid"]}})
    paths = [
        world.write(f"{S2}.jsonl", [*fork, *exchanges(1, first=2, sessionId=S2)]),
        world.write(f"{S1}.jsonl", original()),
    ]
    for path in reversed(paths) if original_first else paths:
        world.ingest(path)
    assert world.owners() == EXPECTED
    session = world.store.sessions([SessionId(S2)])[SessionId(S2)]
    assert session.parent == S1


def test_a_sub_agents_file_is_a_session_of_its_own(world: World) -> None:
    """C-015: with the trunk as its parent, and read whole each time it grows."""
    world.write(f"{S1}.jsonl", exchanges(1))
    name = f"{S1}/subagents/agent-c0ffee.jsonl"
    world.write(name, exchanges(2, first=10, isSidechain=True, agentId="c0ffee"))
    world.ingest()
    world.append(name, exchanges(1, first=12, isSidechain=True, agentId="c0ffee"))
    report = world.ingest()
    assert (report.memories["added"], report.memories["updated"]) == (1, 0)
    agent = SessionId(f"{S1}/agent-c0ffee")
    assert world.owners() == {"Ask word0": S1, **{f"Ask word{n}": agent for n in (10, 11, 12)}}
    assert world.store.sessions([agent])[agent].parent == S1


def test_a_reply_that_goes_on_after_a_sub_agent_spoke_in_between_is_joined(world: World) -> None:
    """C-037: reading goes on at the trunk's exchange, not at the sidechain's that began later."""
    asked, answered = exchange(0, "Ask", "Looking")
    side = exchange(3, "Search", "Found", isSidechain=True)
    world.write("a.jsonl", [asked, answered, *side])
    world.ingest()
    world.append("a.jsonl", [reply(uid(90), "Here it is", uid(1), 95)])
    world.ingest()
    texts = {memory.text for memory in world.memories() if not memory.metadata.get("sidechain")}
    assert texts == {"USER: Ask\n\nASSISTANT: Looking\n\nHere it is"}


# ── Codex ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def event(second: int, kind: str, **payload: Any) -> dict[str, Any]:
    stamp = f"2026-05-01T10:00:{second:02}.000Z"
    return {"timestamp": stamp, "type": "event_msg", "payload": {"type": kind, **payload}}


def meta() -> dict[str, Any]:
    stamp = "2026-05-01T10:00:00.000Z"
    payload = {"id": THREAD, "timestamp": stamp, "cwd": "/w/app", "cli_version": "0.150.0", "source": "cli"}
    return {"timestamp": stamp, "type": "session_meta", "payload": payload}


def asked(*words: str, first: int = 1) -> list[dict[str, Any]]:
    said = [(first + 2 * n, word) for n, word in enumerate(words)]
    return [
        record
        for second, word in said
        for record in (
            event(second, "user_message", message=f"Use {word}", images=[]),
            event(second + 1, "agent_message", message=f"{word} it is"),
        )
    ]


def test_a_rollout_that_was_archived_is_not_read_twice(world: World) -> None:
    """C-038: followed by its thread, not by its path."""
    path = world.write(f"sessions/2026/05/01/{NAME}", [meta(), *asked("Redis", "SQLite")])
    world.ingest()
    before = world.prompts()
    archived = world.folder / "archived_sessions" / NAME
    archived.parent.mkdir()
    path.rename(archived)
    report = world.ingest()
    assert report.memories["added"] == 0
    assert world.prompts() == before == ["Use Redis", "Use SQLite"]
    world.append(f"archived_sessions/{NAME}", asked("DuckDB", first=20))
    assert world.ingest().memories["added"] == 1
    assert len(world.memories()) == 3


def test_a_rollout_that_grows_is_read_on(world: World) -> None:
    """C-037, through another format."""
    world.write(NAME, [meta(), *asked("Redis", "SQLite")])
    world.ingest()
    world.append(NAME, asked("DuckDB", first=20))
    report = world.ingest()
    assert (report.files[0].status, report.lines) == ("grown", 4)
    assert +report.memories == {"added": 1, "unchanged": 1}


def test_a_rollback_that_reaches_before_the_resume_point_is_read_from_the_start(world: World) -> None:
    """formats.md §3.2: what the user took back is marked, though it had been read before."""
    world.write(NAME, [meta(), *asked("Redis", "Memcached", "files")])
    world.ingest()
    assert not any(memory.metadata.get("abandoned") for memory in world.memories())
    world.append(NAME, [event(20, "thread_rolled_back", num_turns=2), *asked("SQLite", first=21)])
    report = world.ingest()
    assert report.used["rollback"] == 1
    assert REACHES_BACK not in report.used
    assert report.lines == 10
    assert {split_exchange(m.text)[0]: m.metadata.get("abandoned") for m in world.memories()} == {
        "Use Redis": None,
        "Use Memcached": True,
        "Use files": True,
        "Use SQLite": None,
    }


def test_a_rollback_within_what_is_read_costs_no_second_reading(world: World) -> None:
    world.write(NAME, [meta(), *asked("Redis", "Memcached")])
    world.ingest()
    world.append(NAME, [event(20, "thread_rolled_back", num_turns=1), *asked("SQLite", first=21)])
    report = world.ingest()
    assert (report.files[0].status, report.lines) == ("grown", 5)
    assert [m.metadata.get("abandoned") for m in world.memories()] == [None, True, None]


def test_a_rollback_of_more_turns_than_there_are_ends(world: World) -> None:
    """The whole file is read once, not for ever."""
    world.write(NAME, [meta(), *asked("Redis")])
    world.ingest()
    world.append(NAME, [event(20, "thread_rolled_back", num_turns=9), *asked("SQLite", first=21)])
    report = world.ingest()
    assert report.used[REACHES_BACK] == 1
    assert report.lines == 6


# ── Gemini CLI ───────────────────────────────────────────────────────────────────────────────────────────────────────


def gemini(*messages: tuple[str, str, str]) -> list[dict[str, Any]]:
    head = {"sessionId": "g-1", "projectHash": "ab12", "startTime": "2026-06-01T08:00:00.000Z", "kind": "main"}
    said = [
        {
            "id": id_,
            "timestamp": f"2026-06-01T08:00:{second:02}.000Z",
            "type": kind,
            "content": [{"text": text}] if kind == "user" else text,
        }
        for second, (id_, kind, text) in enumerate(messages, 1)
    ]
    return [head, *said]


def test_an_event_log_is_read_again_whole_and_doubles_nothing(world: World) -> None:
    """C-022: messages are written again with the same id when they change."""
    first = gemini(("m1", "user", "Prefer tabs"), ("m2", "gemini", "OK"))
    world.write("session-1.jsonl", first)
    world.ingest()
    world.write(
        "session-1.jsonl", gemini(("m1", "user", "Prefer tabs"), ("m2", "gemini", "OK"), ("m2", "gemini", "OK, tabs"))
    )
    world.append("session-1.jsonl", gemini(("m3", "user", "Thanks"), ("m4", "gemini", "Welcome"))[1:])
    world.ingest()
    assert [memory.text for memory in world.memories()] == [
        "USER: Prefer tabs\n\nASSISTANT: OK, tabs",
        "USER: Thanks\n\nASSISTANT: Welcome",
    ]
    assert {memory.origin.source for memory in world.memories()} == {"gemini_cli"}


Writer = Callable[[World], Path]
WRITERS: dict[str, Writer] = {
    "claude_code": lambda world: world.write("c.jsonl", exchanges(3)),
    "codex": lambda world: world.write(NAME, [meta(), *asked("Redis", "SQLite")]),
    "gemini_cli": lambda world: world.write("session-1.jsonl", gemini(("m1", "user", "Hi"), ("m2", "gemini", "Yes"))),
}


@pytest.mark.parametrize("name", WRITERS)
def test_every_format_goes_through_the_same_pipeline(world: World, name: str) -> None:
    """F-ING-7: idempotent, with the source's name on every memory, and every line counted."""
    path = WRITERS[name](world)
    report = world.ingest()
    assert [(file.status, file.format) for file in report.files] == [("read", name)]
    assert report.lines == path.read_bytes().count(b"\n")
    assert {memory.origin.source for memory in world.memories()} == {name}
    before = world.everything()
    path.touch()
    world.ingest()
    assert world.everything() == before


def test_a_title_is_kept_with_its_session(world: World) -> None:
    title = {"type": "custom-title", "customTitle": "Parser work", "sessionId": S1}
    world.write("a.jsonl", [*exchange(0, "Ask", "Tell"), title])
    world.ingest()
    session = world.store.sessions([SessionId(S1)])[SessionId(S1)]
    assert session.title == "Parser work"
    assert session.cwd == "/w/app"
    assert session.models == ("model-x",)
    world.append("a.jsonl", exchange(1, "More", "Yes"))
    world.ingest()
    assert world.store.sessions([SessionId(S1)])[SessionId(S1)].title == "Parser work"


def test_the_first_line_may_be_of_any_type(world: World) -> None:
    """C-002, C-003: a session begins at the first time in its file."""
    mode = {"type": "permission-mode", "permissionMode": "plan", "sessionId": S1}
    path = world.write("a.jsonl", [mode, user(uid(0), "Ask", None, 7)])
    assert json.loads(path.read_bytes().split(b"\n")[0]).get("timestamp") is None
    world.ingest()
    started = world.store.sessions([SessionId(S1)])[SessionId(S1)].started_at
    assert started is not None
    assert started.isoformat() == "2026-03-01T09:00:07+00:00"
