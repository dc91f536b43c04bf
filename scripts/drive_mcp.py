"""Drives our MCP server with foreign clients: the official Python client and the npm inspector, over stdio and HTTP.

Every tool is called with good and with bad input; every structured result is validated against the tool's own output
schema.  A line a check; the exit code is 1 when one fails.

    .venv/bin/python scripts/drive_mcp.py                        everything that is installed
    .venv/bin/python scripts/drive_mcp.py --client inspector     one client
    .venv/bin/python scripts/drive_mcp.py --transport http       one transport

The inspector comes from tests/peers (``scripts/test`` installs it); where it is missing that is said and counts as a
failure.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import anyio

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.mcp.driving.checks import CLIENTS, TRANSPORTS, drive_all
from tests.mcp.driving.servers import INSPECTOR, missing


def main(words: Sequence[str] | None = None) -> int:
    """The exit code: 0 when every check held."""
    parser = argparse.ArgumentParser(description="Drive our MCP server with foreign clients.")
    parser.add_argument("--client", choices=CLIENTS, help="one client instead of both")
    parser.add_argument("--transport", choices=TRANSPORTS, help="one transport instead of both")
    given = parser.parse_args(words)
    clients = (given.client,) if given.client else CLIENTS
    transports = (given.transport,) if given.transport else TRANSPORTS
    absent = missing(INSPECTOR) if "inspector" in clients else None
    if absent:
        print(f"FAIL inspector: {absent}", flush=True)
        return 1
    report = anyio.run(drive_all, lambda line: print(line, flush=True), clients, transports)
    print(f"{report.checks} checks, {len(report.failures)} failed")
    return 1 if report.failures or not report.checks else 0


if __name__ == "__main__":
    sys.exit(main())
