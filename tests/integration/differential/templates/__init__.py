"""Valid requests of every API, and others that are worth asking: what `cases.py` makes its cases of."""

from typing import Final

from tests.integration.differential.templates import cluster, configs, controller, produce, reading, security, topics
from tests.integration.differential.templates.template import Template

TEMPLATES: Final[list[Template]] = [
    *controller.QUORUM,  # before Kafka's controller has failed inside, and its epochs are others
    *topics.LOG_DIRECTORIES,  # before logs are written to that not all cases compare
    *produce.TEMPLATES,
    *reading.TEMPLATES,
    *topics.TEMPLATES,
    *configs.TEMPLATES,
    *cluster.TEMPLATES,
    *security.TEMPLATES,
    *controller.TEMPLATES,
]
