"""One connection of a server: the order of answers, what mutes it, what ends it."""

import pytest

from ottla.errors import MalformedMessage
from ottla.network.limits import Limits, Mute
from ottla.network.request import Request
from ottla.network.turns import FRAMES_AT_ONCE
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.cluster import MetadataResponse
from ottla.protocol.messages.connection import ApiVersionsResponse
from ottla.world.simulated import SimulatedWorld
from tests.unit.network.ends import HELD, SIZED, Serving, frame, question, run

KIB = 1024


def test_answers_leave_in_the_order_of_requests() -> None:
    """Several requests are in flight; whichever is answered first, the answers leave in the order of asking."""

    async def main(world: SimulatedWorld) -> None:
        async with Serving(world) as serving:
            client = await serving.client()
            await client.ask(*(question(HELD, number) for number in range(5)))
            await serving.until(lambda: len(serving.service.held) == 5)
            serving.service.answer_held(3, 1, 2, 4)
            await world.clock.sleep(100)
            assert client.answered() == []
            serving.service.answer_held(0)
            assert await client.until_answered(5) == [0, 1, 2, 3, 4]

    run(main)


def test_a_request_that_is_cut_up_is_served_once_it_is_whole() -> None:
    """Every byte of two requests may come alone."""

    async def main(world: SimulatedWorld) -> None:
        async with Serving(world) as serving:
            client = await serving.client()
            for byte in question(SIZED, 1) + question(SIZED, 2):
                client.stream.write([bytes([byte])])
                await world.clock.sleep(1)
            assert await client.until_answered(2) == [1, 2]
            await serving.until(lambda: serving.connection().held_bytes == 0)

    run(main)


def test_only_so_many_requests_are_in_flight() -> None:
    """Who has `max_in_flight` requests unanswered is not served, nor read from, until half of them are answered."""

    async def main(world: SimulatedWorld) -> None:
        async with Serving(world, Limits(max_in_flight=4)) as serving:
            client = await serving.client()
            await client.ask(*(question(HELD, number) for number in range(10)))
            await serving.until(lambda: len(serving.service.held) == 4)
            await world.clock.sleep(100)
            assert len(serving.service.held) == serving.connection().in_flight == 4
            assert serving.connection().muted == Mute.IN_FLIGHT
            serving.service.answer_held(0)
            await world.clock.sleep(100)
            assert len(serving.service.held) == 4
            serving.service.answer_held(1)
            await serving.until(lambda: len(serving.service.held) == 6)
            serving.service.answer_held(2, 3, 4, 5)
            await serving.until(lambda: len(serving.service.held) == 10)
            serving.service.answer_held(6, 7, 8, 9)
            assert await client.until_answered(10) == list(range(10))
            assert serving.connection().muted == Mute.NONE

    run(main)


def test_only_so_many_bytes_of_requests_are_in_flight() -> None:
    """Requests that are large count for what they are: they may be kept until they are answered."""

    async def main(world: SimulatedWorld) -> None:
        size = len(question(HELD, 0)) - 4
        async with Serving(world, Limits(max_in_flight_bytes=3 * size)) as serving:
            client = await serving.client()
            await client.ask(*(question(HELD, number) for number in range(6)))
            await serving.until(lambda: len(serving.service.held) == 3)
            await world.clock.sleep(100)
            assert len(serving.service.held) == serving.connection().in_flight == 3
            assert serving.connection().muted == Mute.IN_FLIGHT
            serving.service.answer_held(0, 1)
            await serving.until(lambda: len(serving.service.held) == 5)
            serving.service.answer_held(2, 3, 4)
            await serving.until(lambda: len(serving.service.held) == 6)
            serving.service.answer_held(5)
            assert await client.until_answered(6) == list(range(6))
            assert serving.connection().muted == Mute.NONE

    run(main)


def test_who_waits_for_an_answer_hears_that_nobody_is_left() -> None:
    """When a connection ends, every request of it that has no answer is told so, once; those with one are not."""

    async def main(world: SimulatedWorld) -> None:
        async with Serving(world) as serving:
            client = await serving.client()
            await client.ask(*(question(HELD, number) for number in range(3)))
            await serving.until(lambda: len(serving.service.held) == 3)
            told: list[int] = []
            for number, request in enumerate(serving.service.held):
                request.if_gone(lambda number=number: told.append(number))  # type: ignore[misc]
            serving.service.answer_held(1)
            assert not told
            client.stream.abort()
            await serving.until(lambda: not serving.server.listeners[serving.settings.name].connections)
            assert told == [0, 2]

    run(main)


def test_a_slow_reader_cannot_make_answers_pile_up() -> None:
    """A pipeline of 10,000 requests whose sender reads nothing leaves no more unsent than the limit and some answers;
    when it reads, everything is answered, in order.
    """

    async def main(world: SimulatedWorld) -> None:
        limit = 100 * KIB
        async with Serving(world, Limits(max_unsent_bytes=limit)) as serving:
            serving.service.size_bytes = 1_000
            client = await serving.client()
            client.stream.pause_reading()
            await client.ask(*(question(SIZED, number) for number in range(10_000)))
            most = 0
            for _ in range(500):
                await world.clock.sleep(1)
                connection = serving.connection()
                most = max(most, connection.stream.unsent_bytes())
            assert limit // 2 < most < limit + 80 * KIB
            assert connection.muted & Mute.BACKLOG
            assert len(serving.service.served) < 500
            client.stream.resume_reading()
            assert await client.until_answered(10_000) == list(range(10_000))

    run(main)


def test_answers_that_cost_much_are_made_when_they_are_sent() -> None:
    """`answer_when_sent` makes the next answer when the peer has read what came before, so only one waits in memory."""

    async def main(world: SimulatedWorld) -> None:
        made: list[int] = []

        def large(request: Request) -> None:
            def make() -> MetadataResponse:
                made.append(request.header.correlation_id)
                return MetadataResponse(cluster_id="x" * 30_000)

            request.answer_when_sent(make)

        async with Serving(world, Limits(max_unsent_bytes=16 * KIB)) as serving:
            serving.service.other = {HELD: serving.service.held.append}
            client = await serving.client()
            client.stream.pause_reading()
            await client.ask(*(question(HELD, number) for number in range(20)))
            await serving.until(lambda: len(serving.service.held) == 20)
            for request in serving.service.held:
                request.api = SIZED  # so that what is large can be said
                request.header.request_api_version = SIZED.max_version
                large(request)
            await world.clock.sleep(200)
            assert 0 < len(made) < 6
            client.stream.resume_reading()
            assert await client.until_answered(20) == made == list(range(20))

    run(main)


def test_no_answer_is_an_answer() -> None:
    """What asks for no acknowledgement gets none, and those behind it get theirs."""

    async def main(world: SimulatedWorld) -> None:
        async with Serving(world) as serving:
            serving.service.other = {HELD: Request.answer_nothing}
            client = await serving.client()
            await client.ask(question(HELD, 1), question(SIZED, 2), question(HELD, 3), question(SIZED, 4))
            assert await client.until_answered(2) == [2, 4]
            assert serving.connection().in_flight == 0

    run(main)


def test_whoever_closes_behind_requests_is_served_them() -> None:
    """A producer without acknowledgements closes right behind its last batch: all of them are served, as in Kafka."""

    async def main(world: SimulatedWorld) -> None:
        async with Serving(world) as serving:
            serving.service.other = {HELD: Request.answer_nothing}
            client = await serving.client()
            await client.ask(*(question(HELD, number) for number in range(300)))
            client.stream.close()
            await serving.until(lambda: len(serving.service.served) == 300)
            await serving.until(lambda: not list(serving.server.connections()))
            assert serving.reasons() == {"PEER": 1}

    run(main)


def test_api_versions_in_an_unknown_version_is_answered_in_version_0() -> None:
    """The answer says UNSUPPORTED_VERSION and which versions of ApiVersions there are, and the client may ask again
    (KIP-511); the serving function hears nothing of it.
    """

    async def main(world: SimulatedWorld) -> None:
        async with Serving(world) as serving:
            client = await serving.client()
            key_and_version = ApiKey.API_VERSIONS.to_bytes(2, "big") + (99).to_bytes(2, "big")
            await client.ask(frame(key_and_version + (7).to_bytes(4, "big") + b"\x00\x01c\x00what this version says"))
            answer = await client.answer(ApiKey.API_VERSIONS, ApiVersionsResponse, 0)
            assert client.answered() == [7]
            assert answer.error_code == ErrorCode.UNSUPPORTED_VERSION
            assert [(each.api_key, each.min_version, each.max_version) for each in answer.api_keys] == [(18, 0, 4)]
            assert serving.service.served == []
            await client.ask(question(SIZED, 8))
            assert await client.until_answered(2) == [7, 8]

    run(main)


UNKNOWN_API = (1_234).to_bytes(2, "big") + bytes(8)
OLD_METADATA = SIZED.to_bytes(2, "big") + (99).to_bytes(2, "big") + bytes(4) + b"\x00\x01c\x00"
CLIENT_ID_TOO_LONG = SIZED.to_bytes(2, "big") + (1).to_bytes(2, "big") + bytes(4) + b"\x7f\xff" + b"c"


@pytest.mark.parametrize(
    ("sent", "reason"),
    [
        (frame(b""), "MALFORMED"),
        (frame(b"\x00"), "MALFORMED"),
        (frame(UNKNOWN_API), "MALFORMED"),
        (frame(CLIENT_ID_TOO_LONG), "MALFORMED"),
        (frame(OLD_METADATA), "UNSUPPORTED"),
        (b"\xff\xff\xff\xff", "OVERSIZED"),
        (b"\x7f\xff\xff\xff", "OVERSIZED"),
        (b"GET / HTTP/1.1\r\n\r\n", "OVERSIZED"),
    ],
)
def test_what_cannot_be_answered_ends_the_connection(sent: bytes, reason: str) -> None:
    """As in Kafka, what is no request, or none that we serve, closes the connection behind the answers that were due;
    it is counted, and it is no fault of ours.
    """

    async def main(world: SimulatedWorld) -> None:
        async with Serving(world) as serving:
            client = await serving.client()
            await client.ask(question(SIZED, 1), sent, question(SIZED, 2))
            await client.until_gone()
            assert client.answered() in ([1], [])  # bytes that were not read reset the connection
            assert serving.service.served == [1]
            assert serving.reasons() == {reason: 1}
            assert serving.service.faults == []

    run(main)


def test_a_body_that_does_not_parse_ends_the_connection() -> None:
    """The serving function raises what the codec has raised: the peer's fault, counted and not reported."""

    async def main(world: SimulatedWorld) -> None:
        def malformed(request: Request) -> None:
            raise MalformedMessage(f"nothing in {len(request.frame)} bytes")

        async with Serving(world) as serving:
            serving.service.other = {SIZED: malformed}
            client = await serving.client()
            await client.ask(question(SIZED, 1))
            await client.until_gone()
            assert serving.reasons() == {"MALFORMED": 1}

    run(main)


def test_an_error_of_ours_is_reported_and_ends_one_connection() -> None:
    """What the serving function, or what makes an answer, raises is reported, and costs the connection."""

    async def main(world: SimulatedWorld) -> None:
        def failing(request: Request) -> None:
            raise ZeroDivisionError("of ours")

        def failing_later(request: Request) -> None:
            request.answer_when_sent(lambda: MetadataResponse(cluster_id=1 // 0))  # type: ignore[arg-type]

        async with Serving(world) as serving:
            serving.service.other = {HELD: failing, SIZED: failing_later}
            for api in (HELD, SIZED):
                client = await serving.client()
                await client.ask(question(api, 1))
                await client.until_gone()
            assert [type(each) for each in serving.service.faults] == [ZeroDivisionError] * 2
            serving.service.faults.clear()
            assert serving.reasons() == {"OURS": 2}

    run(main)


def test_whoever_is_throttled_is_answered_and_not_read_from() -> None:
    """A throttled client has its answer at once (KIP-219); its next request is served when the time is over."""

    async def main(world: SimulatedWorld) -> None:
        async with Serving(world) as serving:
            client = await serving.client()
            await client.ask(question(HELD, 1))
            await serving.until(lambda: bool(serving.service.held))
            before_ms = world.clock.monotonic_ms()
            serving.service.held[0].throttle(1_000)
            serving.service.held[0].throttle(400)  # less than there is already
            serving.service.answer_held()
            assert await client.until_answered(1) == [1]
            await client.ask(question(SIZED, 2))
            assert world.clock.monotonic_ms() < before_ms + 100
            assert serving.connection().muted == Mute.THROTTLE
            await client.until_answered(2)
            assert before_ms + 1_000 <= world.clock.monotonic_ms() < before_ms + 1_100

    run(main)


def test_a_request_knows_who_asks() -> None:
    """Client id, address, principal, listener, security protocol and version stand in the request."""

    async def main(world: SimulatedWorld) -> None:
        async with Serving(world) as serving:
            client = await serving.client()
            await client.ask(question(HELD, 1, version=3))
            await serving.until(lambda: bool(serving.service.held))
            request = serving.service.held[0]
            assert (request.client_id, request.client_address, request.version) == ("tester", "127.0.0.1", 3)
            assert (request.principal, request.listener) == ("User:ANONYMOUS", "PLAIN")
            assert request.security_protocol == "PLAINTEXT"
            assert request.is_wanted
            client.stream.abort()
            await serving.until(lambda: not request.is_wanted)
            serving.service.answer_held()  # nobody is there, and nobody minds

    run(main)


def test_a_busy_pipeline_lets_others_in_between() -> None:
    """Requests of a connection that has filled a buffer with them are served in slices, and a newcomer's among them."""

    async def main(world: SimulatedWorld) -> None:
        async with Serving(world) as serving:
            serving.service.other = {SIZED: lambda request: _costly(world, request)}
            greedy, modest = await serving.clients(2)
            await greedy.ask(*(question(SIZED, number) for number in range(200)))
            await serving.until(lambda: len(serving.service.served) > 0)
            await modest.ask(question(SIZED, 1_000))
            await modest.until_answered(1)
            place = serving.service.served.index(1_000)
            await greedy.until_answered(200)
            assert place < 30

    def _costly(world: SimulatedWorld, request: Request) -> None:
        world.loop.charge(1_000_000)
        request.answer(MetadataResponse())

    run(main)


def test_cheap_requests_do_not_keep_the_loop_either() -> None:
    """However little they cost, only so many frames of one connection are served before others may come."""

    async def main(world: SimulatedWorld) -> None:
        async with Serving(world) as serving:
            greedy, modest = await serving.clients(2)
            await greedy.ask(*(question(SIZED, number) for number in range(2 * FRAMES_AT_ONCE)))
            while not serving.service.served:
                await world.clock.sleep(0)
            assert len(serving.service.served) <= FRAMES_AT_ONCE
            await modest.ask(question(SIZED, 1_000))
            await modest.until_answered(1)
            await greedy.until_answered(2 * FRAMES_AT_ONCE)

    run(main)


def test_a_connection_counts_what_went_over_it() -> None:
    """Requests and bytes of a connection, in both directions."""

    async def main(world: SimulatedWorld) -> None:
        async with Serving(world) as serving:
            client = await serving.client()
            asked = [question(SIZED, number) for number in range(3)]
            await client.ask(*asked)
            await client.until_answered(3)
            connection = serving.connection()
            assert connection.requests == 3
            assert connection.bytes_in == sum(map(len, asked))
            assert connection.bytes_out == len(client.data)

    run(main)


def test_a_peer_that_has_gone_is_not_waited_for() -> None:
    """Who closes while a request of his waits for its answer is gone: the connection is closed without the answer."""

    async def main(world: SimulatedWorld) -> None:
        async with Serving(world) as serving:
            client = await serving.client()
            await client.ask(question(HELD, 1))
            await serving.until(lambda: bool(serving.service.held))
            client.stream.close()
            await serving.until(lambda: not serving.service.held[0].is_wanted)
            await serving.until(lambda: not list(serving.server.connections()))
            serving.service.answer_held()
            assert serving.reasons() == {"PEER": 1}

    run(main)


def test_what_waits_for_its_turn_is_served_also_behind_a_close() -> None:
    """The peer's end is noticed while its requests wait for their turns: all of them are served before it counts."""

    async def main(world: SimulatedWorld) -> None:
        def costly(request: Request) -> None:
            world.loop.charge(2_000_000)
            request.answer_nothing()

        async with Serving(world) as serving:
            serving.service.other = {SIZED: costly}
            client = await serving.client()
            await client.ask(*(question(SIZED, number) for number in range(40)))
            client.stream.close()
            await serving.until(lambda: bool(serving.service.served))
            serving.connection().ended()
            assert len(serving.service.served) < 40
            await serving.until(lambda: not list(serving.server.connections()))
            assert serving.service.served == list(range(40))
            assert serving.reasons() == {"PEER": 1}

    run(main)
