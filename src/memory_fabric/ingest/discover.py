"""Where transcripts lie, and which files below a folder may be some (formats.md §0 rule 11, C-034, C-040)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from memory_fabric.errors import UsageError

NOT_A_TRANSCRIPT = "not a transcript"
COMPRESSED_TWIN = "compressed twin"
OLDER_TWIN = "older twin"


@dataclass(frozen=True, slots=True)
class Place:
    """A folder where a harness keeps its transcripts."""

    format: str
    root: Path
    exists: bool


@dataclass(frozen=True, slots=True)
class Skipped:
    """A path that was passed over, and why."""

    path: Path
    reason: str


def usual_places(environment: Mapping[str, str], home: Path) -> tuple[Place, ...]:
    """Where each harness keeps its transcripts on this machine, in the order of the formats table.

    ``CLAUDE_CONFIG_DIR`` and ``CODEX_HOME`` move their roots (formats.md §1.1, §3.1, §4).
    """
    claude = Path(environment.get("CLAUDE_CONFIG_DIR") or home / ".claude")
    codex = Path(environment.get("CODEX_HOME") or home / ".codex")
    roots = (
        ("claude_code", claude / "projects"),
        ("codex", codex / "sessions"),
        ("codex", codex / "archived_sessions"),
        ("gemini_cli", home / ".gemini" / "tmp"),
    )
    return tuple(Place(name, root, _is_folder(root)) for name, root in roots)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False


def discover(paths: Iterable[Path], skipped: list[Skipped]) -> Iterator[Path]:
    """Files that may be transcripts, resolved, each once: in the order of the arguments, below each by path.

    A file given by name is always yielded; below a folder ``*.jsonl``, ``*.json`` and ``*.jsonl.zst`` are taken,
    except what by documented layout is no transcript, and the poorer of two twins.  Symbolic links below a folder are
    never followed.  Everything passed over is added to ``skipped``; one unreadable entry does not end the walk.

    Raises:
        UsageError: an argument does not exist.
    """
    walk = _Walk(skipped)
    for path in paths:
        try:
            target = path.expanduser().resolve(strict=True)
            is_folder = target.is_dir()
        except FileNotFoundError:
            raise UsageError(f"no such file or folder: {path}", hint="check the path") from None
        except (OSError, RuntimeError) as error:
            skipped.append(Skipped(path, _reason(error)))
            continue
        yield from walk.folder(target) if is_folder else walk.once(target)


def _reason(error: Exception) -> str:
    detail = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return f"cannot be read: {detail}"


_FOLDERS = frozenset(
    ".git node_modules __pycache__ .venv venv tool-results file-history shell-snapshots statsig telemetry".split()
)
"""Folders that hold no transcripts wherever they stand."""

_FOLDERS_BESIDE = {
    "projects": frozenset("todos tasks backups plans debug plugins commands agents skills cache".split()),
    "chats": frozenset({"checkpoints"}),
}
"""Sibling that marks a harness's root → folders beside it that hold no transcripts (formats.md §1.1, §4)."""

_FILES = (
    "agent-*.meta.json",
    "sessions.json",
    "sessions-index.json",
    "session_index.jsonl",
    "settings.json",
    "settings.local.json",
    "package.json",
    "package-lock.json",
)
_FILES_BESIDE = {
    "projects": frozenset({"history.jsonl"}),
    "sessions": frozenset({"history.jsonl", "auth.json", "version.json", "models_cache.json"}),
    "chats": frozenset({"logs.json"}),
}
_WORKFLOW_FILES = ("journal.jsonl", "*.json")
"""Below ``subagents/``: logs of workflow runs (formats.md §1.1)."""


@dataclass(slots=True)
class _Walk:
    """One discovery: what was seen, so that nothing is yielded or entered twice."""

    skipped: list[Skipped]
    seen: set[Path] = field(default_factory=set)

    def once(self, path: Path) -> Iterator[Path]:
        if path not in self.seen:
            self.seen.add(path)
            yield path

    def folder(self, root: Path) -> Iterator[Path]:
        """Candidates below one folder, by path; the folder itself is resolved."""
        pending = [(root, True)]
        while pending:
            path, is_folder = pending.pop()
            if not is_folder:
                yield from self.once(path)
                continue
            if path in self.seen or not self._may_enter(path, root):
                continue
            self.seen.add(path)
            try:
                with os.scandir(path) as entries:
                    listed = sorted(entries, key=lambda entry: entry.name)
            except OSError as error:
                self._skip(path, _reason(error))
                continue
            pending.extend(reversed(self._sift(path, root, listed)))

    def _may_enter(self, path: Path, root: Path) -> bool:
        """False for a folder whose real place lies elsewhere (a junction): outside the root, or walked on its own."""
        try:
            real = path.resolve(strict=True)
        except (OSError, RuntimeError) as error:
            self._skip(path, _reason(error))
            return False
        if real != path:
            self._skip(path, _link(path, root))
            return False
        return True

    def _sift(self, folder: Path, root: Path, entries: list[os.DirEntry[str]]) -> list[tuple[Path, bool]]:
        """The entries of one folder worth going on with, by name, and whether they are folders."""
        names = frozenset(entry.name for entry in entries)
        kept: list[tuple[Path, bool]] = []
        for entry in entries:
            path = folder / entry.name
            try:
                if entry.is_symlink():
                    self._skip(path, _link(path, root))
                    continue
                is_folder, is_file = entry.is_dir(follow_symlinks=False), entry.is_file(follow_symlinks=False)
            except OSError as error:
                self._skip(path, _reason(error))
                continue
            if is_folder:
                reason = _folder_reason(entry.name, names)
            elif is_file and entry.name.endswith((".jsonl", ".json", ".jsonl.zst")):
                reason = _file_reason(path, names)
            else:
                continue
            if reason is None:
                kept.append((path, is_folder))
            else:
                self._skip(path, reason)
        return kept

    def _skip(self, path: Path, reason: str) -> None:
        self.skipped.append(Skipped(path, reason))


def _link(path: Path, root: Path) -> str:
    try:
        target = path.resolve(strict=True)
    except (OSError, RuntimeError):
        return "link that leads nowhere"
    return "link inside the folder" if target.is_relative_to(root) else "link out of the folder"


def _folder_reason(name: str, beside: frozenset[str]) -> str | None:
    marked = any(mark in beside and name in names for mark, names in _FOLDERS_BESIDE.items())
    return NOT_A_TRANSCRIPT if marked or name in _FOLDERS else None


def _file_reason(path: Path, beside: frozenset[str]) -> str | None:
    name = path.name
    if any(fnmatchcase(name, pattern) for pattern in _FILES):
        return NOT_A_TRANSCRIPT
    if any(mark in beside and name in names for mark, names in _FILES_BESIDE.items()):
        return NOT_A_TRANSCRIPT
    if "subagents" in path.parts and any(fnmatchcase(name, pattern) for pattern in _WORKFLOW_FILES):
        return NOT_A_TRANSCRIPT
    if name.endswith(".zst") and name.removesuffix(".zst") in beside:
        return COMPRESSED_TWIN
    if name.endswith(".json") and name + "l" in beside and "chats" in path.parts:
        return OLDER_TWIN
    return None
