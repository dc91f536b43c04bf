"""Which outside memories are asked: ``sources.json`` in the data folder.  It never holds a secret (C-117).

An entry says how a memory is reached, and names the environment variable or the keyring entry that holds its secret.
Nothing is opened here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

import msgspec

from memory_fabric.errors import ConfigError, UsageError
from memory_fabric.private import put

CONFIG_FILE = "sources.json"

NAME = re.compile(r"[a-z0-9](?:[a-z0-9_-]{0,38}[a-z0-9])?\Z")
"""A slug of at most 40 characters: it stands in ids, in outages and in the counts of an answer."""

RESERVED = frozenset("text vector graph recent time merged claude_code codex gemini_cli note all".split())
"""Names of our own sources and source systems: an outside memory of that name could not be told apart."""

VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")

Seconds = Annotated[float, msgspec.Meta(ge=0.05, le=600.0)]


class Entry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What every outside memory has."""

    name: str
    """Unique among the entries, matching ``NAME``; ``origin.source`` of what it answers."""
    deadline: Seconds = 3.0
    """Seconds that one question may wait for it; never longer than the search's own deadline."""
    push: bool = False
    """Whether ``sync`` may write there: opted into, since what is pushed leaves this memory."""
    enabled: bool = True
    token_env: str | None = None
    """Environment variable that holds the secret (bearer token, API key)."""
    keyring: str | None = None
    """Service in the OS keyring that holds the secret, under the user name ``name``; asked when no variable is set."""


class McpServer(Entry, frozen=True, kw_only=True, tag_field="type", tag="mcp"):
    """An MCP memory server: a command that speaks on its standard streams, or an address."""

    command: tuple[str, ...] = ()
    """Program and arguments."""
    env: tuple[str, ...] = ()
    """Names of our variables that the program may see besides a short list (C-117)."""
    url: str | None = None
    """Streamable HTTP endpoint."""


class Mem0Cloud(Entry, frozen=True, kw_only=True, tag_field="type", tag="mem0"):
    """The mem0 platform, by its REST API; the key is in ``token_env`` (default ``MEM0_API_KEY``)."""

    host: str = "https://api.mem0.ai"
    org: str | None = None
    project: str | None = None
    user_id: str | None = None
    """None: ``{project}-decisions`` of the project asked about (F-SRC-7, F-SRC-8)."""
    agent_id: str | None = None
    app_id: str | None = None
    graph: bool = False
    """Ask for relations as well."""


class Mem0Library(Entry, frozen=True, kw_only=True, tag_field="type", tag="mem0_library"):
    """The mem0 library in this process, with its store in a folder of ours or where ``config`` says."""

    config: str | None = None
    """Path of a JSON file of mem0's own configuration."""
    user_id: str | None = None
    graph: bool = False


Configured = McpServer | Mem0Cloud | Mem0Library

FIELDS: Mapping[str, frozenset[str]] = {
    "mcp": frozenset(McpServer.__struct_fields__),
    "mem0": frozenset(Mem0Cloud.__struct_fields__),
    "mem0_library": frozenset(Mem0Library.__struct_fields__),
}
"""Type → names of its fields."""

_decoder = msgspec.json.Decoder(tuple[Configured, ...])


def config_path(home: Path) -> Path:
    """Where the entries of a data folder are."""
    return home / CONFIG_FILE


def read(home: Path) -> tuple[Configured, ...]:
    """The entries, in order; none where there is no file.

    Raises:
        ConfigError: the file cannot be read or an entry cannot be meant; it names file and entry, and is left as it is.
    """
    path = config_path(home)
    try:
        entries = _decoder.decode(path.read_bytes())
        for place, entry in enumerate(entries):
            check(entry)
            if entry.name in {other.name for other in entries[:place]}:
                raise UsageError(f"two sources are called {entry.name!r}")
    except FileNotFoundError:
        return ()
    except (OSError, UnicodeDecodeError, msgspec.DecodeError) as error:
        raise ConfigError(f"{path}: cannot be read: {_one_line(error)}", "mend the file, or move it away") from error
    except UsageError as error:
        raise ConfigError(f"{path}: {error.message}", error.hint or "mend the file") from error
    return entries


def write(home: Path, entries: Sequence[Configured]) -> None:
    """Replace the entries in one step, readable by their owner alone (C-117).

    Raises:
        ConfigError: the folder cannot be written; the old file stands.
    """
    path = config_path(home)
    whole = msgspec.json.format(msgspec.json.encode(list(entries)), indent=2).decode()
    try:
        put(path, whole + "\n", durable=True)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written: {_one_line(error)}", "free space or check its owner") from error


def made(kind: str, fields: Mapping[str, object]) -> Configured:
    """An entry of a type of ``FIELDS``; fields that are None stay as they are by default.

    Raises:
        UsageError: a value that cannot be meant.
    """
    try:
        values = {name: value for name, value in fields.items() if value is not None}
        entry: Configured = msgspec.convert({"type": kind, **values}, Configured)
    except msgspec.ValidationError as error:
        raise UsageError(f"source {fields.get('name')}: {_one_line(error)}") from error
    check(entry)
    return entry


def kind_of(entry: Configured) -> str:
    """The entry's type, as the file has it."""
    return str(entry.__struct_config__.tag)


def add(home: Path, entry: Configured) -> None:
    """Put an entry behind the others.

    Raises:
        UsageError: the entry cannot be meant, or its name is taken.
        ConfigError: see ``read`` and ``write``.
    """
    check(entry)
    entries = read(home)
    if any(other.name == entry.name for other in entries):
        raise UsageError(f"a source called {entry.name!r} is there already", "remove it first, or choose another name")
    write(home, (*entries, entry))


def remove(home: Path, name: str) -> Configured:
    """Take an entry out and return it; what the outside memory holds is not touched.

    Raises:
        UsageError: there is none of that name.
        ConfigError: see ``read`` and ``write``.
    """
    entries = read(home)
    found = named(entries, name)
    write(home, [entry for entry in entries if entry is not found])
    return found


def named(entries: Sequence[Configured], name: str) -> Configured:
    """The entry of that name.

    Raises:
        UsageError: there is none.
    """
    for entry in entries:
        if entry.name == name:
            return entry
    known = ", ".join(entry.name for entry in entries) or "none is configured"
    raise UsageError(f"no source is called {name!r}", f"known sources: {known}")


def check(entry: Configured) -> None:
    """Refuse an entry that cannot be meant.

    Raises:
        UsageError: naming the entry, what is wrong, and what helps.
    """
    if not NAME.match(entry.name):
        raise UsageError(
            f"{entry.name!r} is no name for a source", "use small letters, digits, - and _, at most 40 characters"
        )
    if entry.name in RESERVED:
        raise UsageError(f"{entry.name!r} is a name of our own sources", "choose another name")
    variables = (*((entry.token_env,) if entry.token_env is not None else ()), *getattr(entry, "env", ()))
    for variable in variables:
        if not VARIABLE.match(variable):
            raise UsageError(
                f"source {entry.name}: what stands for a variable's name is none",  # not repeated: it may be a secret
                "name the variable that holds the value, not the value",
            )
    if isinstance(entry, McpServer):
        if bool(entry.command) == (entry.url is not None):
            raise UsageError(f"source {entry.name}: give a command or an address, and only one of them")
        if entry.command and entry.keyring is not None and entry.token_env is None:
            raise UsageError(
                f"source {entry.name}: its program takes a secret from a variable", "name that too: --token-env NAME"
            )
        check_url(entry.name, entry.url)
    elif isinstance(entry, Mem0Cloud):
        check_url(entry.name, entry.host)


def check_url(name: str, url: str | None) -> None:
    """Refuse an address that cannot be asked, and one with a password in it.

    Raises:
        UsageError: naming the source.
    """
    if url is None:
        return
    try:
        parts = urlsplit(url)
        wrong = parts.scheme not in ("http", "https") or not parts.hostname
        secret = parts.password is not None or parts.username is not None
    except ValueError:
        wrong, secret = True, False
    if wrong:
        raise UsageError(f"source {name}: its address is not an http or https one", "like http://127.0.0.1:8080/mcp")
    if secret:
        raise UsageError(
            f"source {name}: its address holds a user or password", "put the secret into a variable: --token-env NAME"
        )


def as_json(entry: Configured) -> dict[str, Any]:
    """The entry as the file has it, every field shown."""
    return {"type": kind_of(entry), **{field: _plain(getattr(entry, field)) for field in entry.__struct_fields__}}


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def _one_line(error: Exception) -> str:
    text = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return " ".join(text.split())
