"""Result files: what ``eval run --json`` printed, read back for ``eval compare`` and ``eval report``.

They may come from anybody, so that everything in them is checked when it is read.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from memory_fabric.errors import UsageError
from memory_fabric.evals.outcome import Outcome, Run
from memory_fabric.evals.scored import Sets, scored

_OWN = frozenset({"suite", "mode", "n", "metrics", "by", "questions", "modes", "not_run"})
"""Keys that a ``Run`` holds in another form."""

HINT = "give the output of `memory-fabric eval run SUITE … --json`"


def read_runs(path: Path) -> list[Run]:
    """The runs of a file: one, or with ``--all-modes`` one a mode, in the file's order, each named by its mode.

    Modes that the file says could not run stand in ``about`` of each, as ``not run``.

    Raises:
        UsageError: the file cannot be read, is not a result file, or holds no question or one twice.
    """
    try:
        found = json.loads(path.read_bytes())
        rows = list(found["modes"].values()) if "modes" in found else [found]
        runs = [_run({**row, "not run": found.get("not_run")}) for row in rows]
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise UsageError(f"{path}: not a result file: {error!r:.200}", HINT) from error
    if not runs:
        raise UsageError(f"{path}: it holds no run", HINT)
    return runs


def read_all(paths: Sequence[Path]) -> list[Run]:
    """The runs of all files, in order; where there are several files their names tell them apart.

    Raises:
        UsageError: as ``read_runs``; a file is given twice.
    """
    if len(set(paths)) < len(paths):
        raise UsageError("a file is given twice", "name each once")
    if len(paths) == 1:
        return read_runs(paths[0])
    apart = len({path.stem for path in paths}) == len(paths)
    return [
        replace(run, name=f"{path.stem if apart else path} {run.name}") for path in paths for run in read_runs(path)
    ]


def read_results(paths: Sequence[Path]) -> tuple[list[Run], list[Sets]]:
    """The runs of all files, as ``read_all``, and the figures of those that asked no store.

    Raises:
        UsageError: as ``read_all``.
    """
    sets = {path: found for path in paths if (found := _sets(path))}
    asked = [path for path in paths if path not in sets]
    if len(set(paths)) < len(paths):
        raise UsageError("a file is given twice", "name each once")
    return read_all(asked) if asked else [], list(sets.values())


def _sets(path: Path) -> Sets | None:
    """What a file says of a suite without a store; None for any other file, also one that cannot be read."""
    try:
        found = json.loads(path.read_bytes())
        if "questions" in found or "modes" in found:
            return None
        about = {str(name): value for name, value in found.items() if name not in _OWN}
        sets = Sets(str(found["suite"]), dict(found["by"]), about)
        return sets if [each.cells() for each in scored(sets.sets)] else None
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None


def read_run(place: str) -> Run:
    """One run: ``FILE``, or ``FILE#MODE`` where a file holds several; without a mode that is ``auto``.

    It is named by the place.

    Raises:
        UsageError: as ``read_runs``; the file does not hold that mode.
    """
    file, mode = place, ""
    if "#" in place and not Path(place).exists():
        file, _, mode = place.rpartition("#")
    runs = {run.mode: run for run in read_runs(Path(file))}
    wanted = mode or ("auto" if len(runs) > 1 else next(iter(runs)))
    if wanted not in runs:
        raise UsageError(f"{file}: it has no run of mode {wanted!r}", f"choose one of: {', '.join(runs)}")
    return replace(runs[wanted], name=place)


def _run(row: Mapping[str, Any]) -> Run:
    outcomes = tuple(Outcome.from_json(each) for each in row["questions"])
    if not outcomes:
        raise ValueError("no question")
    twice = len(outcomes) - len({outcome.id for outcome in outcomes})
    if twice:
        raise ValueError(f"{twice} questions are there twice")
    names = set(outcomes[0].measures)
    if any(set(outcome.measures) != names for outcome in outcomes):
        raise ValueError("questions with other measures than the first")
    mode = str(row["mode"])
    about = {str(name): value for name, value in row.items() if name not in _OWN}
    return Run(mode, str(row["suite"]), mode, outcomes, about)
