"""The levels that the cluster has agreed on, and requests to change them (KIP-584, KIP-1022).

An upgrade needs every broker and every controller to support the new level. A downgrade must be asked for by name, and
is refused where it would lose metadata; that version 0 has a flag in its place counts for nothing, as in Kafka. Of a
feature that is named twice the first counts. `kraft.version` is not in this log's records: raft changes it, and whoever
serves UpdateFeatures takes it there. Replaying a record never looks whether the level is supported.

Always true: a feature without a level is at 0; the metadata version is at least the oldest that we know.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from ottla.cluster.controller.brokers import Brokers
from ottla.cluster.controller.configs import Configs
from ottla.cluster.controller.controllers import Controllers
from ottla.errors import RequestRefused
from ottla.protocol.codec.message import Message
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.features import FEATURES, KRAFT_VERSION, METADATA_VERSION, MetadataVersion, supported_range
from ottla.protocol.messages.cluster import (
    UpdateFeaturesRequest,
    UpdateFeaturesRequest_FeatureUpdateKey,
    UpdateFeaturesResponse,
)
from ottla.protocol.messages.metadata_records import FeatureLevelRecord
from ottla.replicated.decision import Decision

UPGRADE, SAFE_DOWNGRADE, UNSAFE_DOWNGRADE = 1, 2, 3
NO_ERROR: Final = "NONE"  # what Kafka says of each feature up to version 1
ELR_FEATURE: Final = "eligible.leader.replicas.version"

_Result = UpdateFeaturesResponse.UpdatableFeatureResult


class Features:
    """Requests to change what `finalised` says."""

    def __init__(self, configs: Configs, brokers: Brokers, controllers: Controllers) -> None:
        self._configs, self._brokers, self._controllers = configs, brokers, controllers
        self._levels = configs.levels

    def update(self, request: UpdateFeaturesRequest, now_ms: int) -> Decision[Message, UpdateFeaturesResponse]:
        """All levels are changed, or none."""
        del now_ms
        updates = list({each.feature: each for each in reversed(request.feature_updates)}.values())[::-1]
        try:
            records = self._records(updates)
        except RequestRefused as refusal:
            return Decision([], UpdateFeaturesResponse(0, refusal.code, str(refusal)))
        done = [_Result(update.feature, ErrorCode.NONE, NO_ERROR) for update in updates]
        response = UpdateFeaturesResponse(error_message=None, results=done)
        return Decision([] if request.validate_only else records, response)

    def _records(self, updates: Sequence[UpdateFeaturesRequest_FeatureUpdateKey]) -> list[Message]:
        proposed = {**self._levels.all(), **{update.feature: update.max_version_level for update in updates}}
        for update in updates:
            self._check(update.feature, update.max_version_level, update.upgrade_type, proposed)
        begins_elr = proposed.get(ELR_FEATURE, 0) > 0 and not self._levels.keeps_elr
        return [
            *(self._configs.elr_safety_records() if begins_elr else ()),
            *(FeatureLevelRecord(name=update.feature, feature_level=update.max_version_level) for update in updates),
        ]

    def _check(self, name: str, level: int, kind: int, proposed: Mapping[str, int]) -> None:
        if kind not in (UPGRADE, SAFE_DOWNGRADE, UNSAFE_DOWNGRADE):
            raise _refused(name, level, f"There is no upgrade type {kind}.")
        if name == KRAFT_VERSION or (name != METADATA_VERSION and name not in FEATURES):
            raise _refused(name, level, "The controller has no such feature to change.")
        if level < 0:
            raise _refused(name, level, "A level is not less than 0.")
        for who, lowest, highest in self._supporters(name):
            if not lowest <= level <= highest and not (level == 0 and name != METADATA_VERSION):
                raise _refused(name, level, f"{who} supports levels {lowest} to {highest}.")
        current = self._levels.level(name)
        if level < current and kind == UPGRADE:
            raise _refused(name, level, f"It is at {current}, and a downgrade has to be asked for as such.")
        if level > current and kind != UPGRADE:
            raise _refused(name, level, f"It is at {current}, so this is no downgrade.")
        if name == METADATA_VERSION:
            self._check_metadata_version(level, current)
        elif level:
            for other, least in FEATURES[name][level].needs.items():
                if proposed.get(other, 0) < least:
                    raise _refused(name, level, f"It needs {other} to be at least at {least}.")
        self._check_dependents(name, level, proposed)

    def _check_metadata_version(self, level: int, current: int) -> None:
        lost = [version for version in MetadataVersion if level < version <= current and version.metadata_changed]
        if lost:
            raise _refused(METADATA_VERSION, level, f"Metadata might be lost that {lost[0].text} brought.")

    def _check_dependents(self, name: str, level: int, proposed: Mapping[str, int]) -> None:
        """What needs this feature must not be left without it."""
        for other, rows in FEATURES.items():
            other_level = proposed.get(other, 0)
            if 0 < other_level < len(rows) and rows[other_level].needs.get(name, 0) > level:
                raise _refused(name, level, f"{other} at {other_level} needs more.")

    def _supporters(self, name: str) -> Iterator[tuple[str, int, int]]:
        yield "This controller", *supported_range(name)
        for broker in self._brokers:
            yield f"Broker {broker.broker_id}", *broker.features.get(name, (0, 0))
        for controller in self._controllers:
            yield f"Controller {controller.controller_id}", *controller.features.get(name, (0, 0))


def _refused(name: str, level: int, reason: str) -> RequestRefused:
    return RequestRefused(ErrorCode.INVALID_UPDATE_VERSION, f"Level {level} is not possible for {name}. {reason}")
