"""The wire of one client: messages as lines on stdin and stdout, which nothing else may touch (C-074)."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass

LONGEST_LINE = 32 * 1024 * 1024
"""Bytes of one message: no client can fill the memory with a line that never ends."""

_CHUNK = 65_536


@dataclass(frozen=True, slots=True)
class Wire:
    """The two descriptors of the protocol, under numbers that nothing else knows."""

    inward: int
    outward: int


def claim() -> Wire:
    """Take stdin and stdout away, before anything heavy is imported.

    Whoever reads descriptor 0 from now on finds its end, whoever writes to 1, from Python or from C, writes to stderr.
    """
    sys.stdout.flush()
    wire = Wire(os.dup(0), os.dup(1))
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    try:
        os.dup2(2, 1)
    except OSError:  # started without a stderr
        os.dup2(nothing, 1)
    os.close(nothing)
    if sys.platform == "win32":  # line ends and Ctrl-Z are bytes like any other
        import msvcrt

        msvcrt.setmode(wire.inward, os.O_BINARY)
        msvcrt.setmode(wire.outward, os.O_BINARY)
    return wire


def lines(descriptor: int) -> Iterator[bytes | None]:
    """The lines of a descriptor until its end, without their breaks and without empty ones; None for one too long."""
    kept: list[bytes] = []
    size = 0
    while chunk := _read(descriptor):
        *whole, rest = chunk.split(b"\n")
        for end in whole:
            yield from _line(kept, end, size + len(end))
            kept, size = [], 0
        size += len(rest)
        kept = [*kept, rest] if size <= LONGEST_LINE else []
    yield from _line(kept, b"", size)


def write(descriptor: int, data: bytes) -> None:
    """Write all of it.

    Raises:
        OSError: nobody reads any more.
    """
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _line(kept: list[bytes], end: bytes, size: int) -> Iterator[bytes | None]:
    if size > LONGEST_LINE:
        yield None
        return
    line = b"".join((*kept, end))
    if line.strip():
        yield line


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, _CHUNK)
    except OSError:  # a terminal that was closed: its end as well
        return b""
