"""One loaded model for all tests of this directory."""

from __future__ import annotations

import pytest

from memory_fabric.embed.hashed import HashedEmbedder
from memory_fabric.embed.minilm import MiniLM
from memory_fabric.ports import Embedder


@pytest.fixture(scope="session")
def minilm() -> MiniLM:
    return MiniLM()


@pytest.fixture(params=["minilm", "hashed"])
def embedder(request: pytest.FixtureRequest, minilm: MiniLM) -> Embedder:
    return minilm if request.param == "minilm" else HashedEmbedder()
