"""Codex rollouts (formats.md §3)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from backports import zstd
from tests.formats import golden

from memory_fabric.errors import MalformedFile
from memory_fabric.ingest.formats.codex import Codex
from memory_fabric.ingest.formats.codex_rollout import REACHES_BACK
from memory_fabric.model.transcript import Role, SessionFacts, Tally, Turn
from memory_fabric.ports import Cursor

FOLDER = Path(__file__).parent / "codex"
SESSION = "33333333-3333-7333-8333-333333333333"
META = {
    "timestamp": "2026-05-01T10:00:00.000Z",
    "type": "session_meta",
    "payload": {"id": SESSION, "timestamp": "2026-05-01T10:00:00.000Z", "cwd": "/w/app", "source": "cli"},
}


def event(kind: str, second: int = 1, **payload: Any) -> dict[str, Any]:
    return {
        "timestamp": f"2026-05-01T10:01:{second:02d}.000Z",
        "type": "event_msg",
        "payload": {"type": kind, **payload},
    }


def message(role: str, text: str, at: str = "2026-05-01T10:01:00.000Z") -> dict[str, Any]:
    content = [{"type": "input_text" if role == "user" else "output_text", "text": text}]
    return {"timestamp": at, "type": "response_item", "payload": {"type": "message", "role": role, "content": content}}


def turns(path: Path, tally: Tally | None = None, start: Cursor = Cursor()) -> list[Turn]:
    items = Codex(pause=lambda _: None).read(path, tally or Tally(), start)
    return [item for item in items if isinstance(item, Turn)]


def said(found: Iterable[Turn]) -> list[tuple[str, str]]:
    return [(str(turn.role), turn.text) for turn in found if turn.text]


@pytest.mark.parametrize("source", golden.inputs(FOLDER), ids=golden.name_of)
def test_a_rollout_reads_as_its_golden_file_says(source: Path) -> None:
    golden.check(Codex(), source)


def test_golden_files_are_complete() -> None:
    assert golden.unpaired(FOLDER) == []


def test_one_layer_and_both_layers_give_the_same_turns(write_jsonl: Callable[..., Path]) -> None:
    """C-024: visible text moved between layers over the versions."""
    prompt, reply = event("user_message", message="Why NATS?"), event("agent_message", message="Load.")
    single = write_jsonl(META, message("user", "Why NATS?"), message("assistant", "Load."), name="a.jsonl")
    events = write_jsonl(META, prompt, reply, name="b.jsonl")
    both = write_jsonl(META, message("user", "Why NATS?"), prompt, reply, message("assistant", "Load."), name="c.jsonl")
    expected = [("user", "Why NATS?"), ("assistant", "Load.")]
    assert said(turns(single)) == said(turns(events)) == said(turns(both)) == expected


def test_a_real_repeat_inside_one_layer_stays(write_jsonl: Callable[..., Path]) -> None:
    """C-024: only adjacent copies from different layers are one turn."""
    path = write_jsonl(META, message("user", "continue"), message("user", "continue"))
    assert said(turns(path)) == [("user", "continue")] * 2


def test_two_repeats_written_in_both_layers_are_two_turns_in_either_order(write_jsonl: Callable[..., Path]) -> None:
    """C-024: each copy finds its own original."""
    copy, original = event("user_message", message="go"), message("user", "go")
    for order in ([original, copy, original, copy], [original, original, copy, copy]):
        assert said(turns(write_jsonl(META, *order))) == [("user", "go")] * 2


def test_equal_texts_with_another_between_are_no_copies(write_jsonl: Callable[..., Path]) -> None:
    """C-024: adjacency is asked for."""
    path = write_jsonl(META, message("user", "go"), message("assistant", "ok"), event("user_message", message="go"))
    assert said(turns(path)) == [("user", "go"), ("assistant", "ok"), ("user", "go")]


def test_calls_between_two_copies_of_a_reply_do_not_part_them(write_jsonl: Callable[..., Path]) -> None:
    """C-024: a call is no text; between two equal prompts it makes them two."""
    call = {**META, "type": "response_item", "payload": {"type": "function_call", "name": "shell", "call_id": "c"}}
    reply, prompt = event("agent_message", message="ok"), event("user_message", message="go")
    assert said(turns(write_jsonl(META, reply, call, message("assistant", "ok")))) == [("assistant", "ok")]
    assert said(turns(write_jsonl(META, prompt, call, message("user", "go")))) == [("user", "go")] * 2


def test_a_compressed_rollout_reads_like_the_plain_one(tmp_path: Path) -> None:
    """C-025: newer builds compress rollouts; several frames in a row are one file."""
    source = FOLDER / "both_layers.jsonl"
    data = source.read_bytes()
    packed = tmp_path / "both_layers.jsonl.zst"
    packed.write_bytes(zstd.compress(data[:700]) + zstd.compress(data[700:]))
    plain, tally = Tally(), Tally()
    expected = turns(source, plain)
    found = turns(packed, tally)
    assert Codex().claims(packed, packed.read_bytes()[:65536])
    assert [(turn.record, turn.text, turn.tools) for turn in found] == [
        (turn.record, turn.text, turn.tools) for turn in expected
    ]
    assert tally == plain
    assert {turn.offset for turn in found} == {None}


def test_a_compressed_rollout_resumes_at_the_same_cursor(tmp_path: Path) -> None:
    """C-025: a cursor counts unpacked bytes, so it holds after the change of form."""
    source = FOLDER / "both_layers.jsonl"
    packed = tmp_path / "x.jsonl.zst"
    packed.write_bytes(zstd.compress(source.read_bytes()))
    last = [turn for turn in turns(source) if turn.role is Role.USER][-1]
    assert last.offset is not None
    assert last.first_line is not None
    cursor = Cursor(last.offset, last.first_line)
    assert [t.record for t in turns(packed, start=cursor)] == [t.record for t in turns(source, start=cursor)]


@pytest.mark.parametrize("appears_at", [1, 2])
def test_a_rollout_that_changes_its_form_while_it_is_opened_is_found(tmp_path: Path, appears_at: int) -> None:
    """C-025: three attempts, with a pause between them."""
    path = tmp_path / "rollout.jsonl"
    waited: list[float] = []

    def pause(seconds: float) -> None:
        waited.append(seconds)
        if len(waited) == appears_at:
            (tmp_path / "rollout.jsonl.zst").write_bytes(zstd.compress(json.dumps(META).encode() + b"\n"))

    assert len(list(Codex(pause=pause).read(path, Tally()))) == 1
    assert waited == [0.05] * appears_at


def test_a_rollout_that_stays_away_is_an_error_after_three_attempts(tmp_path: Path) -> None:
    """C-025: the pause is taken between attempts only."""
    waited: list[float] = []
    with pytest.raises(FileNotFoundError):
        list(Codex(pause=waited.append).read(tmp_path / "gone.jsonl", Tally()))
    assert waited == [0.05, 0.05]


def test_an_archived_rollout_keeps_its_ids(tmp_path: Path) -> None:
    """C-038: moving a file to archived_sessions/ changes nothing that is remembered."""
    source = FOLDER / "both_layers.jsonl"
    moved = tmp_path / "archived_sessions" / "other-name.jsonl"
    moved.parent.mkdir()
    moved.write_bytes(source.read_bytes())
    assert turns(moved) == turns(source)


def test_resuming_at_a_prompt_gives_the_same_turns_as_a_whole_read(tmp_path: Path) -> None:
    """F-ING-7: session, folder and model stand before the cursor and are still known."""
    source = FOLDER / "both_layers.jsonl"
    whole = turns(source)
    for index, turn in enumerate(whole):
        if turn.role is Role.USER:
            assert turn.offset is not None
            assert turn.first_line is not None
            assert turns(source, start=Cursor(turn.offset, turn.first_line)) == whole[index:]


def test_a_line_that_is_still_being_written_is_left_for_the_next_read(write_jsonl: Callable[..., Path]) -> None:
    """formats.md §0 rule 2: uncounted when tailing, counted on a cold read (C-001)."""
    path = write_jsonl(META, message("user", "one"))
    size = path.stat().st_size
    with path.open("ab") as stream:
        stream.write(json.dumps(message("assistant", "two")).encode()[:-9])
    tail, cold = Tally(), Tally()
    assert turns(path, tail, Cursor(size, 3)) == []
    assert tail.lines == 0
    assert said(turns(path, cold)) == [("user", "one")]
    assert cold.skipped == {"cut last line": 1}
    assert cold.first_broken_line == 3


def test_an_unterminated_but_whole_last_line_is_read(write_jsonl: Callable[..., Path]) -> None:
    """formats.md §0 rule 2."""
    path = write_jsonl(META, message("user", "one"))
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    assert said(turns(path)) == [("user", "one")]


def test_oddities_of_bytes_cost_one_line_each_at_most(write_jsonl: Callable[..., Path]) -> None:
    """C-001, C-006, C-008: broken lines, lone surrogates, line separators inside strings, non-objects."""
    path = write_jsonl(
        b"\xef\xbb\xbf" + json.dumps(META).encode(),
        b'{"timestamp":"2026-05-01T10:00:0',
        b"null",
        b"",
        b"[" * 100_000,
        message("user", "ship it \ud83d"),
        json.dumps(message("assistant", "a\u2028b\u0085c"), ensure_ascii=False).encode() + b"\r",
    )
    tally = Tally()
    assert said(turns(path, tally)) == [("user", "ship it \ufffd"), ("assistant", "a\u2028b\u0085c")]
    assert tally.skipped == {"broken json": 2, "not an object": 1, "blank": 1}
    assert tally.first_broken_line == 2
    assert tally.lines == 7


def test_a_rollout_without_its_first_line_takes_the_id_from_its_name(write_jsonl: Callable[..., Path]) -> None:
    """formats.md §3.1: the UUID at the right of the file name."""
    name = f"rollout-2026-05-01T10-00-00-{SESSION}.jsonl"
    path = write_jsonl(b'{"timestamp":', message("user", "hello"), name=name)
    assert Codex().claims(path, path.read_bytes())
    assert [turn.session for turn in turns(path)] == [SESSION]


def test_metadata_may_come_late(write_jsonl: Callable[..., Path]) -> None:
    """C-002: the first line may be anything."""
    path = write_jsonl(event("token_count"), META, message("user", "hello"))
    assert [turn.record for turn in turns(path)] == [f"{SESSION}:3"]


def test_a_rollback_of_more_than_the_read_part_holds_is_counted_apart(write_jsonl: Callable[..., Path]) -> None:
    """Turns before the cursor cannot be marked any more: the caller can see it and read anew."""
    first, second = event("user_message", message="one"), event("user_message", message="two")
    path = write_jsonl(META, first, second, event("thread_rolled_back", num_turns=2))
    offset = sum(len(line) for line in path.read_bytes().splitlines(keepends=True)[:2])
    whole, part = Tally(), Tally()
    assert [turn.abandoned for turn in turns(path, whole)] == [True, True]
    assert [turn.abandoned for turn in turns(path, part, Cursor(offset, 3))] == [True]
    assert whole.used["rollback"] == 1
    assert part.used[REACHES_BACK] == 1


@pytest.mark.parametrize("count", [0, -1, None, "2", 10**30])
def test_a_rollback_of_no_sensible_number_breaks_nothing(write_jsonl: Callable[..., Path], count: object) -> None:
    """formats.md: never fail a whole file because of one line."""
    path = write_jsonl(META, message("user", "one"), event("thread_rolled_back", num_turns=count))
    assert len(turns(path)) == 1


FORK = "44444444-4444-7444-8444-444444444444"


def fork_meta(**payload: Any) -> dict[str, Any]:
    return {**META, "payload": {**META["payload"], "id": FORK, **payload}}  # type: ignore[dict-item]


@pytest.mark.parametrize(("instant", "kept"), [("00.999", 0), ("01.000", 1), ("01.001", 1)])
def test_a_fork_begins_one_second_after_the_spawn(write_jsonl: Callable[..., Path], instant: str, kept: int) -> None:
    """formats.md §3.2: the parent's history is replayed within the second of the spawn."""
    path = write_jsonl(fork_meta(forked_from_id=SESSION), META, message("user", "x", f"2026-05-01T10:00:{instant}Z"))
    items = list(Codex().read(path, Tally()))
    assert sum(isinstance(item, Turn) for item in items) == kept
    assert [item.parent for item in items if isinstance(item, SessionFacts)] == [SESSION]


def test_a_spawned_agent_without_a_replay_keeps_its_first_prompt(write_jsonl: Callable[..., Path]) -> None:
    """Nothing is lost: without a copy of the parent's meta there is no copied history to strip."""
    meta = fork_meta(source={"subagent": {"thread_spawn": {"parent_thread_id": SESSION}}})
    path = write_jsonl(meta, message("user", "Count the tests", "2026-05-01T10:00:00.100Z"))
    (turn,) = turns(path)
    assert (turn.text, turn.sidechain) == ("Count the tests", True)


def test_a_record_without_time_takes_the_session_start(write_jsonl: Callable[..., Path]) -> None:
    """C-003: at_source says where the time comes from."""
    undated = {**message("user", "when?"), "timestamp": None}
    (turn,) = turns(write_jsonl(META, undated))
    assert (turn.at_source, turn.at and turn.at.isoformat()) == ("file", "2026-05-01T10:00:00+00:00")
    (turn,) = turns(write_jsonl(undated))
    assert (turn.at_source, turn.at) == ("none", None)


@pytest.mark.parametrize(
    "text",
    [
        "# AGENTS.md instructions for /w/app",
        "<INSTRUCTIONS>x</INSTRUCTIONS>",
        "<environment_context>x</environment_context>",
        "<user_instructions>x</user_instructions>",
        "<permissions instructions>x</permissions instructions>",
        "<user_shell_command>x</user_shell_command>",
        "<turn_aborted>x</turn_aborted>",
        "<recommended_plugins>x</recommended_plugins>",
        "<hook_prompt>x</hook_prompt>",
        "<skill>x</skill>",
        "\n  <skill>x</skill>",
        '<memory-context source="x">\nkept\n</memory-context>',
    ],
)
def test_injected_user_items_are_counted_and_left_out(write_jsonl: Callable[..., Path], text: str) -> None:
    """F-ING-3, decision 12: what no user wrote is no prompt, in either layer."""
    tally = Tally()
    assert turns(write_jsonl(META, message("user", text), event("user_message", message=text)), tally) == []
    assert tally.skipped == {"injected": 2}


@pytest.mark.parametrize("text", ["<div> does not close", "# Heading of my own", "use <skill> tags", "#42 fails"])
def test_prompts_that_only_look_injected_are_kept(write_jsonl: Callable[..., Path], text: str) -> None:
    """F-ING-3: the original dropped every prompt that began with <."""
    assert said(turns(write_jsonl(META, message("user", text)))) == [("user", text)]


def test_an_unknown_type_never_shows_its_content_in_a_report(write_jsonl: Callable[..., Path]) -> None:
    """formats.md §0 rule 3: reasons are names, never content."""
    tally = Tally()
    records = [event("a secret sentence"), {**META, "type": "x" * 41}, {**META, "type": "brand_new"}]
    assert turns(write_jsonl(META, *records), tally) == []
    assert tally.skipped == {"unknown type": 2, "brand_new": 1}


def test_a_file_of_broken_lines_is_malformed(write_jsonl: Callable[..., Path]) -> None:
    """C-040: it is reported, the others go on."""
    with pytest.raises(MalformedFile):
        turns(write_jsonl(b"{broken", b"{too"))


def test_damaged_compression_is_malformed_or_counted(tmp_path: Path) -> None:
    """C-025: what was unpacked before the damage is kept, but for the last 64 KiB."""
    rows = [json.dumps(META)] + [json.dumps(message("user", f"{n} " + "x" * 9_999)) for n in range(20)]
    good = zstd.compress("\n".join(rows).encode() + b"\n")
    path = tmp_path / "x.jsonl.zst"
    path.write_bytes(good + b"\x28\xb5\x2f\xfd" + b"\xff" * 40)
    tally = Tally()
    assert len(turns(path, tally)) >= 20 - 7
    assert tally.skipped == {"damaged compression": 1}
    path.write_bytes(b"\x28\xb5\x2f\xfd" + b"\xff" * 40)
    with pytest.raises(MalformedFile):
        turns(path)
    assert not Codex().claims(path, path.read_bytes())
