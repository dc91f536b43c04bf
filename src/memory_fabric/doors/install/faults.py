"""What can be wrong with a client's configuration file."""

from __future__ import annotations

from pathlib import Path

from memory_fabric.errors import ConfigError, UsageError


class SyntaxFault(Exception):  # noqa: N818 - becomes an UnreadableConfig as soon as the file is known
    """A text that cannot be taken apart, with the line (from 1) where that shows."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.reason = reason


class UnreadableConfig(ConfigError):  # noqa: N818
    """A client's configuration that cannot be read: it is left as it is."""

    code = "client_config"
    exit_code = 1

    def __init__(self, path: Path, reason: str, hint: str = "") -> None:
        super().__init__(f"{path}: {reason}; nothing was changed", hint or "mend the file and run the command again")


class NameTaken(UsageError):  # noqa: N818
    """Another server has the name already."""

    code = "name_taken"
    exit_code = 1

    def __init__(self, path: Path, name: str, command: str) -> None:
        super().__init__(
            f"{path}: another server is named {name!r} ({command}); nothing was changed",
            f"--replace puts ours in its place until `uninstall`; --name {other_name(name)} installs beside it",
        )


class PluginEnabled(UsageError):  # noqa: N818
    """The plugin does what would be installed."""

    code = "plugin_enabled"
    exit_code = 1

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"{path}: the plugin memory-fabric is enabled, every hook would fire twice; nothing was changed",
            "keep the plugin, or take it out with `/plugin uninstall memory-fabric` and install again",
        )


def other_name(name: str) -> str:
    """A name to offer when ``name`` is taken."""
    return "memory-fabric" if name != "memory-fabric" else "memory-fabric-2"
