"""The table of transcript formats: a new harness is one module and one line here."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from types import MappingProxyType

from memory_fabric.errors import UsageError
from memory_fabric.ports import Format

FORMATS = MappingProxyType(
    {
        "claude_code": "memory_fabric.ingest.formats.claude_code:ClaudeCode",
        "claude_web": "memory_fabric.ingest.formats.claude_web:ClaudeWeb",
        "codex": "memory_fabric.ingest.formats.codex:Codex",
        "gemini_cli": "memory_fabric.ingest.formats.gemini:GeminiCli",
    }
)
"""Name → module and class; loaded when first asked for."""


@cache
def format_named(name: str) -> Format:
    """The format of that name.

    Raises:
        UsageError: there is none; the hint lists those that there are.
    """
    if name not in FORMATS:
        raise UsageError(f"unknown format: {name}", hint=f"choose one of {', '.join(FORMATS)}")
    module, _, attribute = FORMATS[name].partition(":")
    reader: Format = getattr(import_module(module), attribute)()
    return reader


def formats() -> tuple[Format, ...]:
    """All formats, in the order of the table."""
    return tuple(format_named(name) for name in FORMATS)
