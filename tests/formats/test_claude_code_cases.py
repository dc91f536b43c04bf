"""Faults seen in the field, on the Claude Code reader (cases.md, section A)."""

from __future__ import annotations

import json
import resource
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memory_fabric.errors import MalformedFile
from memory_fabric.ingest.formats.claude_code import ClaudeCode
from memory_fabric.model.transcript import Role, SessionFacts, Tally, ToolKind, Turn
from memory_fabric.ports import Cursor

Write = Callable[..., Path]
S = "11111111-1111-4111-8111-111111111111"


def user(uuid: str, content: Any, parent: str | None = None, second: int = 0, **more: Any) -> dict[str, Any]:
    stamp = f"2026-03-01T09:{second // 60:02}:{second % 60:02}.000Z"
    envelope = {"parentUuid": parent, "isSidechain": False, "cwd": "/w/app", "sessionId": S, "gitBranch": "main"}
    message = {"role": "user", "content": content}
    return {**envelope, "type": "user", "uuid": uuid, "timestamp": stamp, "message": message, **more}


def reply(uuid: str, content: Any, parent: str | None = None, second: int = 1, **more: Any) -> dict[str, Any]:
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    message = {"id": more.pop("id", f"msg_{uuid}"), "role": "assistant", "model": "model-x", "content": blocks}
    return {**user(uuid, None, parent, second), "type": "assistant", "requestId": "r1", "message": message, **more}


def call(uuid: str, tool: str, name: str, given: Any, parent: str | None = None, **more: Any) -> dict[str, Any]:
    return reply(uuid, [{"type": "tool_use", "id": tool, "name": name, "input": given}], parent, **more)


def result(uuid: str, tool: str, content: Any = "ok", parent: str | None = None, **more: Any) -> dict[str, Any]:
    error = {"is_error": True} if more.pop("is_error", False) else {}
    return user(uuid, [{"type": "tool_result", "tool_use_id": tool, "content": content, **error}], parent, **more)


def read(path: Path, start: Cursor = Cursor()) -> tuple[list[Turn], list[SessionFacts], Tally]:
    tally = Tally()
    items = list(ClaudeCode().read(path, tally, start))
    turns = [item for item in items if isinstance(item, Turn)]
    return turns, [item for item in items if isinstance(item, SessionFacts)], tally


def words(turns: list[Turn]) -> list[tuple[str, str]]:
    return [(turn.role.value, turn.text) for turn in turns]


def test_a_cut_last_line_is_left_out_and_the_rest_is_kept(write_jsonl: Write) -> None:
    """C-001: 2 records, 1 skipped."""
    path = write_jsonl(user("a1", "hi"), reply("a2", "hello", "a1"))
    with path.open("ab") as file:
        file.write(b'{"type":"assistant","uuid":"a3","mess')
    turns, _, tally = read(path)
    assert words(turns) == [("user", "hi"), ("assistant", "hello")]
    assert tally.skipped == {"cut last line": 1}
    assert tally.first_broken_line == 3


def test_a_whole_last_line_without_newline_is_read(write_jsonl: Write) -> None:
    """formats.md §0 rule 2."""
    path = write_jsonl(user("a1", "hi"))
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    turns, _, tally = read(path)
    assert (words(turns), tally.skipped) == ([("user", "hi")], {})


def test_a_broken_line_in_the_middle_is_counted_and_named(write_jsonl: Write) -> None:
    """C-001, F-ING-8."""
    turns, _, tally = read(write_jsonl(user("a1", "hi"), b'{"type":', b"null", b"[1]", b"", user("a2", "you", "a1")))
    assert words(turns) == [("user", "hi"), ("user", "you")]
    assert tally.skipped == {"broken json": 1, "not an object": 2, "blank": 1}
    assert (tally.first_broken_line, tally.lines) == (2, 6)


def test_a_file_without_any_record_is_malformed(write_jsonl: Write) -> None:
    with pytest.raises(MalformedFile):
        read(write_jsonl(b"{oops", b"{again"))
    assert read(write_jsonl(b"", name="blank.jsonl"))[2].skipped == {"blank": 1}


@pytest.mark.parametrize("first", ["permission-mode", "pr-link", "mode", "last-prompt"])
def test_the_first_line_may_be_metadata_without_a_time(write_jsonl: Write, first: str) -> None:
    """C-002, C-003: the first time found dates the session."""
    path = write_jsonl({"type": first, "sessionId": S}, user("a1", "hi"))
    turns, facts, tally = read(path)
    assert words(turns) == [("user", "hi")]
    assert [fact.at for fact in facts if fact.at] == [datetime(2026, 3, 1, 9, tzinfo=UTC)]
    assert tally.skipped == {"metadata": 1}
    assert ClaudeCode().claims(path, path.read_bytes())


def test_a_session_of_metadata_alone_yields_facts_alone(write_jsonl: Write) -> None:
    """formats.md §1.1: a session may hold no messages."""
    link = {"type": "pr-link", "sessionId": S, "timestamp": "2026-03-01T09:00:00Z", "prNumber": 7}
    turns, facts, tally = read(write_jsonl({"type": "mode", "sessionId": S}, link))
    assert turns == []
    assert [fact.at for fact in facts] == [datetime(2026, 3, 1, 9, tzinfo=UTC)]
    assert (tally.used, tally.skipped) == ({"metadata": 1}, {"metadata": 1})


def test_a_record_that_is_its_own_parent_is_a_root(write_jsonl: Write) -> None:
    """C-005."""
    path = write_jsonl(
        user("x", "one", "x"), reply("y", "two", "x"), user("z", "three", "y", 2), reply("w", "four", "z")
    )
    turns, _, _ = read(path)
    assert [turn.text for turn in turns] == ["one", "two", "three", "four"]
    assert not any(turn.abandoned for turn in turns)


def test_cycles_end(write_jsonl: Write) -> None:
    """C-005."""
    path = write_jsonl(user("a", "one", "c"), user("b", "two", "a", 2), user("c", "three", "b", 3))
    assert [turn.text for turn in read(path)[0]] == ["one", "two", "three"]


def test_a_lone_surrogate_is_repaired(write_jsonl: Write) -> None:
    """C-006: the text can be encoded."""
    raw = json.dumps(user("u1", "ship it HERE")).replace("HERE", "\\ud83d").encode()
    (turn,), _, tally = read(write_jsonl(raw))
    assert turn.text.encode().decode() == "ship it \ufffd"
    assert tally.used == {"user": 1}


def test_nul_and_nan_are_repaired(write_jsonl: Write) -> None:
    """formats.md §0 rules 4 and 5."""
    raw = json.dumps(user("u1", "a\0b", cost=float("nan"))).encode()
    assert read(write_jsonl(raw))[0][0].text == "ab"


@pytest.mark.parametrize("edge", [4096, 65536])
def test_characters_across_buffer_edges_stay_whole(write_jsonl: Write, edge: int) -> None:
    """C-007."""
    for pad in range(edge - 420, edge - 380):
        raw = json.dumps(user("u1", "PAD界"), ensure_ascii=False).replace("PAD", "x" * pad).encode()
        (turn,), _, _ = read(write_jsonl(raw))
        assert turn.text == "x" * pad + "界"


def test_line_separators_inside_a_string_do_not_end_the_record(write_jsonl: Write) -> None:
    """C-008."""
    raw = json.dumps(user("u1", "a\u2028b\u2029c\u0085d"), ensure_ascii=False).encode()
    (turn,), _, tally = read(write_jsonl(raw))
    assert (turn.text, tally.lines) == ("a\u2028b\u2029c\u0085d", 1)


def queued(uuid: str, prompt: Any) -> dict[str, Any]:
    return {**user(uuid, None), "type": "attachment", "attachment": {"type": "queued_command", "prompt": prompt}}


def removal(content: Any) -> dict[str, Any]:
    return {"type": "queue-operation", "operation": "remove", "sessionId": S, "content": content}


@pytest.mark.parametrize("content", [None, "use tabs", [{"type": "text", "text": "use tabs"}]])
@pytest.mark.parametrize("twin_first", [False, True])
def test_steering_text_is_one_turn(write_jsonl: Write, content: Any, twin_first: bool) -> None:
    """C-010: the attachment has the text, the removal is its twin."""
    records = [removal(content), queued("q1", "use tabs")]
    turns, _, tally = read(write_jsonl(*(reversed(records) if twin_first else records)))
    assert words(turns) == [("user", "use tabs")]
    assert (tally.used, tally.skipped) == ({"queued prompt": 1}, {"queue-operation": 1})


def test_an_orphan_removal_with_text_is_the_users(write_jsonl: Write) -> None:
    """C-010."""
    enqueued = {**removal("use tabs"), "operation": "enqueue"}
    turns, _, _ = read(write_jsonl(enqueued, removal("use tabs"), removal(None)))
    assert words(turns) == [("user", "use tabs")]


def test_queued_prompts_may_be_blocks_and_may_be_agents_notices(write_jsonl: Write) -> None:
    """formats.md §1.2."""
    notice = "<task-notification>\n<result>done</result>\n</task-notification>"
    turns, _, _ = read(write_jsonl(queued("q1", [{"type": "text", "text": "use tabs"}]), queued("q2", notice)))
    assert words(turns) == [("user", "use tabs")]


def test_content_of_any_shape_is_read_in_one_way(write_jsonl: Write) -> None:
    """C-011: text, list, one block, null, and lists with strings and nulls in them."""
    shapes: list[Any] = ["hi", [{"type": "text", "text": "hi"}], {"type": "text", "text": "hi"}, ["hi", None], None, 7]
    turns, _, tally = read(write_jsonl(*(user(f"u{n}", shape) for n, shape in enumerate(shapes))))
    assert [turn.text for turn in turns] == ["hi"] * 4
    assert (tally.used, tally.skipped) == ({"user": 4}, {"empty": 2})


def test_a_message_that_is_text_alone_is_read(write_jsonl: Write) -> None:
    """C-011."""
    assert words(read(write_jsonl({**user("u1", None), "message": "hi"}))[0]) == [("user", "hi")]


def test_no_base64_enters_the_text(write_jsonl: Write) -> None:
    """C-012: neither from a prompt nor from a tool result."""
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA" * 50_000}}
    path = write_jsonl(
        user("u1", [image, {"type": "text", "text": "see this"}]),
        call("a1", "t1", "Read", {"file_path": "/w/a.png"}, "u1"),
        result("u2", "t1", [image], "a1"),
        user("u3", [image], "u2"),
    )
    turns, _, _ = read(path)
    assert all("AAAA" not in turn.text and len(turn.text) < 100 for turn in turns)
    assert turns[0].text.startswith("[image image/png 150000 bytes sha256:")
    assert turns[0].text.endswith("]\n\nsee this")
    assert turns[2].text.startswith("[image image/png")


@pytest.mark.skipif(sys.platform == "win32", reason="no getrusage")
def test_a_huge_line_is_passed_over_in_little_memory(write_jsonl: Write) -> None:
    """C-013: a 30 MB tool result between two normal lines."""
    path = write_jsonl(user("u1", "one"), result("u2", "t1", "x" * 30_000_000, "u1"), user("u3", "two", "u2"))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert [turn.text for turn in read(path)[0]] == ["one", "two"]
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024 < 200


def test_a_sidechain_copy_of_a_trunk_reply_is_left_out(write_jsonl: Write) -> None:
    """C-015: same message id, other request id; sidechain messages with ids of their own stay."""
    path = write_jsonl(
        reply("s1", "answer", id="m1", requestId="r2", isSidechain=True, agentId="b1"),
        reply("s2", "aside", "s1", id="m2", isSidechain=True, agentId="b1"),
        reply("a1", "answer", id="m1"),
    )
    turns, _, tally = read(path)
    assert [(turn.text, turn.sidechain) for turn in turns] == [("aside", True), ("answer", False)]
    assert tally.skipped == {"sidechain copy": 1}


def test_a_copied_sidechain_file_never_speaks_for_the_trunk(write_jsonl: Write) -> None:
    """C-015: across files, the copies belong to the sidechain's own session."""
    path = write_jsonl(reply("s1", "answer", id="m1", isSidechain=True, agentId="b1"), name="agent-b1.jsonl")
    (turn,), _, _ = read(path)
    assert (turn.session, turn.sidechain) == (f"{S}/agent-b1", True)


def test_resumed_copies_share_their_record_ids(write_jsonl: Write) -> None:
    """C-016: same uuid, new session id."""
    first, _, _ = read(write_jsonl(user("u1", "one"), reply("a1", "two", "u1"), name="a.jsonl"))
    copies = [user("u1", "one", sessionId="S2"), reply("a1", "two", "u1", sessionId="S2")]
    second, _, _ = read(write_jsonl(*copies, user("u3", "three", "a1", 5, sessionId="S2"), name="b.jsonl"))
    assert [turn.record for turn in second][:2] == [turn.record for turn in first] == ["u1", "a1"]
    assert {turn.session for turn in second} == {"S2"}


def test_forked_copies_carry_the_originals_ids_and_name_their_parent(write_jsonl: Write) -> None:
    """C-017."""
    fork = {"sessionId": "S1", "messageUuid": "u1"}
    turns, facts, _ = read(write_jsonl(user("n1", "one", forkedFrom=fork), user("n2", "new", "n1", 4)))
    assert [turn.record for turn in turns] == ["u1", "n2"]
    assert [fact.parent for fact in facts if fact.parent] == ["S1"]


def test_the_same_uuid_twice_is_one_turn(write_jsonl: Write) -> None:
    """formats.md §1.5."""
    turns, _, tally = read(write_jsonl(user("u1", "one"), reply("a1", "two", "u1"), user("u1", "one")))
    assert [turn.text for turn in turns] == ["one", "two"]
    assert tally.skipped == {"duplicate": 1}


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


def test_a_file_that_grows_by_seven_bytes_is_read_without_loss_or_doubling(tmp_path: Path) -> None:
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
