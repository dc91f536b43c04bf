"""Gemini CLI chats (formats.md §4)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.formats import golden

from memory_fabric.errors import MalformedFile
from memory_fabric.ingest.formats import gemini
from memory_fabric.ingest.formats.gemini import GeminiCli
from memory_fabric.model.transcript import SessionFacts, Tally, Turn

FOLDER = Path(__file__).parent / "gemini"
STUB = "[image image/png 2 bytes sha256:8f434346648f6b96]"
HEAD = {"sessionId": "g", "projectHash": "h", "startTime": "2026-06-01T08:00:00.000Z"}


def said(kind: str, content: object, identifier: str | None = None, **more: Any) -> dict[str, Any]:
    record = {"timestamp": "2026-06-01T08:00:01.000Z", "type": kind, "content": content, **more}
    return {"id": identifier, **record} if identifier else record


def read(path: Path, tally: Tally | None = None) -> tuple[SessionFacts, list[Turn]]:
    facts, *turns = GeminiCli().read(path, tally or Tally())
    assert isinstance(facts, SessionFacts)
    return facts, [turn for turn in turns if isinstance(turn, Turn)]


@pytest.mark.parametrize("source", golden.inputs(FOLDER), ids=golden.name_of)
def test_a_chat_reads_as_its_golden_file_says(source: Path) -> None:
    golden.check(GeminiCli(), source)


def test_golden_files_are_complete() -> None:
    assert golden.unpaired(FOLDER) == []


def test_a_log_whose_first_line_has_no_type_gives_its_messages(write_jsonl: Callable[..., Path]) -> None:
    """C-022: no real file has a session_metadata record."""
    path = write_jsonl(HEAD, said("user", "hi", "1"), said("gemini", "hello", "2"))
    assert GeminiCli().claims(path, path.read_bytes())
    assert [turn.text for turn in read(path)[1]] == ["hi", "hello"]


def test_the_same_id_again_replaces_and_keeps_its_place(write_jsonl: Callable[..., Path]) -> None:
    """C-022, formats.md §4: last wins."""
    tally = Tally()
    path = write_jsonl(HEAD, said("gemini", "draft", "1"), said("user", "next", "2"), said("gemini", "final", "1"))
    _, turns = read(path, tally)
    assert [(turn.text, turn.first_line, turn.last_line) for turn in turns] == [("final", 2, 4), ("next", 3, 3)]
    assert tally.skipped == {"replaced later": 1}
    assert tally.lines == 4


def test_messages_without_id_never_replace_each_other(write_jsonl: Callable[..., Path]) -> None:
    _, turns = read(write_jsonl(HEAD, said("user", "same"), said("user", "same")))
    assert [turn.record for turn in turns] == ["line:2", "line:3"]


@pytest.mark.parametrize(
    ("target", "abandoned"),
    [("1", [True, True]), ("2", [False, True]), ("unknown", [True, True]), (None, [True, True])],
)
def test_rewound_messages_stay_and_are_marked(
    write_jsonl: Callable[..., Path], target: object, abandoned: list[bool]
) -> None:
    """C-022: the message and all after it go, an unknown id clears everything; nothing is lost."""
    _, turns = read(write_jsonl(HEAD, said("user", "one", "1"), said("user", "two", "2"), {"$rewindTo": target}))
    assert [turn.abandoned for turn in turns] == abandoned


def test_a_live_message_keeps_the_id_that_a_rewound_one_had(write_jsonl: Callable[..., Path]) -> None:
    """Ids stay unique inside a file."""
    rows = [said("user", "one", "1"), {"$rewindTo": "1"}, said("user", "two", "1"), {"$rewindTo": "1"}]
    _, turns = read(write_jsonl(HEAD, *rows, said("user", "three", "1")))
    assert [(turn.record, turn.text) for turn in turns] == [("1~2", "one"), ("1~4", "two"), ("1", "three")]


def test_the_same_document_under_any_name_is_one_chat(tmp_path: Path) -> None:
    """Pretty-printed documents also lie under .jsonl names; a one-line document is no log."""
    value = {**HEAD, "messages": [said("user", "hi", "1")]}
    for name, indent in (("a.json", None), ("b.jsonl", None), ("c.jsonl", 2), ("d.json", 2)):
        path = tmp_path / name
        path.write_text("\ufeff" + json.dumps(value, indent=indent), encoding="utf-8")
        tally = Tally()
        assert GeminiCli().claims(path, path.read_bytes())
        assert [turn.text for turn in read(path, tally)[1]] == ["hi"]
        assert tally.used == {"user": 1}


def test_a_chat_larger_than_the_limit_is_refused_if_it_is_one_document(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Documents are read whole; the limit is 256 MB."""
    assert gemini.MAX_DOCUMENT == 256 * 1024 * 1024
    path = tmp_path / "x.json"
    path.write_text(json.dumps({**HEAD, "messages": [said("user", "hi", "1")]}, indent=1))
    size = path.stat().st_size
    for limit, fits in ((size + 1, True), (size, True), (size - 1, False)):
        monkeypatch.setattr(gemini, "MAX_DOCUMENT", limit)
        if fits:
            assert len(read(path)[1]) == 1
        else:
            with pytest.raises(MalformedFile, match="larger than"):
                read(path)


def test_a_cut_document_is_malformed_wherever_its_messages_stand(tmp_path: Path) -> None:
    """A message on a line of its own does not make a log of a cut document."""
    rows = [json.dumps(said("user", f"m{n}", str(n))) for n in range(3)]
    text = '{"sessionId":"g","projectHash":"h",\n"messages":[\n' + ",\n".join(rows) + "\n"
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(MalformedFile):
        read(path)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("plain", "plain"),
        ({"text": "one part"}, "one part"),
        (["a ", {"text": "b"}, 7, None], "a b"),
        ([{"text": "secret", "thought": True}, {"text": "shown"}], "shown"),
        (["see", {"inlineData": {"mimeType": "image/png", "data": "aGk="}}, "that"], f"see\n\n{STUB}\n\nthat"),
        ([{"functionResponse": {"response": {"output": "x"}}}, {"functionCall": {"name": "f"}}], None),
        ([{"inlineData": {"mimeType": "image/png"}}], "[image image/png]"),
        ([{"fileData": {"mimeType": "application/pdf", "fileUri": "x"}}], "[file application/pdf]"),
        ("<session_context>\nx</session_context>", None),
        ("Fix it <hook_context>injected</hook_context>", "Fix it"),
        ('<memory-context source="x">old</memory-context>Fix it', "Fix it"),
        ("System: Please continue.", None),
        ("", None),
        (None, None),
    ],
)
def test_the_text_of_a_user_message(write_jsonl: Callable[..., Path], content: object, text: str | None) -> None:
    """formats.md §4: parts of every shape; F-ING-6, decision 12: no payloads, nothing injected."""
    _, turns = read(write_jsonl(HEAD, said("user", content, "1")))
    assert [turn.text for turn in turns] == ([] if text is None else [text])


def test_what_the_user_saw_is_preferred_for_user_turns_only(write_jsonl: Callable[..., Path]) -> None:
    """formats.md §4: content holds @file expansions."""
    rows = [said(kind, "long", kind, displayContent="short") for kind in ("user", "gemini")]
    assert [turn.text for turn in read(write_jsonl(HEAD, *rows))[1]] == ["short", "long"]


@pytest.mark.parametrize(
    ("status", "ok"), [("success", True), ("error", False), ("cancelled", False), ("executing", None), (None, None)]
)
def test_the_status_of_a_tool_call(write_jsonl: Callable[..., Path], status: object, ok: bool | None) -> None:
    calls = [{"name": "glob", "args": {"pattern": "*.py"}, "status": status}, {"args": {}}, None]
    _, (turn,) = read(write_jsonl(HEAD, said("gemini", "", "1", toolCalls=calls)))
    assert [(call.name, call.target, call.ok) for call in turn.tools] == [("glob", "*.py", ok)]


def test_the_folder_comes_from_project_root_then_directories(tmp_path: Path) -> None:
    """formats.md §4: projectHash is no folder, but tells which of the directories is the project's."""
    path = tmp_path / "slug" / "chats" / "session-x.jsonl"
    path.parent.mkdir(parents=True)

    def cwd(**more: Any) -> str | None:
        path.write_text(json.dumps({**HEAD, **more}) + "\n")
        return read(path)[0].cwd

    wanted = hashlib.sha256(b"/w/b").hexdigest()
    assert cwd() is None
    assert cwd(directories=["/w/a", "/w/b"]) == "/w/a"
    assert cwd(directories=["/w/a", "/w/b"], projectHash=wanted) == "/w/b"
    assert cwd(directories="odd") is None
    (tmp_path / "slug" / ".project_root").write_text("/w/app\n")
    assert cwd(directories=["/w/a"]) == "/w/app"


def test_a_subagent_chat_names_its_parent(tmp_path: Path) -> None:
    """formats.md §4: chats/<parentSessionId>/<sessionId>.jsonl."""
    path = tmp_path / "chats" / "parent" / "child.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({**HEAD, "kind": "subagent"}) + "\n" + json.dumps(said("user", "go", "1")) + "\n")
    facts, (turn,) = read(path)
    assert (facts.parent, turn.sidechain) == ("parent", True)


@pytest.mark.parametrize("kind", ["info", "error", "warning", "model", 7, None])
def test_other_messages_are_counted_by_their_type(write_jsonl: Callable[..., Path], kind: object) -> None:
    tally = Tally()
    assert read(write_jsonl(HEAD, {"id": "1", "type": kind, "content": "x"}), tally)[1] == []
    assert tally.skipped == {kind if kind in ("info", "error", "warning") else "unknown type": 1}


def test_lines_that_cannot_be_read_cost_only_themselves(write_jsonl: Callable[..., Path]) -> None:
    """C-001: a broken line, a cut one, and values that are no objects."""
    tally = Tally()
    path = write_jsonl(HEAD, b"{broken", b"[]", b"", {"odd": 1}, said("user", "hi", "1"), b'{"id":"2","ty')
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    assert [turn.text for turn in read(path, tally)[1]] == ["hi"]
    assert tally.skipped == {"broken json": 1, "not an object": 1, "blank": 1, "unknown type": 1, "cut last line": 1}
    assert tally.lines == 7
    assert tally.first_broken_line == 2
