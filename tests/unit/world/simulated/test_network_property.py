"""What holds for every connection, whatever is done on it and to it."""

from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from ottla.world.simulated import SimulatedWorld
from tests.conformance.peers import CLOSED, ENDED, PAUSED, RESUMED
from tests.unit.world.simulated.two_nodes import Recorder, TwoNodes

HEALTHY_ACTIONS = ("write", "write", "write", "pause", "resume", "limits", "clog", "wait")
ACTIONS = (*HEALTHY_ACTIONS, "close", "abort", "reset", "partition", "heal", "kill", "crash")


@dataclass(frozen=True, slots=True)
class Step:
    """Something that is done at one of two ends."""

    action: str
    end: int
    size: int


def steps(actions: Sequence[str]) -> st.SearchStrategy[list[Step]]:
    """Sequences of these actions; sizes are of bytes, limits or times."""
    size = st.sampled_from((0, 1, 3, 100, 5_000, 70_000, 400_000))
    return st.lists(st.builds(Step, st.sampled_from(actions), st.integers(0, 1), size), max_size=25)


class Conversation:
    """A connection, and what was written at each of its ends."""

    def __init__(self, nodes: TwoNodes, ends: tuple[Recorder, Recorder]) -> None:
        self.nodes, self.ends = nodes, ends
        self.sent = (bytearray(), bytearray())
        self.has_closed = [False, False]

    def do(self, step: Step) -> None:
        """One step."""
        stream, network, simulation = self.ends[step.end].stream, self.nodes.network, self.nodes.simulation
        name = "ab"[step.end]
        match step.action:
            case "write" if not self.has_closed[step.end]:
                sent = self.sent[step.end]
                content = bytes((len(sent) + at) % 251 for at in range(step.size))
                sent += content
                stream.write([content[: step.size // 3], b"", memoryview(content)[step.size // 3 :]])
            case "pause":
                stream.pause_reading()
            case "resume":
                stream.resume_reading()
            case "limits":
                stream.set_write_limits(high=step.size, low=step.size // 4)
            case "close" | "abort":
                self.has_closed[step.end] = True
                getattr(stream, step.action)()
            case "reset":
                network.reset_connections("a", "b")
            case "partition":
                network.partition(name, "ab"[1 - step.end], one_way=step.size % 2 == 1)
            case "heal":
                network.heal()
            case "clog":
                network.clog("a", "b", step.size % 7_000, one_way=True)
            case "kill" | "crash" if simulation.nodes[name].is_up:
                getattr(simulation, step.action)(name)

    def check(self) -> None:
        """What was received is what was sent first; events are told in turns, and nothing behind the last."""
        for end in (0, 1):
            recorder = self.ends[end]
            assert self.sent[1 - end].startswith(recorder.data)
            events = recorder.events
            assert events.count(CLOSED) <= 1
            assert events.count(ENDED) <= 1
            told = [event for event in events if event in {PAUSED, RESUMED}]
            assert told == [PAUSED, RESUMED] * (len(told) // 2) + [PAUSED] * (len(told) % 2)
            assert CLOSED not in events[:-1]


@settings(max_examples=60)
@given(st.integers(0, 1_000), steps(ACTIONS))
def test_whatever_happens_a_prefix_arrives_in_order(seed: int, story: list[Step]) -> None:
    """No fault and no end of a connection reorders, repeats, invents or skips a byte."""

    async def tell(nodes: TwoNodes, world: SimulatedWorld) -> None:
        conversation = Conversation(nodes, await nodes.pair(world))
        for step in story:
            conversation.do(step)
            if step.action == "wait":
                await world.clock.sleep(step.size % 10_000)
            conversation.check()
        nodes.network.heal()
        await world.clock.sleep(30_000)
        conversation.check()

    TwoNodes(seed).tell(tell)


@settings(max_examples=60)
@given(st.integers(0, 1_000), steps(HEALTHY_ACTIONS))
def test_on_a_healthy_connection_everything_arrives(seed: int, story: list[Step]) -> None:
    """Where nothing is lost and both ends close when they are done, each has received all that the other wrote."""

    async def tell(nodes: TwoNodes, world: SimulatedWorld) -> None:
        conversation = Conversation(nodes, await nodes.pair(world))
        for step in story:
            conversation.do(step)
            if step.action == "wait":
                await world.clock.sleep(step.size % 10_000)
            conversation.check()
        client, server = conversation.ends
        for end in (client, server):
            end.stream.resume_reading()
        sent = conversation.sent
        await nodes.until(world, lambda: len(server.data) == len(sent[0]) and len(client.data) == len(sent[1]))
        client.stream.close()
        await nodes.until(world, lambda: ENDED in server.events)
        server.stream.close()
        await nodes.until(world, lambda: CLOSED in client.events and CLOSED in server.events)
        conversation.check()
        assert (client.error, server.error) == (None, None)
        assert (client.data, server.data) == (sent[1], sent[0])

    TwoNodes(seed).tell(tell)
