"""Vectors, where a resident server is up that has its model loaded already (F-HOOK-7, decision 14)."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory_fabric.doors.resident import Resident, find_resident
from memory_fabric.doors.token import read_token
from memory_fabric.errors import StoreUnavailable

PATIENCE = 0.15
"""Seconds that the server has: as much as the whole hook may take without it (design §6)."""

MOST_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Told:
    """What the server says of one memory."""

    id: str
    found_by: Mapping[str, float]
    """Source → share of what it can reach, in [0, 1]."""
    absorbed: tuple[str, ...]
    """Memories that it folded into this one."""


def ask_resident(home: Path, question: str, cwd: str, limit: int) -> list[Told] | None:
    """What the resident server of this memory finds, best first; None where there is none or it takes too long."""
    resident = find_resident(home)
    if resident is None:
        return None
    try:
        token = read_token(home)
    except StoreUnavailable:  # no token, no question: our own search goes on without vectors
        return None
    if token is None:
        return None
    body = json.dumps({"query": question, "limit": limit} | ({"cwd": cwd} if cwd else {}))
    answers: list[list[Told]] = []
    asking = threading.Thread(
        target=_ask, args=(resident, token, body, answers), name="memory-fabric-resident", daemon=True
    )
    asking.start()
    asking.join(PATIENCE)
    return answers[0] if answers else None


def _ask(resident: Resident, token: str, body: str, answers: list[list[Told]]) -> None:
    """Put the answer into ``answers``; whatever goes wrong, there is none."""
    from http.client import HTTPConnection, HTTPException

    connection = HTTPConnection(resident.host, resident.port, timeout=PATIENCE)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    try:
        connection.request("POST", "/api/search", body.encode("utf-8"), headers)
        response = connection.getresponse()
        if response.status == 200:
            answers.append([_told(row) for row in json.loads(response.read(MOST_BYTES))["results"]])
    except (OSError, HTTPException, ValueError, TypeError, KeyError, RecursionError):
        return  # gone, another program's port, or not what we know: the search without vectors stands in
    finally:
        connection.close()


def _told(row: Mapping[str, Any]) -> Told:
    """One result as the server writes it; its id has the name of the source before it."""
    found_by = {str(name): float(value) for name, value in row["found_by"].items()}
    return Told(str(row["id"]).partition(":")[2], found_by, tuple(str(each["id"]) for each in row["absorbed"]))
