"""Read standard input within a deadline: it may be empty, a terminal, closed, or never end (formats.md §2.1)."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

MOST_BYTES = 16 * 1024 * 1024
"""Beyond that nobody's prompt: the rest is read, so that the writer sees no broken pipe, and thrown away."""

CHUNK = 65_536

SECONDS = 0.5
"""How long the input may take: Claude Code writes it at once, and the hook has work to do after."""


def read_stdin(whole: Callable[[bytes], bool], descriptor: int = 0, seconds: float = SECONDS) -> bytes:
    """What arrives until the end, until ``whole`` says that nothing is missing, or until the time is up.

    ``whole`` is asked whenever a piece ends with a closing brace: a pipe that nobody closes costs nothing then.
    Empty for a terminal, and where there is no input at all.
    """
    pieces: list[bytes] = []
    done = threading.Event()

    def read() -> None:
        size = 0
        try:
            while piece := os.read(descriptor, CHUNK):
                size += len(piece)
                if size <= MOST_BYTES:
                    pieces.append(piece)
                else:
                    pieces.clear()
                if len(piece) < CHUNK and piece.rstrip().endswith(b"}") and whole(b"".join(pieces)):
                    break
        except OSError:  # closed before we came
            pass
        finally:
            done.set()

    if _is_terminal(descriptor):
        return b""
    threading.Thread(target=read, name="memory-fabric-stdin", daemon=True).start()
    done.wait(seconds)
    return b"".join(list(pieces))


def _is_terminal(descriptor: int) -> bool:
    try:
        return os.isatty(descriptor)
    except OSError:
        return False
