"""What an item is: from a memory to the turn, the conversation or the document that it is (part of).

A memory of anything else takes a rank all the same: left out, it would flatter the measure.
"""

from __future__ import annotations

from memory_fabric.model.memory import Memory


def record(memory: Memory) -> str:
    """The turn's or document's own id."""
    return memory.origin.record or ""


def conversation(memory: Memory) -> str:
    """The conversation's own id."""
    return memory.origin.session.partition(":")[2]
