"""Faults seen in the field, on the Claude Code reader (cases.md, section A): chains, sub-agents, replies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from memory_fabric.model.transcript import Role, ToolKind
from memory_fabric.ports import Cursor

from .claude_records import S, Write, call, read, reply, result, user, words


def boundary(uuid: str, after: str) -> dict[str, Any]:
    return {**user(uuid, None), "type": "system", "subtype": "compact_boundary", "logicalParentUuid": after}


def test_both_halves_of_a_compacted_session_are_kept_and_the_summary_is_derived(write_jsonl: Write) -> None:
    """C-019: many roots, nothing abandoned; the summary is never the user's."""
    digest = "This session is being continued from a previous conversation that ran out of context. The user wants X."
    path = write_jsonl(
        user("u1", "one"),
        reply("a1", "two", "u1"),
        boundary("c1", "a1"),
        user("u2", digest, "c1", 3, isCompactSummary=True, isVisibleInTranscriptOnly=True),
        reply("a2", "three", "u2", 4),
        boundary("c2", "a2"),
        user("u3", digest, "c2", 5),
        user("u4", "four", "u3", 6),
    )
    turns, _, tally = read(path)
    expected = ["user", "assistant", "summary", "assistant", "summary", "user"]
    assert [turn.role.value for turn in turns] == expected
    assert not any(turn.abandoned for turn in turns)
    assert tally.skipped == {"compact boundary": 2}


def test_a_replay_after_compaction_is_one_turn_and_no_rewind(write_jsonl: Write) -> None:
    """formats.md §1.5: new uuid, same parent, same time."""
    path = write_jsonl(
        user("u0", "zero"),
        reply("a0", "nought", "u0"),
        user("u1", "one", "a0", 2),
        reply("a1", "two", "u1", 3),
        boundary("c1", "a1"),
        user("n1", "one", "a0", 2),
        reply("n2", "two", "u1", 3, id="msg_a1"),
        user("u5", "three", "n2", 9),
    )
    turns, _, tally = read(path)
    assert [(turn.text, turn.abandoned) for turn in turns] == [
        (text, False) for text in ("zero", "nought", "one", "two", "three")
    ]
    assert tally.skipped["duplicate"] == 2


def test_equal_words_at_equal_times_are_two_turns_unless_the_parent_says_otherwise(write_jsonl: Write) -> None:
    assert len(read(write_jsonl(user("u1", "yes"), user("u2", "yes")))[0]) == 2
    assert len(read(write_jsonl(user("u1", "yes", "p"), user("u2", "no", "p")))[0]) == 2


def test_injected_records_are_counted_and_the_prompt_survives(write_jsonl: Write) -> None:
    """C-021, decision 12."""
    path = write_jsonl(
        user("u1", "<system-reminder>\nnever closed"),
        user("u2", "Rename the port.", "u1", 1),
        user("u3", "Base directory for this skill: /w", "u2", isMeta=True),
        user("u4", "<memory-context>\nold words\n</memory-context>", "u3"),
    )
    turns, _, tally = read(path)
    assert words(turns) == [("user", "Rename the port.")]
    assert tally.skipped == {"injected": 2, "own output": 1}


def test_errors_written_as_replies_are_excluded(write_jsonl: Write) -> None:
    """C-032."""
    error = reply("a1", "API Error: 500", isApiErrorMessage=True)
    error["message"]["model"] = "<synthetic>"
    quiet = reply("a2", "Prompt is too long")
    quiet["message"]["model"] = "<synthetic>"
    turns, _, tally = read(write_jsonl(user("u1", "hi"), error, quiet, reply("a3", "No response requested.")))
    assert words(turns) == [("user", "hi")]
    assert tally.skipped == {"api error": 1, "synthetic": 1, "empty": 1}


def test_pasted_markup_stays_text(write_jsonl: Write) -> None:
    """C-035."""
    pasted = "[00:12.500 - 00:14.000] we ship on Friday\n- [ ] write the notes"
    assert read(write_jsonl(user("u1", pasted)))[0][0].text == pasted


def test_a_file_that_grows_in_odd_pieces_is_read_without_loss_or_doubling(tmp_path: Path) -> None:
    """C-039: reading resumes at the last prompt, as ingest does; 200 records, none lost or doubled."""
    records = [
        user(f"u{n}", f"ask {n}", f"a{n - 1}") if n % 2 == 0 else reply(f"a{n}", f"say {n}", f"u{n - 1}")
        for n in range(200)
    ]
    data = b"".join(json.dumps(record).encode() + b"\n" for record in records)
    path = tmp_path / f"{S}.jsonl"
    found: dict[str, str] = {}
    cursor = Cursor()
    for end in [*range(0, len(data), 7 * 23), len(data)]:
        path.write_bytes(data[:end])
        turns, _, tally = read(path, cursor)
        assert set(tally.skipped) <= {"cut last line"}
        for turn in turns:
            found[turn.record] = turn.text
            if turn.role is Role.USER:
                cursor = Cursor(turn.offset or 0, turn.first_line or 1)
    assert list(found.values()) == [f"{'ask' if n % 2 == 0 else 'say'} {n}" for n in range(200)]
    assert tally.skipped == {}


def test_a_sub_agent_is_a_session_of_its_own_below_the_trunk(write_jsonl: Write) -> None:
    """C-149, formats.md §1.6: its working folder says nothing of the project, its parent does."""
    path = write_jsonl(
        user("s1", "Find the port.", isSidechain=True, agentId="a7", cwd="/tmp/x"),
        reply("s2", "It is 8080.", "s1", isSidechain=True, agentId="a7", cwd="/tmp/x"),
        name=f"{S}/subagents/agent-a7.jsonl",
    )
    turns, facts, _ = read(path)
    assert {(turn.session, turn.sidechain) for turn in turns} == {(f"{S}/agent-a7", True)}
    assert [(fact.session, fact.parent) for fact in facts] == [(f"{S}/agent-a7", S)]


def test_inline_sidechains_of_old_versions_are_kept_apart(write_jsonl: Write) -> None:
    """formats.md §1.6: interleaved in the main file, without an agent id."""
    path = write_jsonl(
        user("u1", "Find both ports."),
        call("a1", "t1", "Task", {"subagent_type": "Explore", "description": "first"}, "u1"),
        user("aaaaaaaa-1", "Find the first.", isSidechain=True),
        user("bbbbbbbb-1", "Find the second.", isSidechain=True),
        reply("aaaaaaaa-2", "8080", "aaaaaaaa-1", isSidechain=True),
        reply("bbbbbbbb-2", "9090", "bbbbbbbb-1", isSidechain=True),
        result("u2", "t1", "8080", "a1"),
        reply("a2", "8080 and 9090", "u2"),
    )
    by_session: dict[str, list[str]] = {}
    for turn in read(path)[0]:
        by_session.setdefault(turn.session, []).append(turn.text)
    assert by_session == {
        S: ["Find both ports.", "", "8080 and 9090"],
        f"{S}/agent-aaaaaaaa": ["Find the first.", "8080"],
        f"{S}/agent-bbbbbbbb": ["Find the second.", "9090"],
    }


def test_one_reply_in_several_lines_is_one_turn_and_knows_how_its_calls_ended(write_jsonl: Write) -> None:
    """formats.md §1.3, F-ING-6: thinking and payloads never enter the text; parallel calls, results between blocks."""
    path = write_jsonl(
        user("u1", "go"),
        reply("a1", [{"type": "thinking", "thinking": "secret", "signature": "s"}], "u1", id="m1"),
        reply("a2", "First.", "a1", id="m1"),
        call("a3", "t1", "Bash", {"command": "make"}, "a2", id="m1"),
        result("r1", "t1", "Exit code 2", "a3", is_error=True),
        call("a4", "t2", "Edit", {"file_path": "/w/a.py", "new_string": "secret"}, "a3", id="m1"),
        {"type": "progress", "uuid": "p1", "parentUuid": "a4", "sessionId": S, "data": {"deep": [1]}},
        result("r2", "t2", "secret", "a4"),
        call("a5", "t3", "Bash", {"command": "sleep 9"}, "r2", id="m2"),
        result("r3", "t3", "", "a5", toolUseResult={"stdout": "", "interrupted": True}),
        call("a6", "t4", "Bash", '{"command": "ls"}', "r3", id="m3"),
    )
    turns, _, tally = read(path)
    assert words(turns) == [("user", "go"), ("assistant", "First."), ("assistant", ""), ("assistant", "")]
    assert [(c.kind, c.ok, c.line) for t in turns for c in t.tools] == [
        (ToolKind.COMMAND, False, 4),
        (ToolKind.FILE, True, 6),
        (ToolKind.COMMAND, False, 9),
        (ToolKind.COMMAND, None, 11),
    ]
    assert (turns[1].first_line, turns[1].last_line, turns[1].record, turns[1].model) == (2, 6, "a1", "model-x")
    assert turns[3].tools[0].target == "ls"
    assert tally.used == {"user": 1, "assistant": 5, "tool_result": 3}
    assert tally.skipped == {"thinking": 1, "progress": 1}


def test_words_beside_a_tool_result_are_a_prompt(write_jsonl: Write) -> None:
    """The user may answer while a call is refused: the result is none, the words are."""
    beside = result("u2", "t1", "refused", "a1")
    beside["message"]["content"].append({"type": "text", "text": "Use the other file."})
    turns, _, _ = read(write_jsonl(user("u1", "go"), call("a1", "t1", "Read", {"file_path": "a"}, "u1"), beside))
    assert words(turns) == [("user", "go"), ("assistant", ""), ("user", "Use the other file.")]


def test_titles_a_title_of_another_session_is_not_ours(write_jsonl: Write) -> None:
    """formats.md §1.2: last wins, the user's own beats a derived one."""
    path = write_jsonl(
        {"type": "summary", "summary": "Elsewhere", "leafUuid": "zz"},
        {"type": "summary", "summary": "Ports", "leafUuid": "u1"},
        {"type": "ai-title", "aiTitle": "Renaming ports", "sessionId": S},
        {"type": "custom-title", "customTitle": "My ports", "sessionId": S},
        user("u1", "hi"),
    )
    _, facts, tally = read(path)
    assert [(f.title, f.final_title) for f in facts if f.title] == [
        ("Ports", False),
        ("Renaming ports", False),
        ("My ports", True),
    ]
    assert tally.skipped == {"title of another session": 1}


def test_a_branch_that_the_user_rewound_is_kept_and_marked(write_jsonl: Write) -> None:
    """formats.md §1.5: two prompts continue one reply; links between do not hide it."""
    path = write_jsonl(
        user("u1", "one"),
        reply("a1", "two", "u1"),
        {**user("y1", None, "a1"), "type": "system", "subtype": "turn_duration"},
        user("u2", "wrong way", "y1", 3),
        reply("a2", "as you say", "u2", 4),
        user("u3", "right way", "a1", 5),
        reply("a3", "better", "u3", 6),
    )
    assert [(turn.text, turn.abandoned) for turn in read(path)[0]] == [
        ("one", False),
        ("two", False),
        ("wrong way", True),
        ("as you say", True),
        ("right way", False),
        ("better", False),
    ]


def test_what_may_be_no_rewind_is_not_marked(write_jsonl: Write) -> None:
    """Unanswered prompts, branches that go on in parallel, parallel calls, orphans, many roots."""
    waiting = [user("u1", "one", "a0", 1), user("u2", "two", "a0", 2), reply("b2", "ok", "u2", 3)]
    parallel = [
        user("v1", "one", "w0", 4),
        reply("w1", "x", "v1", 5),
        user("v2", "two", "w0", 6),
        reply("w2", "y", "w1", 7),
    ]
    roots = [user("x1", "r"), reply("x2", "s", "x1"), user("x3", "t"), user("x4", "u", "gone"), user("x5", "v", "gone")]
    path = write_jsonl(reply("a0", "start"), reply("w0", "other"), *waiting, *parallel, *roots)
    assert not any(turn.abandoned for turn in read(path)[0])


def test_without_a_time_nothing_is_made_up(write_jsonl: Write) -> None:
    """formats.md §0 rule 7."""
    (turn,), _, _ = read(write_jsonl(user("u1", "hi", timestamp=None)))
    assert (turn.at, turn.at_source) == (None, "none")


def test_unknown_types_are_counted_by_name(write_jsonl: Write) -> None:
    """formats.md §1.2: a new type appears about monthly; what is no name is not repeated."""
    records = [{"type": "frobnicate", "uuid": "x", "sessionId": S}, {"type": "My Secret 1"}, {"uuid": "x"}, {"type": 3}]
    turns, _, tally = read(write_jsonl(*records))
    assert (turns, tally.skipped) == ([], {"unknown type frobnicate": 1, "unknown type": 3})


def test_changes_of_the_working_folder_are_told(write_jsonl: Write) -> None:
    """formats.md §1.1: ``cwd`` may change from record to record."""
    path = write_jsonl(user("u1", "a"), user("u2", "b", cwd="/w/lib"), user("u3", "c", cwd="/w/lib"), user("u4", "d"))
    turns, facts, _ = read(path)
    assert [fact.cwd for fact in facts] == ["/w/app", "/w/lib", "/w/app"]
    assert [turn.cwd for turn in turns] == ["/w/app", "/w/lib", "/w/lib", "/w/app"]


def test_an_away_summary_is_derived(write_jsonl: Write) -> None:
    """formats.md §1.2."""
    away = {**user("y1", None), "type": "system", "subtype": "away_summary", "content": "While you were away: done."}
    (turn,), _, _ = read(write_jsonl(away))
    assert (turn.role, turn.text) == (Role.SUMMARY, "While you were away: done.")


def test_reading_resumes_with_absolute_places(write_jsonl: Write) -> None:
    path = write_jsonl(
        user("u1", "one"), reply("a1", "two", "u1"), user("u2", "three", "a1", 2), reply("a2", "4", "u2")
    )
    whole, _, _ = read(path)
    start = Cursor(whole[2].offset or 0, whole[2].first_line or 0)
    turns, _, tally = read(path, start)
    assert turns == whole[2:]
    assert tally.lines == 2


def test_records_without_a_session_belong_to_the_files_session(write_jsonl: Write) -> None:
    """formats.md §1.2: ``summary`` lines name none; the file's name need not be the session's id."""
    summary = {"type": "summary", "summary": "Ports", "leafUuid": "u1"}
    _, facts, _ = read(write_jsonl(summary, user("u1", "hi"), name="2026-03-01-copy.jsonl"))
    assert [(fact.session, fact.title) for fact in facts if fact.title] == [(S, "Ports")]


def test_a_reply_repeated_under_a_new_uuid_is_one_turn(write_jsonl: Write) -> None:
    """Old versions repeat the last reply at a new root when they resume: same message id, same blocks."""
    path = write_jsonl(
        user("u1", "say a word"),
        reply("a1", "word", "u1", id="m1"),
        reply("b1", "word", None, 9, id="m1", requestId="r9"),
        user("u2", "and another", "b1", 10),
        reply("a2", "word", "u2", 11, id="m2"),
    )
    turns, _, tally = read(path)
    assert words(turns) == [
        ("user", "say a word"),
        ("assistant", "word"),
        ("user", "and another"),
        ("assistant", "word"),
    ]
    assert tally.skipped == {"duplicate": 1}
