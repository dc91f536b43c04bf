"""The word lists as read from their files, with a user's additions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from memory_fabric.errors import ConfigError

_DATA = Path(__file__).parent / "data"
_TERM_TABLES = ("technologies", "patterns")
_STOP_LISTS = ("actor_words", "filler", "navigation", "general_files", "wrappers")
_TERM_FIELDS = {"aliases", "display", "label", "cue"}
CUES = ("near", "strict", "cased", "short", "code", "upper", "go", "product", "joined")
"""The rules for words that need a second cue (vocabulary.md §1.11)."""


def builtin(name: str) -> dict[str, Any]:
    """One of the files that ship with the product."""
    return cast("dict[str, Any]", json.loads((_DATA / f"{name}.json").read_bytes()))


def user_tables(path: Path) -> dict[str, Any]:
    """A user's additions, checked: TOML, or JSON where the name ends in ``.json``.

    Keys: ``technologies`` and ``patterns`` (name → {aliases, display, label, cue}), ``agents`` (names), ``categories``
    (name → keywords), ``actor_words``, ``filler``, ``navigation``, ``general_files``, ``wrappers`` (words).

    Raises:
        ConfigError: the file cannot be read or is not of this form; the message names file and reason.
    """
    try:
        raw = path.read_bytes()
        tables = json.loads(raw) if path.suffix == ".json" else _toml(raw)
    except OSError as error:
        raise _broken(path, error.strerror or "cannot be read") from error
    except ValueError as error:
        raise _broken(path, str(error)) from error
    if not isinstance(tables, dict):
        raise _broken(path, "it must be a table")
    known = {*_TERM_TABLES, "agents", "categories", *_STOP_LISTS}
    for key, value in tables.items():
        if key not in known:
            raise _broken(path, f"unknown key '{key}'; known are {', '.join(sorted(known))}")
        _check(path, key, value)
    return tables


def _toml(raw: bytes) -> object:
    import tomllib

    return tomllib.loads(raw.decode())


def _check(path: Path, key: str, value: object) -> None:
    if key in _TERM_TABLES:
        for name, row in _table(path, key, value).items():
            _check_term(path, f"{key}.{name}", row)
    elif key == "categories":
        for name, keywords in _table(path, key, value).items():
            _texts(path, f"{key}.{name}", keywords)
    else:
        _texts(path, key, value)


def _check_term(path: Path, where: str, row: object) -> None:
    for field, value in _table(path, where, row).items():
        if field not in _TERM_FIELDS:
            raise _broken(path, f"unknown key '{where}.{field}'; known are {', '.join(sorted(_TERM_FIELDS))}")
        if field == "aliases":
            _texts(path, f"{where}.{field}", value)
        elif not isinstance(value, str):
            raise _broken(path, f"'{where}.{field}' must be a text")
        elif field == "cue" and value not in CUES:
            raise _broken(path, f"'{where}.cue' must be one of {', '.join(CUES)}")


def _table(path: Path, where: str, value: object) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise _broken(path, f"'{where}' must be a table")
    return value


def _texts(path: Path, where: str, value: object) -> None:
    if not isinstance(value, list) or not all(isinstance(item, str) and item.strip() for item in value):
        raise _broken(path, f"'{where}' must be a list of texts")


def _broken(path: Path, reason: str) -> ConfigError:
    return ConfigError(
        f"word list {path}: {reason}", "correct the file, or leave the setting out to use the built-in lists"
    )
