"""Configurations as people and programs leave them, for Hypothesis."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

Draw = Callable[[st.SearchStrategy[Any]], Any]

_WORDS = st.text(st.characters(codec="utf-8", exclude_characters='"\\/'), max_size=6)
_SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-99, 10**12),
    st.sampled_from(["", "a // b", "/* no */", "é 日", 'q"\\n{[,]}']),
)
_VALUES = st.recursive(
    _SCALARS | _WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_WORDS, inner, max_size=3),
    max_leaves=6,
)
_SERVER = st.fixed_dictionaries({"command": st.sampled_from(["npx", "C:\\x.exe"])}, optional={"args": st.just(["-y"])})
_SERVERS = st.dictionaries(st.sampled_from(["github", "files", "memory-2", "x y"]), _SERVER, max_size=3)
_GROUP = st.fixed_dictionaries(
    {"hooks": st.lists(st.fixed_dictionaries({"type": st.just("command"), "command": st.just("say hi")}), max_size=2)},
    optional={"matcher": st.just("startup")},
)
_HOOKS = st.dictionaries(
    st.sampled_from(["SessionStart", "Stop", "PreToolUse", "Notification"]), st.lists(_GROUP, max_size=2), max_size=3
)
_CONFIGS = st.fixed_dictionaries(
    {},
    optional={
        "mcpServers": _SERVERS,
        "servers": _SERVERS,
        "mcp": _SERVERS | st.fixed_dictionaries({"servers": _SERVERS}),
        "hooks": _HOOKS,
        "model": _SCALARS,
        "projects": _VALUES,
        "": _VALUES,
    },
)


@st.composite
def json_texts(draw: Draw, comments: bool = True) -> str:
    """An object in any layout: tabs, no indentation, one line, CRLF, comments, trailing commas, no final newline."""
    value = draw(_CONFIGS.flatmap(lambda config: st.permutations(list(config.items())).map(dict)))
    newline = draw(st.sampled_from(["\n", "\n", "\r\n"]))
    style = draw(st.sampled_from(["dumped", "dense", "wild"]))
    if style == "dense":
        text = json.dumps(value, separators=draw(st.sampled_from([(",", ":"), (", ", ": ")])))
    elif style == "dumped":
        unit = draw(st.sampled_from(["  ", "    ", "\t", "", " "]))
        text = json.dumps(value, indent=unit, ensure_ascii=draw(st.booleans())).replace("\n", newline)
    else:
        text = _wild(draw, value, newline, comments)
    return text + str(draw(st.sampled_from(["", newline, newline * 3, "  "])))


def _blank(draw: Draw, newline: str, comments: bool) -> str:
    choices = ["", "", " ", newline, newline + "\t", newline + "   ", newline * 2 + "  "]
    if comments:
        choices += [" /* a, { */ ", f" // b: }} ]{newline}", f"{newline}  // c{newline}  ", f"/* d{newline} */"]
    return str(draw(st.sampled_from(choices)))


def _wild(draw: Draw, value: Any, newline: str, comments: bool) -> str:
    def blank() -> str:
        return _blank(draw, newline, comments)

    if not isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    items = list(value.items()) if isinstance(value, dict) else [(None, each) for each in value]
    parts = []
    for key, each in items:
        name = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}{blank()}:{blank()}"
        parts.append(blank() + name + _wild(draw, each, newline, comments) + blank())
    trailing = "," + blank() if parts and comments and draw(st.booleans()) else ""
    inside = ",".join(parts) + trailing if parts else blank()
    return f"{{{inside}}}" if isinstance(value, dict) else f"[{inside}]"


_LINES = [
    'model = "o3"',
    "# a remark",
    "",
    "[mcp_servers.docs]",
    'command = "npx"',
    'args = ["-y", "[mcp_servers.memory]"]',
    "[mcp_servers.docs.env]",
    "KEY = 'it''s'",
    '[projects."/home/x y"]',
    'trust_level = "trusted"',
    'text = """',
    "[[rules]]",
    "allow = [",
    'inline = { a = "]", b = [1] }',
    "mcp_servers.dotted.command = 'x'",
]


_REST = {'text = """': ["[mcp_servers.memory]", '"""'], "allow = [": ["  [1, 2], # ]", "]"]}
"""What has to follow some of the lines."""


@st.composite
def toml_texts(draw: Draw) -> str:
    """What is TOML of lines in any order, in any line ending."""
    import tomllib

    lines = draw(st.lists(st.sampled_from(_LINES), max_size=12))
    kept: list[str] = []
    for line in lines:
        attempt = [*kept, line, *_REST.get(line, [])]
        try:
            tomllib.loads("\n".join(attempt))
        except tomllib.TOMLDecodeError:
            continue
        kept = attempt
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    return str(newline).join(kept) + str(draw(st.sampled_from(["", newline, newline * 3])))
