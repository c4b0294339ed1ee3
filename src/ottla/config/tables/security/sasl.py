"""SASL settings that brokers and clients share: logging in by Kerberos, by password, by refreshed credentials.

A broker sets most of them for one mechanism of one listener, by the prefix `listener.name.NAME.MECHANISM.`. The
bearer tokens of OAuth have a table of their own.
"""

from ottla.config.setting import (
    CLASS,
    DOUBLE,
    INT,
    LONG,
    LOW,
    MEDIUM,
    PASSWORD,
    PER_BROKER,
    READ_ONLY,
    SHORT,
    STRING,
    Setting,
)
from ottla.config.validators import between

# fmt: off


def sasl_settings(*, on_broker: bool) -> tuple[Setting, ...]:
    """The settings as brokers or as clients have them."""
    tuning = MEDIUM if on_broker else LOW
    dynamic = PER_BROKER if on_broker else READ_ONLY
    return (
        Setting("sasl.jaas.config", PASSWORD, None, MEDIUM, dynamic=dynamic,
                doc='The login in the form of a JAAS entry, `Module required key="value" ...;`. A broker sets it for '
                    "one mechanism of one listener."),
        Setting("sasl.client.callback.handler.class", CLASS, None, MEDIUM,
                doc="A class that supplies what a client's login needs, in place of `sasl.jaas.config`."),
        Setting("sasl.login.callback.handler.class", CLASS, None, MEDIUM,
                doc="A class that supplies what a login needs before a connection exists, such as a token."),
        Setting("sasl.login.class", CLASS, None, MEDIUM,
                doc="A class that does the login itself."),
        Setting("sasl.kerberos.service.name", STRING, None, MEDIUM, dynamic=dynamic,
                doc="The Kerberos name that brokers run under, if `sasl.jaas.config` does not say it."),
        Setting("sasl.kerberos.kinit.cmd", STRING, "/usr/bin/kinit", tuning, dynamic=dynamic,
                doc="The path of the Kerberos command `kinit`."),
        Setting("sasl.kerberos.ticket.renew.window.factor", DOUBLE, 0.8, tuning, dynamic=dynamic,
                doc="Which part of a ticket's life passes before it is renewed."),
        Setting("sasl.kerberos.ticket.renew.jitter", DOUBLE, 0.05, tuning, dynamic=dynamic,
                doc="By how much the time of renewal varies at random, as a part of it."),
        Setting("sasl.kerberos.min.time.before.relogin", LONG, 60_000, tuning, dynamic=dynamic,
                doc="How many milliseconds lie at least between two attempts to renew a ticket."),
        Setting("sasl.login.refresh.window.factor", DOUBLE, 0.8, tuning, valid=None if on_broker else between(0.5, 1.0),
                dynamic=dynamic,
                doc="Which part of a credential's life passes before it is refreshed."),
        Setting("sasl.login.refresh.window.jitter", DOUBLE, 0.05, tuning,
                valid=None if on_broker else between(0.0, 0.25), dynamic=dynamic,
                doc="By how much the time of refreshing varies at random, as a part of the credential's life."),
        Setting("sasl.login.refresh.min.period.seconds", SHORT, 60, tuning,
                valid=None if on_broker else between(0, 900), dynamic=dynamic,
                doc="How long a credential is used at least before it is refreshed. Together with the buffer it gives "
                    "way if a credential lives too short for both."),
        Setting("sasl.login.refresh.buffer.seconds", SHORT, 300, tuning, valid=None if on_broker else between(0, 3_600),
                dynamic=dynamic,
                doc="How long before its end a credential is refreshed at the latest."),
        Setting("sasl.login.connect.timeout.ms", INT, None, LOW,
                doc="How long a connection to the provider of a login may take to be established."),
        Setting("sasl.login.read.timeout.ms", INT, None, LOW,
                doc="How long the provider of a login may take to answer."),
        Setting("sasl.login.retry.backoff.ms", LONG, 100, LOW,
                doc="How long to wait before the provider of a login is asked again. Doubles with each failure."),
        Setting("sasl.login.retry.backoff.max.ms", LONG, 10_000, LOW,
                doc="The longest that is waited before the provider of a login is asked again."),
    )
