"""The barrier before the first request: what Kafka's authenticator does, case by case."""

import pytest

from ottla.errors import AuthenticationFailed
from ottla.network.handshake import ANONYMOUS, Barrier, SaslSettings, State, Step, Verdict
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.error_codes import ErrorCode

VERSIONS, HANDSHAKE, TOKEN = ApiKey.API_VERSIONS, ApiKey.SASL_HANDSHAKE, ApiKey.SASL_AUTHENTICATE
HOUR_MS = 3_600_000


class Rounds:
    """A mechanism that wants its tokens in order, and takes the last one for a name."""

    def __init__(self, rounds: int, lifetime_ms: int | None = None) -> None:
        self.left, self.lifetime_ms = rounds, lifetime_ms

    def evaluate(self, token: bytes) -> Step:
        """The next round."""
        if token == b"wrong":
            raise AuthenticationFailed("invalid credentials")
        self.left -= 1
        if self.left:
            return Step(b"go on")
        return Step(b"welcome", f"User:{token.decode()}", self.lifetime_ms)


def barrier(rounds: int = 1, lifetime_ms: int | None = None, max_reauth_ms: dict[str, int] | None = None) -> Barrier:
    """That of a listener with two mechanisms."""
    make = {"PLAIN": lambda: Rounds(1), "ROUNDS": lambda: Rounds(rounds, lifetime_ms)}
    return Barrier(SaslSettings(make, max_reauth_ms or {}))


def opened(way_in: Barrier, principal: str = "alice", now_ms: int = 0) -> Barrier:
    """It has authenticated."""
    assert way_in.ask(HANDSHAKE, 1, now_ms) is Verdict.HANDSHAKE
    assert way_in.handshake("ROUNDS", 1).error_code == ErrorCode.NONE
    assert way_in.ask(TOKEN, 2, now_ms) is Verdict.TOKEN
    assert way_in.authenticate(principal.encode(), now_ms).error_code == ErrorCode.NONE
    return way_in


def test_without_sasl_everything_passes() -> None:
    """A listener without SASL serves every request, of nobody in particular."""
    way_in = Barrier(None)
    assert way_in.is_open
    assert way_in.principal == ANONYMOUS == "User:ANONYMOUS"
    assert {way_in.ask(api, api.max_version, 0) for api in ApiKey if api not in {HANDSHAKE, TOKEN}} == {Verdict.SERVE}


@pytest.mark.parametrize("api", [HANDSHAKE, TOKEN])
def test_without_sasl_the_exchange_is_an_illegal_state(api: ApiKey) -> None:
    """Who begins an exchange where there is none gets ILLEGAL_SASL_STATE, and the connection goes on."""
    way_in = Barrier(None)
    assert way_in.ask(api, 1, 0) is Verdict.ILLEGAL
    assert way_in.is_open


def test_the_usual_way_in() -> None:
    """ApiVersions, SaslHandshake, SaslAuthenticate in as many rounds as the mechanism wants; then everything passes."""
    way_in = barrier(rounds=3)
    assert way_in.ask(VERSIONS, 4, 0) is Verdict.SERVE
    assert way_in.ask(HANDSHAKE, 1, 0) is Verdict.HANDSHAKE
    agreed = way_in.handshake("ROUNDS", 1)
    assert (agreed.error_code, agreed.mechanisms) == (ErrorCode.NONE, ["PLAIN", "ROUNDS"])
    for token, answer, is_open in [(b"1", b"go on", False), (b"2", b"go on", False), (b"alice", b"welcome", True)]:
        assert way_in.ask(TOKEN, 2, 0) is Verdict.TOKEN
        response = way_in.authenticate(token, 0)
        assert (response.error_code, response.auth_bytes, response.session_lifetime_ms) == (0, answer, 0)
        assert way_in.is_open is is_open
    assert way_in.principal == "User:alice"
    assert way_in.ask(ApiKey.PRODUCE, 9, HOUR_MS) is Verdict.SERVE


OUTSIDERS = [api for api in ApiKey if api not in {VERSIONS, HANDSHAKE}]


@pytest.mark.parametrize("asked_versions", [False, True])
def test_nothing_else_is_served_before(asked_versions: bool) -> None:
    """Before the exchange every other API closes the connection unanswered."""
    for api in OUTSIDERS:
        way_in = barrier()
        if asked_versions:
            way_in.ask(VERSIONS, 3, 0)
        assert way_in.ask(api, api.max_version, 0) is Verdict.CLOSE
        assert way_in.state is State.FAILED


def test_api_versions_is_asked_once() -> None:
    """A second ApiVersions closes the connection, but not where the first was in a version that we do not speak."""
    way_in = barrier()
    assert way_in.ask(VERSIONS, 99, 0) is Verdict.SERVE
    assert way_in.ask(VERSIONS, 4, 0) is Verdict.SERVE
    assert way_in.ask(VERSIONS, 4, 0) is Verdict.CLOSE


def test_an_unknown_mechanism_is_answered_with_those_that_are_offered() -> None:
    """UNSUPPORTED_SASL_MECHANISM lists what the listener offers; then it closes: there is no second try."""
    way_in = barrier()
    way_in.ask(HANDSHAKE, 1, 0)
    response = way_in.handshake("GSSAPI", 1)
    assert response.error_code == ErrorCode.UNSUPPORTED_SASL_MECHANISM
    assert response.mechanisms == ["PLAIN", "ROUNDS"]
    assert way_in.state is State.FAILED
    assert way_in.ask(HANDSHAKE, 1, 0) is Verdict.CLOSE


def test_wrong_credentials_end_the_connection() -> None:
    """A token that is refused is SASL_AUTHENTICATION_FAILED with the mechanism's words; nothing passes after it."""
    way_in = barrier(rounds=2)
    way_in.ask(HANDSHAKE, 1, 0)
    way_in.handshake("ROUNDS", 1)
    way_in.ask(TOKEN, 2, 0)
    response = way_in.authenticate(b"wrong", 0)
    assert (response.error_code, response.error_message) == (58, "invalid credentials")
    assert way_in.principal == ANONYMOUS
    assert way_in.ask(TOKEN, 2, 0) is Verdict.CLOSE


@pytest.mark.parametrize(
    ("api", "verdict"), [(HANDSHAKE, Verdict.ILLEGAL), (VERSIONS, Verdict.CLOSE), (ApiKey.METADATA, Verdict.CLOSE)]
)
def test_where_a_token_is_expected_nothing_else_passes(api: ApiKey, verdict: Verdict) -> None:
    """In the middle of an exchange another handshake is ILLEGAL_SASL_STATE; all else closes, and so does this."""
    way_in = barrier()
    way_in.ask(HANDSHAKE, 1, 0)
    way_in.handshake("ROUNDS", 1)
    assert way_in.ask(api, 1, 0) is verdict
    assert way_in.state is State.FAILED


def test_after_the_first_version_of_the_handshake_tokens_are_bare() -> None:
    """SaslHandshake version 0 goes with tokens that have no header (before KIP-152), until the exchange is over."""
    way_in = barrier()
    way_in.ask(HANDSHAKE, 0, 0)
    way_in.handshake("PLAIN", 0)
    assert way_in.bare_tokens
    way_in.authenticate(b"alice", 0)
    assert way_in.is_open
    assert not way_in.bare_tokens


@pytest.mark.parametrize(
    ("credential_ms", "setting_ms", "session_ms"),
    [(None, None, 0), (None, 0, 0), (None, 5_000, 5_000), (9_000, None, 9_000), (9_000, 5_000, 5_000), (3, 5_000, 3),
     (-1, 5_000, 0)],
)  # fmt: skip
def test_a_session_lasts_as_long_as_the_shorter_of_two(
    credential_ms: int | None, setting_ms: int | None, session_ms: int
) -> None:
    """A session ends with its credential or after `connections.max.reauth.ms`; without either it never does."""
    way_in = barrier(1, credential_ms, None if setting_ms is None else {"ROUNDS": setting_ms})
    way_in.ask(HANDSHAKE, 1, 0)
    way_in.handshake("ROUNDS", 1)
    way_in.ask(TOKEN, 1, 0)
    assert way_in.authenticate(b"alice", 100).session_lifetime_ms == session_ms
    ends = credential_ms is not None or bool(setting_ms)
    assert way_in.ask(ApiKey.FETCH, 12, 100 + session_ms) is Verdict.SERVE
    after = way_in.ask(ApiKey.FETCH, 12, 100 + session_ms + 1)
    assert after is (Verdict.EXPIRED if ends else Verdict.SERVE)


def test_without_an_end_nobody_authenticates_again() -> None:
    """Where no session ends, an exchange on an open connection is ILLEGAL_SASL_STATE, and the connection goes on."""
    way_in = opened(barrier())
    assert way_in.ask(HANDSHAKE, 1, 0) is Verdict.ILLEGAL
    assert way_in.ask(TOKEN, 1, 0) is Verdict.ILLEGAL
    assert way_in.is_open


def test_a_session_is_prolonged_by_authenticating_again() -> None:
    """Before and after its end a session may be begun anew by the same principal (KIP-368), and lasts from then on."""
    way_in = opened(barrier(lifetime_ms=10_000))
    opened(way_in, now_ms=9_000)
    assert way_in.is_again
    assert way_in.ask(ApiKey.FETCH, 12, 18_999) is Verdict.SERVE
    opened(way_in, now_ms=30_000)
    assert way_in.ask(ApiKey.FETCH, 12, 30_001) is Verdict.SERVE


def test_nobody_becomes_somebody_else() -> None:
    """Authenticating again as another principal is SASL_AUTHENTICATION_FAILED."""
    way_in = opened(barrier(lifetime_ms=10_000))
    way_in.ask(HANDSHAKE, 1, 5_000)
    way_in.handshake("ROUNDS", 1)
    way_in.ask(TOKEN, 1, 5_000)
    response = way_in.authenticate(b"bob", 5_000)
    assert response.error_code == ErrorCode.SASL_AUTHENTICATION_FAILED
    assert (way_in.state, way_in.principal) == (State.FAILED, "User:alice")


def test_the_mechanism_stays() -> None:
    """Another mechanism is agreed to when authenticating again, and what follows closes the connection unanswered."""
    way_in = opened(barrier(lifetime_ms=10_000))
    way_in.ask(HANDSHAKE, 1, 5_000)
    assert way_in.handshake("PLAIN", 1).error_code == ErrorCode.NONE
    assert way_in.ask(TOKEN, 1, 5_000) is Verdict.CLOSE


def test_authenticating_again_more_than_once_a_second_is_refused() -> None:
    """A second exchange within a second of the last one's beginning is ILLEGAL_SASL_STATE."""
    way_in = opened(barrier(lifetime_ms=10_000))
    opened(way_in, now_ms=5_000)
    assert way_in.ask(HANDSHAKE, 1, 5_999) is Verdict.ILLEGAL
    assert way_in.ask(HANDSHAKE, 1, 6_000) is Verdict.HANDSHAKE


def test_what_is_said_while_authenticating_again_is_of_the_exchange() -> None:
    """Once begun, authenticating again lets nothing else through."""
    way_in = opened(barrier(lifetime_ms=10_000))
    way_in.ask(HANDSHAKE, 1, 5_000)
    way_in.handshake("ROUNDS", 1)
    assert way_in.ask(ApiKey.PRODUCE, 9, 5_000) is Verdict.CLOSE
