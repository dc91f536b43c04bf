"""The contract of ``ports.Format``, for every format in the table."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.formats import golden

from memory_fabric.errors import MalformedFile, UsageError
from memory_fabric.ingest.formats import FORMATS, format_named, formats
from memory_fabric.model.transcript import SessionFacts, Tally, Turn
from memory_fabric.ports import Cursor, Format

HERE = Path(__file__).parent
FOLDERS = {"claude_code": "claude_code", "claude_web": "claude_web", "codex": "codex", "gemini_cli": "gemini"}
DOCUMENTS = {"document.json": "messages", "pretty.jsonl": "messages", "saved.json": "loglines"}
"""Inputs whose tally counts the records under this key, not lines."""

SOURCES = [
    pytest.param(name, source, id=f"{name}-{source.name}")
    for name, folder in FOLDERS.items()
    for source in golden.inputs(HERE / folder)
    if source.suffix in {".jsonl", ".json"} and not source.name.endswith(".meta.json")
]
every_source = pytest.mark.parametrize(("name", "source"), SOURCES)


def drain(reader: Format, path: Path, start: Cursor = Cursor()) -> tuple[list[Turn], Tally]:
    tally = Tally()
    items = list(reader.read(path, tally, start))
    assert all(isinstance(item, Turn | SessionFacts) for item in items)
    return [item for item in items if isinstance(item, Turn)], tally


def test_every_format_has_fixtures() -> None:
    assert FOLDERS.keys() == FORMATS.keys()
    assert {str(source.values[0]) for source in SOURCES} == FORMATS.keys()


def test_the_table_gives_each_format_its_name_once() -> None:
    assert [reader.name for reader in formats()] == list(FORMATS)
    assert format_named("codex") is format_named("codex")


def test_an_unknown_format_is_the_users_mistake_and_lists_the_choices() -> None:
    with pytest.raises(UsageError) as raised:
        format_named("morse")
    assert "morse" in raised.value.message
    assert all(name in raised.value.hint for name in FORMATS)


@every_source
def test_only_its_own_format_claims_a_file(name: str, source: Path) -> None:
    """formats.md §9: positive marks; no format claims what another claims."""
    head = source.read_bytes()[: 64 * 1024]
    claimed = [reader.name for reader in formats() if reader.claims(source, head)]
    assert claimed == [name] or (claimed == [] and not head.strip())


@every_source
def test_every_line_is_counted_once(name: str, source: Path) -> None:
    """ports.Format: the tally adds up."""
    if source.name in DOCUMENTS:
        expected = len(json.loads(source.read_bytes())[DOCUMENTS[source.name]])
    else:
        expected = len(source.read_bytes().removesuffix(b"\n").split(b"\n")) if source.stat().st_size else 0
    assert drain(format_named(name), source)[1].lines == expected


@every_source
def test_reading_twice_gives_the_same(name: str, source: Path) -> None:
    """F-ING-7: nothing is kept between two reads."""
    assert drain(format_named(name), source) == drain(format_named(name), source)


@every_source
def test_turns_are_well_formed(name: str, source: Path) -> None:
    """model.transcript: ids are unique, lines are inside the file, instants are aware."""
    turns, _ = drain(format_named(name), source)
    lines = source.read_bytes().count(b"\n") + 1
    records = [(turn.session, turn.record) for turn in turns]
    assert len(set(records)) == len(records)
    for turn in turns:
        assert turn.session
        assert turn.text.strip() or turn.tools
        assert 1 <= (turn.first_line or 1) <= (turn.last_line or lines) <= lines
        assert turn.at is None or turn.at.tzinfo is not None
        assert all(len(call.target) <= 2_000 for call in turn.tools)


@every_source
def test_a_file_cut_anywhere_reads_or_is_malformed(name: str, source: Path, tmp_path: Path) -> None:
    """C-001: a cut file never raises anything but MalformedFile, and its tally never exceeds its lines."""
    data = source.read_bytes()
    reader = format_named(name)
    path = tmp_path / source.name
    draw = random.Random(source.name)
    cuts = range(len(data) + 1) if len(data) < 400 else sorted(draw.sample(range(len(data) + 1), 60))
    for cut in cuts:
        path.write_bytes(data[:cut])
        try:
            _, tally = drain(reader, path)
        except MalformedFile:
            continue
        assert tally.lines <= data[:cut].count(b"\n") + 1


@pytest.mark.parametrize("name", FORMATS)
@given(head=st.binary(max_size=200) | st.text(alphabet='{}[]":,\\ \n\tabtype1', max_size=200).map(str.encode))
def test_claiming_never_raises(name: str, head: bytes) -> None:
    """ports.Format: whatever the bytes are."""
    reader = format_named(name)
    for lead in (b"", b"\x28\xb5\x2f\xfd", b"\xef\xbb\xbf{"):
        assert reader.claims(Path("any.jsonl"), lead + head) in (True, False)


@pytest.mark.parametrize("name", FORMATS)
def test_claiming_a_hostile_head_takes_linear_time(name: str) -> None:
    """64 KiB of escaped quotes without an end: a quadratic scan would hang here."""
    for head in (b'{"' + b'\\"' * 32_000, b"[" * 65_536, b'{"a":' * 13_000, b'"' * 65_535):
        assert not format_named(name).claims(Path("any.jsonl"), head)


def _is_log(source: Path) -> bool:
    try:
        rows = [json.loads(line) for line in source.read_bytes().split(b"\n") if line.strip()]
    except ValueError:
        return False
    return len(rows) > 1 and all(isinstance(row, dict) for row in rows)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.parametrize("name", sorted({str(s.values[0]) for s in SOURCES if _is_log(Path(str(s.values[1])))}))
@given(data=st.data())
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_values_of_any_type_in_any_field_break_nothing(
    name: str, data: st.DataObject, write_jsonl: Callable[..., Path]
) -> None:
    """formats.md: undocumented formats change; one odd value must not fail a file."""
    logs = [s.values[1] for s in SOURCES if s.values[0] == name and _is_log(Path(str(s.values[1])))]
    source = Path(str(data.draw(st.sampled_from(logs))))
    rows = [json.loads(line) for line in source.read_bytes().split(b"\n") if line.strip()]
    places = [place for number, row in enumerate(rows) for place in _places(row, (number,))]
    for place in data.draw(st.lists(st.sampled_from(places), min_size=1, max_size=4)):
        _put(rows, place, data.draw(JSON))
    path = write_jsonl(*rows, name=source.name)
    _, tally = drain(format_named(name), path)
    assert tally.lines == len(rows)


def _places(value: object, at: tuple[int | str, ...]) -> list[tuple[int | str, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [at, *(place for key, held in inner for place in _places(held, (*at, key)))]


def _put(rows: object, place: tuple[int | str, ...], new: object) -> None:
    *way, last = place
    for key in way:
        if not isinstance(rows, dict | list) or (isinstance(rows, dict) and key not in rows):
            return
        if isinstance(rows, list) and not (isinstance(key, int) and key < len(rows)):
            return
        rows = rows[key]  # type: ignore[index]
    if isinstance(rows, dict) or (isinstance(rows, list) and isinstance(last, int) and last < len(rows)):
        rows[last] = new  # type: ignore[index]
