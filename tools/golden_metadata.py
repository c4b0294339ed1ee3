"""What `make_golden_metadata` does to a broker: one of everything that the controller has a record for.

Each step is small and leaves a trace in `__cluster_metadata`; snapshots are taken every few hundred bytes meanwhile.
"""

import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.admin._acl import AclBinding, AclBindingFilter, AclOperation, AclPermissionType
from confluent_kafka.admin._config import AlterConfigOpType, ConfigEntry, ConfigResource
from confluent_kafka.admin._resource import ResourcePatternType, ResourceType
from confluent_kafka.admin._scram import (
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialAlteration,
    UserScramCredentialDeletion,
    UserScramCredentialUpsertion,
)
from confluent_kafka.cimpl import NewPartitions, NewTopic

from tools.golden_logs.broker import Broker, free_port

TOKEN_SECRET = b64encode(b"golden").decode()

# Snapshots often, no-ops seldom; ACLs, SCRAM and tokens as far as their records need it.
PROPERTIES = f"""
metadata.log.max.record.bytes.between.snapshots=600
metadata.max.idle.interval.ms=5000
authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
super.users=User:ANONYMOUS;User:golden
allow.everyone.if.no.acl.found=true
sasl.enabled.mechanisms=PLAIN
delegation.token.secret.key={TOKEN_SECRET}
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SASL:SASL_PLAINTEXT
listener.name.sasl.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required \
 username="golden" password="golden" user_golden="golden";
inter.broker.listener.name=PLAINTEXT
"""
CLIENT = """\
security.protocol=SASL_PLAINTEXT
sasl.mechanism=PLAIN
sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username="golden" password="golden";
"""

Step = Callable[[Broker, AdminClient], None]


def prepare(broker: Broker, *, static: bool) -> str:
    """Add what is needed to the broker's settings and format it; returns where its SASL listener will be.

    A static quorum (`kraft.version` 0) is named by the settings, and formatting leaves no snapshot of it.
    """
    address = f"127.0.0.1:{free_port()}"
    text = broker.settings.read_text()
    if static:
        text = text.replace("controller.quorum.bootstrap.servers=", "controller.quorum.voters=1@")
    text = re.sub(r"^listeners=", f"listeners=SASL://{address},", text, flags=re.MULTILINE)
    broker.settings.write_text(text + PROPERTIES)
    if static:
        cluster_id = urlsafe_b64encode(b"golden.metadata.").decode().rstrip("=")
        storage = ("kafka.tools.StorageTool", "format", "--config", str(broker.settings))
        broker.run(*storage, "--cluster-id", cluster_id)
    else:
        broker.format()
    return address


def topics(broker: Broker, admin: AdminClient) -> None:
    """Topics made, with settings and without, one deleted, one grown."""
    made = [
        NewTopic("first", 3, 1, config={"retention.ms": "1000", "segment.bytes": "1048576"}),
        NewTopic("second", 1, 1),
        NewTopic("third", 40, 1),
        NewTopic("gone", 2, 1, config={"cleanup.policy": "compact"}),
    ]
    for future in admin.create_topics(made).values():
        future.result()
    for future in admin.delete_topics(["gone"]).values():
        future.result()
    for future in admin.create_partitions([NewPartitions("second", 2)]).values():
        future.result()


def configs(broker: Broker, admin: AdminClient) -> None:
    """Settings changed and reset: of a topic, a broker, all brokers, client metrics."""
    delete, put = AlterConfigOpType.DELETE, AlterConfigOpType.SET
    changes = [
        (ResourceType.TOPIC, "first", "retention.ms", None, delete),
        (ResourceType.TOPIC, "second", "max.message.bytes", "2000", put),
        (ResourceType.BROKER, "1", "log.cleaner.threads", "2", put),
    ]
    for kind, resource, name, value, operation in changes:
        entry = ConfigEntry(name, value, incremental_operation=operation)
        for future in admin.incremental_alter_configs(
            [ConfigResource(kind, resource, incremental_configs=[entry])]
        ).values():
            future.result()
    _configs(broker, "brokers", "--entity-default", "message.max.bytes=2000000")
    _configs(broker, "client-metrics", "--entity-name", "subscription", "interval.ms=60000")


def quotas(broker: Broker, admin: AdminClient) -> None:
    """Quotas of a user, of all clients, of both; one removed."""
    _configs(broker, "users", "--entity-name", "alice", "producer_byte_rate=1024,consumer_byte_rate=2048")
    _configs(broker, "clients", "--entity-default", "request_percentage=50.5")
    _configs(
        broker, "users", "--entity-default", "--entity-type", "clients", "--entity-name", "c", "producer_byte_rate=7"
    )
    command = ("--entity-type", "users", "--entity-name", "alice", "--delete-config", "consumer_byte_rate")
    broker.run("kafka.admin.ConfigCommand", "--bootstrap-server", broker.address, "--alter", *command)


def security(broker: Broker, admin: AdminClient) -> None:
    """ACLs and SCRAM credentials, added and removed."""
    bindings = [
        AclBinding(
            ResourceType.TOPIC,
            name,
            ResourcePatternType.LITERAL,
            "User:alice",
            "*",
            AclOperation.READ,
            AclPermissionType.ALLOW,
        )
        for name in ("first", "second")
    ]
    for future in admin.create_acls(bindings).values():
        future.result()
    last = bindings[1]
    removed = AclBindingFilter(
        last.restype,
        last.name,
        last.resource_pattern_type,
        last.principal,
        last.host,
        last.operation,
        last.permission_type,
    )
    for future in admin.delete_acls([removed]).values():
        future.result()
    info = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4096)
    changes: list[UserScramCredentialAlteration] = [
        UserScramCredentialUpsertion(user, info, b"password", b"salt") for user in ("alice", "bob")
    ]
    for future in admin.alter_user_scram_credentials(changes).values():
        future.result()
    gone = UserScramCredentialDeletion("bob", ScramMechanism.SCRAM_SHA_256)
    for future in admin.alter_user_scram_credentials([gone]).values():
        future.result()


def producer_ids(broker: Broker, admin: AdminClient) -> None:
    """A producer that gets an id."""
    producer = Producer({"bootstrap.servers": broker.address, "enable.idempotence": True})
    producer.produce("first", value="x")
    producer.flush()


def tokens(broker: Broker, sasl_address: str) -> None:
    """Two delegation tokens, one of which is expired at once."""
    settings = broker.settings.with_name("client.properties")
    settings.write_text(CLIENT)
    tool = ("org.apache.kafka.tools.DelegationTokenCommand", "--bootstrap-server", sasl_address)
    create = ("--command-config", str(settings), "--create", "--max-life-time-period", "-1")
    broker.run(*tool, *create, "--renewer-principal", "User:alice")


def features(broker: Broker, admin: AdminClient) -> None:
    """What came with 4.0: a setting of a group, and a feature that is turned off again."""
    _configs(broker, "groups", "--entity-name", "group", "consumer.session.timeout.ms=50000")
    tool = ("org.apache.kafka.tools.FeatureCommand", "--bootstrap-server", broker.address)
    broker.run(*tool, "downgrade", "--feature", "eligible.leader.replicas.version=0")


def last_topic(broker: Broker, admin: AdminClient) -> None:
    """A topic behind the last snapshot."""
    for future in admin.create_topics([NewTopic("last", 1, 1)]).values():
        future.result()


def _configs(broker: Broker, kind: str, *rest: str) -> None:
    *entity, settings = rest
    tool = ("kafka.admin.ConfigCommand", "--bootstrap-server", broker.address, "--alter")
    broker.run(*tool, "--entity-type", kind, *entity, "--add-config", settings)
