"""One loaded model for all tests of this directory."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.embed.server import serving

from memory_fabric.embed.hashed import HashedEmbedder
from memory_fabric.embed.minilm import SHIPPED, MiniLM
from memory_fabric.embed.onnx_folder import OnnxFolder
from memory_fabric.embed.openai_compatible import Endpoint, OpenAICompatible
from memory_fabric.ports import Embedder


@pytest.fixture(scope="session")
def minilm() -> MiniLM:
    return MiniLM()


@pytest.fixture(scope="session")
def from_folder() -> OnnxFolder:
    """The shipped model, as if a user had brought it."""
    return OnnxFolder(SHIPPED)


@pytest.fixture(scope="session")
def from_server() -> Iterator[OpenAICompatible]:
    with serving() as server:
        server.dimension = 256
        yield OpenAICompatible(Endpoint(server.url, "hashed"))


@pytest.fixture(params=["minilm", "hashed", "from_folder", pytest.param("from_server", marks=pytest.mark.sockets)])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    if request.param == "hashed":
        return HashedEmbedder()
    found: Embedder = request.getfixturevalue(request.param)
    return found
