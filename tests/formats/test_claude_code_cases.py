"""Faults seen in the field, on the Claude Code reader (cases.md, section A): bytes, content, copies."""

from __future__ import annotations

import json
import resource
import sys
from datetime import UTC, datetime
from typing import Any

import pytest

from memory_fabric.errors import MalformedFile
from memory_fabric.ingest.formats.claude_code import ClaudeCode

from .claude_records import S, Write, call, read, reply, result, user, words


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
