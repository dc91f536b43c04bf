"""What can go wrong with an MCP server that is no fault of ours, and how it is said (F-ERR-1)."""

from __future__ import annotations

from memory_fabric.errors import SourceUnavailable

LONGEST = 300
"""Characters of a server's own words that are shown."""


class ServerStopped(Exception):  # noqa: N818 - an ending, told by the transport
    """A server that was started as a program went away; the message is what it wrote last on its error stream."""


def is_outage(error: BaseException) -> bool:
    """Whether this is the server's or the network's doing; anything else is a bug of ours and propagates."""
    return all(isinstance(each, _outside_errors()) for each in leaves(error))


def is_lost(error: BaseException) -> bool:
    """Whether the connection is of no use any more, so that the next question needs another."""
    from mcp_types import INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND, REQUEST_TIMEOUT

    from mcp import MCPError

    # An invalid request is how a server over HTTP says that it knows nothing of the session any more.
    alive = {INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND, REQUEST_TIMEOUT}
    return any(
        not isinstance(each, SourceUnavailable) and not (isinstance(each, MCPError) and each.code in alive)
        for each in leaves(error)
    )


def unavailable(name: str, error: BaseException | None) -> SourceUnavailable:
    """The error in one line that names the source, with what helps."""
    first = leaves(error)[0] if error is not None else None
    if isinstance(first, SourceUnavailable):
        return first
    if isinstance(first, FileNotFoundError | PermissionError) and first.filename:
        reason = f"{first.filename} cannot be started ({first.strerror})"
        return SourceUnavailable(f"{name}: {reason}", "check its command in sources.json")
    text = "the connection ended" if first is None else one_line(str(first)) or type(first).__name__
    return SourceUnavailable(f"{name}: {text}", f"try it: memory-fabric sources test {name}")


def leaves(error: BaseException) -> list[BaseException]:
    """The errors in a group of them, to any depth; the error itself where it is none."""
    if isinstance(error, BaseExceptionGroup):
        return [leaf for each in error.exceptions for leaf in leaves(each)]
    return [error]


def one_line(text: str) -> str:
    """At most ``LONGEST`` characters of somebody's words, in one line."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"


def _outside_errors() -> tuple[type[BaseException], ...]:
    import anyio
    import httpx2
    from pydantic import ValidationError

    from mcp import MCPError

    return (
        SourceUnavailable,
        ServerStopped,
        MCPError,
        OSError,
        EOFError,
        httpx2.HTTPError,
        httpx2.InvalidURL,
        ValidationError,
        anyio.ClosedResourceError,
        anyio.BrokenResourceError,
        anyio.EndOfStream,
    )
