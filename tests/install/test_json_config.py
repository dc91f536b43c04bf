"""The text of a JSON configuration, changed in place."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from tests.install.layouts import json_texts

from memory_fabric.doors.install import json_config
from memory_fabric.doors.install.faults import SyntaxFault
from memory_fabric.doors.install.jsonc import parse

OURS = {"command": "mf"}


def added(text: str, newline: str = "\n") -> str:
    return json_config.add(text, ["mcpServers"], "memory", OURS, newline)[0]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{}", '{\n  "mcpServers": {\n    "memory": {\n      "command": "mf"\n    }\n  }\n}'),
        ('{"a":1}', '{"a":1,"mcpServers":{"memory":{"command":"mf"}}}'),
        ('{"a": 1}', '{"a": 1, "mcpServers": {"memory": {"command": "mf"}}}'),
        (
            '{\n\t"mcpServers": {\n\t\t"x": {} // theirs\n\t}\n}\n',
            '{\n\t"mcpServers": {\n\t\t"x": {}, // theirs\n\t\t"memory": {\n\t\t\t"command": "mf"\n\t\t}\n\t}\n}\n',
        ),
        (
            '{\n    "mcpServers": {\n        "x": {}, // theirs\n    },\n}',
            '{\n    "mcpServers": {\n        "x": {}, // theirs\n        "memory": {\n            "command": "mf"\n'
            "        },\n    },\n}",
        ),
        (
            '{\n  // none yet\n  "mcpServers": {}\n}',
            '{\n  // none yet\n  "mcpServers": {\n    "memory": {\n      "command": "mf"\n    }\n  }\n}',
        ),
    ],
)
def test_what_is_added_looks_like_what_is_there(before: str, after: str) -> None:
    assert added(before) == after


def test_lines_end_as_the_files_lines_do() -> None:
    assert added("{\r\n}\r\n", "\r\n").count("\n") == added("{\r\n}\r\n", "\r\n").count("\r\n")


@given(text=json_texts())
def test_adding_and_removing_say_what_they_should(text: str) -> None:
    before = json_config.value_of(text)
    after = json_config.value_of(added(text))
    expected = {**before, "mcpServers": {**before.get("mcpServers", {}), "memory": OURS}}
    assert after == expected
    removed = json_config.value_of(json_config.remove(added(text), ("mcpServers", "memory")))
    assert removed == {**before, "mcpServers": before.get("mcpServers", {})}


@given(text=json_texts(comments=False))
def test_without_comments_it_is_read_as_json_is(text: str) -> None:
    assert json_config.value_of(text) == json.loads(text)


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ('{\n "a": 1\n "b": 2\n}', 3, "expected ','"),
        ("{\n\n  a: 1}", 3, "expected a name in double quotes"),
        ('{"a" 1}', 1, "expected ':'"),
        ('{"a": }', 1, "expecting value"),
        ('{"a": "x\n"}', 1, "invalid control character"),
        ('{"a": 1}\n}', 2, "something follows after the end"),
        ("[1]", 1, "expected an object"),
        ('{"a": [1, 2', 1, "expected ',' or ']'"),
        ("{,}", 1, "expected a name"),
        ('{"a": 1,, "b": 2}', 1, "expected a name"),
        ("{" + '"a": {' * 300, 1, "nested deeper"),
        ("{\n/* open", 2, "expected a name"),
    ],
)
def test_what_is_no_json_is_refused_with_its_line(text: str, line: int, reason: str) -> None:
    with pytest.raises(SyntaxFault) as raised:
        json_config.value_of(text)
    assert raised.value.line == line
    assert raised.value.reason.startswith(reason)


@pytest.mark.parametrize("standing", [None, 1, "x", [], True])
def test_a_place_that_holds_something_else_is_refused(standing: Any) -> None:
    with pytest.raises(SyntaxFault, match="line 2: mcpServers is not an object"):
        added('{\n"mcpServers": ' + json.dumps(standing) + "}")


def test_of_a_key_that_stands_twice_the_last_one_counts() -> None:
    text = '{"mcpServers": {"x": 1}, "mcpServers": {}}'
    assert json.loads(added(text))["mcpServers"] == {"memory": OURS}
    assert json_config.remove(added(text), ("mcpServers", "memory")) == text


@pytest.mark.parametrize(
    ("text", "path", "after"),
    [
        ('{"a": 1, "b": 2, "c": 3}', ("a",), '{"b": 2, "c": 3}'),
        ('{"a": 1, "b": 2, "c": 3}', ("b",), '{"a": 1, "c": 3}'),
        ('{"a": 1, "b": 2, "c": 3}', ("c",), '{"a": 1, "b": 2}'),
        ('{\n  "a": 1,\n  "b": 2\n}', ("a",), '{\n  "b": 2\n}'),
        ('{\n  "a": 1,\n  "b": 2\n}', ("b",), '{\n  "a": 1\n}'),
        ('{\n  "a": 1, // one\n  "b": 2, // two\n}', ("b",), '{\n  "a": 1, // one // two\n}'),
        ('{\n  "a": 1\n}', ("a",), "{}"),
        ('{"x": [1, 2, 3]}', ("x", 1), '{"x": [1, 3]}'),
        ('{"x": [1]}', ("x", 0), '{"x": []}'),
    ],
)
def test_what_is_removed_takes_its_comma_along(text: str, path: tuple[str | int, ...], after: str) -> None:
    assert json_config.remove(text, path) == after


def test_places_in_the_text_are_exact() -> None:
    text = ' { "a" : [ 1 , { } ] } '
    root = parse(text)
    assert root is not None
    assert text[root.start : root.end] == '{ "a" : [ 1 , { } ] }'
    assert root.members is not None
    inner = root.members[0].node
    assert text[inner.start : inner.end] == "[ 1 , { } ]"
    assert inner.members is not None
    assert [text[member.node.start : member.node.end] for member in inner.members] == ["1", "{ }"]
    assert inner.members[0].comma == text.index(",")
