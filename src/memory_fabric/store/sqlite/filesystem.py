"""The file under the store: who may read it, and what it lies on."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from memory_fabric.errors import StoreUnavailable
from memory_fabric.private import FILE_MODE, FOLDER_MODE

_SHARED = frozenset("9p afs ceph cifs drvfs glusterfs lustre ncpfs nfs nfs4 prl_fs smb2 smb3 smbfs vboxsf".split())
"""File systems without dependable shared memory between hosts; FUSE ones are recognised by their prefix (C-125)."""

_HEADER = b"SQLite format 3\0"

SIDE_FILES = ("-wal", "-shm", "-journal")


def prepare(path: Path) -> None:
    """Make the folder (0700) and the empty file (0600) where they are missing, whatever the umask.

    Raises:
        StoreUnavailable: the folder or the file cannot be made.
    """
    try:
        for folder in [folder for folder in reversed(path.parents) if not folder.exists()]:
            folder.mkdir(FOLDER_MODE, exist_ok=True)
            folder.chmod(FOLDER_MODE)
        if not path.exists():
            private_file(path)
    except OSError as error:
        reason = error.strerror or str(error)
        raise StoreUnavailable(
            f"{path}: it cannot be made ({reason})", "Choose another folder or free space."
        ) from error


def require_database(path: Path) -> None:
    """Refuse a file that holds anything but a SQLite database, even a few bytes that SQLite itself would overwrite.

    Raises:
        StoreUnavailable: it does, or it cannot be read.
    """
    try:
        if not path.is_file():
            return
        with path.open("rb") as file:
            head = file.read(len(_HEADER))
    except OSError as error:
        raise StoreUnavailable(f"{path}: it cannot be read ({error.strerror})", "Check its owner and mode.") from error
    if head and head != _HEADER:
        raise StoreUnavailable(
            f"{path}: it is not a database", "Choose another file for the store; never delete a -wal beside it."
        )


def private_file(path: Path) -> None:
    """Make an empty file that only its owner may read; one that exists is left as it is."""
    try:
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, FILE_MODE)
    except FileExistsError:
        return
    os.close(descriptor)
    path.chmod(FILE_MODE)


def exposed(path: Path) -> list[str]:
    """A sentence for each file of the store, and its folder, that others may read; empty on Windows."""
    if os.name == "nt":
        return []
    files = [path, *(path.with_name(path.name + suffix) for suffix in SIDE_FILES)]
    faults = [f"{file} is open to others (mode {mode:04o}, not 0600)" for file in files if (mode := _open_bits(file))]
    if mode := _open_bits(path.parent):
        faults.append(f"The folder {path.parent} is open to others (mode {mode:04o}, not 0700)")
    return faults


def _open_bits(path: Path) -> int:
    """The file's mode where it lets others in, else 0."""
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return 0
    return mode if mode & 0o077 else 0


def file_system_of(path: Path) -> str:
    """The type of the file system that holds a path, from /proc/mounts; ``""`` where that is unknown."""
    try:
        lines = Path("/proc/mounts").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    resolved = path.resolve()
    best, kind = -1, ""
    for fields in (line.split(" ") for line in lines):
        if len(fields) < 3:
            continue
        point = Path(fields[1].replace("\\040", " "))
        if len(point.parts) >= best and resolved.is_relative_to(point):
            best, kind = len(point.parts), fields[2]
    return kind


def is_shared(file_system: str) -> bool:
    """Whether write-ahead logging is unsafe on this type of file system (C-125)."""
    return file_system in _SHARED or file_system.startswith("fuse")
