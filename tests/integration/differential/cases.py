"""Cases: what is asked, in which order, with which topic of its own.

Every template in every version that both brokers serve, at the broker's listener and at the controller's; the valid
ones with each field at its bounds; and the valid ones in a version that there is not, cut short, and with a byte too
many. A case changes only its own topic, so that a difference in one does not become a difference in others.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Final

from ottla.protocol.api_keys import ApiKey
from tests.integration.differential.bounds import variations
from tests.integration.differential.templates import TEMPLATES
from tests.integration.differential.templates.template import BROKER, Look, Scene, Template
from tests.integration.differential.trees import Tree, completed, request_class

COMMON: Final = "stable"  # the topic of those that want none for themselves


@dataclass(frozen=True, slots=True)
class Step:
    """One request."""

    api: ApiKey
    version: int
    tree: Tree
    bend: Callable[[bytes], bytes] | None = None  # of the body, once it is bytes
    in_version: int | None = None  # what the header says, if it lies
    listener: str = BROKER


@dataclass(frozen=True, slots=True)
class Case:
    """Requests in a row."""

    api: ApiKey  # the one that it is about, and its version
    version: int
    name: str
    scene: Scene
    steps: list[Step]
    fresh: str = ""
    looks: list[Step] = field(default_factory=list)
    tells: str = ""  # the field of the first answer that later ones use


Versions = Mapping[ApiKey, range]


def cases(served: Mapping[str, Versions]) -> Iterator[Case]:
    """All of them, for APIs and versions that both serve at a listener."""
    numbers = count()
    for template in TEMPLATES:
        for listener, versions in served.items():
            if listener in template.listeners:
                for version in versions.get(template.api, ()):
                    if version in template.versions:
                        yield from _of(template, version, listener, numbers)


def _of(template: Template, version: int, listener: str, numbers: Iterator[int]) -> Iterator[Case]:
    place = "" if listener == BROKER else f" at the {listener}"
    name = f"{template.api.message} v{version}{place}, {template.name}"

    def case(what: str, change: Callable[[Tree], Iterable[Step]]) -> Case:
        number = next(numbers)
        scene = Scene(number, f"case-{number:05}" if template.fresh else COMMON)
        steps = [_other(each, template, version, scene) for each in template.before]
        steps += change(template.build(version, scene))
        steps += [_other(each, template, version, scene) for each in template.then]
        steps = [replace(step, listener=listener) for step in steps]
        looks = [_look(look, scene) for look in template.looks]
        tells = template.before[0].tells if template.before else template.tells
        return Case(template.api, version, f"{name}{what}", scene, steps, template.fresh, looks, tells)

    yield case("", lambda tree: [_step(template, version, tree)])
    if template.is_valid:
        owner = request_class(template.api)
        probe = completed(owner, owner.schema(), template.build(version, Scene(0, COMMON)), version)
        changes = [what for what, _ in variations(template.api, owner.schema(), probe, version)]
        for at, what in enumerate(changes):
            yield case(f", {what}", lambda tree, at=at: [_varied(template, version, tree, at)])  # type: ignore[misc]
        for what, bend in BENT.items():
            yield case(f", {what}", lambda tree, bend=bend: [_step(template, version, tree, bend)])  # type: ignore[misc]
        if version == template.api.max_version:
            step = Step(template.api, version, probe, in_version=version + 1)
            yield case(", a version too high", lambda _: [step])


BENT: Final[dict[str, Callable[[bytes], bytes]]] = {
    "cut short": lambda body: body[:-1],
    "half": lambda body: body[: len(body) // 2],
    "a byte too many": lambda body: body + b"\0",
}


def _step(template: Template, version: int, tree: Tree, bend: Callable[[bytes], bytes] | None = None) -> Step:
    owner = request_class(template.api)
    return Step(template.api, version, completed(owner, owner.schema(), tree, version), bend)


def _other(other: Template, template: Template, version: int, scene: Scene) -> Step:
    """What is asked before or after: in the same version if it is the same API."""
    own = version if other.api is template.api else other.api.max_version
    return _step(other, own, other.build(own, scene))


def _varied(template: Template, version: int, tree: Tree, at: int) -> Step:
    owner = request_class(template.api)
    whole = completed(owner, owner.schema(), tree, version)
    changed = list(variations(template.api, owner.schema(), whole, version))[at][1]
    return Step(template.api, version, changed)


def _look(look: Look, scene: Scene) -> Step:
    owner = request_class(look.api)
    return Step(look.api, look.version, completed(owner, owner.schema(), look.build(scene), look.version))
