"""Names become socket addresses, and sockets are made the way that brokers and clients want them.

What is always true: IPv4 comes before IPv6, since a name like localhost has both and servers often listen on the first
alone; a socket of ours never blocks, sends small answers at once, and has its buffers before it has a connection.
"""

import asyncio
import os
import socket
import struct
from dataclasses import dataclass
from typing import Any

from ottla.world.api import Address, SocketBuffers

EVERY_INTERFACE = ""
SOCKET_FAMILIES = (socket.AF_INET, socket.AF_INET6)  # in the order in which they are tried
LINGER_NOT = struct.pack("ii" if os.name == "posix" else "HH", 1, 0)  # struct linger: on, for no time at all
NUMERIC = socket.AI_NUMERICHOST | socket.AI_NUMERICSERV


@dataclass(frozen=True, slots=True)
class SocketAddress:
    """An address of a family, as sockets take it."""

    family: socket.AddressFamily
    value: tuple[Any, ...]


async def resolve(loop: asyncio.AbstractEventLoop, address: Address) -> list[SocketAddress]:
    """The addresses of a host, IPv4 before IPv6, or OSError."""
    try:
        found = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM, flags=NUMERIC)
    except OSError:  # It is a name, not a number: ask the resolver.
        try:
            found = await loop.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
        except UnicodeError as error:
            raise OSError(f"not a host name: {error}") from error
    unique = dict.fromkeys((family, value) for family, _, _, _, value in found if family in SOCKET_FAMILIES)
    return sorted((SocketAddress(*one) for one in unique), key=lambda one: SOCKET_FAMILIES.index(one.family))


async def own_name(loop: asyncio.AbstractEventLoop) -> str:
    """The name of this machine that the resolver holds for its full one; a name that it does not know is of no use."""
    name = socket.gethostname()
    try:
        found = await loop.getaddrinfo(name, None, type=socket.SOCK_STREAM, flags=socket.AI_CANONNAME)
    except (OSError, UnicodeError):
        return "localhost"
    return next((canonical for _, _, _, canonical, _ in found if canonical), name)


def every_interface(port: int) -> list[SocketAddress]:
    """What stands for all addresses of this machine."""
    return [SocketAddress(socket.AF_INET, ("0.0.0.0", port)), SocketAddress(socket.AF_INET6, ("::", port))]  # noqa: S104


def address_of(value: tuple[Any, ...]) -> Address:
    """What the system calls an address, as we do."""
    return Address(value[0], value[1])


def new_socket(family: socket.AddressFamily, buffers: SocketBuffers) -> socket.socket:
    """A socket that does not block, made ready for a connection or for listening: who is accepted inherits."""
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setblocking(False)
        prepare(made)
        # Before the connection, since the window that TCP agrees on depends on it.
        if buffers.send_bytes != -1:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, buffers.send_bytes)
        if buffers.receive_bytes != -1:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffers.receive_bytes)
    except BaseException:
        made.close()
        raise
    return made


def prepare(connection: socket.socket) -> None:
    """Small answers go out at once, and a peer whose machine is gone is found out some day."""
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)


def bind(where: SocketAddress, port: int, backlog: int, buffers: SocketBuffers) -> socket.socket:
    """A socket that listens on an address; port 0: any free one."""
    bound = new_socket(where.family, buffers)
    try:
        if os.name == "posix":  # Elsewhere it lets two listeners have the same port.
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if where.family == socket.AF_INET6:
            bound.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)  # IPv4 has a socket of its own
        bound.bind((where.value[0], port, *where.value[2:]))
        bound.listen(backlog)
    except BaseException:
        bound.close()
        raise
    return bound
