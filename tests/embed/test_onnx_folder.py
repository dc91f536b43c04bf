"""A sentence model that the user brings; what every embedder promises is in ``test_embedder_contract.py``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.embed import tiny_onnx

from memory_fabric.embed import Wish, open_embedder
from memory_fabric.embed.background import LEAST_DEVIATION, background_of
from memory_fabric.embed.onnx_folder import LEAST_WINDOW, OnnxFolder
from memory_fabric.errors import ConfigError, EmbedderUnavailable
from memory_fabric.ports import Background
from memory_fabric.settings import Settings


def direction(*numbers: float) -> NDArray[np.float32]:
    return np.asarray(np.array(numbers) / np.linalg.norm(numbers), np.float32)


def test_tokens_are_pooled_by_their_mean(tmp_path: Path) -> None:
    embedder = OnnxFolder(tiny_onnx.write(tmp_path))
    assert embedder.dimension == 3
    assert embedder.embed(["cat dog"])[0] == pytest.approx(direction(0, 1, 1))


def test_or_the_first_token_stands_for_all(tmp_path: Path) -> None:
    embedder = OnnxFolder(tiny_onnx.write(tmp_path, pooling="cls"))
    assert embedder.embed(["cat dog"])[0] == pytest.approx(direction(0, 1, 0))


def test_prefixes_stand_before_questions_and_passages(tmp_path: Path) -> None:
    embedder = OnnxFolder(tiny_onnx.write(tmp_path, query_prefix="ask ", passage_prefix="dog "))
    assert embedder.embed_query("cat") == pytest.approx(direction(1, 1, 0))
    assert embedder.embed(["cat"])[0] == pytest.approx(direction(0, 1, 1))


@pytest.mark.parametrize("name", ["model.onnx", "onnx/model.onnx", "model_quantized.onnx", "onnx/model_quantized.onnx"])
def test_the_model_may_lie_as_hubs_lay_it(tmp_path: Path, name: str) -> None:
    assert OnnxFolder(tiny_onnx.write(tmp_path, name)).dimension == 3


def test_a_space_is_told_by_all_that_changes_its_vectors(tmp_path: Path) -> None:
    """F-VEC-2: vectors of two spaces are never compared."""
    plain = OnnxFolder(tiny_onnx.write(tmp_path / "a", name="tiny")).space
    assert plain.startswith("tiny-")
    assert OnnxFolder(tiny_onnx.write(tmp_path / "b", name="tiny")).space == plain, "wherever it lies"
    others: list[dict[str, Any]] = [
        {"name": "tiny", key: value}
        for key, value in (("query_prefix", "q "), ("passage_prefix", "p "), ("pooling", "cls"))
    ]
    spaces = {OnnxFolder(tiny_onnx.write(tmp_path / str(place), **each)).space for place, each in enumerate(others)}
    assert len(spaces | {plain}) == 4
    (tmp_path / "b" / "model.onnx").write_bytes(tiny_onnx.model(vectors=tiny_onnx.ALL_ALIKE))
    assert OnnxFolder(tmp_path / "b").space != plain


@pytest.mark.parametrize(("words", "windows"), [(LEAST_WINDOW - 1, 1), (LEAST_WINDOW, 2)])
def test_a_window_holds_the_prefix_too(tmp_path: Path, words: int, windows: int) -> None:
    embedder = OnnxFolder(tiny_onnx.write(tmp_path, window=LEAST_WINDOW, passage_prefix="dog "))
    assert len(embedder.windows(" ".join(["cat"] * words))) == windows


def test_the_background_is_the_described_one(tmp_path: Path) -> None:
    embedder = OnnxFolder(tiny_onnx.write(tmp_path, background={"mean": 0.8, "deviation": 0.02}))
    assert embedder.prior == Background(0.8, 0.02, 0)


def test_or_else_it_is_measured(tmp_path: Path) -> None:
    prior = OnnxFolder(tiny_onnx.write(tmp_path)).prior
    assert 0.2 < prior.mean < 0.9
    assert prior.deviation > LEAST_DEVIATION
    assert prior.pairs == 0


def test_sentences_that_all_look_the_same_give_the_finest_scale() -> None:
    same = np.array([direction(1, 1, 1)] * 6)
    found = background_of(same, same, same)
    assert found.mean == pytest.approx(1.0)
    assert (found.deviation, found.pairs) == (LEAST_DEVIATION, 0)


@pytest.mark.parametrize(
    ("described", "reason"),
    [
        ({"window": LEAST_WINDOW - 1}, "window"),
        ({"window": "128"}, "window"),
        ({"pooling": "max"}, "pooling"),
        ({"query_prefix": 1}, "query_prefix"),
        ({"background": {"mean": 0.1}}, "deviation"),
        ({"background": {"mean": 0.1, "deviation": 0}}, "deviation"),
        ({"background": {"mean": 0.1, "deviation": 1}}, "deviation"),
        ({"background": {"mean": 0.1, "deviation": 0.1, "best": 0.1}}, "best"),
        ({"background": {"mean": 0.1, "deviation": 0.1, "best": 1.01}}, "best"),
        ({"prefix": "x"}, "prefix"),
    ],
)
def test_a_description_is_checked_when_it_is_read(tmp_path: Path, described: dict[str, Any], reason: str) -> None:
    with pytest.raises(ConfigError, match=rf"embedder\.json.*{reason}"):
        OnnxFolder(tiny_onnx.write(tmp_path, **described))


@pytest.mark.parametrize("missing", ["model.onnx", "tokenizer.json"])
def test_a_folder_without_a_model_is_the_users_mistake(tmp_path: Path, missing: str) -> None:
    (tiny_onnx.write(tmp_path) / missing).unlink()
    with pytest.raises(ConfigError, match=r"model\.onnx and tokenizer\.json"):
        OnnxFolder(tmp_path)


@pytest.mark.parametrize("damaged", ["model.onnx", "tokenizer.json"])
def test_a_damaged_file_is_an_outage_and_not_a_crash(tmp_path: Path, damaged: str) -> None:
    (tiny_onnx.write(tmp_path) / damaged).write_bytes(b"{damaged")
    with pytest.raises(EmbedderUnavailable, match="damaged"):
        OnnxFolder(tmp_path).embed(["cat"])


def test_a_model_of_something_else_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EmbedderUnavailable, match="asks for pixel_values"):
        OnnxFolder(tiny_onnx.write(tmp_path, asks="pixel_values")).embed(["cat"])


def test_a_model_that_takes_everything_for_the_same_is_refused(tmp_path: Path) -> None:
    """F-VEC-4."""
    tiny_onnx.write(tmp_path)
    (tmp_path / "model.onnx").write_bytes(tiny_onnx.model(vectors=tiny_onnx.ALL_ALIKE))
    with pytest.raises(EmbedderUnavailable, match="unrelated sentences"):
        OnnxFolder(tmp_path).embed(["cat"])


def test_settings_lead_to_it(tmp_path: Path) -> None:
    settings = Settings(embedder="onnx", embedding_folder=str(tiny_onnx.write(tmp_path)))
    assert open_embedder(settings.embedder, settings.embedding).dimension == 3
    with pytest.raises(ConfigError, match="no folder"):
        open_embedder("onnx", Wish())
