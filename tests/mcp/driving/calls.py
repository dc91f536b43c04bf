"""What is called: every tool with good and with bad input, in an order that makes sense on an empty memory.

The two lists run at the same time on one memory; they speak of different things.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Try:
    """One call: with ``good`` a result is expected that satisfies it, without it an error that names ``blamed``."""

    tool: str
    arguments: Json
    good: Callable[[Json], bool] | None = None
    blamed: str = ""

    def __str__(self) -> str:
        shown = json.dumps(self.arguments, ensure_ascii=False)
        return f"{self.tool} {shown if len(shown) <= 60 else shown[:59] + '…'}"


NOTE = "We decided on PostgreSQL over MongoDB for the ledger, because transactions must span accounts."
ADA = {"name": "Ada's loom", "entityType": "project", "observations": ["weaves patterns", "runs nightly"]}
BEN = {"name": "billing 請求", "entityType": "service", "observations": []}
USES = {"from": "Ada's loom", "to": "billing 請求", "relationType": "feeds"}

MEMORY = (
    Try("add_memory", {"text": NOTE, "source": "driver"}, lambda it: it["ok"] and it["source"] == "driver"),
    Try("add_memory", {"text": "  "}, blamed="text"),
    Try("add_memory", {}, blamed="text"),
    Try("search_memory", {"query": "ledger PostgreSQL"}, lambda it: NOTE[:40] in json.dumps(it["results"])),
    Try(
        "search_memory",
        {"query": "ledger", "top_k": "5", "mode": "text", "project": "", "since": None, "unasked": 1},
        lambda it: it["mode"] == "text" and len(it["results"]) == 1,
    ),
    Try("search_memory", {"query": "ledger", "mode": "magic"}, blamed="mode"),
    Try("search_memory", {"top_k": 3}, blamed="query"),
    Try("open_memory", {"ids": ["$id"]}, lambda it: it["memories"][0]["text"] == NOTE and not it["missing"]),
    Try("open_memory", {"ids": ["nothing-has-this-id"]}, lambda it: it["missing"] == ["nothing-has-this-id"]),
    Try("open_memory", {}, blamed="ids"),
    Try("get_related_entities", {"entity": "PostgreSQL", "hops": 9}, lambda it: it["found"] and bool(it["seeds"])),
    Try("get_related_entities", {"entity": "Unheard Of"}, lambda it: not it["found"] and bool(it["message"])),
    Try("get_related_entities", {"entity": ""}, blamed="entity"),
    Try("forget_memory", {"ids": ["$id", "none"]}, lambda it: it["forgotten"] == 1 and it["missing"] == ["none"]),
    Try("forget_memory", {"ids": {}}, blamed="ids"),
    Try("search_memory", {"query": "ledger PostgreSQL"}, lambda it: NOTE[:40] not in json.dumps(it["results"])),
)
"""``$id`` is the id that ``add_memory`` gave."""

NODES = (
    Try("create_entities", {"entities": [ADA, BEN]}, lambda it: it == {"entities": [ADA, BEN]}),
    Try("create_entities", {"entities": [ADA]}, lambda it: it == {"entities": []}),
    Try("create_entities", {"entities": [{"name": "no type"}]}, blamed="entityType"),
    Try("create_entities", {}, blamed="entities"),
    Try("create_relations", {"relations": [USES]}, lambda it: it == {"relations": [USES]}),
    Try("create_relations", {"relations": [{"from": "a"}]}, blamed="to"),
    Try(
        "add_observations",
        {"observations": [{"entityName": ADA["name"], "contents": ["runs nightly", "is audited"]}]},
        lambda it: it == {"results": [{"entityName": ADA["name"], "addedObservations": ["is audited"]}]},
    ),
    Try("add_observations", {"observations": [{"entityName": "Nobody", "contents": ["x"]}]}, blamed="Nobody"),
    Try("add_observations", {"observations": "five"}, blamed="observations"),
    Try("read_graph", {}, lambda it: BEN in it["entities"] and USES in it["relations"]),
    Try("read_graph", {"cursor": "not one of ours"}, blamed="cursor"),
    Try("search_nodes", {"query": "audited patterns"}, lambda it: it["entities"][0]["name"] == ADA["name"]),
    Try("search_nodes", {"query": {"not": "a text"}}, blamed="query"),
    Try("open_nodes", {"names": ["billing 請求"]}, lambda it: it["entities"] == [BEN] and it["relations"] == [USES]),
    Try("open_nodes", {"names": 7.5, "cursor": []}, blamed=""),
    Try(
        "delete_observations",
        {"deletions": [{"entityName": ADA["name"], "observations": ["is audited"]}]},
        lambda it: it["success"],
    ),
    Try("delete_observations", {"deletions": [{"observations": ["x"]}]}, blamed="entityName"),
    Try("delete_relations", {"relations": [USES]}, lambda it: it["success"]),
    Try("delete_relations", {"relations": [[]]}, blamed="relations"),
    Try("delete_entities", {"entityNames": ["billing 請求", "never there"]}, lambda it: it["success"]),
    Try("delete_entities", {}, blamed="entityNames"),
    Try("read_graph", {"max_tokens": "5000"}, lambda it: ADA in it["entities"] and BEN not in it["entities"]),
    Try("no_such_tool", {}, blamed="no_such_tool"),
)

TOOLS = {each.tool for each in (*MEMORY, *NODES)} - {"no_such_tool"}


def briefly(script: Sequence[Try], *, bad: bool = True) -> tuple[Try, ...]:
    """The first good call of every tool and, with ``bad``, the first bad one, in order: where each costs processes."""
    first = {(each.tool, each.good is None): each for each in reversed(script)}
    return tuple(each for each in script if each is first[each.tool, each.good is None] and (bad or each.good))
