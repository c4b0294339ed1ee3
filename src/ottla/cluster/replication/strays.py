"""Which logs on the disk a broker must not take up: what LogManager asks when it loads them.

A log is a stray if the cluster does not know its topic id any more, or wants this replica on other brokers. It is put
aside, not deleted: the metadata may be the wrong one. A log that does not say its topic id was made when the broker
died, before any record was in it (the id is on the disk before that): it is one too, as in Kafka.
"""

from ottla.cluster.metadata.image import MetadataImage
from ottla.storage.directories.directory import LogDirectory
from ottla.storage.manager.loading import FoundLog, IsStray


def stray_by(image: MetadataImage, node_id: int) -> IsStray:
    """What is a stray by this image."""

    def is_stray(found: FoundLog, directory: LogDirectory) -> bool:
        del directory
        if found.topic_id is None:
            return True
        registration = image.topics.partition(found.topic_id, found.topic_partition.partition)
        return registration is None or node_id not in registration.replicas

    return is_stray
