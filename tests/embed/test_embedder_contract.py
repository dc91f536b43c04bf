"""What ``ports.Embedder`` promises, held against every embedder."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_fabric.embed import EMBEDDERS, Wish, open_embedder
from memory_fabric.embed.minilm import SHIPPED
from memory_fabric.errors import ConfigError
from memory_fabric.ports import Embedder

CACHE = "The cache is emptied when a user logs out."
CACHE_AGAIN = "On logout the user's cached entries are removed from the cache."
BREAD = "Knead the dough for ten minutes and let it rise under a damp cloth."
ODD = ["", "   \n", "?!", "\0", "a\ud800b", "日本語のテキスト", "é" * 300, "x" * 5_000, "🦊 🦊"]

texts = st.text(st.characters(codec=None), max_size=60)
shared_fixture = settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])


def test_a_vector_a_text_of_length_one_in_float32(embedder: Embedder) -> None:
    """F-VEC-2, F-VEC-4, C-068: one unit float32 vector for every text of a list, whatever the text."""
    vectors = embedder.embed([CACHE, BREAD, *ODD])
    assert vectors.shape == (2 + len(ODD), embedder.dimension)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(vectors)), abs=1e-5)


def test_a_query_is_one_unit_vector(embedder: Embedder) -> None:
    for text in (CACHE, *ODD):
        vector = embedder.embed_query(text)
        assert vector.shape == (embedder.dimension,)
        assert vector.dtype == np.float32
        assert float(np.linalg.norm(vector)) == pytest.approx(1.0, abs=1e-5)


def test_no_texts_give_no_vectors(embedder: Embedder) -> None:
    assert embedder.embed([]).shape == (0, embedder.dimension)


def test_a_vector_depends_on_its_text_alone(embedder: Embedder) -> None:
    """The same bits alone, in company, in another order and the next time."""
    company = [BREAD, CACHE, "fix", CACHE_AGAIN * 8, ""]
    together = embedder.embed(company)
    assert np.array_equal(embedder.embed(company[::-1]), together[::-1])
    for row, text in enumerate(company):
        assert np.array_equal(embedder.embed([text])[0], together[row])


def test_a_question_and_a_passage_share_one_space(embedder: Embedder) -> None:
    assert float(embedder.embed_query(CACHE) @ embedder.embed([CACHE])[0]) == pytest.approx(1.0, abs=1e-5)


def test_related_texts_are_nearer_than_unrelated_ones(embedder: Embedder) -> None:
    question = embedder.embed_query("what happens to the cache on logout?")
    related, unrelated = embedder.embed([CACHE, BREAD]) @ question
    assert related > unrelated + 0.2


def test_a_short_text_is_its_own_window(embedder: Embedder) -> None:
    for text in ("", "  ", CACHE, "日本語"):
        assert embedder.windows(text) == [text]


def test_the_tail_of_a_long_note_is_found(embedder: Embedder) -> None:
    """C-069: 20,000 words and one remark at the end, which only the last window knows."""
    filler = " ".join(f"the {kind} was checked again" for kind in ("wall", "roof", "door", "floor")) + " "
    tail = "The zeppelin hangar needs a new lock."
    windows = embedder.windows(filler * 1_000 + tail)
    assert len(windows) > 50
    nearest = embedder.embed([windows[0], windows[len(windows) // 2], windows[-1]]) @ embedder.embed_query(tail)
    assert nearest.argmax() == 2
    assert nearest[2] > nearest[1] + 0.1
    assert tail in windows[-1]


@shared_fixture
@given(text=texts, times=st.integers(1, 60))
def test_windows_hold_every_character_in_order(embedder: Embedder, text: str, times: int) -> None:
    """Law: nothing of a text is outside all windows, and each window is a piece of it."""
    whole = (
        "".join(f"{text} {number} " for number in range(times)).replace("\0", "").encode("utf-8", "replace").decode()
    )
    windows = embedder.windows(whole)
    assert whole.startswith(windows[0])
    assert whole.endswith(windows[-1])
    covered = 0
    begin = 0
    for window in windows:
        begin = whole.index(window, begin)
        assert begin <= covered
        covered = max(covered, begin + len(window))
    assert covered == len(whole)


def test_a_text_longer_than_a_window_still_gets_one_vector(embedder: Embedder) -> None:
    long = (CACHE + " ") * 100
    vector = embedder.embed([long])[0]
    assert float(np.linalg.norm(vector)) == pytest.approx(1.0, abs=1e-5)
    assert float(vector @ embedder.embed([CACHE])[0]) > 0.7


def test_threads_may_share_an_embedder(embedder: Embedder) -> None:
    expected = embedder.embed_query(CACHE)
    with ThreadPoolExecutor(4) as pool:
        for vector in pool.map(embedder.embed_query, [CACHE] * 16):
            assert np.array_equal(vector, expected)


def test_its_prior_is_a_scale(embedder: Embedder) -> None:
    assert -0.1 < embedder.prior.mean < 0.5
    assert embedder.prior.deviation > 0.01
    assert embedder.prior.pairs == 0


def test_every_name_opens_and_has_a_space_of_its_own() -> None:
    """F-VEC-2: two embedders never share a space."""
    wish = Wish(folder=str(SHIPPED), url="http://127.0.0.1:1/v1", model="bge-m3")
    spaces = [open_embedder(name, wish).space for name in EMBEDDERS]
    assert len(set(spaces)) == len(spaces)


def test_an_unknown_name_is_the_users_mistake() -> None:
    with pytest.raises(ConfigError, match="minilim") as caught:
        open_embedder("minilim")
    assert "hashed, minilm, onnx, openai_compatible" in caught.value.hint
