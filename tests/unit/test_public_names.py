"""What ``from memory_fabric import …`` gives (design §2, §7)."""

from __future__ import annotations

import subprocess
import sys

import pytest

import memory_fabric

NAMES = ["Answer", "Fabric", "MemoryFabricError", "Mode", "Result", "Scope", "Settings", "Window", "__version__"]


def test_the_public_names_are_these_sorted_and_each_there() -> None:
    assert memory_fabric.__all__ == NAMES == sorted(NAMES)
    assert all(getattr(memory_fabric, name) is not None for name in NAMES)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="Fabrik"):
        _ = memory_fabric.Fabrik


def test_importing_the_package_loads_nothing_heavy() -> None:
    """Decision 14: names are loaded when first used."""
    heavy = "numpy onnxruntime tokenizers rich watchfiles backports.zstd typer mcp starlette pydantic msgspec".split()
    ask = f"import sys, memory_fabric; print(*[name for name in {heavy!r} if name in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True)
    assert loaded.stdout.split() == []
