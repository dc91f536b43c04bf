"""``doctor``: look whether everything is well."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from memory_fabric.doors.cli.desk import DONE, NOTHING, AsJson, Desk, Home

if TYPE_CHECKING:
    from memory_fabric.curate.health import Check


def doctor(context: typer.Context, home: Home = None, as_json: AsJson = False) -> int:
    """Check the store, the source files, the embedder, the vectors and the clients, and say what helps.

    Exit code 0 when nothing failed, 1 when a check failed, 3 when the memory cannot be opened.
    """
    from memory_fabric.curate.health import Verdict
    from memory_fabric.doors.cli.show.status import doctor_lines
    from memory_fabric.doors.install.checks import client_checks
    from memory_fabric.doors.install.surroundings import Surroundings

    desk = Desk.of(context, home, as_json)
    seen: list[Check] = []
    with desk.read() as fabric:
        for check in fabric.doctor():
            seen.append(check)
            desk.say(*doctor_lines([check], desk.paint, desk.width))
    for check in client_checks(Surroundings.here(), desk.settings.home):
        seen.append(check)
        desk.say(*doctor_lines([check], desk.paint, desk.width))
    failed = sum(check.verdict is Verdict.FAIL for check in seen)
    desk.data(
        {
            "ok": not failed,
            "checks": [
                {
                    "name": check.name,
                    "verdict": check.verdict.value,
                    "detail": check.detail,
                    "remedy": check.remedy,
                }
                for check in seen
            ],
        }
    )
    return NOTHING if failed else DONE
