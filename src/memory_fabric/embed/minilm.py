"""The embedder that ships in the wheel: all-MiniLM-L6-v2, int8, 384 dimensions, English, no network, no account.

``scripts/build_minilm.py`` made the model; ``minilm/MODEL.md`` tells where it comes from.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memory_fabric.embed.parallel import each, processors
from memory_fabric.embed.windows import Piece, both_ends, cut
from memory_fabric.errors import EmbedderUnavailable
from memory_fabric.ports import Background
from memory_fabric.text import clean

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

    from memory_fabric.ports import Vectors

SPACE = "all-MiniLM-L6-v2-int8"
DIMENSION = 384
WINDOW = 128
"""Tokens a window, both marks included: the length the model was trained on.  Its published limit of 256 costs vector
search 0.04 MRR on the commits suite (both halves alike); 64 gains nothing more."""
MARKS = 2
"""[CLS] and [SEP]."""
OVERLAP = 16
"""Tokens that neighbouring windows share at least: about a sentence, so that few are only ever cut."""

FILES = {
    "model.onnx": "e461533aada88765d06bcc8f9f6b37a0509cdef96017a78668e1216f7a7ec4f6",
    "tokenizer.json": "9114256b104cca80e04367526f03f46aa3c443c2ed174904142a73bbf13b9fbb",
}
"""File → SHA-256.  Checked at every load: 13 ms for the model, on the bytes that are then used (C-071)."""

PRIOR = Background(mean=0.11, deviation=0.105, pairs=0)
"""Mean over four public sets, 50 to 200 questions against 400 passages each, nearest passage left out:
2WikiMultihopQA .103/.107, LongMemEval .035/.088, LoCoMo .140/.109, sessions with a coding agent .161/.113."""

SHIPPED = Path(__file__).with_name("minilm")
HINT = "text and graph search go on; to repair it, reinstall memory-fabric"


@dataclass(frozen=True, slots=True)
class _Model:
    """The loaded parts; safe to share between threads."""

    session: Any
    tokenizer: Tokenizer

    def vector(self, encoding: Encoding) -> Vectors:
        """The vector of one encoded window, shape (384,).

        One text a run: dynamic quantisation takes one scale for all activations of a run, so in a batch a text's
        vector would depend on its neighbours and on the padding (cosine down to 0.98, measured).  It is no slower.
        """
        import numpy as np

        ids = np.array([encoding.ids], np.int64)
        (vectors,) = self.session.run(["embedding"], {"input_ids": ids, "attention_mask": np.ones_like(ids)})
        vector: Vectors = vectors[0]
        return vector

    def mean(self, encodings: Sequence[Encoding]) -> Vectors:
        """The direction between the vectors of several windows; that of one window is its own."""
        vectors = [self.vector(encoding) for encoding in encodings]
        if len(vectors) == 1:
            return vectors[0]
        import numpy as np

        total = np.sum(vectors, axis=0)
        scaled: Vectors = (total / np.linalg.norm(total)).astype(np.float32)
        return scaled


class MiniLM:
    """``ports.Embedder`` over the shipped model; loads it at the first text, from any thread."""

    def __init__(self, folder: Path = SHIPPED, threads: int | None = None) -> None:
        """Take the model from ``folder``; ``threads`` texts are worked on at once, by default one a processor."""
        self._folder = folder
        self._threads = threads or processors()
        self._lock, self._loading = threading.Lock(), threading.Lock()
        self._tokenizer: Tokenizer | None = None
        self._model: _Model | None = None

    @property
    def space(self) -> str:
        """Model and version."""
        return SPACE

    @property
    def dimension(self) -> int:
        """384."""
        return DIMENSION

    @property
    def prior(self) -> Background:
        """Cosines of unrelated pairs, for stores too small to measure their own."""
        return PRIOR

    def windows(self, text: str) -> list[str]:
        """The text in windows of at most 128 tokens that share 16 or more, cut between words; at least one.

        A text that fits comes back as it is.

        Raises:
            EmbedderUnavailable: the tokenizer is missing or damaged.
        """
        encoding = self._tokenize().encode(clean(text), add_special_tokens=False)
        pieces = [
            Piece(start, end, word or 0) for (start, end), word in zip(encoding.offsets, encoding.word_ids, strict=True)
        ]
        return cut(clean(text), pieces, WINDOW - MARKS, OVERLAP)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Passages to vectors: shape (len(texts), 384), float32, length 1, in order.

        A text's vector depends on nothing but the text.  A text longer than a window gets the mean direction of its
        windows; give ``windows`` of it to keep its details apart.

        Raises:
            EmbedderUnavailable: the model is missing, damaged, or fails its start-up check (F-VEC-4).
        """
        import numpy as np

        model = self._ready()
        vectors = np.empty((len(texts), DIMENSION), np.float32)
        for row, vector in enumerate(each(lambda text: model.mean(self._encode(text)), texts, self._threads)):
            vectors[row] = vector
        return vectors

    def embed_query(self, text: str) -> Vectors:
        """A question to a vector: shape (384,), float32, length 1.

        Of a question longer than a window, the first and the last window count.

        Raises:
            EmbedderUnavailable: as above.
        """
        model = self._ready()
        text = both_ends(text)
        encodings = self._encode(text)
        return model.mean(encodings if len(encodings) == 1 else [encodings[0], encodings[-1]])

    def _encode(self, text: str) -> list[Encoding]:
        tokenizer = self._tokenize()
        whole = tokenizer.encode(clean(text))
        if len(whole.ids) <= WINDOW:
            return [whole]
        return [tokenizer.encode(window) for window in self.windows(text)]

    def _tokenize(self) -> Tokenizer:
        with self._lock:
            if self._tokenizer is None:
                self._tokenizer = _load_tokenizer(self._folder)
            return self._tokenizer

    def _ready(self) -> _Model:
        with self._loading:
            if self._model is None:
                with ThreadPoolExecutor(1, "load") as other:  # most of it holds no lock of the interpreter
                    session = other.submit(_load_session, self._folder)
                    model = _Model(tokenizer=self._tokenize(), session=session.result())
                _check(model)
                self._model = model
            return self._model


def _verified(folder: Path, name: str) -> bytes:
    """The bytes of a model file, once they are known to be the right ones (C-071)."""
    path = folder / name
    try:
        data = path.read_bytes()
    except OSError as error:
        raise EmbedderUnavailable(f"embedder {SPACE}: cannot read {path}: {error.strerror}", HINT) from error
    if hashlib.sha256(data).hexdigest() != FILES[name]:
        raise EmbedderUnavailable(f"embedder {SPACE}: {path} is damaged (its SHA-256 is not the shipped one)", HINT)
    return data


def _load_tokenizer(folder: Path) -> Tokenizer:
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise EmbedderUnavailable(f"embedder {SPACE}: tokenizers cannot be imported: {error}", HINT) from error
    return Tokenizer.from_str(_verified(folder, "tokenizer.json").decode())


def _load_session(folder: Path) -> Any:
    data = _verified(folder, "model.onnx")
    try:
        import onnxruntime
    except ImportError as error:
        raise EmbedderUnavailable(f"embedder {SPACE}: onnxruntime cannot be imported: {error}", HINT) from error
    onnxruntime.disable_telemetry_events()
    onnxruntime.set_default_logger_severity(3)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])


def _check(model: _Model) -> None:
    """The start-up check (F-VEC-4)."""
    import numpy as np

    from memory_fabric.embed.vectors import UNRELATED, refuse_broken

    vectors = np.array([model.vector(model.tokenizer.encode(text)) for text in UNRELATED], np.float32)
    refuse_broken(SPACE, DIMENSION, vectors)
