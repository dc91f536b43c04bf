"""Programs that stand in for ours where only its answer matters: a start of the real one takes a second."""

from __future__ import annotations

import stat
import sys
import textwrap
from pathlib import Path

SERVER = """
    import json, sys
    print("not protocol", file=sys.stderr)
    for line in sys.stdin:
        asked = json.loads(line)
        if asked.get("method") == "initialize":
            result = {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {"name": "stand-in"}}
        elif asked.get("method") == "tools/list":
            print(json.dumps({"jsonrpc": "2.0", "method": "notifications/message"}), flush=True)
            result = {"tools": [{"name": "a"}, {"name": "b"}]}
        else:
            continue
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""
"""A server of the protocol with two tools."""

PROGRAM = f"""
    import json, os, pathlib, sys
    if sys.argv[1] == "hook":
        home = sys.argv[sys.argv.index("--home") + 1] if "--home" in sys.argv else os.environ["MEMORY_FABRIC_HOME"]
        event = json.load(sys.stdin)["hook_event_name"]
        log = pathlib.Path(home, "hooks", "log.jsonl")
        log.parent.mkdir(parents=True, exist_ok=True)
        row = {{"at": "2026-05-01T00:00:00+00:00", "event": event, "ms": 1, "outcome": "silent"}}
        with log.open("a") as file:
            file.write(json.dumps(row) + chr(10))
        sys.exit()
{SERVER}
"""
"""A server and a hook that leaves its line in the log."""


def script(path: Path, body: str) -> str:
    """A program that does what the body says."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!{sys.executable}\n{textwrap.dedent(body)}", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)
