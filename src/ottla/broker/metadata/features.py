"""The finalised features as this node tells clients of them (KIP-584): those of an image, and `kraft.version`.

Brokers tell what they have applied (`MetadataCache.features`), controllers what their own copy of the log says.
`kraft.version` is no record of the metadata but the quorum's own.
"""

from collections.abc import Callable

from ottla.cluster.metadata.image import MetadataImage
from ottla.protocol.features import KRAFT_VERSION, METADATA_VERSION


class FinalisedFeatures:
    """What the cluster has agreed on, as of the newest image that a node has."""

    __slots__ = ("_image", "_kraft_version")

    def __init__(self, image: Callable[[], MetadataImage], kraft_version: Callable[[], int] = lambda: 0) -> None:
        self._image, self._kraft_version = image, kraft_version

    @property
    def image(self) -> MetadataImage:
        """The image that they are of."""
        return self._image()

    @property
    def epoch(self) -> int:
        """Up to which offset this node has read; -1 before the first record."""
        return self._image().provenance.last_contained_offset

    def levels(self) -> dict[str, int]:
        """The level of every feature that is not off, by name; none before the first record."""
        features = self._image().features
        if features.metadata_version is None:
            return {}
        levels = {METADATA_VERSION: int(features.metadata_version), **features.levels}
        if kraft_version := self._kraft_version():
            levels[KRAFT_VERSION] = kraft_version
        return {name: levels[name] for name in sorted(levels)}
