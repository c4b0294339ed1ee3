"""What a new cluster begins with, out of settings and flags."""

from random import Random

import pytest

from ottla.cluster.new_cluster import Asked, FirstVoters, new_cluster, parse_level, parse_release, parse_voters
from ottla.errors import ConfigError
from ottla.protocol.features import LATEST
from tests.unit.cluster.settings import BROKER, COMBINED, node

STATIC = COMBINED | {"controller.quorum.voters": "1@127.0.0.1:9093"}
STANDALONE = Asked("cluster", FirstVoters.STANDALONE)
DIRECTORY = "gQV4gAmyTqu6QDq_dTMSDw"
RANDOM = Random(0).randbytes


def test_a_standalone_controller_votes_alone() -> None:
    """With --standalone the only voter is this node, at the controllers' listener that others are told."""
    made = new_cluster(node(), STANDALONE, RANDOM)
    assert made.voters is not None
    (voter,) = made.voters
    assert voter.key.node_id == 1
    assert voter.key.has_directory
    assert voter.endpoints == (("CONTROLLER", "127.0.0.1", 9093),)
    assert voter.kraft_versions == (0, 1)
    assert (made.cluster_id, made.node_id, made.metadata_version) == ("cluster", 1, LATEST)
    assert (made.directories, made.metadata_directory) == (("/data/a", "/data/b"), "/data/a")


def test_a_standalone_controller_on_every_interface() -> None:
    """A listener without a host of its own is written as localhost, as Kafka's tool does."""
    made = new_cluster(node(listeners="PLAINTEXT://:9092,CONTROLLER://:9093"), STANDALONE, RANDOM)
    assert made.voters is not None
    assert [voter.endpoints[0].host for voter in made.voters] == ["localhost"]


def test_the_metadata_may_have_a_directory_of_its_own() -> None:
    """`metadata.log.dir` is formatted as well, and is where the quorum's log begins."""
    made = new_cluster(node(metadata_log_dir="/data/0"), STANDALONE, RANDOM)
    assert (made.directories, made.metadata_directory) == (("/data/0", "/data/a", "/data/b"), "/data/0")


def test_initial_controllers() -> None:
    """Listed voters are taken as they stand, whether this node is among them or not."""
    text = f"1@a:9093:{DIRECTORY}, 2@[::1]:9094:hQV4gAmyTqu6QDq_dTMSDw"
    made = new_cluster(node(BROKER), Asked("cluster", FirstVoters.LISTED, text), RANDOM)
    assert made.voters is not None
    assert [(str(voter.key), voter.endpoints[0]) for voter in made.voters] == [
        (f"1:{DIRECTORY}", ("CONTROLLER", "a", 9093)),
        ("2:hQV4gAmyTqu6QDq_dTMSDw", ("CONTROLLER", "0:0:0:0:0:0:0:1", 9094)),
    ]


@pytest.mark.parametrize("said", [FirstVoters.UNSAID, FirstVoters.NONE])
def test_static_voters_are_not_written(said: FirstVoters) -> None:
    """With `controller.quorum.voters` the log holds no voters."""
    assert new_cluster(node(STATIC), Asked("cluster", said), RANDOM).voters is None


def test_a_broker_needs_no_word_about_voters() -> None:
    """A broker without any flag about voters is formatted, since it never votes."""
    assert new_cluster(node(BROKER), Asked("cluster"), RANDOM).voters is None


def test_releases_and_features() -> None:
    """A release gives its features' defaults, of which each may differ; the metadata version comes by either."""
    old = new_cluster(node(), Asked("cluster", FirstVoters.NONE, release_version="3.9"), RANDOM)
    assert (old.metadata_version.text, old.levels["group.version"]) == ("3.9-IV0", 0)
    by_level = Asked("cluster", FirstVoters.NONE, levels={"metadata.version": 25, "transaction.version": 1})
    made = new_cluster(node(), by_level, RANDOM)
    assert (made.metadata_version.text, made.levels["transaction.version"]) == ("4.0-IV3", 1)


@pytest.mark.parametrize(
    ("base", "asked", "said"),
    [
        (COMBINED, Asked("c"), "say who votes at first"),
        (STATIC, STANDALONE, "controller.quorum.voters makes the voters static"),
        (STATIC, Asked("c", FirstVoters.LISTED, f"1@a:1:{DIRECTORY}"), "controller.quorum.voters makes"),
        (BROKER, STANDALONE, "--standalone is for a controller"),
        (COMBINED, Asked("c", FirstVoters.NONE, levels={"kraft.version": 0}), "kraft.version cannot be 0"),
        (STATIC, Asked("c", levels={"kraft.version": 1}), "kraft.version cannot be 1"),
        (COMBINED, Asked("c", FirstVoters.NONE, release_version="2.8"), "Unknown metadata.version '2.8'"),
        (COMBINED, Asked("c", FirstVoters.NONE, levels={"metadata.version": 99}), "no level 99; there are 7 to 30"),
        (
            COMBINED,
            Asked("c", FirstVoters.NONE, release_version="4.0", levels={"metadata.version": 25}),
            "and not both",
        ),
        (COMBINED, Asked("c", FirstVoters.NONE, levels={"bogus": 1}), "bogus"),
        (COMBINED, Asked("c", FirstVoters.NONE, levels={"group.version": 9}), "group.version: level 9"),
        (
            COMBINED,
            Asked("c", FirstVoters.NONE, release_version="3.9", levels={"eligible.leader.replicas.version": 1}),
            "needs metadata.version at level 23",
        ),
    ],
)
def test_what_does_not_go_together(base: dict[str, str], asked: Asked, said: str) -> None:
    """What Kafka's tool refuses is refused, with the name of the setting or the flag."""
    with pytest.raises(ConfigError, match=said):
        new_cluster(node(base), asked, RANDOM)


@pytest.mark.parametrize(
    "text",
    [
        "", "bogus", f"x@a:1:{DIRECTORY}", "1@a:1", f"1@a:99999:{DIRECTORY}", "1@a:1:short",
        "1@a:1:AAAAAAAAAAAAAAAAAAAAAA", f"1@[:a]:1:{DIRECTORY}", f"1@a:1:{DIRECTORY},1@b:1:{DIRECTORY}",
    ],
)  # fmt: skip
def test_what_is_no_list_of_voters(text: str) -> None:
    """Ids are numbers and come once, ports are ports, and a directory's id is a uuid that is not reserved."""
    with pytest.raises(ConfigError, match="--initial-controllers"):
        parse_voters(text, "CONTROLLER")


@pytest.mark.parametrize("text", ["group.version", "group.version=", "group.version=x", "group.version=-1"])
def test_what_is_no_level(text: str) -> None:
    """A feature's level is a name and a number."""
    with pytest.raises(ConfigError, match="name=level"):
        parse_level(text)


def test_a_release_that_there_is_not() -> None:
    """Whoever names an unknown release is told all that there are."""
    with pytest.raises(ConfigError, match=r"'5.0'.*3.3-IV3, .*4.3-IV0"):
        parse_release("5.0")
