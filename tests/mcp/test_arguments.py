"""What models send, and what is made of it (C-079)."""

from __future__ import annotations

from typing import Any

import pytest

from memory_fabric.doors.mcp.arguments import (
    BadArgument,
    Kind,
    ListOf,
    OneOf,
    Parameter,
    Record,
    Text,
    Whole,
    read_arguments,
)
from memory_fabric.doors.mcp.tool import ToolSet
from memory_fabric.doors.mcp.tools import tools_of

PERSON = Record((Parameter("name", Text(), required=True), Parameter("age", Whole(0, 150))))


@pytest.mark.parametrize(
    ("kind", "sent", "meant"),
    [
        (Text(), "a", "a"),
        (Text(), " a ", " a "),
        (Text(), "", None),
        (Text(), "  ", None),
        (Text(), None, None),
        (Text(), 5, "5"),
        (Text(), 1.5, "1.5"),
        (Text(), True, "true"),
        (Text(blank=True), "", ""),
        (Text(3), "abc", "abc"),
        (Whole(1, 20), 5, 5),
        (Whole(1, 20), "5", 5),
        (Whole(1, 20), " 5 ", 5),
        (Whole(1, 20), "5.0", 5),
        (Whole(1, 20), 5.0, 5),
        (Whole(1, 20), "", None),
        (Whole(1, 20), None, None),
        (Whole(1, 20), 0, 1),
        (Whole(1, 20), 1, 1),
        (Whole(1, 20), 20, 20),
        (Whole(1, 20), 21, 20),
        (Whole(1, 20), -5, 1),
        (Whole(1, 20), 10**30, 20),
        (OneOf(("auto", "text")), "Auto ", "auto"),
        (OneOf(("auto", "text")), "", None),
        (ListOf(Text()), ["a", "b"], ["a", "b"]),
        (ListOf(Text()), [], []),
        (ListOf(Text()), "a", ["a"]),
        (ListOf(Text()), '["a", "b"]', ["a", "b"]),
        (ListOf(Text()), "[not json", ["[not json"]),
        (ListOf(Text()), "", None),
        (ListOf(Text()), ["a", "", None, 5], ["a", "5"]),
        (ListOf(Text(), 2), ["a", "b"], ["a", "b"]),
        (ListOf(PERSON), {"name": "Ada"}, [{"name": "Ada", "age": None}]),
        (ListOf(PERSON), '{"name": "Ada"}', [{"name": "Ada", "age": None}]),
        (ListOf(PERSON), '[{"name": "Ada", "age": "36", "type": "x"}]', [{"name": "Ada", "age": 36}]),
    ],
)
def test_what_is_meant_is_taken(kind: Kind, sent: Any, meant: Any) -> None:
    """C-079: numerals, nothing in place of a value, unknown keys, JSON in a string; numbers beyond a range."""
    assert kind.read(sent, "it") == meant


@pytest.mark.parametrize(
    ("kind", "sent", "path", "reason"),
    [
        (Text(), ["a"], "it", "must be a text, not a list"),
        (Text(), {"a": 1}, "it", "must be a text, not an object"),
        (Text(3), "abcd", "it", "4 characters, at most 3"),
        (Whole(1, 20), "many", "it", "whole number"),
        (Whole(1, 20), "5.5", "it", "whole number"),
        (Whole(1, 20), 5.5, "it", "whole number"),
        (Whole(1, 20), "nan", "it", "whole number"),
        (Whole(1, 20), "inf", "it", "whole number"),
        (Whole(1, 20), True, "it", "not a truth value"),
        (Whole(1, 20), [5], "it", "not a list"),
        (OneOf(("auto", "text")), "best", "it", "must be one of auto, text"),
        (ListOf(Text(), 2), ["a", "b", "c"], "it", "3 entries, at most 2"),
        (ListOf(Text()), ["a", ["b"]], "it[1]", "must be a text"),
        (ListOf(PERSON), ["Ada"], "it[0]", "must be an object, not a text"),
        (ListOf(PERSON), [5], "it[0]", "must be an object, not a number"),
        (ListOf(PERSON), [{"name": "Ada"}, {"age": 5}], "it[1].name", "is missing"),
        (ListOf(PERSON), [{"name": ""}], "it[0].name", "is empty"),
        (ListOf(PERSON), [{"name": "Ada", "age": "old"}], "it[0].age", "whole number"),
    ],
)
def test_the_rest_is_refused_by_the_name_of_the_parameter(kind: Kind, sent: Any, path: str, reason: str) -> None:
    """C-079."""
    with pytest.raises(BadArgument) as refused:
        kind.read(sent, "it")
    assert refused.value.parameter == path
    assert reason in refused.value.reason


def test_absent_parameters_are_their_defaults_and_unknown_ones_nothing() -> None:
    """C-079: ``{"limit": "5", "project": "", "foo": 1}``."""
    search = tools_of(ToolSet.ALL)["search_memory"]
    read = read_arguments(search.parameters, {"query": "pnpm", "top_k": "5", "project": "", "foo": 1})
    assert read == {
        "query": "pnpm",
        "top_k": 5,
        "mode": "auto",
        "project": None,
        "since": None,
        "before": None,
        "around": None,
        "detail": "full",
        "max_tokens": None,
    }


@pytest.mark.parametrize(
    ("tool", "parameter", "sent", "meant"),
    [
        ("search_memory", "top_k", 0, 1),
        ("search_memory", "top_k", 21, 20),
        ("search_memory", "top_k", None, 5),
        ("get_related_entities", "hops", 0, 1),
        ("get_related_entities", "hops", 5, 4),
        ("get_related_entities", "hops", None, 2),
        ("get_related_entities", "limit", 0, 1),
        ("get_related_entities", "limit", 201, 200),
        ("get_related_entities", "limit", None, 40),
    ],
)
def test_counts_are_kept_in_their_range(tool: str, parameter: str, sent: Any, meant: int) -> None:
    """F-MCP-1, F-MCP-2."""
    parameters = [each for each in tools_of(ToolSet.ALL)[tool].parameters if each.name == parameter]
    assert read_arguments(parameters, {parameter: sent}) == {parameter: meant}
