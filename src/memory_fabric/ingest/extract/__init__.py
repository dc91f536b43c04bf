"""Ways of finding entities, relations and statements without a model; one file a way, one line in the table."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from types import MappingProxyType
from typing import cast

from memory_fabric.errors import ConfigError
from memory_fabric.ingest.extract.combine import extract_all
from memory_fabric.lexicon import Lexicon
from memory_fabric.ports import Extractor

__all__ = ["WAYS", "extract_all", "extractors"]

WAYS = MappingProxyType(
    {
        "structural": "memory_fabric.ingest.extract.structural:Structural",
        "rules": "memory_fabric.ingest.extract.rules:Rules",
        "statements": "memory_fabric.ingest.extract.statements:Statements",
    }
)
"""Name → where the extractor is defined; each takes a lexicon."""


def extractors(lexicon: Lexicon, names: Sequence[str] = tuple(WAYS)) -> list[Extractor]:
    """The extractors of these names, in that order; their modules are loaded here, not before.

    Raises:
        ConfigError: no extractor has that name.
    """
    found: list[Extractor] = []
    for name in names:
        if name not in WAYS:
            raise ConfigError(f"no extractor is called '{name}'", f"known are {', '.join(WAYS)}")
        module, _, attribute = WAYS[name].partition(":")
        found.append(cast("Extractor", getattr(import_module(module), attribute)(lexicon)))
    return found
