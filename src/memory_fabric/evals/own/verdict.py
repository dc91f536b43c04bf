"""Which mode won, in a plain sentence a set, on the half that nothing was tuned on."""

from __future__ import annotations

from collections.abc import Mapping

from memory_fabric.evals.half import Half
from memory_fabric.evals.own.figures import Cell, Figures, Tests
from memory_fabric.model.query import Mode

NOISE = 0.05
"""A difference is beyond noise where chance alone makes one as large less often than this."""

SINGLE = (Mode.TEXT.value, Mode.VECTOR.value, Mode.GRAPH.value)
"""Modes that ask one retriever."""


def scored(halves: Figures) -> str | None:
    """The half that is reported: the checking one, where it was asked."""
    return next((half.value for half in (Half.CHECK, Half.TUNE) if half in halves), None)


def verdict(halves: Figures, tests: Tests) -> dict[str, str]:
    """Set → what is to be said of it."""
    half = scored(halves)
    if half is None:
        return {}
    modes = halves[half]
    return {part: _sentence(part, modes, tests[half][part]) for part in modes[Mode.AUTO.value]}


def _sentence(part: str, modes: Mapping[str, Mapping[str, Cell]], tests: Mapping[str, Cell]) -> str:
    auto = Mode.AUTO.value
    reached = {mode: parts[part]["mrr"] for mode, parts in modes.items()}
    highest = max(reached.values())
    winners = [mode for mode, value in reached.items() if value == highest]
    told = f"{part} (n = {modes[auto][part]['n']:,.0f}): "
    if not highest:
        return f"{told}no mode found any."
    told += f"{' and '.join(winners)} won with a mean reciprocal rank of {highest:.3f}"
    if auto not in winners:
        told += f", auto has {reached[auto]:.3f} ({_noise(tests[winners[0]])})"
    single = max((mode for mode in SINGLE if mode in reached), key=lambda mode: reached[mode])
    if single in winners:
        return f"{told}."
    place = "above" if reached[auto] > reached[single] else "below" if reached[auto] < reached[single] else "level with"
    return (
        f"{told}. auto is {place} the best single mode, {single} with {reached[single]:.3f} ({_noise(tests[single])})."
    )


def _noise(test: Cell) -> str:
    return f"{'beyond' if test['p'] < NOISE else 'within'} noise, p = {test['p']:.3f}"
