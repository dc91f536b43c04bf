"""The console script: hooks go straight to their work, everything else to the command line.

Whoever starts a hook waits for it, so nothing of the command line is imported for one (decision 14).
"""

from __future__ import annotations

import sys


def main() -> None:
    """``memory-fabric …`` and ``mf …``."""
    words = sys.argv[1:]
    if words[:1] == ["hook"] and not {"--help", "-h"} & set(words):
        import gc

        gc.disable()  # for a tenth of a second there is nothing worth collecting
        from memory_fabric.doors.hooks.run import main as hook

        hook(words[1:])
    from memory_fabric.doors.cli import main as command_line

    command_line()


if __name__ == "__main__":
    main()
