"""Handing images on: subscribers are told (delta, image) in the order in which they were added.

While a node starts it replays a log that others have long acted upon, so nothing is handed on before somebody says that
the image has caught up; then each subscriber gets everything at once, as a delta from the empty image. A subscriber
that comes later gets the same. From then on it sees each image once, none left out.

Always true: of two subscribers the earlier one has seen an image before the later one sees it. What a subscriber raises
is our own fault, and goes to whoever published.
"""

from collections.abc import Callable

from ottla.cluster.metadata.delta import MetadataDelta
from ottla.cluster.metadata.image import EMPTY, MetadataImage

Subscriber = Callable[[MetadataDelta, MetadataImage], None]


class Publisher:
    """The subscribers, and the newest image."""

    __slots__ = ("_has_caught_up", "_subscribers", "image")

    def __init__(self) -> None:
        self.image = EMPTY
        self._subscribers: list[Subscriber] = []
        self._has_caught_up = False

    def add(self, subscriber: Subscriber) -> None:
        """Tell a subscriber of everything from now on; what there is already it is told at once."""
        assert subscriber not in self._subscribers
        self._subscribers.append(subscriber)
        if self._has_caught_up:
            subscriber(MetadataDelta.between(EMPTY, self.image), self.image)

    def remove(self, subscriber: Subscriber) -> None:
        """Tell a subscriber nothing any more."""
        self._subscribers.remove(subscriber)

    def catch_up(self) -> None:
        """The newest image is the cluster's present: tell everybody of it, and of all that follow."""
        if self._has_caught_up:
            return
        self._has_caught_up = True
        delta = MetadataDelta.between(EMPTY, self.image)
        for subscriber in tuple(self._subscribers):
            subscriber(delta, self.image)

    def publish(self, delta: MetadataDelta, image: MetadataImage) -> None:
        """There is a new image; what made it out of the last one is the delta."""
        assert delta.base is self.image, "a delta of another image"
        self.image = image
        if self._has_caught_up:
            for subscriber in tuple(self._subscribers):
                subscriber(delta, image)
