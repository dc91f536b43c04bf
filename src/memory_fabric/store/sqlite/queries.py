"""The named queries of ``queries.sql``, read once."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

_NAME = re.compile(r"^-- name: (\w+)$")
_FRAGMENT = re.compile(r"\{(?!scope\})(\w+)\}")


@lru_cache(maxsize=1)
def queries() -> MappingProxyType[str, str]:
    """Name → statement; ``{scope}`` in a statement stands for conditions that ``scope`` builds.

    Raises:
        KeyError: a statement names a fragment that is not there.
    """
    text = Path(__file__).with_name("queries.sql").read_text(encoding="utf-8")
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in text.splitlines():
        if match := _NAME.match(line):
            lines = found[match.group(1)] = []
        elif not line.startswith("--"):
            lines.append(line)
    bodies = {name: "\n".join(body).strip().rstrip(";") for name, body in found.items()}
    return MappingProxyType({name: _FRAGMENT.sub(lambda m: bodies[m.group(1)], body) for name, body in bodies.items()})


def query(name: str, scope: str = "1") -> str:
    """The statement of that name, limited to a scope where it takes one.

    Raises:
        KeyError: there is none.
    """
    return queries()[name].replace("{scope}", scope)
