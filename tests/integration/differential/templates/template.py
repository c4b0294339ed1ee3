"""What a template is: a request as a function of its version and of the scene that it is asked in."""

from collections.abc import Callable
from dataclasses import dataclass

from ottla.protocol.api_keys import ApiKey
from tests.integration.differential.trees import Symbol, Tree

EMPTY, FILLED = "empty", "filled"  # the topic that a case has for itself
BROKER, CONTROLLER = "broker", "controller"  # the listener that is asked


@dataclass(frozen=True, slots=True)
class Scene:
    """What a case can speak of: its own topic if it wants one, or else the one that nobody changes."""

    number: int
    topic: str

    @property
    def topic_id(self) -> Symbol:
        """Of the topic."""
        return topic_id(self.topic)

    @property
    def new(self) -> str:
        """A name that no topic has."""
        return f"new-{self.number:05}"


@dataclass(frozen=True, slots=True)
class Look:
    """What is asked afterwards, to see what the request has done."""

    api: ApiKey
    version: int
    build: Callable[[Scene], Tree]


@dataclass(frozen=True, slots=True)
class Template:
    """A request in all versions of its API, or in some."""

    api: ApiKey
    name: str
    build: Callable[[int, Scene], Tree]
    fresh: str = ""  # what topic it wants for itself: none, an empty one, a filled one
    looks: tuple[Look, ...] = ()
    versions: range = range(1_000)
    is_valid: bool = False  # its fields are put at their bounds
    then: tuple["Template", ...] = ()  # asked after it in the same scene; may use what it was told
    tells: str = ""  # the field of its answer that the ones after it use
    before: tuple["Template", ...] = ()  # asked before it; the first one's answer is what it uses
    listeners: tuple[str, ...] = (BROKER, CONTROLLER)  # those that serve the API, that is


def topic_id(name: str) -> Symbol:
    """The id of a topic of this name."""
    return Symbol("topic id", name)


def told(field: str) -> Symbol:
    """What the answer before had in this field."""
    return Symbol("told", field)


def directory() -> Symbol:
    """The one in which the voter has the metadata."""
    return Symbol("directory", "voter")
