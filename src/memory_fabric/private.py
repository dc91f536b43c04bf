"""Files for their owner alone: folders 0700, files 0600, whatever the umask (F-PRIV-6, C-117).  Nothing heavy."""

from __future__ import annotations

import os
from pathlib import Path

FOLDER_MODE, FILE_MODE = 0o700, 0o600


def make_folder(folder: Path) -> Path:
    """The folder, made with all above it that is missing.

    Raises:
        OSError: it cannot be made.
    """
    if not folder.is_dir():
        for missing in [each for each in (*reversed(folder.parents), folder) if not each.exists()]:
            missing.mkdir(FOLDER_MODE, exist_ok=True)
            missing.chmod(FOLDER_MODE)
    return folder


def append_line(path: Path, line: str) -> None:
    """Add one line to a file, made where it is missing; lines of processes that write at once do not mix.

    Raises:
        OSError: it cannot be written.
    """
    make_folder(path.parent)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, FILE_MODE)
    try:
        os.write(descriptor, (line + "\n").encode("utf-8", "backslashreplace"))
    finally:
        os.close(descriptor)


def put(path: Path, text: str, *, durable: bool = False) -> None:
    """Write a whole file: a reader finds the old one or the new one, never a part.

    ``durable`` waits until it is on the disk, for what cannot be made again.

    Raises:
        OSError: it cannot be written; the old one stands.
    """
    make_folder(path.parent)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, FILE_MODE)
        with open(descriptor, "w", encoding="utf-8", errors="backslashreplace", newline="") as stream:  # noqa: PTH123
            stream.write(text)
            if durable:
                stream.flush()
                os.fsync(stream.fileno())
        unfinished.replace(path)
    except OSError:
        unfinished.unlink(missing_ok=True)
        raise
