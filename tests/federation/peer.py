"""A small MCP memory server on stdin and stdout, with the faults that servers have in the field.

Run as a program: ``peer.py GRAPH [FAULT …]``, where GRAPH is a JSON file ``{"entities": […], "relations": […]}``.
It searches like the official server: one whole string, in names, types and single observations.
"""

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

NODE_TOOLS = ("search_nodes", "open_nodes", "read_graph")


def main() -> None:
    path, faults = Path(sys.argv[1]), set(sys.argv[2:])
    begin(path, faults)
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message or (message["method"] == "tools/call" and ill(message, path, faults)):
            continue
        if "garbage" in faults:
            say("still here")
        say(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer(message, path, faults)}))
    if "ignores-eof" in faults:
        sleep()


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def sleep() -> None:
    while True:
        time.sleep(3600)


def begin(path: Path, faults: set[str]) -> None:
    if "pid" in faults:
        with path.with_suffix(".pids").open("a") as log:
            log.write(f"{os.getpid()}\n")
    if "last-words" in faults:
        sys.stderr.write("warming up\nout of memory: sk-ant-api03-" + "A" * 40 + "\n")
        raise SystemExit(3)
    if "never-starts" in faults:
        sleep()
    if "garbage" in faults:
        say("Welcome to the memory!\n\n{not json")
        sys.stdout.buffer.write(b"\xff\xfe{\n")


def ill(message: dict[str, Any], path: Path, faults: set[str]) -> bool:
    """Log the call; whether it stays without an answer.  Some faults happen once, to the first process."""
    with path.with_suffix(".calls").open("a") as log:
        log.write(json.dumps(message["params"]) + "\n")
    before = path.with_suffix(".ill")
    once, first = not before.exists(), {"dies-once", "hangs-once"} & faults
    if first:
        before.touch()
    if "dies" in faults or ("dies-once" in faults and once):
        os._exit(1)
    return "hangs" in faults or ("hangs-once" in faults and once)


def answer(message: dict[str, Any], path: Path, faults: set[str]) -> dict[str, Any]:
    if message["method"] == "initialize":
        return {"result": {
            "protocolVersion": message["params"]["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "peer", "version": "7"},
        }}  # fmt: skip
    if message["method"] == "tools/list":
        names = {"no-search": ("read_graph",), "no-memory": ("roll_dice",)}
        listed = next((names[fault] for fault in names if fault in faults), NODE_TOOLS)
        return {"result": {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in listed]}}
    if message["method"] == "tools/call":
        return {"result": called(message["params"], path, faults)}
    return {"error": {"code": -32601, "message": "Method not found"}}


def called(params: dict[str, Any], path: Path, faults: set[str]) -> dict[str, Any]:
    if "errors" in faults:
        return {"isError": True, "content": [{"type": "text", "text": "cannot read ghp_" + "a" * 36}]}
    if "no-graph" in faults:
        return {"content": [{"type": "text", "text": "I found some things."}]}
    graph = json.loads(path.read_text("utf-8"))
    if "shows-environment" in faults:
        graph["entities"] = [{"name": "environment", "entityType": "", "observations": sorted(os.environ)}]
    name, given = params["name"], params.get("arguments", {})
    if name == "search_nodes":
        chosen = [each for each in graph["entities"] if holds(each, given["query"].lower())]
        if "names-only" in faults:
            chosen = [{"name": each["name"]} for each in chosen]
    elif name == "open_nodes":
        chosen = [each for each in graph["entities"] if isinstance(each, dict) and each.get("name") in given["names"]]
    else:
        chosen = graph["entities"]
    names = {str(each.get("name")) for each in chosen if isinstance(each, dict)}
    relations = [
        each
        for each in graph.get("relations", [])
        if not isinstance(each, dict) or names & {str(each.get("from")), str(each.get("to"))}
    ]
    found = {"entities": chosen, "relations": relations}
    if "structured" in faults:
        return {"content": [], "structuredContent": found}
    return {"content": [{"type": "text", "text": json.dumps(found)}]}


def holds(node: object, needle: str) -> bool:
    if not isinstance(node, dict) or not isinstance(node.get("observations", []), list):
        return True
    texts = [str(node.get("name")), str(node.get("entityType", "")), *map(str, node.get("observations", []))]
    return any(needle in text.lower() for text in texts)


main()
