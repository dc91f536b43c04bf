"""Our entries into the text of a configuration, and out of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from memory_fabric.doors.install import json_config, toml_config
from memory_fabric.doors.install.clients.client import ConfigFile
from memory_fabric.doors.install.entries import (
    Steps,
    is_complete,
    ours,
    server_name,
    to_remove,
    value_at,
    with_extras,
)
from memory_fabric.doors.install.faults import NameTaken, SyntaxFault
from memory_fabric.doors.install.program import HOOKS, Program, words_of


class Syntax(Protocol):
    """How a kind of file is read and changed (``json_config``, ``toml_config``)."""

    def value_of(self, text: str) -> dict[str, Any]:
        """What the text says."""

    def add(
        self, text: str, place: Sequence[str], key: str | None, value: Any, newline: str
    ) -> tuple[str, list[Steps]]:
        """The text with a member more, and the containers made for it."""

    def remove(self, text: str, path: Steps) -> str:
        """The text without the member."""

    def swap(self, text: str, path: Steps, value: Any, newline: str) -> tuple[str, str]:
        """The text with another value, and the text of the old one."""

    def restore(self, text: str, path: Steps, old: str, newline: str) -> str:
        """The text with the old value's text again."""

    def prune(self, text: str, made: Iterable[Steps]) -> str:
        """The text without those of the containers that are empty."""


SYNTAXES: dict[str, Syntax] = {"json": json_config, "toml": toml_config}


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be installed: the program, the server's name (None: as it is), whether over another's."""

    program: Program
    name: str | None = None
    replace: bool = False


@dataclass(slots=True)
class Edited:
    """A text and every step to it, what it says, what was made on the way, what was replaced."""

    says: dict[str, Any]
    texts: list[str]
    made: list[Steps] = field(default_factory=list)
    replaced: list[tuple[Steps, str]] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text as it is now."""
        return self.texts[-1]

    def step(self, text: str, path: Steps, value: Any) -> None:
        """The text that now says ``value`` at ``path``."""
        self.texts.append(text)
        inner = self.says
        for name in path[:-1]:
            inner = inner.setdefault(str(name), {})
        inner[str(path[-1])] = value


def put_in(
    base: str, current: str, file: ConfigFile, request: Request, newline: str, replaced: Sequence[Steps] = ()
) -> Edited:
    """Our entries into ``base``, which holds none; ``current`` may hold older ones, whose extras are kept.

    ``replaced`` are paths at which somebody else's entry may be replaced because it was before.

    Raises:
        SyntaxFault: the text cannot be read, or has no room for them.
        NameTaken: another server has the name.
    """
    syntax = SYNTAXES[file.syntax]
    edited = Edited(syntax.value_of(base), [base])
    if file.servers is not None:
        config = syntax.value_of(current)
        name = server_name(config, file, request.name)
        mine = [entry.path for entry in ours(config, file) if entry.event is None]
        place = file.servers.place(edited.says)
        wanted = with_extras(file.servers.entry(request.program, place), value_at(config, mine[0]) if mine else {})
        may_replace = request.replace or (*place, name) in replaced
        _put_server(edited, file, (*place, name), wanted, newline, may_replace)
    if file.hooks:
        for event in HOOKS:
            group = request.program.hook(event)
            text, made = syntax.add(edited.text, ["hooks", event], None, group, newline)
            edited.made.extend(made)
            edited.step(text, ("hooks", event), [*(value_at(edited.says, ("hooks", event)) or []), group])
    if syntax.value_of(edited.text) != edited.says:
        raise SyntaxFault(1, "the change did not come out as it was meant")
    return edited


def _put_server(
    edited: Edited, file: ConfigFile, path: tuple[str, ...], wanted: Any, newline: str, may_replace: bool
) -> None:
    syntax = SYNTAXES[file.syntax]
    taken = value_at(edited.says, path)
    if taken is None:
        text, made = syntax.add(edited.text, path[:-1], path[-1], wanted, newline)
        edited.made.extend(made)
    elif may_replace:
        text, old = syntax.swap(edited.text, path, wanted, newline)
        edited.replaced.append((path, old))
    else:
        words = words_of(taken) or [str(taken.get("url", "?")) if isinstance(taken, dict) else str(taken)]
        raise NameTaken(file.path, path[-1], " ".join(words))
    edited.step(text, path, wanted)


def take_out(
    text: str,
    file: ConfigFile,
    newline: str,
    made: Sequence[Steps] = (),
    replaced: Sequence[tuple[Steps, str]] = (),
) -> str:
    """The text without our entries, wherever they stand now; what they replaced is put back, what they needed goes.

    Raises:
        SyntaxFault: the text cannot be read.
    """
    syntax = SYNTAXES[file.syntax]
    config = syntax.value_of(text)
    found = ours(config, file)
    back = {path: old for path, old in replaced if path in {entry.path for entry in found}}
    for path in to_remove(config, found):
        text = syntax.restore(text, path, back[path], newline) if path in back else syntax.remove(text, path)
    text = syntax.prune(text, made)
    if ours(syntax.value_of(text), file):
        raise SyntaxFault(1, "our entries could not be taken out")
    return text


def up_to_date(text: str, file: ConfigFile, request: Request) -> bool:
    """Whether there is nothing to do.

    Raises:
        SyntaxFault: the text cannot be read.
    """
    return is_complete(SYNTAXES[file.syntax].value_of(text), file, request.program, request.name)
