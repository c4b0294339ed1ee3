"""The quorum of one: how long an append takes until it is committed and in the image, beside the fsync that it needs.

Everything is real: the disk, the thread that syncs, the loop. Appends and bare fsyncs of as many bytes take turns in
one run, so that both see the same disk. The last figures are what the processor pays, busy and at rest.
"""

import tempfile
from time import perf_counter, process_time
from typing import Final

from bench.measure import microseconds, table
from ottla.cluster.metadata.following import MetadataFollower
from ottla.cluster.metadata.publisher import Publisher
from ottla.cluster.raft.config import Identity, MetadataLogConfig, QuorumConfig
from ottla.cluster.raft.shell import RaftShell
from ottla.cluster.raft.voters import Node, ReplicaKey, static_voters
from ottla.network.channel import ChannelSettings
from ottla.network.channels import Channels
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.internal_records import write_metadata_record
from ottla.protocol.messages.metadata_records import ConfigRecord
from ottla.world.api import World
from ottla.world.real.run import run as run_in_world

APPENDS: Final = 1_000
RECORD: Final = write_metadata_record(ConfigRecord(4, "1", "some.setting", "some value"), 0)
REST_MS: Final = 5_000
NODE: Final = 1


async def begun(world: World, directory: str) -> tuple[RaftShell, MetadataFollower]:
    """A quorum of one that leads."""

    def failed(*reason: object) -> None:
        raise AssertionError(reason)

    shell = await RaftShell.open(
        world, directory,
        identity=Identity(ReplicaKey(NODE, Uuid(bytes(15) + b"\1")), "bench"),
        config=QuorumConfig(append_linger_ms=0), log_config=MetadataLogConfig(),
        static=static_voters([Node(NODE, "localhost", 1)], "CONTROLLER"),
        channels=Channels(world, ChannelSettings()), failed=failed,
    )  # fmt: skip
    follower = MetadataFollower(world, shell, Publisher(), failed)
    shell.add(follower)
    shell.start()
    while not shell.is_leader:
        await world.clock.sleep(1)
    return shell, follower


async def measure(world: World, directory: str) -> list[list[str]]:
    """Appends, syncs, and rest."""
    shell, follower = await begun(world, directory)
    file = world.disk.open(f"{directory}/synced", create=True)
    commits, syncs, spent = [], [], 0.0
    for number in range(APPENDS):
        begin, cpu = perf_counter(), process_time()
        end_offset = shell.append(shell.epoch, shell.end_offset, [RECORD])
        await follower.reached(end_offset - 1)
        commits.append(perf_counter() - begin)
        spent += process_time() - cpu
        file.write(number * 100, [bytes(100)])
        begin = perf_counter()
        await world.threads.run(file.sync)
        syncs.append(perf_counter() - begin)
    cpu = process_time()
    await world.clock.sleep(REST_MS)
    rest = (process_time() - cpu) / REST_MS * 1_000
    file.close()
    await follower.stop()
    await shell.stop(1_000)
    rows = []
    for name, times in (("append to image", commits), ("fsync in a thread", syncs)):
        times.sort()
        rows.append([name, microseconds(times[APPENDS // 2]), microseconds(times[APPENDS * 99 // 100]), ""])
    rows[0][3] = microseconds(spent / APPENDS)
    return [*rows, ["a second at rest", "", "", microseconds(rest)]]


def run() -> None:
    """All of it."""
    with tempfile.TemporaryDirectory() as directory:

        async def main(world: World) -> list[list[str]]:
            return await measure(world, directory)

        rows = run_in_world(main)
    table("A quorum of one: microseconds", ["what", "p50", "p99", "CPU"], rows)
