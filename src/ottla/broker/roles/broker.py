"""A node's broker: its logs and replicas, its life in the cluster, and what handlers of its listeners work with.

    `start`: register -> the metadata has caught up -> load the logs -> take up the replicas -> ready -> unfenced
    `stop`:  the controller moves away what we lead -> (the listeners close) -> `close`: replicas, logs, lifecycle

Always true: a subscriber of the metadata that acts on an image comes before the cache that clients are answered from,
so whoever is told of a topic finds its partitions here.
"""

from collections.abc import Callable, Mapping, Sequence

from ottla.broker.controller_channel import ControllerChannel
from ottla.broker.data.metrics import tell
from ottla.broker.data.path import DataPath
from ottla.broker.data.producer_ids import ProducerIds
from ottla.broker.metadata.applied_images import AppliedImages
from ottla.broker.metadata.auto_topics import AutoTopics
from ottla.broker.metadata.cache import MetadataCache
from ottla.broker.parts import BrokerParts
from ottla.broker.roles.lifecycle import BrokerLifecycle, previous_broker_epoch, registration_of, times_of
from ottla.broker.roles.quorum import QuorumRole
from ottla.broker.settings import running_parts
from ottla.broker.settings.dynamic import DynamicSettings
from ottla.broker.settings.topics import TopicSettings
from ottla.cluster.metadata.parts.configs import ConfigResourceType
from ottla.cluster.metadata.parts.registrations import EndPoint
from ottla.cluster.replication.config import ReplicationConfig
from ottla.cluster.replication.replica_manager import ReplicaManager
from ottla.cluster.replication.strays import stray_by
from ottla.config.layers import BrokerLayers
from ottla.errors import DiskError, OttlaError
from ottla.metrics.registry import Metrics
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.messages.controller import BrokerRegistrationRequest
from ottla.protocol.uuids import random_uuid
from ottla.storage.cleaner.log_cleaner import CleanerConfig
from ottla.storage.directories.directory import LogDirectory
from ottla.storage.manager.config import LogManagerConfig
from ottla.storage.manager.manager import LogManager
from ottla.storage.names import TopicPartition
from ottla.world.api import World


class BrokerRole:
    """The broker's parts, in the order of its life."""

    def __init__(
        self,
        world: World,
        layers: BrokerLayers,
        *,
        quorum: QuorumRole,
        controller: ControllerChannel,
        directories: Sequence[LogDirectory],
        end_points: Mapping[str, EndPoint],
        metrics: Metrics,
        failed: Callable[[str, BaseException], None],
    ) -> None:
        config = layers.config
        node_id, cluster_id = config.integer("node.id"), quorum.raft.identity.cluster_id
        self.world, self.layers, self.quorum, self.failed, self._metrics = world, layers, quorum, failed, metrics
        self.directories, self._is_loaded = directories, False
        self.topic_settings = TopicSettings(lambda: layers.config, self._texts_of)
        self.logs = LogManager(
            world,
            directories,
            LogManagerConfig.of(config),
            CleanerConfig.of(config),
            config_of=lambda topic: self.topic_settings.of(topic).log,
            directory_failed=self._directory_failed,
        )
        self.metadata = MetadataCache(world, node_id, cluster_id, lambda: quorum.raft.kraft_version)
        self.lifecycle = BrokerLifecycle(
            world,
            self._registration(end_points),
            controller.ask,
            times=times_of(config),
            session_timeout_ms=config.integer("broker.session.timeout.ms"),
            metadata_offset=lambda: quorum.follower.next_offset - 1,
            failed=lambda why: failed("the broker's life", OttlaError(why)),
        )
        self.replicas = ReplicaManager(
            world,
            node_id,
            self.logs,
            ReplicationConfig.of(config),
            min_isr_of=lambda topic: self.topic_settings.of(topic).min_isr,
            ask=controller.ask,
            broker_epoch=lambda: self.lifecycle.broker_epoch,
        )
        self.parts = BrokerParts(
            world,
            config,
            node_id,
            cluster_id,
            self.metadata,
            controller,
            AutoTopics(world, lambda: self.layers.config, controller.ask),
            DataPath(world, config, self.replicas, metrics),
            DynamicSettings(layers, node_id),
            ProducerIds(world, node_id, lambda: self.lifecycle.broker_epoch, controller.ask),
        )
        self.settings = self.parts.settings
        self._follow_settings()
        self._applied = AppliedImages(world, self.replicas, [self.metadata])
        self._subscribers = (self.settings, self.replicas.apply, self.lifecycle, self.parts.data.figures, self._applied)

    def _follow_settings(self) -> None:
        """Have the parts take over settings that change."""
        self.settings.add(self.parts.reconfigured)
        self.settings.add(running_parts.of_logs(self.logs))
        self.settings.add(running_parts.of_lifecycle(self.lifecycle, self.directories), begins_with_them=False)
        self.settings.add(running_parts.of_threads(self.world.threads), begins_with_them=False)

    # Life

    async def start(self) -> None:
        """Become a broker that serves."""
        tell(self.parts.data, self.logs, self._metrics)
        epochs = [await self.world.threads.run(each.clean_epoch) for each in self.directories]
        self.lifecycle.start(previous_broker_epoch(epochs))
        await self.quorum.follower.caught_up()
        image = self.quorum.publisher.image
        await self.logs.load(stray_by(image, self.parts.node_id))
        self._is_loaded = True
        self.replicas.start()
        for subscriber in self._subscribers:
            self.quorum.publisher.add(subscriber)
        await self.replicas.settled()
        self.logs.start_upkeep()
        self.lifecycle.ready()
        await self.lifecycle.unfenced()

    async def leave(self) -> None:
        """Have others lead what is led here: the first part of a clean stop, while clients are still served."""
        if self.lifecycle.broker_epoch >= 0:
            await self.lifecycle.controlled_shutdown()

    async def close(self) -> None:
        """The last part: nobody is served any more."""
        for subscriber in self._subscribers if self._is_loaded else ():
            self.quorum.publisher.remove(subscriber)
        await self._applied.stop()
        await self.parts.auto_topics.stop()
        await self.parts.producer_ids.stop()
        await self.replicas.stop()
        self.parts.data.stop()
        await self.lifecycle.stop()
        if self._is_loaded:
            await self.logs.close(self.lifecycle.broker_epoch)
        else:
            for directory in self.directories:
                directory.close()

    def _registration(self, end_points: Mapping[str, EndPoint]) -> BrokerRegistrationRequest:
        return registration_of(
            self.layers.config,
            cluster_id=self.quorum.raft.identity.cluster_id,
            incarnation_id=random_uuid(self.world.rng.randbytes),
            end_points=end_points,
            directory_ids=[_id(directory) for directory in self.directories if directory.is_online],
        )

    # Settings of topics

    def _texts_of(self, topic: str) -> Mapping[str, str]:
        return self.quorum.publisher.image.configs.of(ConfigResourceType.TOPIC, topic)

    # Directories

    def _directory_failed(
        self, directory: LogDirectory, error: DiskError, topic_partitions: Sequence[TopicPartition]
    ) -> None:
        self.replicas.directory_failed(directory, error, topic_partitions)
        if not any(each.is_online for each in self.directories):
            self.failed("every log directory", error)
        else:
            self.lifecycle.directory_failed(_id(directory))


def _id(directory: LogDirectory) -> Uuid:
    directory_id = directory.directory_id
    assert directory_id is not None, f"{directory} is adopted"
    return directory_id
