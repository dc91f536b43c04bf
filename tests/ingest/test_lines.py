"""The boundary between bytes and records (formats.md §0)."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_fabric.ingest import lines
from memory_fabric.ingest.lines import decode_json, lines_of, read_lines
from memory_fabric.ports import Cursor


def test_only_newline_bytes_separate_lines() -> None:
    """C-008: U+2028, U+2029 and U+0085 are legal inside a JSON string."""
    data = '{"a":"x\u2028y\u2029z\u0085\x0b"}\n{"b":1}\n'.encode()
    assert [line.number for line in read_lines(io.BytesIO(data))] == [1, 2]


@pytest.mark.parametrize("edge", [4096, 65536])
def test_a_character_across_a_buffer_edge_stays_whole(tmp_path: Path, edge: int) -> None:
    """C-007."""
    head = b'{"a":"'
    raw = head + b"x" * (edge - 1 - len(head)) + '界"}\n'.encode()
    path = tmp_path / "a.jsonl"
    path.write_bytes(raw)
    (line,) = lines_of(path)
    assert decode_json(line.raw)["a"].endswith("x界")


def test_mark_and_carriage_return_are_stripped() -> None:
    """formats.md §0 rule 1."""
    found = list(read_lines(io.BytesIO(b"\xef\xbb\xbf{}\r\n\xef\xbb\xbf\r\n")))
    assert [line.raw for line in found] == [b"{}", b"\xef\xbb\xbf"]


def test_an_unterminated_tail_is_told_apart() -> None:
    """C-039."""
    assert [line.terminated for line in read_lines(io.BytesIO(b"{}\n{}"))] == [True, False]


@pytest.mark.parametrize(("size", "too_long"), [(7, False), (8, False), (9, True), (30, True)])
def test_a_line_longer_than_the_limit_is_passed_over(
    monkeypatch: pytest.MonkeyPatch, size: int, too_long: bool
) -> None:
    """C-013: its newline counts; lines after it are read at the right offset."""
    monkeypatch.setattr(lines, "MAX_LINE", 8)
    data = b"x" * (size - 1) + b"\n" + b"{}\n"
    first, second = read_lines(io.BytesIO(data))
    assert (first.too_long, first.raw) == (too_long, b"" if too_long else b"x" * (size - 1))
    assert (second.raw, second.offset, second.number, second.too_long) == (b"{}", size, 2, False)


@given(st.lists(st.binary(max_size=20).map(lambda raw: raw.replace(b"\n", b"")), max_size=8), st.integers(0, 7))
def test_reading_resumes_at_any_line(bodies: list[bytes], at: int) -> None:
    data = b"".join(body + b"\n" for body in bodies)
    whole = list(read_lines(io.BytesIO(data)))
    assert [line.offset for line in whole] == [sum(len(b) + 1 for b in bodies[:i]) for i in range(len(bodies))]
    if at < len(whole):
        start = Cursor(whole[at].offset, whole[at].number)
        stream = io.BytesIO(data)
        stream.seek(start.offset)
        assert list(read_lines(stream, start)) == whole[at:]


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        (b'{"a":"ship it \\ud83d"}', {"a": "ship it \ufffd"}),
        (b'{"\\ud83d":1}', {"\ufffd": 1}),
        (b'{"a":["x\\u0000y"]}', {"a": ["xy"]}),
        (b'{"a":"\\ud83d\\ude00"}', {"a": "😀"}),
        (b'{"a":"\xff"}', {"a": "\ufffd"}),
        (b'{"a":NaN,"b":-Infinity}', {"a": None, "b": None}),
        (b"null", None),
    ],
)
def test_what_would_break_later_is_repaired(raw: bytes, value: object) -> None:
    """C-006, formats.md §0 rules 4 to 6: the result can be encoded, hashed and bound."""
    assert decode_json(raw) == value
    json.dumps(decode_json(raw), ensure_ascii=False).encode()


@pytest.mark.parametrize("raw", [b"[" * 100_000, b'{"a":', b"", b"{} {}"])
def test_what_is_not_json_is_a_value_error(raw: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        decode_json(raw)
