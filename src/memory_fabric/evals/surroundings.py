"""What a figure was measured with: no figure is worth anything without."""

from __future__ import annotations

import os
import platform


def machine() -> dict[str, object]:
    """The machine in a few words: no name of a host or a user."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "processors": usable,
        "machine": platform.machine(),
        "system": platform.system(),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
    }
