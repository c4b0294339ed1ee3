"""Settings of SASL/OAUTHBEARER that brokers and clients share: where tokens come from, and how they are checked.

A client gets a token from an endpoint (KIP-768) by its secret or by an assertion that it signs (KIP-1139); a broker
checks tokens with keys that it fetches (JWKS). Names of Kafka's own classes stand for Ottla's code that does the same.
"""

from ottla.config.setting import BOOLEAN, CLASS, HIGH, INT, LIST, LONG, LOW, MEDIUM, PASSWORD, STRING, Setting
from ottla.config.validators import between, list_of, one_of_ignoring_case

# fmt: off
OAUTHBEARER_SETTINGS = (
    Setting("sasl.oauthbearer.token.endpoint.url", STRING, None, MEDIUM,
            doc="Where tokens are fetched, as an https or file URL."),
    Setting("sasl.oauthbearer.scope", STRING, None, MEDIUM,
            doc="The scope that a client asks for with its token."),
    Setting("sasl.oauthbearer.client.credentials.client.id", STRING, None, MEDIUM,
            doc="Who the client is to the provider of tokens."),
    Setting("sasl.oauthbearer.client.credentials.client.secret", PASSWORD, None, MEDIUM,
            doc="The client's secret for the provider of tokens."),
    Setting("sasl.oauthbearer.assertion.algorithm", STRING, "RS256", MEDIUM,
            valid=one_of_ignoring_case("ES256", "RS256"),
            doc="The algorithm that a client signs its assertion with."),
    Setting("sasl.oauthbearer.assertion.private.key.file", STRING, None, MEDIUM,
            doc="The file with the private key, as PEM, that a client signs its assertion with. It is read again "
                "when it changes."),
    Setting("sasl.oauthbearer.assertion.private.key.passphrase", PASSWORD, None, MEDIUM,
            doc="The passphrase of that key."),
    Setting("sasl.oauthbearer.assertion.template.file", STRING, None, MEDIUM,
            doc="A file with headers and claims, as JSON, that go into the assertion unchanged."),
    Setting("sasl.oauthbearer.assertion.file", STRING, None, MEDIUM,
            doc="A file with a finished assertion, which is sent as it is. It is read again when it changes."),
    Setting("sasl.oauthbearer.assertion.claim.aud", STRING, None, MEDIUM,
            doc="Whom the assertion is for: its claim `aud`."),
    Setting("sasl.oauthbearer.assertion.claim.iss", STRING, None, MEDIUM,
            doc="Who issued the assertion: its claim `iss`."),
    Setting("sasl.oauthbearer.assertion.claim.sub", STRING, None, MEDIUM,
            doc="Whom the assertion is about: its claim `sub`."),
    Setting("sasl.oauthbearer.assertion.claim.exp.seconds", INT, 300, LOW, valid=between(0, 86_400),
            doc="How long from now an assertion is good: its claim `exp`."),
    Setting("sasl.oauthbearer.assertion.claim.nbf.seconds", INT, 60, LOW, valid=between(0, 3_600),
            doc="How long ago an assertion began to be good: its claim `nbf`."),
    Setting("sasl.oauthbearer.assertion.claim.jti.include", BOOLEAN, False, MEDIUM,
            doc="Whether each assertion gets an id of its own, its claim `jti`, so that nobody can use it twice."),
    Setting("sasl.oauthbearer.jwt.retriever.class", CLASS,
            "org.apache.kafka.common.security.oauthbearer.DefaultJwtRetriever", MEDIUM,
            doc="The class that gets tokens for a client."),
    Setting("sasl.oauthbearer.jwt.validator.class", CLASS,
            "org.apache.kafka.common.security.oauthbearer.DefaultJwtValidator", MEDIUM,
            doc="The class that checks tokens. A client looks at their form only, a broker at their signature too."),
    Setting("sasl.oauthbearer.scope.claim.name", STRING, "scope", LOW,
            doc="The claim that holds the scope, where the provider uses another name than `scope`."),
    Setting("sasl.oauthbearer.sub.claim.name", STRING, "sub", LOW,
            doc="The claim that holds the principal, where the provider uses another name than `sub`."),
    Setting("sasl.oauthbearer.jwks.endpoint.url", STRING, None, MEDIUM,
            doc="Where a broker finds the keys that tokens are signed with, as an https or file URL."),
    Setting("sasl.oauthbearer.jwks.endpoint.refresh.ms", LONG, 3_600_000, LOW,
            doc="How often these keys are fetched anew."),
    Setting("sasl.oauthbearer.jwks.endpoint.retry.backoff.ms", LONG, 100, LOW,
            doc="How long to wait before these keys are asked for again after a failure. Doubles with each "
                "failure."),
    Setting("sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms", LONG, 10_000, LOW,
            doc="The longest that is waited before these keys are asked for again."),
    Setting("sasl.oauthbearer.clock.skew.seconds", INT, 30, LOW,
            doc="By how much the clocks of the broker and of the provider of tokens may differ."),
    Setting("sasl.oauthbearer.expected.audience", LIST, (), HIGH, valid=list_of(may_be_empty=True),
            doc="Whom a token has to be for, one of these, in its claim `aud`."),
    Setting("sasl.oauthbearer.expected.issuer", STRING, None, HIGH,
            doc="Who has to have issued a token, in its claim `iss`."),
)

# Only who asks for tokens has use for these.
OAUTHBEARER_CLIENT_SETTINGS = (
    Setting("sasl.oauthbearer.header.urlencode", BOOLEAN, False, LOW,
            doc="Whether a client encodes its id and secret before they go into the authorisation header, as RFC "
                "6749 has it. Some providers want it so, some do not."),
)
