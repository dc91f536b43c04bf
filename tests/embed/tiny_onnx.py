"""A sentence model of a few words, written byte by byte: a table of vectors behind ``input_ids``, tokens not pooled."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from pathlib import Path

FLOAT, INT64 = 1, 7
A, B, C = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
FAINT = (0.001, 0.001, 0.001)
VECTORS = {"[UNK]": FAINT, "ask": A, "cat": B, "dog": C, "The": A, "invoice": A, "Water": B, "tomatoes": B}
"""The last four are of the sentences that no working model takes for the same (``embed.vectors.UNRELATED``)."""
ALL_ALIKE = dict.fromkeys(VECTORS, A)


def _number(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def _field(number: int, value: int | str | bytes) -> bytes:
    if isinstance(value, int):
        return _number(number << 3) + _number(value)
    raw = value.encode() if isinstance(value, str) else value
    return _number(number << 3 | 2) + _number(len(raw)) + raw


def _value(name: str, kind: int, *dimensions: str | int) -> bytes:
    sizes = b"".join(_field(1, _field(2 if isinstance(size, str) else 1, size)) for size in dimensions)
    return _field(1, name) + _field(2, _field(1, _field(1, kind) + _field(2, sizes)))


def model(asks: str = "input_ids", vectors: Mapping[str, tuple[float, ...]] = VECTORS) -> bytes:
    """ONNX with one operation, Gather: (batch, tokens) → (batch, tokens, 3)."""
    flat = [number for vector in vectors.values() for number in vector]
    table = (
        _field(1, len(vectors))
        + _field(1, 3)
        + _field(2, FLOAT)
        + _field(8, "table")
        + _field(9, struct.pack(f"<{len(flat)}f", *flat))
    )
    gather = _field(1, "table") + _field(1, asks) + _field(2, "last_hidden_state") + _field(4, "Gather")
    graph = _field(1, gather) + _field(2, "tiny") + _field(5, table)
    graph += _field(11, _value(asks, INT64, "batch", "tokens"))
    graph += _field(12, _value("last_hidden_state", FLOAT, "batch", "tokens", 3))
    return _field(1, 8) + _field(7, graph) + _field(8, _field(1, "") + _field(2, 13))


def write(folder: Path, model_name: str = "model.onnx", asks: str = "input_ids", **description: object) -> Path:
    """A folder with the model, its tokenizer and, where something is described, ``embedder.json``."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    path = folder / model_name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(model(asks))
    tokenizer = Tokenizer(models.WordLevel({word: place for place, word in enumerate(VECTORS)}, "[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    if description:
        (folder / "embedder.json").write_text(json.dumps(description))
    return folder
