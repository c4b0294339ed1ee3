"""Ranges of files go from the page cache to the socket, without passing through Python.

uvloop's transports have no `sendfile`, and asyncio's takes the transport away for as long as it lasts. So the range is
sent on the transport's own socket while the transport has nothing to send. When the socket is full, some kilobytes of
the range are read and given to the transport instead: it waits until the socket has room, and says so when they are
sent. That needs no second descriptor and no watcher of our own, and leaves the waiting where it is done best.

What is always true: bytes are sent in their order, since either the transport has some or we do. Where there is no
`sendfile` for a file or a platform, the bytes are read and written a piece at a time.
"""

import asyncio
import errno
import os
import socket
from collections.abc import Callable

from ottla.world.real.file import disk_error
from ottla.world.real.send_queue import QueuedRange

SENT_AT_ONCE_BYTES = 1_048_576
WAITING_BYTES = 16_384  # what the transport gets to wait with
COPIED_BYTES = 65_536  # a piece, where there is no sendfile
CANNOT_SEND = {errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP, errno.EOVERFLOW}  # this file, or this system
OF_FILE = {errno.EIO, errno.EBADF, errno.EISDIR}

_sendfile: Callable[[int, int, int, int], int] | None = getattr(os, "sendfile", None)


def send_range(range_: QueuedRange, connection: socket.socket, transport: asyncio.Transport) -> int:
    """Send some of a range on a transport that has nothing to send; how many bytes of it are on their way now.

    Raises DiskError if the file does not give the bytes, OSError if the connection does not take them.
    """
    assert not transport.get_write_buffer_size(), "bytes before the range would come behind it"
    piece_bytes = COPIED_BYTES
    if _sendfile is not None:
        try:
            size = min(range_.size, SENT_AT_ONCE_BYTES)
            sent = _sendfile(connection.fileno(), range_.descriptor.number, range_.position, size)
        except BlockingIOError:
            piece_bytes = WAITING_BYTES
        except OSError as error:
            if error.errno in OF_FILE:
                raise disk_error("send", range_.path, error) from error
            if error.errno not in CANNOT_SEND:
                raise
        else:
            if sent == 0:
                raise range_.missing()
            return sent
    data = read_range(range_, piece_bytes)
    transport.write(data)
    return len(data)


def read_range(range_: QueuedRange, limit: int) -> bytes:
    """Read the next bytes of a range."""
    try:
        data = os.pread(range_.descriptor.number, min(range_.size, limit), range_.position)
    except OSError as error:
        raise disk_error("read", range_.path, error) from error
    if not data:
        raise range_.missing()
    return data
