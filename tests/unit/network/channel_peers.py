"""Peers of a channel: a server behind it, or one that answers with whatever bytes it was told."""

from ottla.network.channel import Channel, ChannelSettings
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.framing import framed
from ottla.protocol.messages.connection import ApiVersionsResponse
from ottla.protocol.messages.connection import ApiVersionsResponse_ApiVersion as ApiVersion
from ottla.world.api import Stream
from ottla.world.simulated import SimulatedWorld
from tests.conformance.peers import Recorder
from tests.unit.network.ends import ANY, Serving

VERSIONS = ApiKey.API_VERSIONS
SETTINGS = ChannelSettings(client_id="tester", request_timeout_ms=5_000)


def channel_to(serving: Serving, settings: ChannelSettings = SETTINGS) -> Channel:
    """A channel to the plain listener."""
    return Channel(serving.world, serving.server.listeners["PLAIN"].address, settings)


class Peer(Recorder):
    """A peer that answers ApiVersions, and everything else with the bytes that it was told."""

    versions = ApiVersionsResponse(api_keys=[ApiVersion(api, api.min_version, api.max_version) for api in ApiKey])
    answers: tuple[bytes, ...] = ()

    def received(self, count: int) -> None:
        """Answer every frame."""
        super().received(count)
        while len(self.data) >= 4 and len(self.data) >= (size := 4 + int.from_bytes(self.data[:4], "big")):
            asked, self.data = bytes(self.data[4:size]), self.data[size:]
            if int.from_bytes(asked[:2], "big") == VERSIONS:
                self.stream.write(framed(asked[4:8], self.versions.write(int.from_bytes(asked[2:4], "big"))))
            elif self.answers:
                self.stream.write([b"".join(self.answers)])


async def peer(
    world: SimulatedWorld,
    answers: tuple[bytes, ...] = (),
    *,
    kind: type[Peer] = Peer,
    settings: ChannelSettings = SETTINGS,
) -> Channel:
    """A channel to such a peer."""

    def accept(stream: Stream) -> Peer:
        found = kind(world, stream)
        found.answers = answers
        return found

    listener = await world.network.listen(ANY, accept)
    return Channel(world, listener.address, settings)
