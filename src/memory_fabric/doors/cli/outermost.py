"""The outermost line: runs a command, and turns every way it can end into an exit code and plain words."""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import typer
from typer.exceptions import TyperException

from memory_fabric.doors.cli.desk import DONE, INTERRUPTED, MISTAKE, UNAVAILABLE
from memory_fabric.errors import MemoryFabricError

PROGRAM = "memory-fabric"


def run(command: Callable[[], Any], arguments: Sequence[str]) -> int:
    """The exit code of one call; ``command`` gives the whole program as typer builds it.

    Errors go to stderr in words, and with ``--json`` to stdout as ``{"error": {"code", "message", "hint"}}``.
    """
    try:
        try:
            code = _call(command(), list(arguments))
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        _close_quietly()
        return DONE
    except KeyboardInterrupt:
        typer.echo("\nstopped; what was finished is kept", err=True)
        return INTERRUPTED
    except MemoryFabricError as error:
        return _tell(arguments, error.code, error.message, error.hint, error.exit_code)
    except TyperException as error:
        message = _sentence(error.format_message())
        return _tell(arguments, "usage", message, f"see `{_place(error)} --help`", MISTAKE)
    except Exception as error:  # noqa: BLE001 - a bug: shown whole, and never taken for "nothing found"
        typer.echo(traceback.format_exc().rstrip(), err=True)
        name = type(error).__name__
        return _tell(
            arguments, "bug", f"a fault of Memory Fabric: {name}: {error}", "please report the text above", UNAVAILABLE
        )
    return code


def _call(command: Any, arguments: list[str]) -> int:
    try:
        with command.make_context(PROGRAM, arguments) as context:
            code = command.invoke(context)
    except typer.Exit as end:
        return end.exit_code
    except typer.Abort as end:
        raise KeyboardInterrupt from end
    return code if isinstance(code, int) else DONE


def _tell(arguments: Sequence[str], code: str, message: str, hint: str, exit_code: int) -> int:
    if wants_json(arguments):
        error = {"code": code, "message": message, "hint": hint}
        typer.echo(json.dumps({"error": error}, ensure_ascii=False, indent=2))
    else:
        typer.echo(f"error: {message}", err=True)
        if hint:
            typer.echo(f"  → {hint}", err=True)
    return exit_code


def wants_json(arguments: Sequence[str]) -> bool:
    """Whether ``--json`` was given, also in a call that could not be read."""
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return "--json" in options


def _sentence(message: str) -> str:
    """Typer's message as ours are: one line, no full stop."""
    line = " ".join(message.replace("Value error, ", "").split()).rstrip(".")
    return line[:1].lower() + line[1:]


def _place(error: TyperException) -> str:
    context = getattr(error, "ctx", None)
    return context.command_path if context is not None else PROGRAM


def speak_utf8() -> None:
    """UTF-8 out, whatever the locale; what cannot be encoded is shown as an escape."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="backslashreplace")


def _close_quietly() -> None:
    """The reader has gone (``| head``): nothing more is written, also not at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
