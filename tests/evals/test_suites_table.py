"""The tables of suites name what is there."""

from __future__ import annotations

from importlib import import_module

import pytest

from memory_fabric.evals.suites import MEASURED, READERS


@pytest.mark.parametrize("place", [*READERS.values(), *MEASURED.values()])
def test_every_line_names_a_function(place: str) -> None:
    module, _, name = place.partition(":")
    assert callable(getattr(import_module(module), name))


def test_no_suite_is_in_both_tables() -> None:
    assert READERS.keys().isdisjoint(MEASURED)
    assert {"2wiki", "multihop", "neardup", "extraction"} <= READERS.keys() | MEASURED.keys()
