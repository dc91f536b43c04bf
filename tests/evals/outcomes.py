"""Outcomes and result files for tests, made without a store."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from memory_fabric.evals.measures import measure
from memory_fabric.evals.outcome import Outcome, Run, summary


def outcome(id_: str, rank: int | None, **more: Any) -> Outcome:
    """A question whose one right item stands at a rank, or is not found."""
    gold = f"right-{id_}"
    ranking = [f"wrong-{place}" for place in range(1, rank)] + [gold] if rank else ["wrong-1"]
    return Outcome(id_, frozenset({gold}), tuple(ranking), measure(ranking, frozenset({gold})), **more)


def run_of(name: str, outcomes: Sequence[Outcome], suite: str = "talks", **about: object) -> Run:
    return Run(name, suite, name, tuple(outcomes), about)


def content(run: Run) -> dict[str, object]:
    """What ``eval run --json`` prints."""
    return {
        "suite": run.suite,
        "mode": run.mode,
        "n": len(run.outcomes),
        **summary(run.outcomes),
        **run.about,
        "questions": [each.as_json() for each in run.outcomes],
    }


def write(path: Path, value: Mapping[str, object] | Run) -> Path:
    path.write_text(json.dumps(content(value) if isinstance(value, Run) else value), encoding="utf-8")
    return path
