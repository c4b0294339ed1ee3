"""The controller's office: the shell in which the controller's state lives, on one node of the quorum.

    quorum --- leader_changed, committed, snapshot_installed ---> Office ---> Runtime(Controller) ---> ReplicatedLog
    handler -- await submit(partial(controller.topics.create, request)) -^

Each controller node has one. The active one decides; the others stand by and replay what it commits, so that a failover
finds the state in memory. A decision is made in the call of `submit`; the records of all decisions of one turn of the
loop go to the log in one append; whoever submitted goes on when they are committed. Whatever takes longer (replaying a
log or a snapshot, a takeover) is done in slices, a turn each, with the loop free in between.

What is always true: nobody waits for ever, since each waiting answer comes with the commit or fails with the office;
there are never more than MAX_WAITING of them. When state is broken, which is our fault, or the log takes no records,
the office is given up (`resign`) and the state loaded anew, after a pause that grows while that does not help.

It knows no raft: it is handed a `ReplicatedLog`, and what it needs besides as functions.
"""

from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, cast

from ottla.cluster.controller.controller import Controller
from ottla.errors import OttlaError, RequestRefused
from ottla.protocol.codec.message import Message
from ottla.protocol.error_codes import ErrorCode
from ottla.replicated.decision import Decide
from ottla.replicated.log import ReplicatedLog
from ottla.replicated.runtime import Committed, Elected, Event, LoadSnapshot, Resigned, Runtime, Submit, Turn
from ottla.world.api import Future, Task, Timer, World

MAX_WAITING: Final = 10_000  # answers that wait for their commit
MIN_PAUSE_MS, MAX_PAUSE_MS = 100, 10_000  # before state that was broken is loaded again


class Snapshot(NamedTuple):
    """The newest snapshot: its records, which stand for everything below an offset."""

    records: Iterator[Message]
    end_offset: int


@dataclass(slots=True)
class Counts:
    """What has happened since this node started."""

    submitted: int = 0  # decisions that somebody asked for
    timed_out: int = 0  # those whose asker has not waited for the commit
    timed_out_heartbeats: int = 0
    new_leaders: int = 0
    errors: int = 0  # of ours


class Office:
    """The shell of one controller."""

    def __init__(
        self,
        world: World,
        controller: Controller,
        log: ReplicatedLog[Message],
        *,
        report: Callable[[str, BaseException], None],
        resign: Callable[[int], None],
        open_snapshot: Callable[[], Awaitable[Snapshot | None]],
    ) -> None:
        self.controller, self.counts = controller, Counts()
        self.observe: Callable[[int], None] = _nobody_looks  # is told how many ms a decision took
        self.leader_id: int | None = None
        self._world, self._log, self._report = world, log, report
        self._resign, self._open_snapshot = resign, open_snapshot
        self._runtime: Runtime[Message] = Runtime(
            controller,
            log,
            follows=True,
            not_leading=self._not_controller,
            loading=lambda: RequestRefused(ErrorCode.NOT_CONTROLLER, "This controller is about to take office."),
            report=self._broken,
        )
        self._timer: Timer | None = None
        self._due_ms = 0
        self._waiting = 0
        self._pause_ms = self._paused_until_ms = 0  # after a failure at this offset:
        self._failed_offset = -1
        self._loading: Task[None] | None = None  # a snapshot is being opened
        self._is_stopped, self._is_stepping = True, False
        self._later: deque[Callable[[], None]] = deque()  # what happened during a step

    # What others see

    @property
    def is_active(self) -> bool:
        """Whether this is the controller that decides."""
        return self._runtime.is_leading

    @property
    def epoch(self) -> int | None:
        """The epoch in which it has office, or is on the way into it."""
        return self._runtime.epoch

    @property
    def replayed_offset(self) -> int:
        """The last offset that the state contains."""
        return self._runtime.next_offset - 1

    @property
    def committed_offset(self) -> int:
        """Everything below is kept for good."""
        return self._log.committed_offset

    @property
    def waiting(self) -> int:
        """How many answers wait for their commit."""
        return self._waiting

    async def submit(self, decide: Decide[Message, Any]) -> Any:
        """Have a decision made; its response when it is committed. NOT_CONTROLLER if this is not the active one."""
        if self._waiting >= MAX_WAITING:
            raise RequestRefused(ErrorCode.REQUEST_TIMED_OUT, f"{self._waiting} requests wait for the quorum already.")
        answer: Future[Any] = self._world.future()
        self._waiting += 1
        self.counts.submitted += 1
        clock = self._world.clock
        begun_ns = clock.monotonic_ns()
        try:
            self._step(Submit(decide, answer))
            self.observe((clock.monotonic_ns() - begun_ns) // 1_000_000)
            return await answer
        finally:
            self._waiting -= 1

    # Life

    def start(self) -> None:
        """Load what is there, and stand by."""
        self._is_stopped = False
        self._load()

    async def stop(self) -> None:
        """Decide nothing more; whoever waits is told."""
        if self._runtime.epoch is not None:
            self._step(Resigned())
        self._is_stopped = True
        self._disarm()
        loading = self._loading
        if loading is not None:
            loading.cancel()
            while not loading.done():
                await self._world.clock.sleep(0)

    # What the quorum says

    def leader_changed(self, leader_id: int | None, epoch: int) -> None:
        """Somebody leads the quorum, or nobody does; the log knows whether it is us."""
        del epoch
        self.counts.new_leaders += leader_id is not None
        self.leader_id = leader_id
        self._happened(self._follow_leadership)

    def committed(self, offset: int) -> None:
        """The high watermark has moved."""
        del offset
        self._happened(lambda: self._step(Committed()))

    def snapshot_installed(self, snapshot_id: object) -> None:
        """The log goes on behind a snapshot of somebody else."""
        del snapshot_id
        self._happened(self._load)

    def _happened(self, react: Callable[[], None]) -> None:
        """React now; but not in the middle of a step, as when an append is committed, or the disk fails, within it."""
        if self._is_stopped:
            return
        if self._is_stepping:
            self._later.append(react)
        else:
            react()

    def _follow_leadership(self) -> None:
        leading, held = self._log.leadership_epoch, self._runtime.epoch
        if leading is not None and leading != held:
            self._step(Elected(leading))
        elif leading is None and held is not None:
            self._step(Resigned())

    # Steps and turns

    def _step(self, event: Event) -> None:
        assert not self._is_stepping, "steps do not nest"
        runtime, self._is_stepping = self._runtime, True
        try:
            answers = runtime.step(event, self._world.clock.monotonic_ms())
        except Exception as error:
            answers = runtime.abandon(f"a step, {type(event).__name__}", error)
        self._is_stepping = False
        for answer in answers:
            waiting = cast("Future[Any] | None", answer.token)
            if waiting is None or waiting.done():  # a timer's decision; or whoever asked has gone
                continue
            if answer.is_error:
                waiting.set_exception(answer.outcome)
            else:
                waiting.set_result(answer.outcome)
        if runtime.should_resign:
            runtime.should_resign = False
            if runtime.epoch is not None:
                self._resign(runtime.epoch)
        while self._later and not self._is_stepping:
            self._later.popleft()()
        self._arm()

    def _turn(self) -> None:
        self._timer = None
        if not self._runtime.is_leading and self._runtime.next_offset < self._log.start_offset:
            self._load()  # the log was cut behind us, or we begin anew
            return
        self._step(Turn())
        if self._runtime.next_offset > self._failed_offset:
            self._pause_ms = 0

    def _arm(self) -> None:
        """One timer for the next turn: at once if there is something to do, or when the next decision is due."""
        now_ms = self._world.clock.monotonic_ms()
        due_ms = now_ms if self._runtime.wants_turn else self._runtime.deadline()
        if due_ms is None or self._is_stopped or self._loading is not None:
            self._disarm()
            return
        due_ms = max(due_ms, now_ms, self._paused_until_ms)
        if self._timer is not None and self._due_ms != due_ms:
            self._disarm()
        if self._timer is None:
            self._due_ms = due_ms
            self._timer = self._world.clock.call_at(due_ms, self._turn)

    def _disarm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    # Loading and failing

    def _load(self) -> None:
        """Begin with the newest snapshot, if that is further than we are."""
        if self._loading is None:
            self._disarm()
            self._loading = self._world.spawn(self._load_snapshot(), "load the controller's snapshot")

    async def _load_snapshot(self) -> None:
        snapshot = None
        try:
            snapshot = await self._open_snapshot()
        except OttlaError as error:
            self._broken("opening the snapshot", error)
        finally:
            self._loading = None
        if snapshot is not None and snapshot.end_offset > self._runtime.next_offset and not self._is_stopped:
            self._step(LoadSnapshot(snapshot.records, snapshot.end_offset))
            return
        if self._runtime.next_offset < self._log.start_offset:
            self._pause()  # the snapshot that the log goes on behind is not there yet
        self._arm()

    def _broken(self, what: str, error: Exception) -> None:
        self.counts.errors += 1
        self._report(f"controller: {what}", error)
        if what not in ("deciding", "appending"):
            self._pause()

    def _pause(self) -> None:
        self._failed_offset = self._runtime.next_offset
        self._pause_ms = min(max(2 * self._pause_ms, MIN_PAUSE_MS), MAX_PAUSE_MS)
        self._paused_until_ms = self._world.clock.monotonic_ms() + self._pause_ms

    def _not_controller(self) -> RequestRefused:
        who = "No controller is active." if self.leader_id is None else f"Node {self.leader_id} is the controller."
        return RequestRefused(ErrorCode.NOT_CONTROLLER, who)


def _nobody_looks(duration_ms: int) -> None:
    del duration_ms
