"""Rollout files, plain or zstd-compressed, as lines (formats.md §3.1, C-025)."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from memory_fabric.errors import MalformedFile
from memory_fabric.ingest.formats.head import HEAD_BYTES
from memory_fabric.ingest.lines import Line, read_lines
from memory_fabric.ports import Cursor

if TYPE_CHECKING:
    from backports.zstd import ZstdDecompressor
    from typing_extensions import Buffer

MAGIC = b"\x28\xb5\x2f\xfd"
ATTEMPTS = 3
PAUSE_SECONDS = 0.05
"""Codex may change a rollout from plain to compressed while we look for it: about 3 × 50 ms (formats.md §3.1)."""

_STEP = 64 * 1024
"""Bytes unpacked at once: as much, at most, is lost before damaged data."""


def _new_decoder() -> ZstdDecompressor:
    """Imported late: few rollouts are compressed."""
    if sys.version_info >= (3, 14):
        from compression.zstd import ZstdDecompressor
    else:
        from backports.zstd import ZstdDecompressor
    return ZstdDecompressor()


def _damage() -> type[Exception]:
    """What the decoder raises for data that is no zstd."""
    if sys.version_info >= (3, 14):
        from compression.zstd import ZstdError
    else:
        from backports.zstd import ZstdError
    return ZstdError


class _Unpacked(io.RawIOBase):
    """A compressed stream as a plain one, frame after frame; data that is cut ends quietly."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._decoder = _new_decoder()

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: Buffer) -> int:
        """Fill the buffer as far as one step goes; 0 at the end."""
        view = memoryview(buffer).cast("B")
        while True:
            packed = b""
            if self._decoder.eof:
                packed, self._decoder = self._decoder.unused_data, _new_decoder()
            if not packed and self._decoder.needs_input and not (packed := self._stream.read(_STEP)):
                return 0
            plain = self._decoder.decompress(packed, len(view))
            if plain:
                view[: len(plain)] = plain
                return len(plain)


def unpacked_head(head: bytes) -> bytes:
    """The head of a rollout as plain text: as it is, or as far as its compressed bytes reach; empty if damaged."""
    if not head.startswith(MAGIC):
        return head
    try:
        return io.BufferedReader(_Unpacked(io.BytesIO(head)), _STEP).read(HEAD_BYTES)
    except _damage():
        return b""


def is_compressed(path: Path, pause: Callable[[float], None]) -> bool:
    """Whether the rollout lies there in compressed form.

    Raises:
        OSError: it cannot be opened.
    """
    with _opened(path, pause) as stream:
        return stream.read(len(MAGIC)) == MAGIC


def rollout_lines(path: Path, pause: Callable[[float], None], start: Cursor = Cursor()) -> Iterator[Line]:
    """Every line of a rollout from the cursor on; offsets count unpacked bytes.

    Raises:
        MalformedFile: the compressed data is damaged; lines before the damage were yielded.
        OSError: it cannot be opened, in neither form, after three attempts.
    """
    with _opened(path, pause) as stream:
        packed = stream.read(len(MAGIC)) == MAGIC
        if not packed:
            stream.seek(start.offset)
            yield from read_lines(stream, start)
            return
        stream.seek(0)
        try:
            plain = cast(BinaryIO, io.BufferedReader(_Unpacked(stream), _STEP))
            left = start.offset
            while left > 0 and (skipped := plain.read(min(left, _STEP))):
                left -= len(skipped)
            yield from read_lines(plain, start)
        except _damage():
            raise MalformedFile(f"{path.name}: damaged zstd data") from None


@contextmanager
def _opened(path: Path, pause: Callable[[float], None]) -> Iterator[BinaryIO]:
    """The file, or its twin in the other form if it has just changed."""
    twin = path.with_name(path.name.removesuffix(".zst") if path.suffix == ".zst" else path.name + ".zst")
    for attempt in range(1, ATTEMPTS + 1):
        for form in (path, twin):
            try:
                stream = form.open("rb")
            except FileNotFoundError:
                continue
            with stream:
                yield stream
            return
        if attempt < ATTEMPTS:
            pause(PAUSE_SECONDS)
    raise FileNotFoundError(2, "no such file, plain or compressed", str(path))
