"""The error tree: codes and exit codes are what ``--json`` and shells rely on (design §7)."""

from __future__ import annotations

import pytest

from memory_fabric import errors

TREE = {
    "MemoryFabricError": ("error", 1, "Exception"),
    "ConfigError": ("config", 2, "MemoryFabricError"),
    "UsageError": ("usage", 2, "MemoryFabricError"),
    "FormatError": ("format", 1, "MemoryFabricError"),
    "UnknownFormat": ("unknown_format", 1, "FormatError"),
    "AmbiguousFormat": ("ambiguous_format", 1, "FormatError"),
    "MalformedFile": ("malformed_file", 1, "FormatError"),
    "StoreError": ("store", 3, "MemoryFabricError"),
    "StoreUnavailable": ("store_unavailable", 3, "StoreError"),
    "SchemaTooNew": ("schema_too_new", 3, "StoreError"),
    "DimensionMismatch": ("dimension_mismatch", 3, "StoreError"),
    "SourceError": ("source", 3, "MemoryFabricError"),
    "SourceUnavailable": ("source_unavailable", 3, "SourceError"),
    "EmbedderUnavailable": ("embedder_unavailable", 3, "SourceUnavailable"),
    "DeadlinePassed": ("deadline_passed", 3, "SourceError"),
    "ExtractionError": ("extraction", 1, "MemoryFabricError"),
}
"""Name → code, exit code, parent."""

CLASSES: dict[str, type[errors.MemoryFabricError]] = {
    name: value
    for name, value in vars(errors).items()
    if isinstance(value, type) and issubclass(value, errors.MemoryFabricError)
}


def test_the_tree_is_as_written() -> None:
    found = {name: (c.code, c.exit_code, c.__mro__[1].__name__) for name, c in CLASSES.items()}
    assert found == TREE


def test_every_code_is_its_own() -> None:
    assert len({cls.code for cls in CLASSES.values()}) == len(CLASSES)


@pytest.mark.parametrize("name", TREE)
def test_an_error_carries_its_line_and_its_hint(name: str) -> None:
    error = CLASSES[name]("store.db: locked", "close the other program")
    assert str(error) == error.message == "store.db: locked"
    assert error.hint == "close the other program"
    assert CLASSES[name]("x").hint == ""
    assert name in (errors.__doc__ or "")
