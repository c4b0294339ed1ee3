"""Golden scripts: a quorum driven by hand, and what it does, as a text that a reviewer reads.

A line that begins with `>` is a command; the lines below it, up to the next command, are what followed. Lines with `#`
and empty ones are for the reader. Nothing happens by itself: time passes by `elapse`, messages wait until `deliver`.

    > voters 1 2 3           start these voters; their election timeouts are 1000 ms + 100 ms x id
    > small                  before `voters`: each fetch brings one batch
    > elapse 1100            that much later, whoever has a deadline by then is woken, in the order of ids
    > deliver                hand over all messages, and those that follow, until none is left; `deliver 2`: to 2 alone
    > elect 1                both, until 1 leads, without the trace; then `show`
    > cut 3  > heal          messages to and from 3 are lost, or not any more; `lose 3`: those under way from it
    > append 1 a b           the leader's state machine writes a batch
    > crash 2  > start 2     what 2 has not synced is gone; it begins anew. Syncs are done at once, unless `slow 2`
    > snapshot 1             1's state machine writes a snapshot, and its log begins there
    > show                   a line for each node: state, high watermark and end, what the log holds

`python -m tests.unit.cluster.raft.script FILE...` writes the trace anew; a reviewer then reads what has changed.
"""

import sys
from collections import deque
from collections.abc import Callable
from pathlib import Path
from random import Random

from ottla.cluster.raft.config import QuorumConfig
from ottla.cluster.raft.events import Append, Effect, Event, Received, Reply, Responded, Send, SnapshotTaken, Tick
from ottla.cluster.raft.log import OffsetAndEpoch
from ottla.cluster.raft.voters import static_voters
from ottla.protocol.messages.control_records import SnapshotFooterRecord
from ottla.protocol.records.builder import BatchBuilder, BatchFields
from tests.unit.cluster.raft.driver import Token
from tests.unit.cluster.raft.replica import LISTENER, Pace, Replica, Shell, node_of
from tests.unit.cluster.raft.words import said

EVENTS_MAX = 1_000


class Script:
    """A quorum driven by hand."""

    def __init__(self) -> None:
        self.replicas: dict[int, Replica] = {}
        self.now_ms = 0
        self._config = QuorumConfig()
        self._lines: list[str] = []
        self._messages: deque[tuple[int, int, Callable[[], tuple[Replica, Event]]]] = deque()
        self._syncs: deque[tuple[Replica, int, Callable[[], Event]]] = deque()
        self._cut: set[int] = set()
        self._slow: set[int] = set()
        self._shell = Shell(Random(0), self._post, self._transmit, self._answer)
        self._shell.observe = self._observe

    def run(self, text: str) -> str:
        """The text with what follows from its commands in the place of what it says."""
        result: list[str] = []
        for line in text.splitlines():
            if line.startswith(">"):
                result += [line, *self._command(line[1:].split())]
            elif not line or line.startswith("#"):
                result.append(line)
        return "\n".join(result) + "\n"

    def _command(self, words: list[str]) -> list[str]:
        commands: dict[str, Callable[[list[str]], object]] = {
            "voters": lambda rest: self._voters(list(map(int, rest))),
            "small": lambda rest: self._small(),
            "elapse": lambda rest: self._elapse(int(rest[0])),
            "deliver": lambda rest: self._deliver(set(map(int, rest))),
            "elect": lambda rest: self._elect(int(rest[0])),
            "cut": lambda rest: self._cut.update(map(int, rest)),
            "slow": lambda rest: self._slow.update(map(int, rest)),
            "lose": lambda rest: self._lose(set(map(int, rest))),
            "heal": lambda rest: self._heal(),
            "append": lambda rest: self._append(self.replicas[int(rest[0])], rest[1:]),
            "crash": lambda rest: self.replicas[int(rest[0])].crash(),
            "start": lambda rest: self._start(self.replicas[int(rest[0])]),
            "snapshot": lambda rest: self._snapshot(self.replicas[int(rest[0])]),
            "show": lambda rest: self._show(),
        }
        self._lines = []
        commands[words[0]](words[1:])
        return [f"  {line}" for line in self._lines]

    # Commands

    def _voters(self, ids: list[int]) -> None:
        static = static_voters(map(node_of, ids), LISTENER)
        for node_id in ids:
            self.replicas[node_id] = Replica(node_id, self._config, static, _Fixed(node_id), Pace())
            self._start(self.replicas[node_id])

    def _small(self) -> None:
        self._config = QuorumConfig(fetch_max_bytes=1)

    def _elect(self, node_id: int) -> None:
        self._elapse(1_000 + 100 * node_id)
        self._deliver(set())
        self._lines.clear()
        self._show()

    def _heal(self) -> None:
        self._cut.clear()
        self._slow.clear()

    def _lose(self, sources: set[int]) -> None:
        self._messages = deque(message for message in self._messages if message[0] not in sources)

    def _show(self) -> None:
        self._lines += map(_shown, self.replicas.values())

    def _start(self, replica: Replica) -> None:
        replica.start(self.now_ms)
        self._step(replica, Tick())

    def _elapse(self, ms: int) -> None:
        self.now_ms += ms
        for replica in self.replicas.values():
            deadline_ms = replica.machine.deadline() if replica.machine else None
            if deadline_ms is not None and deadline_ms <= replica.local_ms(self.now_ms):
                self._step(replica, Tick())

    def _deliver(self, targets: set[int]) -> None:
        kept: list[tuple[int, int, Callable[[], tuple[Replica, Event]]]] = []
        for _ in range(EVENTS_MAX):
            if not self._messages:
                break
            message = self._messages.popleft()
            source, target, event = message
            if targets and target not in targets:
                kept.append(message)
            elif not self._cut & {source, target} and self.replicas[target].machine is not None:
                self._step(*event())
        self._messages.extend(kept)

    def _append(self, leader: Replica, values: list[str]) -> None:
        assert leader.machine is not None
        epoch = leader.machine.state.epoch
        builder = BatchBuilder(BatchFields(leader.log.end_offset, epoch))
        for value in values:
            builder.append(0, None, value.encode())
        self._step(leader, Append(bytes(builder.build()), epoch))

    def _snapshot(self, replica: Replica) -> None:
        offset = replica.image.offset
        snapshot_id = OffsetAndEpoch(offset, replica.log.records(offset)[-1].epoch)
        body = BatchBuilder(BatchFields())
        body.append(0, None, SnapshotFooterRecord().to_bytes(0))
        replica.log.take_snapshot(snapshot_id, bytes(body.build()), keep=False)
        self._step(replica, SnapshotTaken(snapshot_id))

    # What follows

    def _step(self, replica: Replica, event: Event) -> None:
        self._shell.step(replica, event, self.now_ms)
        assert replica.machine is not None
        replica.machine.check()
        while self._syncs and self._syncs[0][0].node_id not in self._slow:
            syncing, life, done = self._syncs.popleft()
            if syncing.machine is not None and syncing.life == life:
                self._step(syncing, done())

    def _post(self, delay_ms: float, replica: Replica, event: Callable[[], Event]) -> None:
        if replica.node_id not in self._slow:
            self._syncs.append((replica, replica.life, event))

    def _transmit(self, source: Replica, send: Send) -> None:
        target = self.replicas[int(send.node.host.removeprefix("node-"))]
        token = Token(source, source.life, send.correlation_id, send.request)
        self._messages.append((source.node_id, target.node_id, lambda: (target, Received(send.request, token))))

    def _answer(self, source: Replica, reply: Reply) -> None:
        token = reply.token
        assert isinstance(token, Token)
        if token.source.life == token.life:
            event = Responded(token.correlation_id, reply.response)
            self._messages.append((source.node_id, token.source.node_id, lambda: (token.source, event)))

    def _observe(self, replica: Replica, effect: Effect) -> None:
        line = said(effect)
        if line:
            self._lines.append(f"{replica.node_id} {line}")


class _Fixed(Random):
    """Chance that is none: timeouts differ by the node's id."""

    def __init__(self, node_id: int) -> None:
        super().__init__(0)
        self._node_id = node_id

    def randrange(self, start: int, stop: int | None = None, step: int = 1) -> int:
        """The same each time."""
        return self._node_id * 100 % start


def _shown(replica: Replica) -> str:
    if replica.machine is None:
        return f"{replica.node_id} is dead"
    log = replica.log
    batches = " ".join(f"{batch.base_offset}-{batch.next_offset - 1}@{batch.epoch}" for batch in log.content.batches)
    state = replica.machine.state
    return (
        f"{replica.node_id} {type(state).__name__} in epoch {state.epoch}, high watermark {log.high_watermark}, "
        f"log from {log.start_offset}: {batches or 'empty'}"
    )


def scripts() -> list[Path]:
    """All of them."""
    return sorted((Path(__file__).parent / "scripts").glob("*.txt"))


if __name__ == "__main__":
    for path in map(Path, sys.argv[1:]):
        path.write_text(Script().run(path.read_text(encoding="utf-8")), encoding="utf-8")
