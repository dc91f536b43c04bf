"""A machine of one's own: a home folder, a project, a memory, no client."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.install.machines import Machine, machine_in


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return machine_in(tmp_path)
