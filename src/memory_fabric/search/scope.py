"""Which projects a question may see: the current one unless it says otherwise (F-SRC-12, C-148, C-152)."""

from __future__ import annotations

from collections.abc import Sequence

from memory_fabric.errors import UsageError
from memory_fabric.model.memory import Project, ProjectId


def choose_home(known: Sequence[Project], asked: str | None, current: Project | None) -> Project | None:
    """The project that something new belongs to: the one asked for, else the current one, else none.

    Raises:
        UsageError: the project asked for is not known, or several share its name.
    """
    if not asked:
        return current
    ids, _ = choose_projects([*known, *([current] if current else [])], asked, None, False)
    found = {project.id: project for project in (*known, *([current] if current else [])) if project.id in (ids or ())}
    if len(found) > 1:
        roots = ", ".join(project.root or project.id for project in found.values())
        raise UsageError(f"several projects are called {asked!r}", f"name one by its folder: {roots}")
    return next(iter(found.values()))


def choose_projects(
    known: Sequence[Project], asked: str | None, current: Project | None, every: bool
) -> tuple[tuple[ProjectId, ...] | None, str | None]:
    """The projects to search (None for all) and a sentence for the user where the choice needs one.

    ``asked`` is a project's name, id or root; a name that several share stands for all of them.  Without it the
    current directory's project decides; where nothing is remembered of that, all projects are searched and the note
    says so.

    Raises:
        UsageError: the project asked for is not known; the hint lists those that are.
    """
    if every:
        return None, None
    if asked:
        found = [each for each in known if asked in (each.id, each.root) or asked.casefold() == each.name.casefold()]
        if not found:
            names = ", ".join(sorted({each.name for each in known})) or "none yet: run `memory-fabric ingest`"
            raise UsageError(f"project {asked!r} is not known", f"known projects: {names}")
        return tuple(each.id for each in found), None
    if current is not None and any(each.id == current.id for each in known):
        return (current.id,), None
    where = f"project {current.name!r} holds no memories" if current else "not inside a project"
    return None, f"{where}: searched all projects"
