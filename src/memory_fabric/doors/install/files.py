"""Reading and writing a client's file without ever leaving half of it."""

from __future__ import annotations

import codecs
import os
import stat
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from memory_fabric.doors.install.faults import UnreadableConfig
from memory_fabric.errors import ConfigError

BACKUP = ".bak-memory-fabric"
"""What a backup's name ends with."""

_PRIVATE_FILE, _PRIVATE_FOLDER = 0o600, 0o700
_BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class Text:
    """A file as it was read: its real path (links followed), its bytes (None: there is no such file), its text."""

    path: Path
    data: bytes | None
    text: str
    bom: str = ""

    @property
    def newline(self) -> str:
        """How its lines end; as the first one does."""
        return "\r\n" if "\r\n" in self.text[: self.text.find("\n") + 1] else "\n"

    def encoded(self, text: str) -> bytes:
        """Another text in this file's place, as bytes."""
        return (self.bom + text).encode("utf-8")


def read(path: Path) -> Text:
    """The file, also where there is none yet.

    Raises:
        UnreadableConfig: it cannot be read, or is not UTF-8.
    """
    real = Path(os.path.realpath(path))
    try:
        data = real.read_bytes()
    except FileNotFoundError:
        return Text(real, None, "")
    except OSError as error:
        raise UnreadableConfig(path, f"cannot be read ({error.strerror})", "check its owner and mode") from error
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        hint = "save the file as UTF-8 and run the command again"
        if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise UnreadableConfig(path, "line 1: it is UTF-16, not UTF-8", hint) from None
        raise UnreadableConfig(path, f"line {line}: it is not UTF-8", hint) from None
    bom = _BOM if text.startswith(_BOM) else ""
    return Text(real, data, text.removeprefix(_BOM), bom)


def write(before: Text, data: bytes, *, private: bool = True) -> None:
    """Put ``data`` in the place of what was read: whole or not at all, with the mode it had.

    A new file is the user's alone when ``private``, else as the umask has it.

    Raises:
        UnreadableConfig: somebody changed the file meanwhile.
        ConfigError: it cannot be written.
    """
    path = before.path
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
        temporary = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            temporary.chmod(_mode(path, before, private))
            if read(path).data != before.data:
                raise UnreadableConfig(path, "it was changed by another program just now", "run the command again")
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        _sync_folder(path.parent)
    except OSError as error:
        raise _cannot(path, "written", error) from error


def _mode(path: Path, before: Text, private: bool) -> int:
    if before.data is not None:
        return stat.S_IMODE(path.stat().st_mode)
    if private:
        return _PRIVATE_FILE
    mask = os.umask(0o077)
    os.umask(mask)
    return 0o666 & ~mask


def _sync_folder(folder: Path) -> None:
    """Make the renaming last; systems that cannot open a folder do that themselves."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def back_up(before: Text, stamp: str) -> Path | None:
    """A copy beside the file, with its mode; None where there is no file.

    An older copy with other contents is kept; this one then carries ``stamp`` in its name.

    Raises:
        ConfigError: it cannot be written.
    """
    if before.data is None:
        return None
    target = before.path.with_name(before.path.name + BACKUP)
    if target.exists() and target.read_bytes() != before.data:
        target = target.with_name(f"{target.name}-{stamp}")
    try:
        mode = stat.S_IMODE(before.path.stat().st_mode)
        handle = os.open(target, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, mode)
        with os.fdopen(handle, "wb") as file:
            file.write(before.data)
            file.flush()
            os.fsync(file.fileno())
        target.chmod(mode)
    except OSError as error:
        raise _cannot(target, "written", error) from error
    return target


def make_folders(folder: Path, *, private: bool = True) -> list[Path]:
    """Make a folder and what is missing above it; gives those that were made, outermost first.

    Raises:
        ConfigError: it cannot be made.
    """
    missing: list[Path] = []
    while not folder.exists():
        missing.insert(0, folder)
        folder = folder.parent
    for each in missing:
        try:
            each.mkdir(_PRIVATE_FOLDER if private else 0o777)
        except OSError as error:
            raise _cannot(each, "made", error) from error
    return missing


def delete(path: Path, folders: list[Path]) -> None:
    """Delete a file, and those of the folders that are then empty, innermost first.

    Raises:
        ConfigError: the file cannot be deleted.
    """
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise _cannot(path, "deleted", error) from error
    with suppress(OSError):  # not empty, or gone: both are as they should be
        for folder in sorted(folders, key=lambda each: len(each.parts), reverse=True):
            folder.rmdir()


def _cannot(path: Path, done: str, error: OSError) -> ConfigError:
    return ConfigError(
        f"{path}: cannot be {done} ({error.strerror or error})", "check the owner and mode of its folder"
    )
