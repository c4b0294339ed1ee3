"""The channels of a client: one for each peer and purpose, made when somebody asks for it.

Purposes are kept apart so that nothing waits behind what it has nothing to do with: a heartbeat behind a long fetch, or
a vote behind a snapshot. All channels receive into one buffer.
"""

from typing import Final

from ottla.errors import ChannelFull
from ottla.network.channel import Channel, ChannelSettings
from ottla.network.frames import SharedBuffer
from ottla.world.api import Address, World

MAX_CHANNELS: Final = 10_000  # peers are told to us by others


class Channels:
    """All channels of one client."""

    def __init__(self, world: World, settings: ChannelSettings, max_channels: int = MAX_CHANNELS) -> None:
        self._world, self._settings, self._max_channels = world, settings, max_channels
        self._shared_buffer = SharedBuffer()
        self._channels: dict[tuple[Address, str], Channel] = {}

    def __len__(self) -> int:
        return len(self._channels)

    def to(self, address: Address, purpose: str = "") -> Channel:
        """The channel to a peer for a purpose; it connects with its first request."""
        channel = self._channels.get((address, purpose))
        if channel is None:
            if len(self._channels) >= self._max_channels:
                raise ChannelFull(f"{len(self._channels)} channels are open, and that is all there may be")
            channel = Channel(self._world, address, self._settings, self._shared_buffer)
            self._channels[address, purpose] = channel
        return channel

    async def drop(self, address: Address, purpose: str = "") -> None:
        """Close a channel that is not needed any more."""
        channel = self._channels.pop((address, purpose), None)
        if channel is not None:
            await channel.close()

    async def close(self) -> None:
        """Close all of them."""
        channels, self._channels = self._channels, {}
        for channel in channels.values():
            await channel.close()
