"""What a git checkout says about itself, read from its files: no process is started.

The root commit is not read: packed histories hold it where only git finds it cheaply.  The remote serves in its place.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

_SECTION = re.compile(r'\s*\[\s*(?P<section>[\w.-]+)(?:\s+"(?P<name>(?:[^"\\]|\\.)*)")?\s*\]')
_SETTING = re.compile(r"\s*(?P<key>[\w-]+)\s*=\s*(?P<value>.*?)\s*\Z")
_WORKTREE_OF = re.compile(r"(?P<main>.+?)[\\/]\.git[\\/]worktrees[\\/][^\\/]+[\\/]?\Z")
_SCHEME = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?:[^/@]*@)?(?P<rest>.*)\Z")
_SCP = re.compile(r"(?:(?P<user>[^@/:\s]+)@)?(?P<host>[^/:\s\\]{2,}):(?P<path>[^\s\\]+)\Z")


@dataclass(frozen=True, slots=True)
class Checkout:
    """A git repository on this machine."""

    root: Path
    """Of the main work tree, whichever work tree was asked about."""
    remote: str | None
    """Address of ``origin``, else of the first remote; without credentials."""


def checkout_of(directory: Path, *, below: frozenset[Path] = frozenset()) -> Checkout | None:
    """The repository that holds this directory (a real path), or None.

    Work trees lead to the main one, submodules are repositories of their own.  Looks no higher than the directories in
    ``below`` and ignores a repository there: a home directory under git is no project.
    """
    for place in (directory, *directory.parents):
        if place in below:
            return None
        git = place / ".git"
        if is_directory(git):
            return Checkout(place, _remote(git))
        if os.path.isfile(git):  # noqa: PTH113 as below
            return _linked(place, git)
    return None


def is_directory(path: Path | str) -> bool:
    """Whether a directory is there and may be seen: one that is barred counts as absent."""
    return os.path.isdir(path)  # noqa: PTH112 the method of Path raises where access is denied


def _linked(place: Path, git: Path) -> Checkout:
    """The repository of a directory whose ``.git`` is a file: a work tree, a submodule, or a store kept apart."""
    target = _read(git).partition("gitdir:")[2].strip()
    if not target:
        return Checkout(place, None)
    store = _resolved(place, target)
    common = _read(store / "commondir").strip()
    if common:
        return _main_of(_resolved(store, common))
    stale = None if is_directory(store) else _WORKTREE_OF.match(str(store))
    if stale:  # the main repository is gone or elsewhere, its path still names it
        return Checkout(Path(stale["main"]), None)
    return Checkout(place, _remote(store))


def _main_of(store: Path) -> Checkout:
    """The main work tree of a store that several share."""
    if store.name == ".git":
        return Checkout(store.parent, _remote(store))
    work_tree = _config(store).get(("core", None, "worktree"))
    return Checkout(_resolved(store, work_tree) if work_tree else store, _remote(store))


def _remote(store: Path) -> str | None:
    config = _config(store)
    urls = {name: value for (section, name, key), value in config.items() if section == "remote" and key == "url"}
    url = urls.get("origin") or next(iter(urls.values()), None)
    return without_credentials(url) if url else None


def without_credentials(url: str) -> str:
    """A remote address without user and password; the user of an ``ssh`` address is no secret and stays."""
    match = _SCHEME.match(url)
    if match is None:
        return url
    user = url.removesuffix(match["rest"]).partition("://")[2]
    keeps_user = match["scheme"].lower().endswith("ssh") and user and ":" not in user
    return f"{match['scheme']}://{user if keeps_user else ''}{match['rest']}"


def remote_key(url: str) -> str:
    """One form for every address of a remote: ``git@host:a/b.git`` and ``https://host/a/b`` are one."""
    with_scheme = _SCHEME.match(url)
    scp = None if with_scheme else _SCP.match(url)
    if with_scheme:
        host, _, path = with_scheme["rest"].partition("/")
        host = host.partition(":")[0]
    elif scp:
        host, path = scp["host"], scp["path"]
    else:
        host, path = "", url
    return f"{host.lower()}/{path.strip('/').removesuffix('.git')}"


def _config(store: Path) -> dict[tuple[str, str | None, str], str]:
    """Section, subsection and key → the last value."""
    settings: dict[tuple[str, str | None, str], str] = {}
    section, name = "", None
    for line in _read(store / "config").splitlines():
        header = _SECTION.match(line)
        setting = None if header else _SETTING.match(line)
        if header:
            section, name = header["section"].lower(), header["name"]
        elif setting:
            settings[section, name, setting["key"].lower()] = setting["value"].strip('"')
    return settings


def _read(path: Path) -> str:
    """The text of a small file; empty where it cannot be read, as for a directory that is no repository."""
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""


def _resolved(base: Path, target: str) -> Path:
    return (base / target).resolve()
