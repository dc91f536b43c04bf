"""What the mem0 library is given of ours: our embedder, and a language model that refuses.

mem0 finds these classes by their path (``library``), so this module imports mem0 and nothing else imports it.
"""

from __future__ import annotations

from typing import Any

from mem0.embeddings.base import EmbeddingBase
from mem0.llms.base import LLMBase

from memory_fabric.errors import UsageError


class OurEmbedding(EmbeddingBase):  # type: ignore[misc]
    """Embeds with the ``ports.Embedder`` that stands in the configuration as ``model``; no socket is needed."""

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        """The vector of a question (``search``) or a passage."""
        embedder: Any = self.config.model
        vector = embedder.embed_query(text) if memory_action == "search" else embedder.embed([text])[0]
        return [float(value) for value in vector]

    def embed_batch(self, texts: list[str], memory_action: str = "add") -> list[list[float]]:
        """As ``embed``, in order."""
        return [self.embed(text, memory_action) for text in texts]


class NoLanguageModel(LLMBase):  # type: ignore[misc]
    """Nothing is inferred here: memories are kept as they are."""

    def generate_response(self, *_: Any, **__: Any) -> str:
        """Refuse.

        Raises:
            UsageError: always.
        """
        raise UsageError("mem0's library has no language model here", "add with infer=False, or give it its own config")
