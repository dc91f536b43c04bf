"""Every command line in the documents names commands and options that exist, and every command is documented."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import pytest
import typer

PROGRAMS = {"memory-fabric", "mf"}
SEPARATORS = {"|", "||", "&&", ";", "&"}
SHELLS = {"console", "bash", "sh"}


class Reader(Protocol):
    def blocks(self, text: str) -> list[tuple[str, str]]: ...


def command_lines(tag: str, body: str) -> Iterator[list[str]]:
    """The calls of our program in one block, as words; of a console only what follows the prompt is typed."""
    for line in body.replace("\\\n", " ").splitlines():
        if tag == "console" and not line.startswith("$ "):
            continue
        lexer = shlex.shlex(line.removeprefix("$ "), posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        call: list[str] = []
        for word in [*lexer, ";"]:
            if word in SEPARATORS:
                if call and call[0] in PROGRAMS:
                    yield call[1:]
                call = []
            elif not (call == [] and re.match(r"\w+=", word)):
                call.append(word)


def complaint(words: list[str], command: Any) -> str | None:
    """What is wrong with a call, or None."""
    options = {name: param for param in command.params for name in (*param.opts, *param.secondary_opts)}
    takes_words = any(param.param_type_name == "argument" for param in command.params)
    rest = iter(words)
    for word in rest:
        if word in {">", ">>", "<", "2>"}:
            next(rest, None)
        elif word == "--":
            return None
        elif word.startswith("-") and word != "-":
            name, is_set, _ = word.partition("=")
            if name == "--help":
                continue
            if name not in options or options[name].param_type_name != "option":
                return f"no option {name}"
            if not is_set and not getattr(options[name], "is_flag", False):
                next(rest, None)
        elif hasattr(command, "commands"):
            if word not in command.commands:
                return f"no command {word}"
            return complaint(list(rest), command.commands[word])
        elif not takes_words:
            return f"nothing takes {word}"
    return None


def complaints(text: str, reader: Reader, command: Any) -> list[str]:
    """Everything that is wrong with the calls in a document."""
    return [
        f"{' '.join(words)}: {wrong}"
        for tag, body in reader.blocks(text)
        if tag in SHELLS
        for words in command_lines(tag, body)
        if (wrong := complaint(words, command))
    ]


@pytest.fixture(scope="module")
def program() -> Any:
    from memory_fabric.doors.cli import program as whole

    return whole()


def test_a_document_names_only_commands_and_options_that_exist(document: Path, reader: Reader, program: Any) -> None:
    assert complaints(document.read_text(encoding="utf-8"), reader, program) == []


def test_every_command_has_a_heading_of_its_own(root: Path, program: Any) -> None:
    page = (root / "docs" / "commands.md").read_text(encoding="utf-8")
    headings = set(re.findall(r"^#{2,4} `([\w-]+)`", page, re.MULTILINE))
    commands = {name for name, command in program.commands.items() if not command.hidden}
    assert commands <= headings, "undocumented commands"
    assert headings <= commands, "documented commands that do not exist"


def test_a_wrong_call_would_be_found(reader: Reader) -> None:
    app = typer.Typer()

    @app.command()
    def search(question: str, limit: int = 10, as_json: bool = typer.Option(False, "--json")) -> None: ...

    @app.command()
    def status() -> None: ...

    page = (
        "```console\n"
        '$ memory-fabric search "a | b; c" --limit 3 --json | head -3\n'
        "memory-fabric printed by the program --nonsense\n"
        "$ MF=1 mf search x --top=3\n"
        "$ memory-fabric statsu && memory-fabric status now\n"
        "```\n"
        "```bash\n"
        "memory-fabric search x \\\n"
        "  --limt 3  # a remark\n"
        "memory-fabric status > out.txt\n"
        "```\n"
        "```text\n"
        "memory-fabric nothing\n"
        "```\n"
    )
    found = complaints(page, reader, typer.main.get_command(app))
    assert [item.rpartition(": ")[2] for item in found] == [
        "no option --top",
        "no command statsu",
        "nothing takes now",
        "no option --limt",
    ]
