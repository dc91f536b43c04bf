"""The shipped model: the right bytes, the right numbers, and a plain word when something is wrong with it."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tokenizers import Tokenizer

from memory_fabric.embed import minilm as module
from memory_fabric.embed.minilm import FILES, SHIPPED, MiniLM
from memory_fabric.errors import EmbedderUnavailable

if TYPE_CHECKING:
    from memory_fabric.ports import Vectors

SENTENCES = (
    "The cache is emptied when a user logs out.",
    "Signing out clears everything we had stored for that person.",
    "Why did the migration to the new database fail last night?",
    "Knead the dough for ten minutes and let it rise under a damp cloth.",
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in FILES:
        shutil.copy(SHIPPED / name, tmp_path / name)
    return tmp_path


@pytest.mark.parametrize("name", FILES)
def test_the_shipped_file_is_the_one_that_was_built(name: str) -> None:
    """design.md §5; the card beside it says the same."""
    digest = hashlib.sha256((SHIPPED / name).read_bytes()).hexdigest()
    assert digest == FILES[name]
    assert digest in (SHIPPED / "MODEL.md").read_text(encoding="utf-8")


def test_the_model_is_small_enough_for_the_wheel() -> None:
    """design.md §6: the wheel stays under 40 MB."""
    assert (SHIPPED / "model.onnx").stat().st_size < 25_000_000


def test_known_cosines(minilm: MiniLM) -> None:
    """Those of the float model; quantisation moves a cosine by .016 on average, so that .06 is far out."""
    vectors = minilm.embed(SENTENCES)
    cosines = vectors @ vectors.T
    assert cosines[0] == pytest.approx(np.array([1.0, 0.516, 0.142, 0.127]), abs=0.06)
    assert cosines[2, 3] == pytest.approx(-0.090, abs=0.06)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("damage", ["missing", "truncated", "one bit"])
def test_a_damaged_model_is_named_with_its_remedy(folder: Path, name: str, damage: str) -> None:
    """C-071: delete, truncate or flip a bit; one line says which file and what to do."""
    data = bytearray((folder / name).read_bytes())
    if damage == "missing":
        (folder / name).unlink()
    else:
        data[len(data) // 2] ^= 1
        (folder / name).write_bytes(data[: len(data) // 2] if damage == "truncated" else data)
    with pytest.raises(EmbedderUnavailable, match=name) as caught:
        MiniLM(folder).embed(["text"])
    assert "\n" not in str(caught.value)
    assert "reinstall" in caught.value.hint


def test_a_repaired_model_is_taken_up(folder: Path) -> None:
    """C-071: a failure is not for ever."""
    good = (folder / "model.onnx").read_bytes()
    (folder / "model.onnx").write_bytes(b"")
    embedder = MiniLM(folder)
    with pytest.raises(EmbedderUnavailable):
        embedder.embed_query("text")
    (folder / "model.onnx").write_bytes(good)
    assert embedder.embed_query("text").shape == (384,)


def test_a_model_that_cannot_tell_texts_apart_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """F-VEC-4: constant vectors."""

    def constant(self: object, encoding: object) -> Vectors:
        return np.full(384, 384**-0.5, np.float32)

    monkeypatch.setattr(module._Model, "vector", constant)
    with pytest.raises(EmbedderUnavailable, match="unrelated"):
        MiniLM().embed(["text"])


def test_a_question_after_a_pasted_log_is_heard(minilm: MiniLM) -> None:
    log = "2026-01-01 12:00:00 INFO worker 17 polled an empty shelf\n" * 2_000
    question = "\nwhat happens to the cache on logout?"
    passage = minilm.embed(SENTENCES[:1])[0]
    without = float(minilm.embed_query(log) @ passage)
    assert float(minilm.embed_query(log + question) @ passage) > without + 0.02
    assert float(minilm.embed_query(question + log) @ passage) > without + 0.02


def test_the_number_of_threads_changes_nothing(minilm: MiniLM) -> None:
    assert np.array_equal(MiniLM(threads=1).embed(SENTENCES), minilm.embed(SENTENCES))


def test_windows_fit_the_model_and_overlap(minilm: MiniLM) -> None:
    """C-069: 128 tokens with the two marks, 16 shared or a few more, no word cut."""
    words = [f"component{number}" for number in range(1_500)]
    tokenizer = Tokenizer.from_file(str(SHIPPED / "tokenizer.json"))
    windows = minilm.windows(" ".join(words))
    assert len(windows) > 10
    for window, following in pairwise(windows):
        assert 78 <= len(tokenizer.encode(window).ids) <= 128
        kept = window.split()
        shared = [word for word in following.split() if word in kept]
        assert 16 <= len(tokenizer.encode(" ".join(shared), add_special_tokens=False).ids) <= 26
        assert set(kept) <= set(words)


@pytest.mark.parametrize(("tokens", "count"), [(125, 1), (126, 1), (127, 2)])
def test_a_text_is_cut_only_when_it_does_not_fit(minilm: MiniLM, tokens: int, count: int) -> None:
    assert len(minilm.windows("word " * tokens)) == count


def test_nothing_is_loaded_before_the_first_text() -> None:
    """C-072: opening an embedder costs no import of the heavy parts, and says nothing."""
    code = (
        "import sys; from memory_fabric.embed import open_embedder; import memory_fabric.embed.backfill; "
        "import memory_fabric.embed.calibrate; "
        "e = open_embedder('minilm'); e.space; e.dimension; e.prior; "
        "sys.exit(','.join(m for m in ('numpy', 'onnxruntime', 'tokenizers') if m in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr.strip()) == ("", "")
