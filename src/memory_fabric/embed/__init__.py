"""Embedders: one file each.  They meet the search through ``ports.Embedder``.

A new one is one file, one line in ``EMBEDDERS``, and the contract suite.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memory_fabric.errors import ConfigError

if TYPE_CHECKING:
    from memory_fabric.ports import Embedder


@dataclass(frozen=True, slots=True)
class Wish:
    """What the settings say about embedders that do not come with the package."""

    folder: str = ""
    url: str = ""
    model: str = ""
    key: str | None = field(default=None, repr=False)
    query_prefix: str = ""
    passage_prefix: str = ""


def _bundled(made: Callable[[], Embedder], _: Wish) -> Embedder:
    return made()


def _of_folder(made: Callable[[Path], Embedder], wish: Wish) -> Embedder:
    if not wish.folder:
        raise ConfigError("embedder onnx: no folder is named", "set embedding_folder (MEMORY_FABRIC_EMBEDDING_FOLDER)")
    return made(Path(wish.folder).expanduser())


def _of_server(made: Callable[[Any], Embedder], wish: Wish) -> Embedder:
    from memory_fabric.embed.openai_compatible import Endpoint

    return made(Endpoint(wish.url, wish.model, wish.key, wish.query_prefix, wish.passage_prefix))


EMBEDDERS: dict[str, tuple[str, Callable[[Any, Wish], Embedder]]] = {
    "minilm": ("memory_fabric.embed.minilm:MiniLM", _bundled),
    "hashed": ("memory_fabric.embed.hashed:HashedEmbedder", _bundled),
    "onnx": ("memory_fabric.embed.onnx_folder:OnnxFolder", _of_folder),
    "openai_compatible": ("memory_fabric.embed.openai_compatible:OpenAICompatible", _of_server),
}
"""Name in the settings → where the class is, and how it is made; imported only when asked for (C-072)."""


def open_embedder(name: str, wish: Wish = Wish()) -> Embedder:
    """The embedder of that name; nothing heavy is loaded, and nobody asked, before its first text.

    Raises:
        ConfigError: no embedder has that name, or it cannot be what ``wish`` says.
    """
    if name not in EMBEDDERS:
        choices = ", ".join(sorted(EMBEDDERS))
        raise ConfigError(f"unknown embedder {name!r}", f"choose one of: {choices}")
    place, make = EMBEDDERS[name]
    module, _, attribute = place.partition(":")
    return make(getattr(import_module(module), attribute), wish)
