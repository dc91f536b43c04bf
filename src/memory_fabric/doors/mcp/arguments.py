"""What a tool takes: its JSON schema, and the reading of what a model sent (C-079).

Models send ``"5"`` for 5, ``""`` or null for nothing, a list as JSON in a string, and keys nobody asked for.  What is
meant is taken; whatever else does not fit is refused with the parameter's name.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

Json = dict[str, Any]


class BadArgument(Exception):  # noqa: N818 - told to the client as JSON-RPC's "invalid params"
    """A parameter that cannot be meant: its path, such as ``entities[0].name``, and what is wrong with it."""

    def __init__(self, parameter: str, reason: str) -> None:
        super().__init__(f"{parameter}: {reason}")
        self.parameter = parameter
        self.reason = reason


class Kind(Protocol):
    """One kind of value."""

    @property
    def schema(self) -> Json:
        """Its JSON schema."""
        ...

    def read(self, value: Any, path: str) -> Any:
        """The value as meant, None when it stands for nothing.

        Raises:
            BadArgument: it cannot be meant.
        """
        ...


@dataclass(frozen=True, slots=True)
class Parameter:
    """A named value; an optional one that is absent is its default."""

    name: str
    kind: Kind
    required: bool = False
    default: Any = None


@dataclass(frozen=True, slots=True)
class Text:
    """A text of at most ``longest`` characters; numbers and truth values are taken as they are written."""

    longest: int | None = None
    blank: bool = False
    """Whether ``""`` is a value of its own."""

    @property
    def schema(self) -> Json:
        """A string; the length is told when it is passed."""
        return {"type": "string"}

    def read(self, value: Any, path: str) -> str | None:
        """The text as it is; None for one of white space."""
        if isinstance(value, bool):
            value = "true" if value else "false"
        elif isinstance(value, int | float):
            value = str(value)
        if value is None:
            return None
        if not isinstance(value, str):
            raise BadArgument(path, f"must be a text, not {_kind_of(value)}")
        if self.longest is not None and len(value) > self.longest:
            raise BadArgument(path, f"has {len(value):,} characters, at most {self.longest:,} are allowed")
        return value if value.strip() or self.blank else None


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number; one outside the range is taken to its nearest end."""

    low: int
    high: int

    @property
    def schema(self) -> Json:
        """An integer; the range is not in it, because a number outside is no mistake."""
        return {"type": "integer"}

    def read(self, value: Any, path: str) -> int | None:
        """The number within the range."""
        if value is None or (isinstance(value, str) and not value.strip()):
            return None
        if isinstance(value, str):
            try:
                value = float(value)
            except ValueError:
                raise BadArgument(path, f"must be a whole number, not {value[:40]!r}") from None
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise BadArgument(path, f"must be a whole number, not {_kind_of(value)}")
        if not math.isfinite(value) or value != int(value):
            raise BadArgument(path, f"must be a whole number, not {value}")
        return max(self.low, min(self.high, int(value)))


@dataclass(frozen=True, slots=True)
class OneOf:
    """One word of a few, whatever its case."""

    words: tuple[str, ...]

    @property
    def schema(self) -> Json:
        """The words."""
        return {"type": "string", "enum": list(self.words)}

    def read(self, value: Any, path: str) -> str | None:
        """The word."""
        text = Text().read(value, path)
        if text is None:
            return None
        word = text.strip().casefold()
        if word not in self.words:
            raise BadArgument(path, f"must be one of {', '.join(self.words)}, not {text[:40]!r}")
        return word


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list; one value alone, and a list written as JSON in a string, are taken for it."""

    item: Kind
    longest: int | None = None
    what: str = "entries"

    @property
    def schema(self) -> Json:
        """An array."""
        return {"type": "array", "items": self.item.schema}

    def read(self, value: Any, path: str) -> list[Any] | None:
        """The values, those that stand for nothing left out."""
        if isinstance(value, str):
            value = _unpacked(value)
        if value is None:
            return None
        values = value if isinstance(value, list) else [value]
        read = [self.item.read(each, f"{path}[{place}]") for place, each in enumerate(values)]
        kept = [each for each in read if each is not None]
        if self.longest is not None and len(kept) > self.longest:
            raise BadArgument(path, f"has {len(kept)} {self.what}, at most {self.longest} in one call are allowed")
        return kept


@dataclass(frozen=True, slots=True)
class Record:
    """An object with these fields; others are left out."""

    fields: tuple[Parameter, ...]

    @property
    def schema(self) -> Json:
        """An object."""
        return schema_of(self.fields)

    def read(self, value: Any, path: str) -> Json | None:
        """The fields by name."""
        if isinstance(value, str):
            value = _unpacked(value)
        if value is None:
            return None
        if not isinstance(value, dict):
            raise BadArgument(path, f"must be an object, not {_kind_of(value)}")
        return read_arguments(self.fields, value, f"{path}.")


def schema_of(parameters: Sequence[Parameter]) -> Json:
    """The JSON schema of an object with these parameters."""
    schema: Json = {"type": "object", "properties": {each.name: each.kind.schema for each in parameters}}
    required = [each.name for each in parameters if each.required]
    return {**schema, "required": required} if required else schema


def read_arguments(parameters: Sequence[Parameter], given: Mapping[str, Any], prefix: str = "") -> Json:
    """Every parameter by name, as meant.

    Raises:
        BadArgument: one cannot be meant, or a required one is missing.
    """
    read: Json = {}
    for parameter in parameters:
        path = f"{prefix}{parameter.name}"
        value = parameter.kind.read(given.get(parameter.name), path)
        if value is None and parameter.required:
            raise BadArgument(path, "is missing" if given.get(parameter.name) is None else "is empty")
        read[parameter.name] = parameter.default if value is None else value
    return read


def _unpacked(text: str) -> Any:
    """What a string holds that should have been a list or an object; the string itself where it is neither."""
    stripped = text.strip()
    if not stripped:
        return None
    if stripped[0] in "[{":
        try:
            return json.loads(stripped)
        except ValueError:
            return text
    return text


def _kind_of(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "a truth value"}
    return names.get(type(value), "a number")
