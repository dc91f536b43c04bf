"""The program at a real terminal: what a person sees and types."""

from __future__ import annotations

import os
import re
import select
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

MAIN = "from memory_fabric.doors.cli import main; main()"

PATIENCE = 60.0
"""Seconds after which a program that says nothing more has failed the test."""

_ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@dataclass(frozen=True)
class Sat:
    """How it ended, and all that was on the screen."""

    code: int
    screen: str


def sit(answers: Mapping[str, str], *words: str) -> Sat:
    """Run the program at a terminal; each time one of these texts appears, its answer is typed, once each."""
    import pty

    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", MAIN, *words], stdin=theirs, stdout=theirs, stderr=theirs, close_fds=True
    )
    os.close(theirs)
    screen, waiting, end = "", dict(answers), time.monotonic() + PATIENCE
    try:
        while time.monotonic() < end:
            if select.select([ours], [], [], 1.0)[0]:
                try:
                    read = os.read(ours, 65536)
                except OSError:  # Linux: the other side has closed
                    break
                if not read:
                    break
                screen += read.decode("utf-8", "replace")
            for asked in [asked for asked in waiting if asked in screen]:
                os.write(ours, (waiting.pop(asked) + "\n").encode())
        return Sat(process.wait(timeout=PATIENCE), _ESCAPE.sub("", screen).replace("\r\n", "\n"))
    finally:
        process.kill()
        process.wait()
        os.close(ours)
