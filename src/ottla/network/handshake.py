"""What a connection may ask before it has said who it is: a barrier, and the exchange that opens it.

                       ApiVersions                   SaslHandshake                  SaslAuthenticate, last round
    EXPECTING_VERSIONS -----------> EXPECTING_HANDSHAKE -----------> EXPECTING_TOKEN -----------------> OPEN
            |                                                           ^   ^  more rounds                |
            +---------------- SaslHandshake ----------------------------+   +------ SaslHandshake --------+
                                                                             (again, KIP-368)

The table of what may be asked when is `_NEXT`; what is not in it closes the connection unanswered, except that a
SaslHandshake in place of a token gets ILLEGAL_SASL_STATE first, as whatever is asked there does in Kafka. A mechanism
that is not offered, or a token that is refused, is answered with its error, and then the connection is closed: there is
no second try. After SaslHandshake version 0 tokens come bare, without a header (before KIP-152).

On a listener without SASL everything passes from the start. There, and where no session ends, SASL requests on an open
connection are answered with ILLEGAL_SASL_STATE, and nothing else happens. Authenticating again keeps mechanism and
principal: another mechanism is agreed to, and its first token closes the connection unanswered; another principal is a
failure. What comes when a session has ended closes the connection, unless it is the SaslHandshake that begins the next.

Pure: `now_ms` is a parameter, mechanisms are handed in, and whoever runs a connection carries out what is answered.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, Protocol

from ottla.errors import AuthenticationFailed
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.connection import SaslAuthenticateResponse, SaslHandshakeResponse

ANONYMOUS: Final = "User:ANONYMOUS"
MIN_REAUTHENTICATION_MS: Final = 1_000  # Kafka lets nobody begin anew more often


@dataclass(frozen=True, slots=True)
class Step:
    """What a mechanism makes of a token: its own next token, and at the end who it is."""

    token: bytes
    principal: str | None = None  # None: more rounds are needed
    credential_lifetime_ms: int | None = None  # how long the credential lasts, if it ends


class Mechanism(Protocol):
    """One exchange of a SASL mechanism, the server's side."""

    def evaluate(self, token: bytes) -> Step:
        """The next step; `AuthenticationFailed`, whose text the client may read, if it goes no further."""


@dataclass(frozen=True, slots=True)
class SaslSettings:
    """What a SASL listener offers."""

    mechanisms: Mapping[str, Callable[[], Mechanism]]  # sasl.enabled.mechanisms, in their order
    max_reauth_ms: Mapping[str, int] = field(default_factory=dict)  # connections.max.reauth.ms, where it is not 0


class State(Enum):
    """How far a connection has come."""

    EXPECTING_VERSIONS = "expecting ApiVersions or a handshake"
    EXPECTING_HANDSHAKE = "expecting a handshake"
    EXPECTING_TOKEN = "expecting a token"  # noqa: S105 - a state
    MECHANISM_CHANGED = "expecting nothing any more"
    OPEN = "open"
    FAILED = "failed"


class Verdict(Enum):
    """What is to be done with a request."""

    SERVE = "the serving function's"
    HANDSHAKE = "for `handshake`"
    TOKEN = "for `authenticate`"  # noqa: S105 - a verdict
    ILLEGAL = "answered with ILLEGAL_SASL_STATE; the connection goes on if it is open, else it is closed"
    CLOSE = "closed unanswered"
    EXPIRED = "closed unanswered, because the session has ended"


# What may be asked before a connection is open, and the state that asking leads to.
_NEXT: Final[dict[tuple[State, ApiKey], tuple[Verdict, State]]] = {
    (State.EXPECTING_VERSIONS, ApiKey.API_VERSIONS): (Verdict.SERVE, State.EXPECTING_HANDSHAKE),
    (State.EXPECTING_VERSIONS, ApiKey.SASL_HANDSHAKE): (Verdict.HANDSHAKE, State.EXPECTING_TOKEN),
    (State.EXPECTING_HANDSHAKE, ApiKey.SASL_HANDSHAKE): (Verdict.HANDSHAKE, State.EXPECTING_TOKEN),
    (State.EXPECTING_TOKEN, ApiKey.SASL_AUTHENTICATE): (Verdict.TOKEN, State.EXPECTING_TOKEN),
    (State.EXPECTING_TOKEN, ApiKey.SASL_HANDSHAKE): (Verdict.ILLEGAL, State.FAILED),
}


class Barrier:
    """The barrier of one connection."""

    __slots__ = ("_begun_ms", "_ends_ms", "_exchange", "_mechanism", "_sasl", "bare_tokens", "principal", "state")

    def __init__(self, sasl: SaslSettings | None, principal: str = ANONYMOUS) -> None:
        self._sasl = sasl
        self.state = State.OPEN if sasl is None else State.EXPECTING_VERSIONS
        self.principal = principal
        self.bare_tokens = False
        self._exchange: Mechanism | None = None
        self._mechanism = ""
        self._ends_ms: int | None = None  # when this session ends
        self._begun_ms: int | None = None  # when authenticating again was begun last

    @property
    def is_open(self) -> bool:
        """Whether every request passes."""
        return self.state is State.OPEN

    @property
    def is_again(self) -> bool:
        """Whether it has been open before, and authenticates, or has authenticated, again."""
        return self._begun_ms is not None

    def ask(self, api: ApiKey, version: int, now_ms: int) -> Verdict:
        """What is to be done with this request, whose body has not been looked at."""
        if self.state is State.OPEN:
            return self._ask_open(api, now_ms)
        if api is ApiKey.API_VERSIONS and not api.supports(version) and self.state is State.EXPECTING_VERSIONS:
            return Verdict.SERVE  # the client will ask again in a version that we speak
        verdict, self.state = _NEXT.get((self.state, api), (Verdict.CLOSE, State.FAILED))
        return verdict

    def _ask_open(self, api: ApiKey, now_ms: int) -> Verdict:
        ends_ms = self._ends_ms
        if api is ApiKey.SASL_HANDSHAKE and ends_ms is not None and self._may_begin_again(now_ms):
            self._begun_ms, self.state = now_ms, State.EXPECTING_TOKEN
            return Verdict.HANDSHAKE
        if ends_ms is not None and now_ms > ends_ms:
            self.state = State.FAILED
            return Verdict.EXPIRED
        return Verdict.ILLEGAL if api in {ApiKey.SASL_HANDSHAKE, ApiKey.SASL_AUTHENTICATE} else Verdict.SERVE

    def _may_begin_again(self, now_ms: int) -> bool:
        return self._begun_ms is None or now_ms - self._begun_ms >= MIN_REAUTHENTICATION_MS

    def handshake(self, mechanism: str, version: int) -> SaslHandshakeResponse:
        """The answer to a SaslHandshake request that `ask` has let through."""
        assert self._sasl is not None, "a listener without SASL"
        assert self.state is State.EXPECTING_TOKEN, self.state
        offered = list(self._sasl.mechanisms)
        make = self._sasl.mechanisms.get(mechanism)
        if make is None:
            self.state = State.FAILED
            return SaslHandshakeResponse(error_code=ErrorCode.UNSUPPORTED_SASL_MECHANISM, mechanisms=offered)
        self.bare_tokens = version == 0
        if self._mechanism and mechanism != self._mechanism:
            self.state = State.MECHANISM_CHANGED
        else:
            self._mechanism, self._exchange = mechanism, make()
        return SaslHandshakeResponse(error_code=ErrorCode.NONE, mechanisms=offered)

    def authenticate(self, token: bytes, now_ms: int) -> SaslAuthenticateResponse:
        """The answer to a token that `ask` has let through, or that came bare; `state` says how it went."""
        try:
            assert self._exchange is not None, f"no exchange: {self.state}"
            step = self._exchange.evaluate(token)
            lifetime_ms = 0 if step.principal is None else self._end(step, step.principal, now_ms)
        except AuthenticationFailed as failure:
            self.state, self._exchange = State.FAILED, None
            return SaslAuthenticateResponse(error_code=failure.code, error_message=str(failure))
        return SaslAuthenticateResponse(
            error_code=ErrorCode.NONE, error_message=None, auth_bytes=step.token, session_lifetime_ms=lifetime_ms
        )

    def _end(self, step: Step, principal: str, now_ms: int) -> int:
        """The exchange has ended well; how long the session lasts, 0 for ever."""
        assert self._sasl is not None, "a listener without SASL"
        if self._begun_ms is not None and principal != self.principal:
            raise AuthenticationFailed(f"{self.principal} cannot become {principal} by authenticating again")
        lifetimes_ms = [step.credential_lifetime_ms, self._sasl.max_reauth_ms.get(self._mechanism) or None]
        ending_ms = [max(0, each) for each in lifetimes_ms if each is not None]
        self.state, self.principal, self._exchange, self.bare_tokens = State.OPEN, principal, None, False
        self._ends_ms = now_ms + min(ending_ms) if ending_ms else None
        return min(ending_ms, default=0)
