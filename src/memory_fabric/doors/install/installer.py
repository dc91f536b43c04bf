"""``install`` and ``uninstall`` of one client: every file is planned before the first is written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from memory_fabric.clock import utcnow
from memory_fabric.doors.install import files
from memory_fabric.doors.install.clients.client import Client, ConfigFile
from memory_fabric.doors.install.edit import Edited, Request, put_in, take_out, up_to_date
from memory_fabric.doors.install.faults import SyntaxFault, UnreadableConfig
from memory_fabric.doors.install.journal import Change, Journal, digest
from memory_fabric.doors.install.splice import steps, undo_all

CREATED, CHANGED, UNCHANGED, RESTORED, REMOVED, DELETED = "created changed unchanged restored removed deleted".split()
"""What became of a file.  ``restored`` is the file to the byte as it was, ``deleted`` one that had not been there;
``removed``: it was changed meanwhile, so our entries were cut out of what it is now."""


@dataclass(frozen=True, slots=True)
class Done:
    """What became of one file, the lines that it got or lost, its backup."""

    path: Path
    action: str
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    backup: Path | None = None


@dataclass(frozen=True, slots=True)
class _Step:
    """One file, ready to be written: ``data`` None deletes it."""

    before: files.Text
    data: bytes | None
    change: Change | None
    done: Done
    private: bool = True
    folders: tuple[Path, ...] = field(default=())
    back_up: bool = False


def install(
    client: Client, targets: Iterable[ConfigFile], request: Request, journal: Journal, *, dry_run: bool = False
) -> list[Done]:
    """Put our entries into the files of a client.  A second time changes nothing.

    Raises:
        UnreadableConfig: a file cannot be read or was changed meanwhile; none is changed then.
        NameTaken: another server has the name; none is changed.
        ConfigError: a file cannot be written.
    """
    plan = [_planned(client, file, request, journal) for file in targets]
    return _carry_out(plan, journal, dry_run)


def uninstall(targets: Iterable[ConfigFile], journal: Journal, *, dry_run: bool = False) -> list[Done]:
    """Take our entries out of a client's files.

    Raises:
        UnreadableConfig: a file cannot be read or was changed meanwhile; none is changed then.
        ConfigError: a file cannot be written.
    """
    plan = [_planned_out(file, journal) for file in targets]
    return _carry_out(plan, journal, dry_run)


def _planned(client: Client, file: ConfigFile, request: Request, journal: Journal) -> _Step:
    now = files.read(file.path)
    old = journal.of(now.path)
    try:
        if now.data is not None and up_to_date(now.text, file, request):
            return _Step(now, now.data, old, Done(file.path, UNCHANGED))
        base, base_data = _base(now, file, old)
        replaced = [path for path, _ in old.replaced] if old else []
        edited = put_in(base, now.text, file, request, now.newline, replaced)
    except SyntaxFault as fault:
        raise UnreadableConfig(file.path, str(fault)) from None
    data = now.encoded(edited.text)
    action = CREATED if now.data is None else CHANGED
    change = _change_of(client, edited, base_data, data, old)
    done = Done(file.path, action, _lines_of(edited))
    # What is ours alone, or was copied before our last change and not touched since, needs no copy.
    kept = old is not None and old.backup is not None and digest(now.data) == old.after
    return _Step(now, data, change, done, not file.shared, back_up=base_data is not None and not kept)


def _base(now: files.Text, file: ConfigFile, old: Change | None) -> tuple[str, bytes | None]:
    """The text without our entries, and that as bytes; no bytes if the file would not be there without us."""
    base = _undone(now, file, old)
    gone = now.data is None or (old is not None and old.before is None and not base.strip())
    return base, None if gone else now.encoded(base)


def _undone(now: files.Text, file: ConfigFile, old: Change | None) -> str:
    if now.data is None:
        return ""
    if old is not None and digest(now.data) == old.after:
        exact = undo_all(now.text, old.splices)
        if exact is not None and digest(now.encoded(exact)) in {old.before, digest(now.encoded(""))}:
            return exact
    return take_out(now.text, file, now.newline, old.made if old else (), old.replaced if old else ())


def _change_of(client: Client, edited: Edited, before: bytes | None, after: bytes, old: Change | None) -> Change:
    return Change(
        client=client.name,
        before=digest(before),
        after=str(digest(after)),
        splices=steps(edited.texts),
        made=tuple(edited.made),
        folders=old.folders if old and before is None else (),
        replaced=tuple(edited.replaced),
        backup=old.backup if old else None,
    )


def _planned_out(file: ConfigFile, journal: Journal) -> _Step:
    now = files.read(file.path)
    old = journal.of(now.path)
    if now.data is None:
        return _Step(now, None, None, Done(file.path, UNCHANGED), folders=_folders(old))
    try:
        base, data = _base(now, file, old)
    except SyntaxFault as fault:
        raise UnreadableConfig(file.path, str(fault)) from None
    if data == now.data:
        return _Step(now, now.data, None, Done(file.path, UNCHANGED))
    as_it_was = RESTORED if old is not None and digest(data) == old.before else REMOVED
    action = DELETED if data is None else as_it_was
    backup = Path(old.backup) if old and old.backup and action == RESTORED else None
    removed = () if action == DELETED else _lost(now.text, base)
    return _Step(now, data, None, Done(file.path, action, (), removed, backup), not file.shared, _folders(old))


def _folders(old: Change | None) -> tuple[Path, ...]:
    return tuple(map(Path, old.folders)) if old else ()


def _lines_of(edited: Edited) -> tuple[str, ...]:
    """The lines that were inserted, of ours alone: others' may hold keys."""
    lines: list[str] = []
    for splice in steps(edited.texts):
        lines.extend(line for line in splice.inserted.splitlines() if line.strip(" \t,"))
    return tuple(lines)


def _lost(before: str, after: str) -> tuple[str, ...]:
    kept = set(after.splitlines())
    return tuple(line for line in before.splitlines() if line.strip() and line not in kept)


def _carry_out(plan: list[_Step], journal: Journal, dry_run: bool) -> list[Done]:
    """Write the files, the journal before each.

    A journal whose digest does not match undoes nothing, so a kill between the two costs at worst some blanks.
    """
    if dry_run:
        return [replace(step.done, backup=None) for step in plan]
    done: list[Done] = []
    for step in plan:
        journal, result = _written(step, journal)
        done.append(result)
    return done


def _written(step: _Step, journal: Journal) -> tuple[Journal, Done]:
    path = step.before.path
    if step.data == step.before.data:
        if step.change is None and journal.of(path) is not None:
            journal = journal.with_change(path, None)
            journal.save()
        if step.data is None:
            files.delete(path, list(step.folders))
        return journal, step.done
    if step.data is None:
        files.delete(path, list(step.folders))
        journal = journal.with_change(path, None)
        journal.save()
        return journal, step.done
    if step.change is None:
        files.write(step.before, step.data, private=step.private)
        journal = journal.with_change(path, None)
        journal.save()
        return journal, replace(step.done, backup=_spent(step.done.backup, step.data))
    made = files.make_folders(path.parent, private=step.private)
    backup = files.back_up(step.before, f"{utcnow():%Y%m%dT%H%M%SZ}") if step.back_up else None
    change = replace(
        step.change,
        folders=(*step.change.folders, *map(str, made)),
        backup=str(backup) if backup else step.change.backup,
    )
    journal = journal.with_change(path, change)
    journal.save()
    files.write(step.before, step.data, private=step.private)
    return journal, replace(step.done, backup=backup)


def _spent(backup: Path | None, data: bytes) -> Path | None:
    """The backup that is still needed: one that says what the file says now is deleted."""
    if backup is not None and backup.is_file() and backup.read_bytes() == data:
        backup.unlink()
        return None
    return backup
