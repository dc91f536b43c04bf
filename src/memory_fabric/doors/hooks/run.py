"""One call of a hook, from the first line to exit code 0, whatever happens on the way (C-087, C-089)."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from memory_fabric.doors.hooks import log
from memory_fabric.doors.hooks.event import Event, parse, read_event
from memory_fabric.doors.hooks.said import Said, silent
from memory_fabric.doors.hooks.stdin import read_stdin
from memory_fabric.settings import environment, home_of

DEADLINES = {"SessionStart": 2.0}
"""Seconds that a hook of an event may take in all (C-095)."""

DEADLINE = 1.0
"""That of every other event."""

SPEAKING = frozenset({"SessionStart", "UserPromptSubmit"})
"""Events whose output goes into the context; every other one prints nothing, ever (formats.md §2.2)."""

GRACE = 0.1
"""Seconds in which a late hook may still write its line into the log."""


def main(arguments: Sequence[str]) -> None:
    """``memory-fabric hook EVENT [--home DIR]`` as a process of its own: ends it, with exit code 0."""
    run(arguments)
    # Without the interpreter's own end: a thread may still wait for stdin, and tidying up costs milliseconds.
    os._exit(0)


def run(arguments: Sequence[str]) -> int:
    """The same within this process, which ends only where the deadline passes; the exit code, always 0."""
    started = time.monotonic()
    word, given = _words(arguments)
    ending = Ending(word, started)
    try:
        home = ending.home = home_of(given)
        event = read_event(read_stdin(lambda told: bool(parse(told))), word, environment())
        ending.watch(event.name)
        said = _answer(home, event, environment())
        _speak(event, said)
        ending.note(said)
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - a door's outermost line: never hurt the host
        ending.note(Said("failed", reason=f"{type(error).__name__}: {error}"))
    finally:
        ending.cancel()
    return 0


class Ending:
    """The watchdog of one call, and its line in the log."""

    def __init__(self, word: str, started: float) -> None:
        self.home: Path | None = None
        self._event, self._started = word, started
        self._timers: list[threading.Timer] = []
        self.watch(word)

    def watch(self, event: str) -> None:
        """From now on the deadline is that of this event."""
        if event == self._event and self._timers:
            return
        self.cancel()
        self._event = event
        left = DEADLINES.get(event, DEADLINE) - (time.monotonic() - self._started)
        # The second ends the process where even the log hangs: on a disk that does not answer, say.
        for after, action in ((left - GRACE, self._late), (left, _leave)):
            timer = threading.Timer(max(0.0, after), action)
            timer.daemon = True
            timer.start()
            self._timers.append(timer)

    def cancel(self) -> None:
        """The call ends by itself."""
        while self._timers:
            self._timers.pop().cancel()

    def note(self, said: Said) -> None:
        """Write the call into the log; where that fails, there is nobody to tell."""
        if self.home is not None:
            took = time.monotonic() - self._started
            fired = log.fired_now(self._event, took, said.outcome, said.reason, said.items)
            with suppress(OSError):  # an unwritable home: the hook goes on, doctor sees that nothing fires (C-087)
                log.write(self.home, fired)

    def _late(self) -> None:
        try:
            self.note(Said("late", reason="the deadline passed"))
        finally:
            _leave()


def _leave() -> None:
    os._exit(0)


def _words(arguments: Sequence[str]) -> tuple[str, Path | None]:
    """The event named in a command and the folder given in it; anything else in it is passed over."""
    event, home = "", None
    words = iter(arguments)
    for word in words:
        name, equals, value = word.partition("=")
        if name == "--home":
            home = value if equals else next(words, None)
        elif not word.startswith("-") and not event:
            event = word
    return event, Path(home) if home else None


def _answer(home: Path, event: Event, variables: Mapping[str, str]) -> Said:
    """What this event calls for."""
    if event.name == "UserPromptSubmit":
        from memory_fabric.doors.hooks.prompt import recall

        return recall(home, event) if _is_there(home) else silent("no memory yet")
    from memory_fabric.doors.hooks.capture import AT_ONCE, capture, catch_up

    if event.name == "SessionStart":
        from memory_fabric.doors.hooks.session_start import open_session

        catch_up(home, event, variables)
        return open_session(home, event) if _is_there(home) else silent("no memory yet")
    if event.name in AT_ONCE or event.name == "SessionEnd":
        return capture(home, event, variables)
    return silent("unknown event")


def _is_there(home: Path) -> bool:
    """Whether there is a memory: a hook never makes one."""
    from memory_fabric.settings import STORE_FILE

    return (home / STORE_FILE).exists()


def _speak(event: Event, said: Said) -> None:
    """Write the answer in one piece, in UTF-8 whatever the locale."""
    if said.output and event.name in SPEAKING:
        left = memoryview(said.output.encode("utf-8", "replace"))
        while left:
            left = left[os.write(1, left) :]
