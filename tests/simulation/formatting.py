"""Making the directories of simulated nodes ready."""

from collections.abc import Mapping

from ottla.cluster.formatting import Formatter, look_at
from ottla.cluster.new_cluster import Asked, every_directory, new_cluster
from ottla.config.layers import read_node
from ottla.world.api import World

CLUSTER_ID = "Some3ClusterId5Of2Tests"


def format_if_new(world: World, texts: Mapping[str, str]) -> None:
    """Format directories that have never been used."""
    config = read_node(texts)
    if not look_at(world.disk, every_directory(config)).formatted:
        wanted = new_cluster(config, Asked(CLUSTER_ID), world.rng.randbytes)
        for _ in Formatter(world.disk, wanted, world.rng.randbytes, world.clock.wall_ms()).run():
            pass
