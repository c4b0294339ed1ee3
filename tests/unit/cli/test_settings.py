"""The command `ottla settings`: what it shows, and what it says when there is nothing to show."""

import pytest

from ottla.cli.main import main
from ottla.cli.settings import in_full
from ottla.config.families import FAMILIES, family


def settings(*arguments: str) -> int:
    """Run the command."""
    return main(["settings", *arguments])


def test_a_name_is_shown_in_full(capsys: pytest.CaptureFixture[str]) -> None:
    """A setting is shown with its doc, type, default in words, valid values, and where else it may come from."""
    assert settings("retention.ms") == 0
    assert capsys.readouterr().out == (
        "retention.ms  (one topic)\n"
        "  How long records are kept with the policy `delete`; -1 means for ever.\n"
        "  type            long\n"
        "  default         604800000 (7 days)\n"
        "  valid values    [-1,...]\n"
        "  importance      medium\n"
        "  can be changed  at any time\n"
        "  synonyms        log.retention.ms, log.retention.minutes (times 60000), log.retention.hours (times\n"
        "                  3600000) of the broker, the first that is set\n"
    )


def test_a_name_is_shown_for_every_family_that_has_it(capsys: pytest.CaptureFixture[str]) -> None:
    """A name that several families have is shown for each, or for the one that is asked for."""
    assert settings("compression.type") == 0
    shown = capsys.readouterr().out
    assert [line for line in shown.splitlines() if line.startswith("compression.type")] == [
        "compression.type  (a broker or controller, in server.properties)",
        "compression.type  (one topic)",
        "compression.type  (a producer)",
    ]
    assert settings("compression.type", "--for", "topic") == 0
    assert capsys.readouterr().out.startswith("compression.type  (one topic)\n")


def test_a_brokers_setting_says_how_it_is_changed_and_for_whom_it_speaks(capsys: pytest.CaptureFixture[str]) -> None:
    """Dynamic mode, coarser settings, and the topic's setting that falls back to this one are shown."""
    assert settings("log.retention.ms") == 0
    shown = capsys.readouterr().out
    assert "  default         (not set)\n" in shown
    assert "  can be changed  while the broker runs, for one or all brokers (cluster-wide)\n" in shown
    assert "  synonyms        log.retention.minutes, log.retention.hours: the finest that is set counts\n" in shown
    assert "  speaks for      retention.ms (topic)\n" in shown


def test_a_pattern_lists_what_it_matches(capsys: pytest.CaptureFixture[str]) -> None:
    """A pattern or a part of a name gives a line for each match, with family, type and default."""
    assert settings("log.cleaner.io.*") == 0
    assert capsys.readouterr().out == (
        "log.cleaner.io.buffer.load.factor    broker  double    0.9\n"
        "log.cleaner.io.buffer.size           broker  int       524288 (512 KiB)\n"
        "log.cleaner.io.max.bytes.per.second  broker  double    1.7976931348623157E308\n"
    )
    assert settings("throttled", "--for", "topic") == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == [
        "follower.replication.throttled.replicas",
        "leader.replication.throttled.replicas",
    ]


def test_all_settings_of_a_family_are_listed_without_internal_ones(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a pattern everything is listed that is for use; internal settings on demand."""
    assert settings("--for", "topic") == 0
    names = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert names == [name for name, setting in family("topic").items() if not setting.internal]
    assert settings("--for", "topic", "--internal") == 0
    assert "internal.segment.bytes" in capsys.readouterr().out
    assert settings("internal.segment.bytes") == 0
    assert "This setting is internal" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["aks"], "no setting is called or matches aks. Similar: acks."),
        (["linger", "--for", "topic"], "no setting of topic is called or matches linger."),
        (["no*thing"], "no setting is called or matches no*thing."),
        (
            ["delegation.token.master.key"],
            "delegation.token.master.key is gone: it is called delegation.token.secret.key.",
        ),
        (
            ["reserved.broker.max.id"],
            "reserved.broker.max.id is gone and ignored: give each node its own node.id.",
        ),
    ],
)
def test_an_unknown_name_is_an_error(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A name that nobody has ends with status 1, similar names, or what took the place of one that is gone."""
    assert settings(*arguments) == 1
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", f"ottla settings: {message}\n")


def test_a_listeners_setting_is_shown_as_the_one_it_is_for(capsys: pytest.CaptureFixture[str]) -> None:
    """A name with a listener's prefix is explained by the setting behind it."""
    assert settings("listener.name.external.plain.sasl.jaas.config") == 0
    shown = capsys.readouterr().out
    assert shown.startswith(
        "listener.name.external.plain.sasl.jaas.config is this setting for one listener:\n\nsasl.jaas"
    )


def test_help_names_the_families_and_shows_examples(capsys: pytest.CaptureFixture[str]) -> None:
    """The help says which families there are, and how the command is used."""
    with pytest.raises(SystemExit) as ended:
        settings("--help")
    assert ended.value.code == 0
    shown = capsys.readouterr().out
    assert all(f"  {name} " in shown for name in FAMILIES)
    assert "ottla settings log.retention.ms " in shown


@pytest.mark.parametrize("name", FAMILIES)
def test_every_setting_can_be_shown(name: str) -> None:
    """Every setting has a page of its own, no line of which is longer than a hundred signs and a word."""
    for setting in family(name).values():
        page = in_full(setting, name)
        assert setting.name in page
        assert setting.type.name.lower() in page
        assert max(map(len, page.splitlines())) < 160
