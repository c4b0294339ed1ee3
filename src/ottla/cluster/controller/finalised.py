"""The finalised level of each feature: what may be written, and which rules hold.

All that a decision asks is in here; changing levels is in `features`.

Always true: a feature without a level is at 0. The metadata version is the first record of every log (see `bootstrap`
of the controller), and before it nothing is decided: whoever asks is told NOT_CONTROLLER, and asks again.
"""

from ottla.errors import RequestRefused
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.features import METADATA_VERSION, MINIMUM, SINCE, MetadataVersion
from ottla.protocol.messages.metadata_records import FeatureLevelRecord
from ottla.replicated.timeline import Journal, TimelineDict

_VERSIONS = {int(version): version for version in MetadataVersion}


class Finalised:
    """Levels by feature."""

    def __init__(self, journal: Journal) -> None:
        self._levels: TimelineDict[str, int] = TimelineDict(journal)

    def level(self, feature: str) -> int:
        """The level of a feature; 0: off."""
        return self._levels.get(feature, MINIMUM if feature == METADATA_VERSION else 0)

    @property
    def is_begun(self) -> bool:
        """Whether there is a metadata version."""
        return METADATA_VERSION in self._levels

    def all(self) -> dict[str, int]:
        """Every feature that is not off."""
        return {METADATA_VERSION: self.level(METADATA_VERSION), **self._levels}

    @property
    def metadata_version(self) -> MetadataVersion:
        """What records may say."""
        if not self.is_begun:
            raise RequestRefused(ErrorCode.NOT_CONTROLLER, "The cluster's metadata version is not written yet.")
        return _VERSIONS[self.level(METADATA_VERSION)]

    def has(self, use: str) -> bool:
        """Whether something that `features.SINCE` names may be used."""
        return self.metadata_version >= SINCE[use]

    @property
    def keeps_elr(self) -> bool:
        """Whether eligible leader replicas are kept (KIP-966)."""
        return self.level("eligible.leader.replicas.version") > 0 and self.has("eligible leader replicas")

    def check_range(self, who: str, feature: str, lowest: int, highest: int) -> None:
        """UNSUPPORTED_VERSION unless a node that has this range can be in the cluster."""
        level = self.level(feature)
        if not lowest <= level <= highest:
            raise RequestRefused(
                ErrorCode.UNSUPPORTED_VERSION,
                f"{who} supports levels {lowest} to {highest} of {feature}, and the cluster is at {level}.",
            )

    def replay(self, record: FeatureLevelRecord) -> None:
        """A feature is at another level."""
        if record.feature_level:
            self._levels[record.name] = record.feature_level
        else:
            self._levels.pop(record.name, None)
