"""A whole cluster in one process, out of one seed.

    simulation = Simulation(seed=7)
    outcome = simulation.run(scenario)      # async def scenario(world): ...

The scenario runs on a node of its own that nothing happens to. It starts the others, makes them die, and looks at what
they did; what is said about a node here (`crash`, `pause`, ...) is done by nobody else. When the scenario returns, the
run is over, and whoever still lived is switched off.

What is always true: two runs with the same seed and the same programs have the same `hash`, on any machine and under
any PYTHONHASHSEED. A failure of a node that nobody deals with fails the run, and every failed run says its seed.
"""

import asyncio
import sys
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Coroutine
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any, Generic, TypeVar

from ottla.errors import NodeDown, SimulationError
from ottla.world.simulated.clock import MILLION, MachineClock
from ottla.world.simulated.disk import MachineDisk, SimulatedDisk
from ottla.world.simulated.jobs import SimulatedJobs
from ottla.world.simulated.loop import NodeLoop
from ottla.world.simulated.network import Fabric
from ottla.world.simulated.node import Bridge, Exit, Life, Node
from ottla.world.simulated.rng import Chances, SimulatedRandomness
from ottla.world.simulated.threads import SimulatedThreads
from ottla.world.simulated.timeline import Timeline
from ottla.world.simulated.trace import Trace
from ottla.world.simulated.world import Program, SimulatedWorld

T = TypeVar("T")

SCENARIO = "scenario"
LIMIT_MS = 24 * 3_600_000  # a run that takes longer than a virtual day waits for something that does not come
SHOWN_LINES = 40
MIN_STEP_NS, MAX_STEP_NS = 1_000, 20_000  # what a callback costs: that of a fast machine, and of a slow one


@dataclass(frozen=True, slots=True)
class Outcome(Generic[T]):
    """A run that ended well."""

    value: T
    hash: str
    virtual_ms: int
    events: int


class Simulation:
    """One run."""

    def __init__(
        self, seed: int, *, show: Callable[[str], object] | None = None, limit_ms: int = LIMIT_MS, replay: str = ""
    ) -> None:
        self.seed, self._limit_ns, self._replay = seed, limit_ms * MILLION, replay
        self.chances = Chances(seed)
        self.trace = Trace(show)
        self.timeline = Timeline(self.chances.of("timeline"))
        self.nodes: dict[str, Node] = {}
        self.checks: list[Callable[[], object]] = []  # called after every event
        self.struck: Counter[str] = Counter()  # how often each kind of fault has struck
        self.unsurvivable: list[str] = []  # what has struck that may cost what its node alone had
        self.network = Fabric(self.timeline, self.chances, note=self.note, strike=self.strike)
        self._lives: list[Life] = []
        self._failure: BaseException | None = None
        self._lost_generators: list[AsyncGenerator[Any, Any]] = []

    # The run

    def run(self, scenario: Callable[[SimulatedWorld], Coroutine[Any, Any, T]]) -> Outcome[T]:
        """Run a scenario to its end. A simulation is run once."""
        assert not self._lives, "a simulation is run once"
        life = self._new(SCENARIO, scenario).life
        task = life.loop.create_task(scenario(life.world), name=SCENARIO)
        hooks = sys.get_asyncgen_hooks()
        sys.set_asyncgen_hooks(finalizer=self._generator_lost)
        try:
            self._go_on_until(task)
            value = task.result()
        except BaseException as error:
            self._explain(error)
            raise
        finally:
            self._bury_all()
            sys.set_asyncgen_hooks(*hooks)
        self.trace.mix(f"{self.timeline.now_ns} {self._steps()} {self.timeline.count} {self.chances.state()}")
        return Outcome(value, self.trace.hash(), self.now_ms, self._steps() + self.timeline.count)

    @property
    def now_ms(self) -> int:
        """Virtual time since the start."""
        return self.timeline.now_ns // MILLION

    def note(self, node: str, kind: str, text: str) -> None:
        """Write a line into the trace."""
        self.trace.add(self.timeline.now_ns, node, kind, text)

    def strike(self, node: str, kind: str, text: str) -> None:
        """Count that a fault has struck, and write it into the trace."""
        self.struck[kind] += 1
        self.note(node, kind, text)

    def rng(self, purpose: str) -> Random:
        """A stream of chance for a scenario's own purpose."""
        return self.chances.of(f"scenario/{purpose}")

    # Nodes

    def start(self, name: str, program: Program, *, may_fail: bool = False) -> Node:
        """Start a program on a new machine. If it raises, the run fails, unless it may."""
        assert name not in self.nodes, f"{name} is there already: restart it"
        node = self._new(name, program, may_fail=may_fail)
        self._launch(node)
        return node

    def restart(self, name: str) -> None:
        """Start the program of a dead node again."""
        node = self.nodes[name]
        assert node.life.exit is not None, f"{name} is up"
        node.life = self._begin(name, node.clock, node.disk, number=node.life.number + 1)
        node.paused = False
        self._launch(node)

    def crash(self, name: str) -> None:
        """The machine loses power: what was not synced may be lost or torn, and its peers are told nothing."""
        node = self.nodes[name]
        self.strike(name, "crash", "")
        self._end(node, Exit("crashed"))
        node.clock.boot()
        self.note(name, "disk", node.disk.power_lost())

    def crash_in_disk_call(self, name: str, calls: int) -> None:
        """The machine loses power in the middle of what its node does: at the so-manieth disk call from now."""
        self._light_fuse(name, calls, "crash-in-call", self.crash)

    def kill_in_disk_call(self, name: str, calls: int) -> None:
        """The process is killed in the middle of what its node does: at the so-manieth disk call from now."""
        self._light_fuse(name, calls, "kill-in-call", self.kill)

    def _light_fuse(self, name: str, calls: int, kind: str, death: Callable[[str], None]) -> None:
        def blow() -> None:
            self.strike(name, kind, "")
            death(name)

        self.nodes[name].disk.light_fuse(calls, blow)

    def kill(self, name: str) -> None:
        """The process is killed (SIGKILL): files stay as they were written, and its peers see their connections end."""
        self.strike(name, "kill", "")
        self._end(self.nodes[name], Exit("killed"))

    def pause(self, name: str) -> None:
        """The process stands still (SIGSTOP); its machine goes on receiving for it."""
        node = self.nodes[name]
        if node.is_up and not node.paused:
            node.paused = True
            node.life.loop.pause()
            self.strike(name, "pause", "")

    def resume(self, name: str) -> None:
        """A paused process goes on."""
        node = self.nodes[name]
        if node.is_up and node.paused:
            node.paused = False
            node.life.loop.resume()
            self.note(name, "resume", "")

    def slow_down(self, name: str, factor: float) -> None:
        """Every callback of a node takes so many times as long until it is restarted."""
        loop = self.nodes[name].life.loop
        loop.step_ns = max(1, round(loop.step_ns * factor))
        self.strike(name, "slow-loop", f"{factor} times as slow")

    def jump_clock(self, name: str, milliseconds: int) -> None:
        """A machine's wall clock is set forward or back."""
        self.nodes[name].clock.jump(milliseconds)
        self.strike(name, "clock-jump", f"by {milliseconds} ms")

    def drift_clock(self, name: str, ppm: int) -> None:
        """A machine's clocks run so many millionths too fast, or too slow if negative."""
        node = self.nodes[name]
        node.clock.drift(self.timeline.now_ns, ppm)
        node.life.loop.clock_changed()
        if ppm:
            self.strike(name, "clock-drift", f"by {ppm} ppm")

    # Looking into nodes, from a scenario

    async def call(self, name: str, function: Callable[[SimulatedWorld], Coroutine[Any, Any, T]]) -> T:
        """Run a coroutine on a node and wait for what it gives; `NodeDown` if the node dies before."""
        life = self.nodes[name].life
        if life.exit is not None:
            raise NodeDown(f"{name} is not up")
        bridge = Bridge(self.timeline, asyncio.get_running_loop())
        life.callers[bridge] = None
        task = life.loop.create_task(function(life.world))

        def done(task: asyncio.Task[T]) -> None:
            life.callers.pop(bridge, None)
            if task.cancelled():
                bridge.error(life.loop.now_ns(), asyncio.CancelledError())
            elif (error := task.exception()) is not None:
                bridge.error(life.loop.now_ns(), error)
            else:
                bridge.value(life.loop.now_ns(), task.result())

        task.add_done_callback(done)
        value: T = await bridge.wait()
        return value

    async def ended(self, name: str) -> Exit:
        """Wait until the life that a node leads now has ended."""
        life = self.nodes[name].life
        if life.exit is None:
            bridge = Bridge(self.timeline, asyncio.get_running_loop())
            life.watchers.append(bridge)
            await bridge.wait()
        assert life.exit is not None
        return life.exit

    # Beginning and ending

    def _new(self, name: str, program: Program, *, may_fail: bool = False) -> Node:
        """A machine, with the first life on it."""
        clock = MachineClock(self.chances.of(f"clock/{name}"))
        disk = MachineDisk(self.chances.of(f"disk/{name}"), partial(self.strike, name))
        node = self.nodes[name] = Node(name, program, clock, disk, self._begin(name, clock, disk), may_fail)
        return node

    def _begin(self, name: str, clock: MachineClock, disk: MachineDisk, number: int = 1) -> Life:
        purpose = f"life/{name}/{number}"
        rng = self.chances.of(purpose)
        loop = NodeLoop(  # type: ignore[abstract]  # of asyncio's 80 methods, those that have a meaning here
            name,
            timeline=self.timeline,
            clock=clock,
            rng=rng,
            failed=self._fail,
            step_ns=rng.randrange(MIN_STEP_NS, MAX_STEP_NS),
        )
        world = SimulatedWorld(
            loop,
            SimulatedRandomness(self.chances.of(f"{purpose}/rng")),
            disk=SimulatedDisk(disk, loop),
            network=self.network.attach(name, loop),
            threads=SimulatedThreads(loop, self.chances.of(f"{purpose}/threads")),
            jobs=SimulatedJobs(loop, self.chances.of(f"{purpose}/jobs"), partial(self.strike, name)),
        )
        life = Life(number, loop, world)
        self._lives.append(life)
        return life

    def _launch(self, node: Node) -> None:
        life = node.life
        self.note(node.name, "start", f"life {life.number}")
        task = life.loop.create_task(node.program(life.world), name=node.name)
        task.add_done_callback(lambda task: self._returned(node, life, task))

    def _returned(self, node: Node, life: Life, task: "asyncio.Task[Any]") -> None:
        if life.exit is not None:
            return
        error = asyncio.CancelledError() if task.cancelled() else task.exception()
        self._end(node, Exit("returned", task.result()) if error is None else Exit("failed", error=error))
        if error is not None and not node.may_fail:
            self._fail(error, f"the program of {node.name}")

    def _end(self, node: Node, exit_: Exit) -> None:
        if not node.is_up:
            return
        if exit_.how in ("returned", "failed"):  # the others are noted by whoever did it
            error = "" if exit_.error is None else f"{type(exit_.error).__name__}: {exit_.error}"
            self.note(node.name, exit_.how, error)
        node.life.end(exit_, self.timeline.now_ns)
        node.disk.process_ended()
        if exit_.how == "crashed":
            self.network.power_lost(node.name)
        else:
            self.network.process_died(node.name)

    def _bury_all(self) -> None:
        for life in self._lives:
            life.loop.stop()
        for life in self._lives:  # what is closed may start another life, which comes last and does nothing
            life.loop.stop()
            life.loop.bury()
        for generator in self._lost_generators:
            closing = generator.aclose()
            try:
                closing.send(None)
            except BaseException as error:
                self.trace.mix(type(error).__name__)

    def _generator_lost(self, generator: AsyncGenerator[Any, Any]) -> None:
        """An async generator was left before its end: its node closes it, if it can."""
        loop = asyncio.events._get_running_loop()  # noqa: SLF001
        if isinstance(loop, NodeLoop) and not loop.stopped:
            loop.create_task(generator.aclose())
        else:
            self._lost_generators.append(generator)

    # The course of a run

    def _go_on_until(self, task: "asyncio.Task[Any]") -> None:
        timeline, checks = self.timeline, self.checks
        while not task.done():
            if not timeline.heap:
                raise SimulationError("nothing can happen any more: the scenario waits for ever")
            timeline.step()
            for check in checks:
                check()
            if self._failure is not None:
                raise self._failure
            if timeline.now_ns > self._limit_ns:
                raise SimulationError(f"the scenario is not done after {self.now_ms} ms of virtual time")

    def _fail(self, error: BaseException, what: str) -> None:
        self.note(SCENARIO, "failed", f"{what}: {type(error).__name__}: {error}")
        if self._failure is None:
            error.add_note(f"{what} failed, and nobody dealt with it")
            self._failure = error

    def _steps(self) -> int:
        return sum(life.loop.steps for life in self._lives)

    def _explain(self, error: BaseException) -> None:
        lines = "\n".join(self.trace.lines()[-SHOWN_LINES:])
        error.add_note(f"The newest lines of the trace:\n{lines}")
        error.add_note(f"Seed {self.seed}, after {self.now_ms} ms of virtual time. {self._replay}".rstrip())
