"""A server that knows nothing: for every so many bytes that arrive it sends so many back. What a node is measured by.

`python -m bench.bare_echo REQUEST_BYTES ANSWER_BYTES` prints its port, and serves until it is ended.
"""

import asyncio
import sys
from typing import cast

import uvloop


class Echo(asyncio.Protocol):
    """One connection."""

    def __init__(self, request_bytes: int, answer: bytes) -> None:
        self._request_bytes, self._answer, self._rest = request_bytes, answer, 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """It begins."""
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """Answer what is whole."""
        whole, self._rest = divmod(self._rest + len(data), self._request_bytes)
        if whole:
            self._transport.write(self._answer * whole)


async def main(request_bytes: int, answer_bytes: int) -> None:
    """Serve."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Echo(request_bytes, bytes(answer_bytes)), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(main(int(sys.argv[1]), int(sys.argv[2])))
