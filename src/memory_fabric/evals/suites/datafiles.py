"""A suite's files: found by their documented names, packed or not; refused by name where they are not as documented."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from memory_fabric.errors import UsageError

T = TypeVar("T")

SHAPES = "see docs/commands.md for the files and shapes of each suite"


def found(folder: Path, *patterns: str, but: str = "") -> list[Path]:
    """Files of a folder by glob patterns, each also with ``.gz``, by name; not those that match ``but``.

    A packed file beside its unpacked self is the same file, and left out.
    """
    paths = {path for each in patterns for glob in (each, f"{each}.gz") for path in folder.glob(glob) if path.is_file()}
    if but:
        paths -= {path for path in paths if path.match(but) or path.match(f"{but}.gz")}
    return sorted(path for path in paths if path.suffix != ".gz" or path.with_suffix("") not in paths)


def the_file(folder: Path, *patterns: str, but: str = "") -> Path:
    """The one file of these names.

    Raises:
        UsageError: there is none, or more than one.
    """
    paths = found(folder, *patterns, but=but)
    if len(paths) == 1:
        return paths[0]
    wanted = " or ".join(patterns)
    if not paths:
        raise UsageError(f"{folder}: no file matches {wanted}, or that with .gz", "unpack the set's files into it")
    names = ", ".join(path.name for path in paths)
    raise UsageError(f"{folder}: {len(paths)} files match {wanted}: {names}", "give a folder that holds exactly one")


def shaped(path: Path, read: Callable[[str], T]) -> T:
    """What ``read`` makes of a file's text (UTF-8, unpacked where its name ends in ``.gz``).

    Raises:
        UsageError: the file cannot be read, or is not of the shape that ``read`` expects.
    """
    try:
        content = path.read_bytes()
        return read((gzip.decompress(content) if path.suffix == ".gz" else content).decode("utf-8-sig"))
    except (LookupError, TypeError, AttributeError, ValueError, OSError, EOFError, zlib.error) as error:
        raise UsageError(f"{path}: not of the shape of this suite: {error!r:.300}", SHAPES) from error


def rows(text: str) -> list[dict[str, Any]]:
    """A JSON list of objects.

    Raises:
        ValueError, TypeError: it is something else.
    """
    return _objects(json.loads(text))


def json_lines(text: str) -> list[dict[str, Any]]:
    """JSON objects, one a line.

    Raises:
        ValueError, TypeError: a line is something else.
    """
    return _objects([json.loads(line) for line in text.split("\n") if line.strip()])


def strings(values: Iterable[object]) -> Sequence[str]:
    """The same, checked to be strings.

    Raises:
        TypeError: one is not.
    """
    checked = list(values)
    for value in checked:
        if not isinstance(value, str):
            raise TypeError(f"a string is expected: {value!r:.100}")
    return [value for value in checked if isinstance(value, str)]


def _objects(value: object) -> list[dict[str, Any]]:
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise TypeError("a list of objects is expected")
    return value
