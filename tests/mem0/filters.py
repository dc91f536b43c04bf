"""The platform's filters and scores, after its API reference: what it does not know is refused, as there."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

OWNERS = ("user_id", "agent_id", "app_id", "run_id")
FIELDS = {*OWNERS, "created_at", "updated_at", "categories", "metadata", "keywords", "memory_ids"}
OPERATORS = {"in", "eq", "ne", "gt", "gte", "lt", "lte", "contains", "icontains"}
Json = dict[str, Any]


class WrongError(Exception):
    """An answer that is no success."""

    def __init__(self, status: int, detail: Any) -> None:
        super().__init__(detail)
        self.status = status
        self.body = detail if isinstance(detail, dict) else {"detail": detail}


def overlap(words: set[str], text: str) -> float:
    """Shared words over the geometric mean of both counts, in [0, 1]."""
    own = set(re.findall(r"\w+", text.lower()))
    return len(words & own) / (len(words) * len(own)) ** 0.5 if words and own else 0.0


def owners_in(filters: Any) -> Iterator[str]:
    if isinstance(filters, list):
        for each in filters:
            yield from owners_in(each)
    elif isinstance(filters, dict):
        for name, value in filters.items():
            yield name
            if name in ("AND", "OR", "NOT"):
                yield from owners_in(value)


def holds(filters: Json, memory: Json) -> bool:
    """Whether filters hold for a memory; what the platform does not know is refused, as there."""
    together = {name for each in filters.get("AND", ()) for name in each} & {"user_id", "agent_id"}
    if len(together) == 2:
        return False
    for name, value in filters.items():
        if name in ("AND", "OR", "NOT"):
            if not isinstance(value, list):
                raise WrongError(400, {"error": f"{name} takes a list"})
            inner = [holds(each, memory) for each in value]
            if not {"AND": all(inner), "OR": any(inner), "NOT": not any(inner)}[name]:
                return False
        elif name not in FIELDS:
            raise WrongError(400, {"error": f"unknown filter {name}"})
        elif name == "metadata":
            own = memory.get("metadata") or {}
            if not all(own.get(key) == wanted for key, wanted in value.items()):
                return False
        elif not _matches(memory.get(name), value):
            return False
    return True


def _matches(own: Any, wanted: Any) -> bool:
    if wanted == "*":
        return own is not None
    if not isinstance(wanted, dict):
        return bool(own == wanted)
    if not set(wanted) <= OPERATORS:
        raise WrongError(400, {"error": f"unknown operator in {sorted(wanted)}"})
    tests: dict[str, Callable[[Any], bool]] = {
        "in": lambda value: own in value, "eq": lambda value: own == value, "ne": lambda value: own != value,
        "gte": lambda value: own is not None and own >= value, "gt": lambda value: own is not None and own > value,
        "lte": lambda value: own is not None and own <= value, "lt": lambda value: own is not None and own < value,
        "contains": lambda value: value in (own or ()),
        "icontains": lambda value: str(value).lower() in str(own or "").lower(),
    }  # fmt: skip
    return all(tests[operator](value) for operator, value in wanted.items())
