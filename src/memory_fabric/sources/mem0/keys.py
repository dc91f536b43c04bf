"""mem0's key, organisation and project: given, from the environment, or from a ``.env`` file (F-MEM0-6).

Only these three names are read out of such a file, never an address: a file of somebody's repository must not be able
to say where a key is sent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memory_fabric.errors import SourceUnavailable

KEY, ORG, PROJECT = "MEM0_API_KEY", "MEM0_ORG_ID", "MEM0_PROJECT_ID"
"""The variables of F-MEM0-6."""

HOME_FILE = ".mem0.env"
"""In the user's home folder; asked last."""

MOST_BYTES = 1024 * 1024
"""A larger file is no list of settings."""


@dataclass(frozen=True, slots=True)
class Keys:
    """What opens mem0's cloud."""

    key: str | None = None
    org: str | None = None
    project: str | None = None
    origin: str = ""
    """Where the key was found, for people: ``MEM0_API_KEY``, a file, ``--api-key``."""

    def needed(self, name: str) -> str:
        """The key.

        Raises:
            SourceUnavailable: there is none; the hint says where it is looked for.
        """
        if not self.key:
            raise SourceUnavailable(
                f"{name}: no key for mem0", f"set {KEY}, or write it to ~/{HOME_FILE}; https://app.mem0.ai has keys"
            )
        return self.key


def find_keys(given: Keys, environment: Mapping[str, str], folders: Sequence[Path], home: Path) -> Keys:
    """What is given, else the environment, else the first of the folders' ``.env`` and ``~/.mem0.env`` that names it.

    Each of the three is looked for by itself; files that cannot be read are passed by, as if they were not there.
    """
    places: list[tuple[str, Mapping[str, str]]] = [("the environment", environment)]
    files = [folder / ".env" for folder in dict.fromkeys(folders)] + [home / HOME_FILE]
    places += [(str(path), read_env(path)) for path in files]
    key, origin = given.key, given.origin or "--api-key"
    if not key:
        key, origin = next(((values[KEY], place) for place, values in places if values.get(KEY)), (None, ""))

    def first(name: str) -> str | None:
        return next((values[name] for _, values in places if values.get(name)), None)

    return Keys(key, given.org or first(ORG), given.project or first(PROJECT), origin)


def read_env(path: Path) -> dict[str, str]:
    """mem0's three variables in a ``.env`` file: ``NAME=value``, ``export NAME="value"``, comments; else nothing."""
    try:
        with path.open("rb") as file:
            text = file.read(MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return {}
    found: dict[str, str] = {}
    for line in text.splitlines():
        name, equals, value = line.strip().removeprefix("export ").partition("=")
        if equals and name.strip() in (KEY, ORG, PROJECT):
            found[name.strip()] = _value(value.strip())
    return found


def _value(text: str) -> str:
    """Quotes go, and outside of them a comment."""
    if text[:1] in "\"'" and text:
        return text[1:].partition(text[0])[0]
    return text.partition(" #")[0].strip()
