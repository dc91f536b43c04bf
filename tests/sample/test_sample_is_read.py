"""Our own readers read the sample whole."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import memory_fabric
from memory_fabric.ingest.exchange import exchanges
from memory_fabric.ingest.formats import formats
from memory_fabric.ingest.identify import identify
from memory_fabric.model.transcript import Exchange, Tally

HOME = Path(memory_fabric.__file__).parent / "sample" / "home"
FILES = sorted(HOME.rglob("*.jsonl"))


def read(path: Path) -> tuple[str, list[Exchange], Tally]:
    reader = identify(path, formats())
    tally = Tally()
    found = [item for item in exchanges(reader.read(path, tally)) if isinstance(item, Exchange)]
    return reader.name, found, tally


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem[:24])
def test_every_line_is_accounted_for_and_none_is_broken(path: Path) -> None:
    _, found, tally = read(path)
    assert found
    assert tally.first_broken_line is None
    assert tally.lines == path.read_bytes().count(b"\n")
    assert all(exchange.at is not None and exchange.cwd is not None for exchange in found)
    assert all(exchange.prompt and exchange.reply for exchange in found if not exchange.derived)


def test_the_sample_holds_what_it_was_written_to_hold() -> None:
    """Sixty-four exchanges: one derived, one rewound, one inside a sub-agent, five in the resumed copy."""
    everything = [(name, exchange) for path in FILES for name, found, _ in [read(path)] for exchange in found]
    assert Counter(name for name, _ in everything) == {"claude_code": 53, "codex": 7, "gemini_cli": 4}
    assert sum(exchange.derived for _, exchange in everything) == 1
    assert sum(exchange.abandoned for _, exchange in everything) == 1
    assert sum(exchange.sidechain for _, exchange in everything) == 1
    assert len({exchange.record for _, exchange in everything}) == len(everything) - 4
