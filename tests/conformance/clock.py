"""What every clock, and every source of chance, must do."""

from ottla.world.api import World
from ottla.world.tasks import Queue
from tests.conformance import Run


class ClockConformance:
    """Time that goes forward, and calls that come when it has."""

    def test_a_sleep_lasts_as_long_as_it_was_asked_to(self, run: Run) -> None:
        """After a sleep the monotonic clock shows at least its duration more, in both units."""

        async def main(world: World) -> None:
            start_ms, start_ns = world.clock.monotonic_ms(), world.clock.monotonic_ns()
            await world.clock.sleep(7)
            assert world.clock.monotonic_ms() >= start_ms + 7
            assert world.clock.monotonic_ns() >= start_ns + 6_000_000

        run(main)

    def test_both_units_show_the_same_clock(self, run: Run) -> None:
        """Milliseconds and nanoseconds are of one monotonic clock."""

        async def main(world: World) -> None:
            before = world.clock.monotonic_ms()
            between = world.clock.monotonic_ns() // 1_000_000
            assert before <= between <= world.clock.monotonic_ms()

        run(main)

    def test_the_wall_clock_is_after_the_year_2000(self, run: Run) -> None:
        """The wall clock shows milliseconds since 1970, of a time that a record could have."""

        async def main(world: World) -> None:
            assert world.clock.wall_ms() > 946_684_800_000

        run(main)

    def test_sleeping_for_nothing_lets_the_others_run(self, run: Run) -> None:
        """A sleep of 0 ms lets what is ready run once."""

        async def main(world: World) -> None:
            ran = []

            async def other() -> None:
                ran.append(True)

            world.spawn(other(), "other")
            assert ran == []
            while not ran:
                await world.clock.sleep(0)

        run(main)

    def test_a_timer_runs_when_its_deadline_has_come(self, run: Run) -> None:
        """A timer's callback sees a clock that has reached the deadline."""

        async def main(world: World) -> None:
            seen: Queue[int] = Queue()
            for duration in (1, 2, 3, 5):
                deadline = world.clock.monotonic_ms() + duration
                world.clock.call_at(deadline, lambda: seen.put_nowait(world.clock.monotonic_ms()))
                assert await seen.get() >= deadline

        run(main)

    def test_timers_run_in_the_order_of_their_deadlines(self, run: Run) -> None:
        """Of two timers the one with the earlier deadline runs first, whichever was made first."""

        async def main(world: World) -> None:
            seen: Queue[str] = Queue()
            now = world.clock.monotonic_ms()
            world.clock.call_at(now + 12, lambda: seen.put_nowait("later"))
            world.clock.call_at(now + 4, lambda: seen.put_nowait("earlier"))
            assert [await seen.get(), await seen.get()] == ["earlier", "later"]

        run(main)

    def test_a_deadline_in_the_past_is_due_at_once_but_not_inside_the_call(self, run: Run) -> None:
        """A timer whose deadline has passed runs soon, and never before `call_at` has returned."""

        async def main(world: World) -> None:
            seen: Queue[str] = Queue()
            world.clock.call_at(world.clock.monotonic_ms() - 1_000, lambda: seen.put_nowait("timer"))
            seen.put_nowait("after the call")
            assert [await seen.get(), await seen.get()] == ["after the call", "timer"]

        run(main)

    def test_a_cancelled_timer_does_not_run(self, run: Run) -> None:
        """A timer that was cancelled in time never runs; cancelling again, or when it has run, does nothing."""

        async def main(world: World) -> None:
            seen: Queue[str] = Queue()
            now = world.clock.monotonic_ms()
            called_off = world.clock.call_at(now + 2, lambda: seen.put_nowait("called off"))
            kept = world.clock.call_at(now + 6, lambda: seen.put_nowait("kept"))
            called_off.cancel()
            called_off.cancel()
            assert await seen.get() == "kept"
            kept.cancel()
            await world.clock.sleep(2)
            assert seen.empty()

        run(main)


class RandomnessConformance:
    """Chance within its bounds."""

    def test_chance_stays_within_its_bounds(self, run: Run) -> None:
        """Floats lie in [0, 1), integers in [0, stop), and bytes are as many as were asked for."""

        async def main(world: World) -> None:
            assert all(0 <= world.rng.random() < 1 for _ in range(1_000))
            assert {world.rng.randrange(3) for _ in range(1_000)} == {0, 1, 2}
            assert [len(world.rng.randbytes(count)) for count in (0, 1, 100)] == [0, 1, 100]
            assert [len(world.rng.secret(count)) for count in (0, 1, 100)] == [0, 1, 100]

        run(main)

    def test_chance_does_not_repeat_itself(self, run: Run) -> None:
        """What is drawn twice differs."""

        async def main(world: World) -> None:
            assert world.rng.random() != world.rng.random()
            assert world.rng.randbytes(16) != world.rng.randbytes(16)
            assert world.rng.secret(16) != world.rng.secret(16)

        run(main)
