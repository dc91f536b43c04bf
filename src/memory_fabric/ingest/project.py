"""Which project a directory belongs to (design decision 10).

The identity is the resolved root of the repository, else the real path; the name is only a label.  A directory that is
not on this machine is judged by its path alone.  Directory names that a harness made of a path are never decoded
(C-033): ``my-app`` and ``my/app`` would be one.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from memory_fabric.ingest.git import Checkout, checkout_of, is_directory, remote_key
from memory_fabric.model.memory import Project, ProjectId

_WINDOWS = re.compile(r"[A-Za-z]:(?:[\\/]|\Z)|\\\\[^\\]")
_WORKTREE = re.compile(r"(?P<main>.+?)(?:/\.(?:claude/)?worktrees/|/\.git/worktrees/|-worktrees/)[^/]")
"""Where tools put work trees: inside the repository, or in a sibling that carries its name."""
_HOME = re.compile(r"(?:/home/[^/]+|/Users/[^/]+|/root|/var/root|[A-Za-z]:/Users/[^/]+)\Z", re.IGNORECASE)
_TEMPORARY = re.compile(
    r"(?:/private)?(?:/tmp|/var/tmp|/var/folders/[^/]+/[^/]+/[TC0])(?:/|\Z)"
    r"|/dev/shm(?:/|\Z)|[A-Za-z]:/(?:Windows/)?Temp(?:/|\Z)|[A-Za-z]:/Users/[^/]+/AppData/Local/Temp(?:/|\Z)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Places:
    """Directories of this machine that are no projects."""

    home: str
    temporary: str

    @classmethod
    def here(cls) -> Places:
        """Of the user who runs this."""
        import tempfile

        return cls(str(Path.home().resolve()), str(Path(tempfile.gettempdir()).resolve()))


def identify_project(
    cwd: str | None, known: Mapping[ProjectId, Project], places: Places | None = None
) -> Project | None:
    """The project of a working directory, a known one where it is known.

    None for no directory, a relative one, a root, a home directory, and for a temporary directory outside a
    repository: the caller then takes the parent session's project (C-149).

    A known project comes back under its id when its root is the same; when its root is gone and the remote is the
    same (it was moved; root and name are then the new ones); and when a directory that is not on this machine lies
    below its root (C-150), the deepest such root winning.
    """
    if not cwd or "\0" in cwd:
        return None
    path = Path(cwd)
    if _is_ours(cwd) and path.is_absolute():
        real = Path(os.path.realpath(path))
        home = places.home if places else str(Path.home().resolve())
        checkout = checkout_of(_existing(real), below=frozenset({Path(home)}))
        if checkout:
            return _of_checkout(checkout, known)
        cwd = str(real)
    return _of_path(_tidy(cwd), known, places or Places.here())


def slug(name: str, organisation: str = "") -> str:
    """A label for file names and tags: lower case, other characters as single hyphens, never empty (F-SRC-9).

    Letters and digits of every script stay.  Two projects may share a slug; it identifies nothing.
    """
    parts = (
        re.sub(r"[\W_]+", "-", unicodedata.normalize("NFKC", part).casefold()).strip("-")
        for part in (organisation, name)
    )
    prefix, body = parts
    return "-".join(part for part in (prefix, body or "default-project") if part)


class Projects:
    """Every project met so far; each directory is looked up once.

    A phantom cannot be undone: hand over a session's first directory before those below it.
    """

    def __init__(self, known: Iterable[Project] = (), places: Places | None = None) -> None:
        self._known = {project.id: project for project in known}
        self._places = places
        self._by_cwd: dict[str, ProjectId | None] = {}
        self._seen: dict[ProjectId, None] = {}

    def identify(self, cwd: str | None) -> Project | None:
        """As ``identify_project``; a new project is known from then on."""
        if cwd is None:
            return None
        if cwd not in self._by_cwd:
            project = identify_project(cwd, self._known, self._places)
            if project:
                self._known[project.id] = project
            self._by_cwd[cwd] = project.id if project else None
        return self.named(self._by_cwd[cwd])

    def named(self, id: ProjectId | None) -> Project | None:  # noqa: A002
        """The project of this id, or None; it counts as seen."""
        project = self._known.get(id) if id else None
        if project:
            self._seen[project.id] = None
        return project

    def seen(self) -> tuple[Project, ...]:
        """Every project asked about or found, in that order."""
        return tuple(self._known[seen] for seen in self._seen)


def _is_ours(cwd: str) -> bool:
    """Whether the path is of this machine's kind; a drive letter is only a strange name on others."""
    return (_WINDOWS.match(cwd) is not None) == (Path("C:/").is_absolute())


def _existing(real: Path) -> Path:
    """The path itself, or its nearest ancestor on this machine: a deleted folder still belongs to its repository."""
    return next((place for place in (real, *real.parents) if is_directory(place)), real)


def _of_checkout(checkout: Checkout, known: Mapping[ProjectId, Project]) -> Project:
    root = _tidy(str(checkout.root))
    same = _by_root(root, known)
    if same:
        return replace(same, remote=checkout.remote or same.remote)
    fresh = _project(root, checkout.remote)
    moved = checkout.remote and next((p for p in known.values() if _moved(p, checkout.remote)), None)
    return replace(fresh, id=moved.id) if moved else fresh


def _moved(project: Project, remote: str) -> bool:
    gone = _is_ours(project.root) and not is_directory(project.root)
    return gone and project.remote is not None and remote_key(project.remote) == remote_key(remote)


def _of_path(path: str, known: Mapping[ProjectId, Project], places: Places) -> Project | None:
    marked = _WORKTREE.match(path)
    root = marked["main"] if marked and _may_be_project(marked["main"], places) else path
    if not _may_be_project(root, places):
        return None
    same = _by_root(root, known)
    if same:
        return same
    above = [project for project in known.values() if _holds(project, root)]
    return max(above, key=lambda project: len(project.root), default=None) or _project(root, None)


def _may_be_project(root: str, places: Places) -> bool:
    absolute = root.startswith("/") or _WINDOWS.match(root) is not None
    if not absolute or root in {"/", "/home", "/Users"} or re.fullmatch(r"[A-Za-z]:/", root):
        return False
    home, temporary = _key(_tidy(places.home)), _key(_tidy(places.temporary))
    key = _key(root)
    is_home = key == home or _HOME.match(root) is not None
    return not is_home and _TEMPORARY.match(root) is None and not f"{key}/".startswith(f"{temporary}/")


def _holds(project: Project, root: str) -> bool:
    """Whether an absent path lies in a known project; a mere folder on this machine is no project's root to others."""
    if not _key(root).startswith(_key(project.root) + "/"):
        return False
    mere_folder = is_directory(project.root) and not os.path.lexists(Path(project.root) / ".git")
    return not (_is_ours(project.root) and mere_folder)


def _by_root(root: str, known: Mapping[ProjectId, Project]) -> Project | None:
    return next((project for project in known.values() if _key(project.root) == _key(root)), None)


def _project(root: str, remote: str | None) -> Project:
    import hashlib

    id_ = ProjectId("p_" + hashlib.sha256(_key(root).encode("utf-8", "surrogatepass")).hexdigest()[:16])
    return Project(id_, root.rstrip("/").rpartition("/")[2] or root, root, remote)


def _tidy(path: str) -> str:
    """NFC, forward slashes in Windows paths and their drive letter in upper case, no empty or dot parts."""
    path = unicodedata.normalize("NFC", path)
    lead = "/" if path.startswith("/") else ""
    if _WINDOWS.match(path):
        lead = "//" if path.startswith("\\") else ""
        path = (path[0].upper() + path[1:]).replace("\\", "/")
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in {"", "."}:
            parts.append(part)
    tidy = lead + "/".join(parts)
    if re.fullmatch(r"[A-Za-z]:", tidy):
        return tidy + "/"
    return tidy.removeprefix("/private") if _TEMPORARY.match(tidy) else tidy


def _key(path: str) -> str:
    """What is compared and hashed: Windows paths whatever their case (C-034)."""
    return path.casefold() if re.match(r"[A-Za-z]:/|//", path) else path
