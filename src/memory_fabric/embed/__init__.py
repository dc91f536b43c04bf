"""Embedders: one file each.  They meet the search through ``ports.Embedder``.

A new one is one file, one line in ``EMBEDDERS``, and the contract suite.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, cast

from memory_fabric.errors import ConfigError

if TYPE_CHECKING:
    from memory_fabric.ports import Embedder

EMBEDDERS = {
    "minilm": "memory_fabric.embed.minilm:MiniLM",
    "hashed": "memory_fabric.embed.hashed:HashedEmbedder",
}
"""Name in the settings → where the class is; imported only when asked for (C-072)."""


def open_embedder(name: str) -> Embedder:
    """The embedder of that name; nothing heavy is loaded before its first text.

    Raises:
        ConfigError: no embedder has that name.
    """
    place = EMBEDDERS.get(name)
    if place is None:
        choices = ", ".join(sorted(EMBEDDERS))
        raise ConfigError(f"unknown embedder {name!r}", f"choose one of: {choices}")
    module, _, attribute = place.partition(":")
    return cast("Embedder", getattr(import_module(module), attribute)())
