"""Any server that speaks OpenAI's ``/embeddings``: Ollama, llama.cpp, vLLM, LM Studio, a hosted model.

What is embedded is sent there, so nothing is sent unless the user names the address.  A key goes only over https, or to
this very machine, and stands in no message.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from memory_fabric.embed.windows import both_ends, cut, word_pieces
from memory_fabric.errors import ConfigError, EmbedderUnavailable
from memory_fabric.ports import Background
from memory_fabric.text import clean

if TYPE_CHECKING:
    import httpx

    from memory_fabric.ports import Vectors

BATCH = 64
"""Texts a request."""
WINDOW, OVERLAP = 90, 12
"""Words (or CJK characters) a window: about the 128 tokens of the bundled model, whatever the server's tokenizer."""
PATIENCE, QUERY_PATIENCE = 60.0, 10.0
"""Seconds that a batch, and a question, may take: a local server loads its model at the first."""
ATTEMPTS, FIRST_PAUSE, LONGEST_PAUSE = 4, 0.5, 20.0
"""Tries of a batch; seconds before the second, doubled for each further one, and the longest that a server may ask."""
PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
"""Answers after which the same request may succeed."""
MOST_BYTES = 64 * 1024 * 1024
"""Of one answer: 64 vectors of 4,096 numbers in writing are 6 MB."""
LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
WORDLESS = "."
"""Sent for a text without a word in it, which some servers refuse."""

HINT = "text and graph search go on; is `embedding_url` right, is the server up?"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Which server, and which of its models."""

    url: str
    """Up to and without ``/embeddings``: ``http://localhost:11434/v1``."""
    model: str
    key: str | None = field(default=None, repr=False)
    query_prefix: str = ""
    passage_prefix: str = ""

    def check(self) -> None:
        """What can be told without asking it.

        Raises:
            ConfigError: no address, no model, or a key that would go over the net unencrypted.
        """
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ConfigError(
                f"embedding_url: {self.url!r} is no http or https address", "like http://localhost:11434/v1"
            )
        if not self.model:
            raise ConfigError("embedding_model: no model is named", "name one that the server has, like bge-m3")
        if self.key and parts.scheme != "https" and parts.hostname not in LOOPBACK:
            raise ConfigError(f"embedding_url: {self.url} would get the key unencrypted", "give an https address")


class OpenAICompatible:
    """``ports.Embedder`` over a server; asks nothing before the first text."""

    def __init__(self, endpoint: Endpoint, pause: Callable[[float], None] = time.sleep) -> None:
        """Take the vectors from ``endpoint``; ``pause`` waits between two tries.

        Raises:
            ConfigError: see ``Endpoint.check``.
        """
        endpoint.check()
        self._endpoint = endpoint
        self._pause = pause
        self._lock = threading.Lock()
        self._client: httpx.Client | None = None

    @cached_property
    def space(self) -> str:
        """The model's name, with eight digits of the prefixes where there are any; the same on every server."""
        prefixes = (self._endpoint.query_prefix, self._endpoint.passage_prefix)
        digest = f"-{hashlib.sha256(repr(prefixes).encode()).hexdigest()[:8]}" if any(prefixes) else ""
        return f"{self._endpoint.model}-by-api{digest}"

    @cached_property
    def dimension(self) -> int:
        """Components of a vector, as the server gives them; checks the model (F-VEC-4).

        Raises:
            EmbedderUnavailable: the server cannot be used, or its model takes all texts for the same.
        """
        from memory_fabric.embed.vectors import UNRELATED, refuse_broken

        vectors = self._vectors(list(UNRELATED), PATIENCE, ATTEMPTS)
        refuse_broken(self.space, vectors.shape[-1], vectors)
        return int(vectors.shape[1])

    @cached_property
    def prior(self) -> Background:
        """Measured on a few sentences that have nothing to do with each other.

        Raises:
            EmbedderUnavailable: the server cannot be used.
        """
        from memory_fabric.embed.background import PASSAGES, QUESTIONS, background_of

        asked = [self._endpoint.query_prefix + text for text in QUESTIONS]
        return background_of(self._vectors(asked, PATIENCE, ATTEMPTS), self.embed(PASSAGES), self.embed(QUESTIONS))

    def windows(self, text: str) -> list[str]:
        """The text in windows of at most 90 words (or CJK characters) that share 12; at least one."""
        text = clean(text)
        return cut(text, word_pieces(text), WINDOW, OVERLAP)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Passages to vectors: shape (len(texts), dimension), float32, length 1, in order.

        A text longer than a window gets the mean direction of its windows.  A batch that fails in passing is tried
        again, four times in all.

        Raises:
            EmbedderUnavailable: the server cannot be reached, refuses, or answers what is no vector.
        """
        import numpy as np

        dimension = self.dimension
        parts = [self.windows(text) for text in texts]
        flat = [self._endpoint.passage_prefix + window for each in parts for window in each]
        rows: list[Vectors] = []
        for start in range(0, len(flat), BATCH):
            rows.extend(self._vectors(flat[start : start + BATCH], PATIENCE, ATTEMPTS, dimension))
        vectors = np.empty((len(texts), dimension), np.float32)
        at = 0
        for row, each in enumerate(parts):
            vectors[row] = self._direction(np.array(rows[at : at + len(each)]))
            at += len(each)
        return vectors

    def embed_query(self, text: str) -> Vectors:
        """A question to a vector: shape (dimension,), float32, length 1; tried once.

        Of a question longer than a window, the first and the last window count.

        Raises:
            EmbedderUnavailable: as above.
        """
        dimension = self.dimension
        text = both_ends(text)
        windows = self.windows(text)
        ends = windows if len(windows) == 1 else [windows[0], windows[-1]]
        prefixed = [self._endpoint.query_prefix + window for window in ends]
        return self._direction(self._vectors(prefixed, QUERY_PATIENCE, 1, dimension))

    def _direction(self, vectors: Vectors) -> Vectors:
        from memory_fabric.embed.vectors import unit

        if len(vectors) == 1:
            only: Vectors = vectors[0]
            return only
        joined = unit(vectors.sum(axis=0, keepdims=True))
        if joined is None:
            raise self._unusable("its vectors hold no direction")
        direction: Vectors = joined[0]
        return direction

    def _vectors(self, texts: Sequence[str], patience: float, attempts: int, dimension: int | None = None) -> Vectors:
        """Unit vectors of texts that fit, in one request."""
        import numpy as np

        from memory_fabric.embed.vectors import unit

        sent = [clean(text) if text.strip() else WORDLESS for text in texts]
        body = {"model": self._endpoint.model, "input": sent, "encoding_format": "float"}
        answer = self._asked(body, patience, attempts)
        try:
            rows = sorted(answer["data"], key=lambda row: int(row["index"]))
            vectors = unit(np.array([row["embedding"] for row in rows], np.float32))
        except (LookupError, TypeError, ValueError) as error:
            raise self._unusable(f"the answer holds no vectors: {error!r:.200}") from error
        if vectors is None or vectors.ndim != 2 or len(vectors) != len(texts):
            raise self._unusable(f"{len(texts)} texts did not give as many vectors with a direction")
        if dimension is not None and vectors.shape[1] != dimension:
            raise self._unusable(f"a vector of {vectors.shape[1]} dimensions where {dimension} were given before")
        return vectors

    def _asked(self, body: dict[str, Any], patience: float, attempts: int) -> Any:
        """The JSON of the first answer that can be used."""
        pauses = (min(FIRST_PAUSE * 2**place, LONGEST_PAUSE) for place in range(attempts - 1))
        for pause in (*pauses, None):
            status, asked_pause, content = self._once(body, patience)
            if status == 200:
                try:
                    return json.loads(content)
                except ValueError as error:
                    raise self._unusable("the answer is no JSON") from error
            if pause is None or (status and status not in PASSING) or asked_pause > LONGEST_PAUSE:
                raise self._unusable(_reason(status, content))
            self._pause(max(pause, asked_pause))
        raise AssertionError("the last attempt returns or raises")

    def _once(self, body: dict[str, Any], patience: float) -> tuple[int, float, bytes]:
        """Status (0: no answer), seconds that the server wants to be left alone, and what it said."""
        import httpx

        try:
            with self._open().stream("POST", "embeddings", json=body, timeout=patience) as response:
                taken = bytearray()
                for chunk in response.iter_bytes():
                    taken += chunk
                    if len(taken) > MOST_BYTES:
                        raise self._unusable("the answer is too large")
                said = response.headers.get("retry-after", "")
                return response.status_code, float(said) if said.isdigit() else 0.0, bytes(taken)
        except httpx.TimeoutException:
            return 0, 0.0, f"no answer within {patience:g} seconds".encode()
        except httpx.HTTPError as error:
            return 0, 0.0, (str(error) or type(error).__name__).encode()
        except httpx.InvalidURL as error:
            raise ConfigError(f"embedding_url: {self._endpoint.url} is no address: {error}", HINT) from error

    def _open(self) -> httpx.Client:
        import httpx

        with self._lock:
            if self._client is None:
                key = self._endpoint.key
                headers = {"User-Agent": "memory-fabric", **({"Authorization": f"Bearer {key}"} if key else {})}
                base = self._endpoint.url.rstrip("/") + "/"
                self._client = httpx.Client(base_url=base, headers=headers, follow_redirects=False)
                weakref.finalize(self, self._client.close)  # nobody tells an embedder that it is done
            return self._client

    def _unusable(self, reason: str) -> EmbedderUnavailable:
        shown = reason.replace(self._endpoint.key, "…") if self._endpoint.key else reason
        name = f"embedder {self._endpoint.model} at {self._endpoint.url}"
        return EmbedderUnavailable(f"{name}: {shown}", HINT)


def _reason(status: int, content: bytes) -> str:
    """One line that says why an answer is none."""
    said = _said(content)
    if status == 0:
        return f"cannot be reached: {said}"
    known = {401: "refuses the key", 403: "refuses the key", 404: "knows no such model or path"}
    return f"{known.get(status, f'answered {status}')}{f': {said}' if said else ''}"


def _said(content: bytes) -> str:
    """The message in an error's JSON, or the beginning of the text, in one line of at most 200 characters."""
    try:
        error = json.loads(content)["error"]
        text = str(error["message"] if isinstance(error, dict) else error)
    except (ValueError, LookupError, TypeError):
        text = content.decode("utf-8", "replace")
    return " ".join(text[:2_000].split())[:200]
