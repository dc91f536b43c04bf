"""Checks on what a model returns."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_fabric.embed.vectors import refuse_broken, unit
from memory_fabric.errors import EmbedderUnavailable


def pair(cosine: float) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    return np.array([[1.0, 0.0], [cosine, math.sqrt(1 - cosine**2)]], np.float32)


def test_vectors_are_scaled_to_length_one() -> None:
    """C-068: a model that returns [3, 4]."""
    scaled = unit(np.array([[3.0, 4.0]], np.float32))
    assert scaled is not None
    assert scaled.tolist() == [[pytest.approx(0.6), pytest.approx(0.8)]]
    assert scaled.dtype == np.float32


@pytest.mark.parametrize("row", [[0.0, 0.0], [math.nan, 1.0], [math.inf, 1.0]])
def test_a_row_without_direction_spoils_the_lot(row: list[float]) -> None:
    assert unit(np.array([[1.0, 0.0], row], np.float32)) is None


@given(
    st.lists(st.floats(-(2.0**60), 2.0**60, width=32), min_size=3, max_size=3).filter(
        lambda row: max(map(abs, row)) > 1e-18
    )
)
def test_scaling_keeps_the_direction(row: list[float]) -> None:
    scaled = unit(np.array([row], np.float32))
    assert scaled is not None
    assert float(np.linalg.norm(scaled)) == pytest.approx(1.0, abs=1e-5)
    again = unit(scaled)
    assert again is not None
    assert again == pytest.approx(scaled, abs=1e-6)


@pytest.mark.parametrize("cosine", [-1.0, 0.1, 0.899])
def test_a_working_model_passes(cosine: float) -> None:
    """F-VEC-4, below 0.9."""
    refuse_broken("space", 2, pair(cosine))


@pytest.mark.parametrize("cosine", [0.901, 1.0])
def test_a_model_that_takes_everything_for_the_same_is_refused(cosine: float) -> None:
    """F-VEC-4, above 0.9."""
    with pytest.raises(EmbedderUnavailable, match="unrelated"):
        refuse_broken("space", 2, pair(cosine))


def test_exactly_nine_tenths_passes() -> None:
    """F-VEC-4: refused *above* 0.9."""
    vectors = np.zeros((2, 101), np.float64)
    vectors[0, :100] = 0.1
    vectors[1, :90] = 0.1
    vectors[1, 100] = math.sqrt(0.1)
    refuse_broken("space", 101, vectors.astype(np.float32) * np.float32(1.0))


@pytest.mark.parametrize("shape", [(1, 2), (3, 2), (2, 3), (2,)])
def test_one_vector_a_text_or_none(shape: tuple[int, ...]) -> None:
    """F-VEC-4: a list request returns one vector per text."""
    with pytest.raises(EmbedderUnavailable, match="shape"):
        refuse_broken("space", 2, np.ones(shape, np.float32))


def test_vectors_of_nothing_are_refused() -> None:
    with pytest.raises(EmbedderUnavailable, match="no direction"):
        refuse_broken("space", 2, np.zeros((2, 2), np.float32))
