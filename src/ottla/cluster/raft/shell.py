"""The quorum's machine in the world: a log on a disk, channels to other replicas, one timer, and those who listen.

    requests of the controller's listener --> handle --+          +--> Persist, Truncate, InstallSnapshot   barriers
    answers to what we sent -------------------------->+--> Raft -+--> Sync                                 in a thread
    syncs that are done, the timer ------------------->+          +--> Send, Reply                          the network
    append, take_snapshot, resign, stop -------------->+          +--> LeaderChanged, Committed, ...        listeners

Effects are carried out in their order. While a barrier is (a file is on its way to the disk), what lies behind it
waits, and so does every event. What the machine says by `Reply` goes to whoever waits in `handle`.

Always true: a request is answered once; a node whose disk refuses, or whose machine meets a fault of ours, takes no
more part: nothing is acknowledged from then on, everybody who waits is told KAFKA_STORAGE_ERROR, its own state machine
hears that nobody leads, and `failed` is called, for the node is to stop (Kafka halts). `stop` leaves no task, timer or
connection behind. The channels are this shell's own, and are closed by it.
"""

import logging
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any, Final, Protocol, Self

from ottla.cluster.metadata.snapshot_file import SnapshotHead
from ottla.cluster.raft.asking import Asking
from ottla.cluster.raft.config import Identity, MetadataLogConfig, QuorumConfig
from ottla.cluster.raft.disk_log import DiskRaftLog
from ottla.cluster.raft.events import (
    BARRIERS,
    Append,
    Committed,
    Effect,
    Event,
    InstallSnapshot,
    LeaderChanged,
    Persist,
    Received,
    Reply,
    Resign,
    Send,
    ShutDown,
    Shutdown,
    SnapshotTaken,
    Sync,
    Synced,
    Tick,
    Truncate,
    Upgraded,
    UpgradeKRaftVersion,
    WriteSnapshot,
)
from ottla.cluster.raft.log import OffsetAndEpoch
from ottla.cluster.raft.machine import Raft
from ottla.cluster.raft.quorum_state import ElectionState
from ottla.cluster.raft.states import Leader
from ottla.cluster.raft.voters import Node, VoterSet
from ottla.errors import BatchTooLarge, DiskError, OttlaError, RequestRefused
from ottla.network.channels import Channels
from ottla.protocol.codec.message import Message
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.records.builder import BatchBuilder, BatchFields
from ottla.protocol.records.columns import Bytes
from ottla.world.api import Future, Task, Timer, World

EVENTS_MAX: Final = 10_000  # that wait for a barrier; more requests than that are refused
GRACE_MS: Final = 1_000  # for the disk, when we stop

logger = logging.getLogger(__name__)


class QuorumListener(Protocol):
    """Who is told what the quorum knows. Calls come on the loop, in the order in which things happened."""

    def leader_changed(self, leader_id: int | None, epoch: int) -> None:
        """Who leads; who is told so of itself may append until it is told else."""

    def committed(self, offset: int) -> None:
        """Everything below is committed."""

    def snapshot_installed(self, snapshot_id: OffsetAndEpoch) -> None:
        """The log begins with this snapshot of the leader's now: state machines begin anew with it."""


class RaftShell:
    """One replica of the quorum's log, at work."""

    def __init__(
        self,
        world: World,
        *,
        identity: Identity,
        config: QuorumConfig,
        log: DiskRaftLog,
        static: VoterSet,
        stored: ElectionState | None,
        channels: Channels,
        failed: Callable[[Exception], None],
        max_batch_bytes: int = 8_388_608,
    ) -> None:
        """Out of its parts; see `open`. `failed` is told once, when this replica takes no more part."""
        clock = world.clock
        now_ms = clock.monotonic_ms()
        self.world, self.identity, self.config, self.log = world, identity, config, log
        self.raft = Raft(
            identity, config, log, static=static, stored=stored,
            draw=world.rng.randrange, now_ms=now_ms, wall_offset_ms=clock.wall_ms() - now_ms,
        )  # fmt: skip
        self.leader_high_watermark: int | None = None  # the highest that a leader, we too, has told of
        self.failure: Exception | None = None
        self._failed, self._max_batch_bytes = failed, max_batch_bytes
        self._asking = Asking(world, channels, config.request_timeout_ms, self._post, self._leader_has)
        self._listeners: list[QuorumListener] = []
        self._told = LeaderChanged(None, 0)
        self._events: deque[Event] = deque()
        self._effects: deque[Effect] = deque()
        self._is_working = self._is_started = self._is_over = False
        self._barrier: Task[None] | None = None
        self._timer: Timer | None = None
        self._timer_ms = 0
        self._syncing: Task[None] | None = None
        self._waiting: dict[int, Future[Any]] = {}  # for replies, and upgrades
        self._next_id = 0
        self._shut_down: Future[None] | None = None

    @classmethod
    async def open(
        cls,
        world: World,
        log_directory: str,
        *,
        identity: Identity,
        config: QuorumConfig,
        log_config: MetadataLogConfig,
        static: VoterSet,
        channels: Channels,
        failed: Callable[[Exception], None],
    ) -> Self:
        """The replica whose log is in a log directory. `failed` is told once, if it takes no more part later."""
        found: list[RaftShell] = []

        def disk_failed(error: DiskError) -> None:
            for shell in found:
                shell.fail(error)

        log = await DiskRaftLog.open(world, log_directory, log_config, disk_failed)
        stored = await log.read_election()
        shell = cls(
            world, identity=identity, config=config, log=log, static=static, stored=stored, channels=channels,
            failed=failed, max_batch_bytes=log_config.max_batch_bytes,
        )  # fmt: skip
        found.append(shell)
        return shell

    # What is known

    @property
    def epoch(self) -> int:
        """The epoch that this replica is in, as far as it has told."""
        return self._told.epoch

    @property
    def leader_id(self) -> int | None:
        """Who leads, as far as we know."""
        return self._told.leader_id

    @property
    def leader_node(self) -> Node | None:
        """Where the leader is reached by other nodes."""
        return None if self.leader_id is None else self.raft.quorum.leader_node

    @property
    def is_leader(self) -> bool:
        """Whether we lead, and may append."""
        return self.leader_id == self.identity.key.node_id and self._leads_in(self._told.epoch)

    @property
    def high_watermark(self) -> int:
        """Everything below is committed, as far as we have it."""
        return self.log.high_watermark

    @property
    def end_offset(self) -> int:
        """The end of our log."""
        return self.log.end_offset

    @property
    def kraft_version(self) -> int:
        """The kraft.version in force."""
        return self.raft.quorum.history.kraft_version

    @property
    def voters(self) -> VoterSet:
        """Who votes."""
        return self.raft.quorum.voters

    def _leads_in(self, epoch: int) -> bool:
        return isinstance(self.raft.state, Leader) and self.raft.state.epoch == epoch and self.failure is None

    # Starting and stopping

    def add(self, listener: QuorumListener) -> None:
        """Tell somebody of everything from now on, and of what there is."""
        self._listeners.append(listener)
        if self._is_started:
            listener.leader_changed(*self._leader())
            if self.log.high_watermark:
                listener.committed(self.log.high_watermark)

    def start(self) -> None:
        """Take part."""
        self._is_started = True
        if self.log.high_watermark:
            for listener in self._listeners:
                listener.committed(self.log.high_watermark)
        self._post(Tick())

    async def stop(self, grace_ms: int) -> None:
        """Hand over what is ours, take part no more, and leave the log as a clean stop does."""
        world = self.world
        if self.failure is None and self._is_started:
            self._shut_down = world.future()
            self._post(Shutdown(world.clock.monotonic_ms() + grace_ms))
            try:
                await world.timeout(grace_ms + GRACE_MS, self._shut_down)
            except TimeoutError:
                logger.warning("The quorum's replica stops without having handed over")
        self._end(RequestRefused(ErrorCode.NOT_LEADER_OR_FOLLOWER, "this node stops"))
        if self._barrier is not None:
            with suppress(TimeoutError):
                await world.timeout(GRACE_MS, self._barrier)
        if self._syncing is not None:
            self._syncing.cancel()
        await self._asking.close()
        try:
            await self.log.close()
        except DiskError as error:
            logger.error("The metadata log is not left in order", extra={"reason": str(error)})  # noqa: TRY400

    def fail(self, error: Exception) -> None:
        """The disk refused, or the machine met a fault of ours: this replica says nothing any more."""
        if self.failure is not None:
            return
        self.failure = error
        trace = None if isinstance(error, DiskError) else error
        logger.error("The quorum's replica fails", extra={"reason": str(error)}, exc_info=trace)
        self._end(RequestRefused(ErrorCode.KAFKA_STORAGE_ERROR, f"this node's metadata log has failed: {error}"))
        if self._told.leader_id is not None:
            self._told = LeaderChanged(None, self._told.epoch)
            for listener in self._listeners:
                listener.leader_changed(None, self._told.epoch)
        if self._shut_down is not None and not self._shut_down.done():
            self._shut_down.set_result(None)
        self._failed(error)

    def _end(self, why: RequestRefused) -> None:
        self._is_over = True
        if self._timer is not None:
            self._timer.cancel()
        self._events.clear()
        self._effects.clear()
        waiting, self._waiting = self._waiting, {}
        for future in waiting.values():
            if not future.done():
                future.set_exception(RequestRefused(why.code, str(why)))

    # What others ask

    async def handle(self, request: Message) -> Message:
        """Ask the machine: Vote, BeginQuorumEpoch, EndQuorumEpoch, Fetch, FetchSnapshot, DescribeQuorum and changes of
        voters. None of these holds a view of the frame that it came in.
        """
        token, answer = self._expect()
        if not answer.done():
            self._post(Received(request, token))
        response: Message = await self._answered(token, answer)
        return response

    async def upgrade_kraft_version(self, version: int, *, validate_only: bool = False) -> tuple[ErrorCode, str]:
        """Have the voters stand in the log; why not, or that it is in ours."""
        token, answer = self._expect()
        if not answer.done():
            self._post(UpgradeKRaftVersion(version, token, validate_only))
        upgraded = await self._answered(token, answer)
        assert isinstance(upgraded, Upgraded)
        return upgraded.error, upgraded.why

    def _expect(self) -> tuple[int, Future[Any]]:
        self._next_id += 1
        answer = self.world.future()
        if self._is_over or not self._is_started or len(self._waiting) >= EVENTS_MAX:
            code = ErrorCode.KAFKA_STORAGE_ERROR if self.failure is not None else ErrorCode.NOT_LEADER_OR_FOLLOWER
            answer.set_exception(RequestRefused(code, "this replica of the quorum takes no part now"))
        else:
            self._waiting[self._next_id] = answer
        return self._next_id, answer

    async def _answered(self, token: int, answer: Future[Any]) -> Any:
        try:
            return await answer
        finally:
            self._waiting.pop(token, None)

    # What our own state machine asks

    def append(self, epoch: int, expected_offset: int, values: Sequence[bytes]) -> int:
        """Append records as the leader, in one batch: kept together or not at all. Answers the offset behind them."""
        if not self.is_leader or epoch != self.epoch or self._barrier is not None:
            raise RequestRefused(ErrorCode.NOT_CONTROLLER, f"this node does not lead in epoch {epoch}")
        if expected_offset != self.end_offset:
            text = f"the metadata log ends at {self.end_offset}, not at {expected_offset}"
            raise RequestRefused(ErrorCode.NOT_CONTROLLER, text)
        if not values:
            return self.end_offset
        if self.log.is_choked:
            self.resign(epoch)
            raise RequestRefused(ErrorCode.NOT_CONTROLLER, "this node's disk is too slow to lead")
        now_ms = self.world.clock.wall_ms()
        builder = BatchBuilder(BatchFields(expected_offset, epoch))
        for value in values:
            builder.append(now_ms, None, value)
        if builder.size_bytes > self._max_batch_bytes:
            text = f"{len(values)} metadata records have {builder.size_bytes} bytes, above {self._max_batch_bytes}"
            raise BatchTooLarge(text)
        self._step(Append(builder.build(), epoch))
        if self.failure is not None:
            raise RequestRefused(ErrorCode.NOT_CONTROLLER, f"this node's metadata log has failed: {self.failure}")
        self._work()
        return expected_offset + len(values)

    def read(self, offset: int, max_bytes: int, end_offset: int | None = None) -> memoryview:
        """Whole batches from an offset on, up to the high watermark if that is given as the end."""
        return memoryview(self.log.read(offset, max_bytes, end_offset))

    def snapshot_head(self, snapshot_id: OffsetAndEpoch, last_contained_log_timestamp: int) -> SnapshotHead:
        """What a snapshot that ends there says before its records: the quorum's own state as of its last offset."""
        history, offset = self.raft.quorum.history, snapshot_id.offset - 1
        version = history.kraft_version_at(offset)
        voters = history.voters_at(offset).to_record() if version else None
        return SnapshotHead(last_contained_log_timestamp, version, voters)

    async def take_snapshot(self, snapshot_id: OffsetAndEpoch, chunks: Iterable[Bytes]) -> bool:
        """Keep a snapshot of our own state machine's, and cut the log as far as retention says. False if the leader's
        own was newer.
        """
        is_taken = await self.log.take_snapshot(snapshot_id, chunks)
        if is_taken:
            self._post(SnapshotTaken(snapshot_id))
        return is_taken

    def resign(self, epoch: int) -> None:
        """Our state machine cannot lead in this epoch."""
        self._post(Resign(epoch))

    # The machine

    def _post(self, event: Event) -> None:
        """Something has happened."""
        if self._is_over:
            return
        self._events.append(event)
        self._work()

    def _work(self) -> None:
        """Carry out effects and take events until there are no more, or a barrier is under way."""
        if self._is_working:
            return
        self._is_working = True
        try:
            while self._barrier is None and not self._is_over:
                if self._effects:
                    self._carry_out(self._effects.popleft())
                elif self._events:
                    self._step(self._events.popleft())
                else:
                    break
        except Exception as error:
            self.fail(error)
        finally:
            self._is_working = False
        self._arm()

    def _step(self, event: Event) -> None:
        """One event; its effects go behind those that are not carried out yet."""
        try:
            self._effects += self.raft.step(event, self.world.clock.monotonic_ms())
        except Exception as error:
            self.fail(error)

    def _carry_out(self, effect: Effect) -> None:
        match effect:
            case Persist() | Truncate() | InstallSnapshot():
                self._barrier = self.world.spawn(self._pass(effect), "quorum barrier")
            case Sync(offset=offset):
                self._syncing = self.world.spawn(self._sync(offset), "sync the metadata log")
            case Send():
                self._asking.send(effect)
            case Reply(token=token, response=response):
                self._answer(token, response)
            case Upgraded(token=token):
                self._answer(token, effect)
            case WriteSnapshot(snapshot_id=snapshot_id, position=position, data=data):
                self.log.write_snapshot(snapshot_id, position, data)
            case LeaderChanged(leader_id=leader_id, epoch=epoch):
                self._told = effect
                for listener in self._listeners:
                    listener.leader_changed(leader_id, epoch)
            case Committed(offset=offset):
                if isinstance(self.raft.state, Leader):
                    self._leader_has(offset)
                for listener in self._listeners:
                    listener.committed(offset)
            case ShutDown():
                if self._shut_down is not None and not self._shut_down.done():
                    self._shut_down.set_result(None)

    def _leader(self) -> tuple[int | None, int]:
        return self._told.leader_id, self._told.epoch

    def _leader_has(self, high_watermark: int) -> None:
        self.leader_high_watermark = max(high_watermark, self.leader_high_watermark or 0)

    def _answer(self, token: object, answer: object) -> None:
        assert isinstance(token, int)
        future = self._waiting.get(token)
        if future is not None and not future.done():
            future.set_result(answer)

    async def _pass(self, barrier: Persist | Truncate | InstallSnapshot) -> None:
        """Wait for the disk, and let what waits go on."""
        log = self.log
        try:
            match barrier:
                case Persist(state=state, version=version):
                    await log.write_election(state, version, tuple(self.raft.quorum.voters.ids))
                case Truncate(offset=offset):
                    await log.truncate(offset)
                case InstallSnapshot(snapshot_id=snapshot_id):
                    await log.install_snapshot(snapshot_id)
                    for listener in self._listeners:
                        listener.snapshot_installed(snapshot_id)
        except Exception as error:
            self.fail(error)
        self._barrier = None
        self._work()

    async def _sync(self, offset: int) -> None:
        try:
            await self.log.sync(offset)
        except OttlaError as error:
            self.fail(error)
        else:
            self._post(Synced(offset))

    # The timer

    def _arm(self) -> None:
        """One timer for the deadline. It is not put off when that moves back: when it fires, it looks anew."""
        deadline_ms = None if self._is_over or self._barrier is not None else self.raft.deadline()
        if deadline_ms is not None and (self._timer is None or deadline_ms < self._timer_ms):
            if self._timer is not None:
                self._timer.cancel()
            self._timer_ms = deadline_ms
            self._timer = self.world.clock.call_at(deadline_ms, self._ring)

    def _ring(self) -> None:
        self._timer = None
        deadline_ms = self.raft.deadline()
        if deadline_ms is not None and deadline_ms <= self.world.clock.monotonic_ms():
            self._post(Tick())
        else:
            self._arm()


assert set(BARRIERS) == {Persist, Truncate, InstallSnapshot}
