"""An embedder behind a server that the test owns; what every embedder promises is in ``test_embedder_contract.py``."""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np
import pytest
from tests.embed.server import Embeddings, Fault, serving

from memory_fabric.embed import Wish, open_embedder
from memory_fabric.embed.openai_compatible import ATTEMPTS, BATCH, WINDOW, Endpoint, OpenAICompatible
from memory_fabric.errors import ConfigError, EmbedderUnavailable
from memory_fabric.settings import Settings

pytestmark = pytest.mark.sockets

KEY = "sk-invented-0123456789"
BUSY = Fault(503, b'{"error": {"message": "loading the model"}}')


@pytest.fixture
def server() -> Iterator[Embeddings]:
    with serving() as state:
        yield state


@pytest.fixture
def pauses() -> list[float]:
    return []


@pytest.fixture
def embedder(server: Embeddings, pauses: list[float]) -> OpenAICompatible:
    return OpenAICompatible(Endpoint(server.url, "bge-m3"), pauses.append)


def test_nothing_is_asked_before_the_first_text(server: Embeddings, embedder: OpenAICompatible) -> None:
    """Promise 3: no socket unless it is needed for what the user configured."""
    assert embedder.space == "bge-m3-by-api"
    assert embedder.windows("a text") == ["a text"]
    assert server.asked == []


def test_it_speaks_the_embeddings_of_openai(server: Embeddings, embedder: OpenAICompatible) -> None:
    embedder.embed(["a", "b"])
    assert server.headers[-1]["path"] == "/v1/embeddings"
    assert server.asked[-1] == {"model": "bge-m3", "input": ["a", "b"], "encoding_format": "float"}
    assert "authorization" not in server.headers[-1]


@pytest.mark.parametrize(("texts", "requests"), [(BATCH - 1, 1), (BATCH, 1), (BATCH + 1, 2)])
def test_texts_go_in_batches(server: Embeddings, embedder: OpenAICompatible, texts: int, requests: int) -> None:
    assert embedder.dimension == 64
    server.asked.clear()
    vectors = embedder.embed([f"text {number}" for number in range(texts)])
    assert [len(body["input"]) for body in server.asked] == [min(texts, BATCH), texts - BATCH][:requests]
    assert np.array_equal(vectors[-1], embedder.embed([f"text {texts - 1}"])[0]), "in order, whatever the answer's"


@pytest.mark.parametrize(("words", "windows"), [(WINDOW, 1), (WINDOW + 1, 2)])
def test_a_window_has_ninety_words(embedder: OpenAICompatible, words: int, windows: int) -> None:
    assert len(embedder.windows(" ".join(["word"] * words))) == windows
    assert len(embedder.windows("語" * words)) == windows


def test_prefixes_are_sent_and_make_another_space(server: Embeddings) -> None:
    embedder = OpenAICompatible(Endpoint(server.url, "e5", None, "query: ", "passage: "))
    embedder.embed(["a"])
    embedder.embed_query("b")
    assert server.texts()[-2:] == ["passage: a", "query: b"]
    plain = OpenAICompatible(Endpoint(server.url, "e5")).space
    swapped = OpenAICompatible(Endpoint(server.url, "e5", None, "passage: ", "query: ")).space
    assert len({embedder.space, plain, swapped}) == 3


def test_of_a_long_question_the_ends_count(server: Embeddings, embedder: OpenAICompatible) -> None:
    assert embedder.dimension
    server.asked.clear()
    embedder.embed_query("first " + "middle " * 1_000 + "last")
    (body,) = server.asked
    assert len(body["input"]) == 2
    assert body["input"][0].startswith("first")
    assert body["input"][1].endswith("last")


def test_a_text_without_words_is_not_sent_empty(server: Embeddings, embedder: OpenAICompatible) -> None:
    embedder.embed(["", " \n"])
    assert all(text.strip() for text in server.texts())


def test_the_key_goes_in_its_header_and_stands_in_no_message(server: Embeddings) -> None:
    endpoint = Endpoint(server.url, "bge-m3", KEY)
    server.faults.append(Fault(401, json.dumps({"error": f"{KEY} is not valid"}).encode()))
    with pytest.raises(EmbedderUnavailable, match="refuses the key") as raised:
        OpenAICompatible(endpoint).embed_query("a")
    assert server.headers[-1]["authorization"] == f"Bearer {KEY}"
    assert KEY not in f"{raised.value} {raised.value.message} {endpoint!r} {Wish(key=KEY)!r}"


@pytest.mark.parametrize("status", [408, 429, 500, 503])
def test_what_passes_is_waited_for(
    server: Embeddings, embedder: OpenAICompatible, pauses: list[float], status: int
) -> None:
    server.faults += [Fault(status)] * (ATTEMPTS - 1)
    assert embedder.dimension == 64
    assert pauses == [0.5, 1.0, 2.0]


def test_the_last_try_tells_what_the_server_said(
    server: Embeddings, embedder: OpenAICompatible, pauses: list[float]
) -> None:
    server.faults += [BUSY] * ATTEMPTS
    with pytest.raises(EmbedderUnavailable, match="answered 503: loading the model") as raised:
        embedder.embed(["a"])
    assert server.url in raised.value.message
    assert raised.value.hint
    assert len(pauses) == ATTEMPTS - 1


@pytest.mark.parametrize(("said", "waited"), [("3", [3.0]), ("20", [20.0]), ("21", []), ("soon", [0.5])])
def test_a_server_may_say_how_long_to_wait_within_reason(
    server: Embeddings, embedder: OpenAICompatible, pauses: list[float], said: str, waited: list[float]
) -> None:
    server.faults.append(Fault(429, headers=(("retry-after", said),)))
    if waited:
        assert embedder.dimension == 64
    else:
        with pytest.raises(EmbedderUnavailable, match="429"):
            _ = embedder.dimension
    assert pauses == waited


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (Fault(400, b'{"error": {"message": "input too long"}}'), "answered 400: input too long"),
        (Fault(401), "refuses the key"),
        (Fault(404, b"no such model\n"), "knows no such model or path: no such model"),
        (Fault(302, headers=(("location", "http://example.invalid/"),)), "answered 302"),
        (Fault(200, b"<html>"), "no JSON"),
        (Fault(200, b'{"data": []}'), "no vectors"),
        (Fault(200, b'{"data": [{"index": 0, "embedding": [1.0]}]}'), "as many vectors"),
        (Fault(200, b'{"data": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [1, 2]}]}'), "no vectors"),
        (Fault(200, b'{"data": [{"index": 0, "embedding": [0]}, {"index": 1, "embedding": [1]}]}'), "as many vectors"),
        (Fault(200, b'{"data": [{"index": 0, "embedding": [NaN]}, {"index": 1, "embedding": [1]}]}'), "as many"),
        (Fault(200, b'{"data": [{"embedding": "AAAA"}]}'), "no vectors"),
        (Fault(200, b"[]"), "no vectors"),
    ],
)
def test_what_cannot_be_used_is_said_at_once(
    server: Embeddings, embedder: OpenAICompatible, pauses: list[float], fault: Fault, reason: str
) -> None:
    server.faults.append(fault)
    with pytest.raises(EmbedderUnavailable, match=reason):
        embedder.embed(["a"])
    assert pauses == []
    assert len(server.asked) == 1


def test_a_model_that_takes_everything_for_the_same_is_refused(server: Embeddings, embedder: OpenAICompatible) -> None:
    """F-VEC-4."""
    server.alike = True
    with pytest.raises(EmbedderUnavailable, match="unrelated sentences"):
        embedder.embed(["a"])


def test_a_model_that_changes_its_dimension_is_refused(server: Embeddings, embedder: OpenAICompatible) -> None:
    assert embedder.dimension == 64
    server.dimension = 32
    with pytest.raises(EmbedderUnavailable, match="32 dimensions where 64"):
        embedder.embed(["a"])


def test_a_question_is_tried_once(server: Embeddings, embedder: OpenAICompatible, pauses: list[float]) -> None:
    """A search has a deadline: text and graph answer in time."""
    assert embedder.dimension
    server.faults.append(BUSY)
    with pytest.raises(EmbedderUnavailable):
        embedder.embed_query("a")
    assert pauses == []


def test_a_server_that_is_not_there_is_unavailable(pauses: list[float]) -> None:
    with serving() as gone:
        url = gone.url
    with pytest.raises(EmbedderUnavailable, match="cannot be reached"):
        OpenAICompatible(Endpoint(url, "bge-m3"), pauses.append).embed(["a"])
    assert len(pauses) == ATTEMPTS - 1


@pytest.mark.parametrize(
    ("endpoint", "reason"),
    [
        (Endpoint("", "m"), "no http or https address"),
        (Endpoint("localhost:11434", "m"), "no http or https address"),
        (Endpoint("ftp://localhost/v1", "m"), "no http or https address"),
        (Endpoint("http://localhost/v1", ""), "no model"),
        (Endpoint("http://models.example/v1", "m", KEY), "unencrypted"),
    ],
)
def test_a_mistake_is_told_before_anything_is_sent(endpoint: Endpoint, reason: str) -> None:
    with pytest.raises(ConfigError, match=reason):
        OpenAICompatible(endpoint)


@pytest.mark.parametrize("url", ["https://models.example/v1", "http://127.0.0.1:1/v1", "http://[::1]:1/v1"])
def test_a_key_may_go_over_https_or_to_this_machine(url: str) -> None:
    OpenAICompatible(Endpoint(url, "m", KEY))
    OpenAICompatible(Endpoint("http://192.0.2.1/v1", "m"))


def test_settings_lead_to_it(server: Embeddings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODELS_KEY", KEY)
    settings = Settings(
        embedder="openai_compatible",
        embedding_url=server.url,
        embedding_model="bge-m3",
        embedding_key_env="MODELS_KEY",
        embedding_query_prefix="q: ",
    )
    open_embedder(settings.embedder, settings.embedding).embed_query("a")
    assert server.texts()[-1] == "q: a"
    assert server.headers[-1]["authorization"] == f"Bearer {KEY}"
    monkeypatch.delenv("MODELS_KEY")
    with pytest.raises(ConfigError, match="MODELS_KEY"):
        _ = settings.embedding
