"""What git says of a project's commits: read by ``git log``, nothing is changed."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from shutil import which

from memory_fabric.clock import parse_instant
from memory_fabric.settings import environment

MOST_COMMITS = 5_000
"""Newest commits of one repository that are looked at."""

PATIENCE = 60.0
"""Seconds for one repository."""

_BETWEEN, _PARTS = "\x1e", "\x1f"
_FORMAT = f"{_BETWEEN}%H{_PARTS}%cI{_PARTS}%s{_PARTS}%(trailers:only,unfold){_PARTS}"


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit, no merge."""

    id: str
    at: datetime | None
    subject: str
    trailers: tuple[str, ...]
    """Their values, whatever their keys."""
    files: tuple[str, ...]
    """Paths below the root."""


class NoHistory(Exception):  # noqa: N818 - a reason, counted
    """A project whose commits cannot be read; the text says why."""


def commits_of(root: Path) -> list[Commit]:
    """The newest commits of all branches, merges left out.

    Raises:
        NoHistory: no repository there, no git, or git refuses.
    """
    git = which("git")
    if git is None:
        raise NoHistory("git is not installed")
    if not (root / ".git").exists():
        raise NoHistory("no git repository at the project's root")
    words = [git, "-C", str(root), "--no-pager", "log", "--all", "--no-merges", "--no-show-signature"]
    # Inside a hook of git these would name another repository.
    outside = {name: value for name, value in environment().items() if not name.startswith("GIT_")}
    try:
        told = subprocess.run(  # noqa: S603 - fixed words, no shell
            [*words, "-n", str(MOST_COMMITS), "--name-only", f"--format={_FORMAT}"],
            check=True,
            capture_output=True,
            timeout=PATIENCE,
            env={**outside, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"},
        ).stdout.decode("utf-8", "replace")
    except (OSError, subprocess.SubprocessError) as error:
        raise NoHistory("git could not read the history") from error
    return [_commit(each) for each in told.split(_BETWEEN)[1:]]


def _commit(told: str) -> Commit:
    id_, at, subject, trailers, files = told.split(_PARTS, 4)
    values = (line.partition(":")[2].strip() for line in trailers.splitlines())
    return Commit(
        id_, parse_instant(at), subject, tuple(filter(None, values)), tuple(filter(None, files.strip().split("\n")))
    )
