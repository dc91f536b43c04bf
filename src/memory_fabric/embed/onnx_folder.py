"""Any sentence model as ONNX in a folder of the user's: another language than English, or a better model.

The folder holds ``model.onnx`` (or ``onnx/model.onnx``, as hubs lay it out), ``tokenizer.json`` and, where the model
wants any of it, ``embedder.json``: {name, query_prefix, passage_prefix, window (tokens), pooling ("mean" or "cls"),
background {mean, deviation, best}}.  An output of two dimensions is taken as pooled; scaling to length 1 is done here.
``scripts/build_multilingual_e5.py`` makes such a folder.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memory_fabric.embed.parallel import each, processors
from memory_fabric.embed.windows import Piece, both_ends, cut
from memory_fabric.errors import ConfigError, EmbedderUnavailable
from memory_fabric.ports import Background
from memory_fabric.text import clean

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

    from memory_fabric.ports import Vectors

MODELS = ("model.onnx", "onnx/model.onnx", "model_quantized.onnx", "onnx/model_quantized.onnx")
"""Where the model may lie, in the order in which it is looked for."""
TOKENIZER, DESCRIPTION = "tokenizer.json", "embedder.json"
POOLINGS = ("mean", "cls")

WINDOW, LEAST_WINDOW = 128, 16
"""Tokens a window, marks and prefix included: as for the bundled model (decision 9), and as few as make sense."""
OVERLAP_SHARE = 8
"""Neighbouring windows share one token of so many: 16 of 128."""
SAMPLED = 65_536
"""Bytes at each end of the model file that tell it from another."""

SHAPE = "its keys are name, query_prefix, passage_prefix, window, pooling, background; see docs/configuration.md"
HINT = "text and graph search go on; name another folder in `embedding_folder`, or choose the bundled embedder"


@dataclass(frozen=True, slots=True)
class Description:
    """What ``embedder.json`` says."""

    name: str
    query_prefix: str = ""
    passage_prefix: str = ""
    window: int = WINDOW
    pooling: str = "mean"
    background: Background | None = None

    @classmethod
    def read(cls, folder: Path) -> Description:
        """The folder's; all defaults, and the folder's name, where it has none.

        Raises:
            ConfigError: it is there but not of the documented shape.
        """
        path = folder / DESCRIPTION
        if not path.exists():
            return cls(folder.name)
        try:
            given = dict(json.loads(path.read_text(encoding="utf-8")))
            background = given.pop("background", None)
            if background is not None:
                given["background"] = Background(
                    float(background["mean"]), float(background["deviation"]), 0, float(background.get("best", 1.0))
                )
            found = cls(**{"name": folder.name, **given})
            found.check()
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise ConfigError(f"{path}: no description of an embedder: {error}", SHAPE) from error
        return found

    def check(self) -> None:
        """Nothing that a model could not be used with.

        Raises:
            TypeError, ValueError: a value is of another kind, or out of its range; it is named.
        """
        for key in ("name", "query_prefix", "passage_prefix"):
            if not isinstance(getattr(self, key), str):
                raise TypeError(f"{key} is no text")
        if not isinstance(self.window, int) or self.window < LEAST_WINDOW:
            raise ValueError(f"window is {self.window!r}, below {LEAST_WINDOW}")
        if self.pooling not in POOLINGS:
            raise ValueError(f"pooling is {self.pooling!r}, not one of {', '.join(POOLINGS)}")
        if self.background is not None and not 0 < self.background.deviation < 1:
            raise ValueError(f"the background's deviation is {self.background.deviation}, not between 0 and 1")
        if self.background is not None and not self.background.mean < self.background.best <= 1:
            raise ValueError(f"the background's best is {self.background.best}, not above its mean and at most 1")


class OnnxFolder:
    """``ports.Embedder`` over the model of a folder; loads it at the first text, from any thread."""

    def __init__(self, folder: Path, threads: int | None = None) -> None:
        """Take the model from ``folder``; ``threads`` texts are worked on at once, by default one a processor.

        Raises:
            ConfigError: the folder holds no model, no tokenizer, or a description that is none.
        """
        self._folder = folder
        self._model = next((folder / name for name in MODELS if (folder / name).is_file()), None)
        if self._model is None or not (folder / TOKENIZER).is_file():
            raise ConfigError(
                f"{folder}: no sentence model: it needs model.onnx and {TOKENIZER}",
                "name the folder in `embedding_folder` (MEMORY_FABRIC_EMBEDDING_FOLDER)",
            )
        self._about = Description.read(folder)
        self._threads = threads or processors()
        self._lock = threading.Lock()
        self._loaded: tuple[Tokenizer, Any] | None = None

    @cached_property
    def space(self) -> str:
        """The model's name and eight digits that change with its weights, its prefixes and its pooling."""
        about, digest = self._about, hashlib.sha256()
        digest.update(repr((about.query_prefix, about.passage_prefix, about.pooling)).encode())
        assert self._model is not None, "checked when it was made"  # noqa: S101
        try:
            with self._model.open("rb") as file:
                size = self._model.stat().st_size
                digest.update(f"{size}".encode() + file.read(SAMPLED))
                file.seek(max(0, size - SAMPLED))
                digest.update(file.read(SAMPLED))
        except OSError as error:
            raise EmbedderUnavailable(f"embedder {about.name}: cannot read {error.filename}", HINT) from error
        return f"{about.name}-{digest.hexdigest()[:8]}"

    @cached_property
    def dimension(self) -> int:
        """Components of a vector, as the model gives them.

        Raises:
            EmbedderUnavailable: the model cannot be used.
        """
        return int(self._raw(self._about.query_prefix + "dimension").shape[0])

    @cached_property
    def prior(self) -> Background:
        """The description's, or else measured on a few sentences that have nothing to do with each other.

        Raises:
            EmbedderUnavailable: the model cannot be used.
        """
        if self._about.background:
            return self._about.background
        import numpy as np

        from memory_fabric.embed.background import PASSAGES, QUESTIONS, background_of

        asked = np.array([self.embed_query(text) for text in QUESTIONS])
        return background_of(asked, self.embed(PASSAGES), self.embed(QUESTIONS))

    def windows(self, text: str) -> list[str]:
        """The text in windows of at most ``window`` tokens, prefix and marks included; at least one.

        Raises:
            EmbedderUnavailable: the tokenizer is damaged.
        """
        return self._windows(text, self._about.passage_prefix)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Passages to vectors: shape (len(texts), dimension), float32, length 1, in order.

        A text longer than a window gets the mean direction of its windows.

        Raises:
            EmbedderUnavailable: the model cannot be used.
        """
        import numpy as np

        self._ready()
        prefix = self._about.passage_prefix
        vectors = np.empty((len(texts), self.dimension), np.float32)
        for row, vector in enumerate(
            each(lambda text: self._mean(self._windows(text, prefix), prefix), texts, self._threads)
        ):
            vectors[row] = vector
        return vectors

    def embed_query(self, text: str) -> Vectors:
        """A question to a vector: shape (dimension,), float32, length 1.

        Of a question longer than a window, the first and the last window count.

        Raises:
            EmbedderUnavailable: as above.
        """
        text = both_ends(text)
        prefix = self._about.query_prefix
        windows = self._windows(text, prefix)
        return self._mean(windows if len(windows) == 1 else [windows[0], windows[-1]], prefix)

    def _windows(self, text: str, prefix: str) -> list[str]:
        tokenizer, _ = self._ready()
        text = clean(text)
        encoding = tokenizer.encode(text, add_special_tokens=False)
        pieces = [
            Piece(start, end, word or 0) for (start, end), word in zip(encoding.offsets, encoding.word_ids, strict=True)
        ]
        size = max(1, self._about.window - len(tokenizer.encode(prefix).ids))
        return cut(text, pieces, size, min(size - 1, self._about.window // OVERLAP_SHARE))

    def _mean(self, windows: Sequence[str], prefix: str) -> Vectors:
        import numpy as np

        from memory_fabric.embed.vectors import unit

        rows = unit(np.array([self._raw(prefix + window) for window in windows], np.float32))
        joined = None if rows is None else unit(rows.sum(axis=0, keepdims=True))
        if joined is None:
            raise EmbedderUnavailable(f"embedder {self._about.name}: a vector holds no direction", HINT)
        vector: Vectors = joined[0]
        return vector

    def _raw(self, text: str) -> Vectors:
        """What the model makes of one text that fits, shape (dimension,), of any length."""
        tokenizer, session = self._ready()
        return _pooled(session, tokenizer.encode(text), self._about.pooling)

    def _ready(self) -> tuple[Tokenizer, Any]:
        with self._lock:
            if self._loaded is None:
                assert self._model is not None, "checked when it was made"  # noqa: S101
                loaded = _load(self._about.name, self._folder / TOKENIZER, self._model)
                _check(self._about, *loaded)
                self._loaded = loaded
            return self._loaded


def _load(name: str, tokenizer: Path, model: Path) -> tuple[Tokenizer, Any]:
    try:
        import onnxruntime
        from tokenizers import Tokenizer
    except ImportError as error:
        raise EmbedderUnavailable(f"embedder {name}: a library cannot be imported: {error}", HINT) from error
    onnxruntime.disable_telemetry_events()
    onnxruntime.set_default_logger_severity(3)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = 1
    try:
        words = Tokenizer.from_file(str(tokenizer))
        session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # neither library says which errors it raises
        raise EmbedderUnavailable(f"embedder {name}: {model.parent} is damaged: {error!s:.200}", HINT) from error
    words.no_padding()
    words.no_truncation()
    return words, session


def _pooled(session: Any, encoding: Encoding, pooling: str) -> Vectors:
    import numpy as np

    ids = np.array([encoding.ids], np.int64)
    given: Mapping[str, Any] = {
        "input_ids": ids,
        "attention_mask": np.ones_like(ids),
        "token_type_ids": np.zeros_like(ids),
    }
    wanted = {each.name: given[each.name] for each in session.get_inputs()}
    output = min(session.get_outputs(), key=lambda each: len(each.shape))
    (found,) = session.run([output.name], wanted)
    if found.ndim == 3:
        found = found[:, 0] if pooling == "cls" else found.mean(axis=1)
    vector: Vectors = np.asarray(found[0], np.float32)
    return vector


def _check(about: Description, tokenizer: Tokenizer, session: Any) -> None:
    """The start-up check (F-VEC-4)."""
    import numpy as np

    from memory_fabric.embed.vectors import UNRELATED, refuse_broken

    strange = {each.name for each in session.get_inputs()} - {"input_ids", "attention_mask", "token_type_ids"}
    if strange:
        raise EmbedderUnavailable(f"embedder {about.name}: no sentence model: it asks for {min(strange)}", HINT)
    encodings = [tokenizer.encode(about.passage_prefix + text) for text in UNRELATED]
    vectors = np.array([_pooled(session, encoding, about.pooling) for encoding in encodings], np.float32)
    refuse_broken(about.name, vectors.shape[-1], vectors)
