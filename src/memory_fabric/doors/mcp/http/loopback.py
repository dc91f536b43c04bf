"""Addresses that only this machine reaches, and a socket on one of them."""

from __future__ import annotations

import errno
import ipaddress
import os
import socket
from dataclasses import dataclass

from memory_fabric.errors import MemoryFabricError, UsageError

HOST = "127.0.0.1"
PORT = 6322
"""MFAB on a telephone's keys; below the ports that systems hand out by themselves."""

_WAITING = 128
"""Connections that wait to be taken."""


class PortUnavailable(MemoryFabricError):  # noqa: N818 - a state, told like an error
    """The address cannot be listened on."""

    code = "port_unavailable"
    exit_code = 3


@dataclass(frozen=True, slots=True)
class Loopback:
    """An address that is listened on."""

    host: str
    """An IP address, without brackets."""
    port: int

    @property
    def names(self) -> tuple[str, ...]:
        """What a client on this machine may call it: values of ``Host``, in lower case."""
        hosts = dict.fromkeys((self.host, HOST, "localhost", "::1"))
        written = [f"[{host}]" if ":" in host else host for host in hosts]
        return (*(f"{host}:{self.port}" for host in written), *(written if self.port == 80 else ()))

    @property
    def origins(self) -> tuple[str, ...]:
        """Values of ``Origin`` that a page served here would send."""
        return tuple(f"http://{name}" for name in self.names)

    @property
    def url(self) -> str:
        """Where it is, without a path."""
        return self.origins[0]


def loopback_address(host: str) -> str:
    """The IP address of a host that only this machine reaches; ``localhost`` is 127.0.0.1, ``::1`` must be asked for.

    Raises:
        UsageError: the host is another one; names are not looked up.
    """
    if host.lower() == "localhost":
        return HOST
    try:
        address = ipaddress.ip_address(host.removeprefix("[").removesuffix("]"))
    except ValueError:
        address = None
    if address is None or not address.is_loopback:
        raise UsageError(
            f"--host {host}: not a loopback address; a memory is served to this machine alone",
            f"use {HOST}, localhost or ::1, and a tunnel such as `ssh -L` to reach it from elsewhere",
        )
    return str(address)


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens on a loopback address; port 0 takes a free one.

    Raises:
        UsageError: not a loopback address.
        PortUnavailable: the port is taken or not allowed, the address family is not there.
    """
    address = loopback_address(host)
    opened = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM)
    try:
        if os.name == "posix":  # elsewhere the option lets two servers share a port
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind((address, port))
        opened.listen(_WAITING)
    except OSError as error:
        opened.close()
        taken = error.errno == errno.EADDRINUSE
        reason = "another program listens there" if taken else error.strerror or str(error)
        raise PortUnavailable(f"{address}:{port}: {reason}", "choose another --port, or 0 for a free one") from error
    return opened
