"""Dynamic settings, features, producer ids, and what is only kept."""

from ottla.cluster.controller.controller import Controller
from ottla.protocol.codec.message import Message
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.features import METADATA_VERSION, MetadataVersion
from ottla.protocol.messages import metadata_records as records
from ottla.protocol.messages.cluster import UpdateFeaturesRequest, UpdateFeaturesRequest_FeatureUpdateKey
from ottla.protocol.messages.configs import (
    AlterConfigsRequest,
    AlterConfigsRequest_AlterableConfig,
    AlterConfigsRequest_AlterConfigsResource,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsRequest_AlterableConfig,
    IncrementalAlterConfigsRequest_AlterConfigsResource,
)
from ottla.protocol.messages.controller import AllocateProducerIdsRequest
from tests.unit.cluster.controller.office import Office, refused, replayed, state_of, uuid

SET, DELETE, APPEND, SUBTRACT = range(4)
TOPIC, BROKER, CLIENT_METRICS, GROUP = 2, 4, 16, 32


def alter(office: Office, kind: int, name: str, *changes: tuple[str, int, str | None]) -> int:
    """Change settings of one resource: name, operation, value."""
    request = IncrementalAlterConfigsRequest(
        [
            IncrementalAlterConfigsRequest_AlterConfigsResource(
                kind, name, [IncrementalAlterConfigsRequest_AlterableConfig(*change) for change in changes]
            )
        ]
    )
    row = office.ask(lambda now_ms: office.controller.alter_configs.incremental(request, now_ms)).responses[0]
    assert (row.error_code == ErrorCode.NONE) == (row.error_message is None)
    return row.error_code


def replace(office: Office, kind: int, name: str, **texts: str | None) -> int:
    """Set these settings and no others, with `_` for `.`."""
    rows = [AlterConfigsRequest_AlterableConfig(each.replace("_", "."), text) for each, text in texts.items()]
    request = AlterConfigsRequest([AlterConfigsRequest_AlterConfigsResource(kind, name, rows)])
    return office.ask(lambda now_ms: office.controller.alter_configs.legacy(request, now_ms)).responses[0].error_code


# Settings


def test_set_and_delete() -> None:
    """A setting is set and deleted; what is as it was is not written again, but for brokers (KAFKA-14136)."""
    office = Office(brokers=[1])
    office.create("t", [1])
    assert alter(office, TOPIC, "t", ("retention.ms", SET, "5")) == ErrorCode.NONE
    end_offset = office.log.end_offset
    assert alter(office, TOPIC, "t", ("retention.ms", SET, "5")) == ErrorCode.NONE
    assert office.log.end_offset == end_offset
    assert office.controller.configs.of((TOPIC, "t")) == {"retention.ms": "5"}
    alter(office, TOPIC, "t", ("retention.ms", DELETE, None))
    assert office.controller.configs.of((TOPIC, "t")) == {}
    for _ in range(2):
        end_offset = office.log.end_offset
        assert alter(office, BROKER, "1", ("log.cleaner.threads", SET, "2")) == ErrorCode.NONE
        assert office.log.end_offset == end_offset + 1
    office.check_replayed()


def test_lists() -> None:
    """Words are added to a list once, and taken from it; a setting that is no list has no words."""
    office = Office(brokers=[1])
    office.create("t", [1])
    assert alter(office, TOPIC, "t", ("cleanup.policy", APPEND, "compact")) == ErrorCode.NONE
    assert office.controller.configs.of((TOPIC, "t")) == {"cleanup.policy": "delete,compact"}
    alter(office, TOPIC, "t", ("cleanup.policy", APPEND, "compact"))
    alter(office, TOPIC, "t", ("cleanup.policy", SUBTRACT, "delete"))
    assert office.controller.configs.of((TOPIC, "t")) == {"cleanup.policy": "compact"}
    assert alter(office, TOPIC, "t", ("retention.ms", APPEND, "5")) == ErrorCode.INVALID_CONFIG


def test_refused_settings() -> None:
    """Unknown resources, invalid values, and settings that cannot be changed while a broker runs are refused."""
    office = Office(brokers=[1])
    office.create("t", [1])
    for kind, name, change, code in (
        (TOPIC, "u", ("retention.ms", SET, "5"), ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        (TOPIC, "", ("retention.ms", SET, "5"), ErrorCode.INVALID_REQUEST),
        (TOPIC, "t", ("retention.ms", SET, "soon"), ErrorCode.INVALID_CONFIG),
        (TOPIC, "t", ("no.such.setting", SET, "5"), ErrorCode.INVALID_CONFIG),
        (TOPIC, "t", ("retention.ms", SET, None), ErrorCode.INVALID_REQUEST),
        (TOPIC, "t", ("retention.ms", 9, "5"), ErrorCode.INVALID_REQUEST),
        (TOPIC, "t", ("min.compaction.lag.ms", SET, "9223372036854775807"), ErrorCode.NONE),
        (TOPIC, "t", ("max.compaction.lag.ms", SET, "5"), ErrorCode.INVALID_CONFIG),
        (BROKER, "7", ("log.cleaner.threads", SET, "2"), ErrorCode.BROKER_ID_NOT_REGISTERED),
        (BROKER, "x", ("log.cleaner.threads", SET, "2"), ErrorCode.INVALID_REQUEST),
        (BROKER, "1", ("log.cleaner.threads", SET, "many"), ErrorCode.INVALID_REQUEST),
        (BROKER, "1", ("node.id", SET, "2"), ErrorCode.INVALID_REQUEST),
        (BROKER, "", ("advertised.listeners", SET, "A://b:1"), ErrorCode.INVALID_REQUEST),
        (BROKER, "1", ("ssl.keystore.location", SET, "x"), ErrorCode.INVALID_REQUEST),
        (BROKER, "", ("log.cleaner.threads", SET, "2"), ErrorCode.NONE),
        (GROUP, "", ("consumer.session.timeout.ms", SET, "50000"), ErrorCode.INVALID_REQUEST),
        (GROUP, "g", ("consumer.session.timeout.ms", SET, "50000"), ErrorCode.NONE),
        (GROUP, "g", ("consumer.session.timeout.ms", SET, "1"), ErrorCode.INVALID_CONFIG),
        (CLIENT_METRICS, "m", ("interval.ms", SET, "1000"), ErrorCode.NONE),
        (CLIENT_METRICS, "m", ("interval.ms", SET, "1"), ErrorCode.INVALID_REQUEST),
        (8, "1", ("root", SET, "INFO"), ErrorCode.INVALID_REQUEST),
        (3, "1", ("root", SET, "INFO"), ErrorCode.INVALID_REQUEST),
    ):
        assert alter(office, kind, name, change) == code, (kind, name, change)
    assert alter(office, TOPIC, "t", *[("retention.ms", SET, "5")] * 2) == ErrorCode.INVALID_REQUEST


def test_legacy_replaces_all() -> None:
    """AlterConfigs resets what it does not name."""
    office = Office(brokers=[1])
    office.create("t", [1], retention_ms="5", segment_ms="6")
    assert replace(office, TOPIC, "t", retention_ms="7") == ErrorCode.NONE
    assert office.controller.configs.of((TOPIC, "t")) == {"retention.ms": "7"}
    assert replace(office, TOPIC, "t", retention_ms=None) == ErrorCode.INVALID_REQUEST
    assert replace(office, TOPIC, "t", retention_ms="x") == ErrorCode.INVALID_CONFIG


def test_validate_only_writes_nothing() -> None:
    """With validate_only settings are checked and stay as they are."""
    office = Office(brokers=[1])
    office.create("t", [1])
    row = IncrementalAlterConfigsRequest_AlterableConfig("retention.ms", SET, "5")
    request = IncrementalAlterConfigsRequest(
        [IncrementalAlterConfigsRequest_AlterConfigsResource(TOPIC, "t", [row])], validate_only=True
    )
    office.ask(lambda now_ms: office.controller.alter_configs.incremental(request, now_ms))
    assert office.controller.configs.of((TOPIC, "t")) == {}


def test_precedence() -> None:
    """A topic's setting beats this node's, that beats all brokers', and that the file's (W53)."""
    office = Office(brokers=[1], static={"min.insync.replicas": "2"}, features={"eligible.leader.replicas.version": 0})
    office.create("t", [1])
    configs = office.controller.configs
    found = [configs.min_isr("t")]
    for kind, name, text in ((BROKER, "", "3"), (BROKER, "900", "4"), (TOPIC, "t", "5")):
        assert alter(office, kind, name, ("min.insync.replicas", SET, text)) == ErrorCode.NONE
        found.append(configs.min_isr("t"))
    assert found == [2, 3, 4, 5]


def test_min_insync_replicas_while_eligible_leaders_are_kept() -> None:
    """One minimum holds for all brokers, it cannot be reset, and its change forgets who is eligible (KIP-966)."""
    office = Office(brokers=[1, 2])
    office.create("t", [1, 2], min_insync_replicas="2")
    office.create("u", [1, 2], min_insync_replicas="2")
    office.kill(2)
    assert office.partition("t").elr == office.partition("u").elr == (2,)
    name = "min.insync.replicas"
    assert alter(office, BROKER, "1", (name, SET, "1")) == ErrorCode.INVALID_CONFIG
    assert alter(office, BROKER, "", (name, DELETE, None)) == ErrorCode.INVALID_CONFIG
    assert alter(office, TOPIC, "t", (name, SET, "1")) == ErrorCode.NONE
    assert (office.partition("t").elr, office.partition("u").elr) == ((), (2,))
    assert alter(office, BROKER, "", (name, SET, "1")) == ErrorCode.NONE
    assert office.partition("u").elr == ()
    office.check_replayed()


# Features


def update(office: Office, *updates: tuple[str, int, int], validate_only: bool = False) -> tuple[int, str | None]:
    """Ask for levels: feature, level, kind (1 upgrade, 2 safe, 3 unsafe downgrade)."""
    rows = [UpdateFeaturesRequest_FeatureUpdateKey(name, level, upgrade_type=kind) for name, level, kind in updates]
    request = UpdateFeaturesRequest(feature_updates=rows, validate_only=validate_only)
    response = office.ask(lambda now_ms: office.controller.features.update(request, now_ms))
    return response.error_code, response.error_message


def test_upgrade_and_downgrade() -> None:
    """Levels go up when everybody supports them, and down when asked for as such and nothing is lost."""
    office = Office(brokers=[1], version=MetadataVersion.IBP_4_1_IV0)
    finalised = office.controller.finalised
    assert update(office, (METADATA_VERSION, 28, 1), validate_only=True) == (ErrorCode.NONE, None)
    assert finalised.metadata_version == 26
    assert update(office, (METADATA_VERSION, 28, 1), ("share.version", 1, 1)) == (ErrorCode.NONE, None)
    assert (finalised.metadata_version, finalised.level("share.version")) == (28, 1)
    assert update(office, (METADATA_VERSION, 27, 2))[0] == ErrorCode.NONE
    assert update(office, ("share.version", 0, 2))[0] == ErrorCode.NONE
    assert finalised.level("share.version") == 0
    office.check_replayed()


def test_of_a_feature_that_is_named_twice_the_first_counts() -> None:
    """So Kafka reads the request."""
    office = Office(brokers=[1])
    before = office.controller.finalised.level("share.version")
    assert before == 1
    assert update(office, ("share.version", 0, 2), ("share.version", 9, 1))[0] == ErrorCode.NONE
    assert office.controller.finalised.level("share.version") == 0


def test_refused_levels() -> None:
    """What is unknown, too high, too low, no downgrade, lossy, or without what it needs is INVALID_UPDATE_VERSION."""
    office = Office(brokers=[1], version=MetadataVersion.IBP_4_0_IV0)
    before = office.controller.finalised.all()
    for row in (
        ("no.such.feature", 1, 1),
        ("kraft.version", 1, 1),
        ("share.version", 9, 1),
        ("share.version", -1, 1),
        ("group.version", 0, 1),
        ("group.version", 2, 2),
        ("group.version", 1, 7),
        (METADATA_VERSION, 31, 1),
        (METADATA_VERSION, 6, 3),
        (METADATA_VERSION, 16, 2),
        (METADATA_VERSION, 16, 3),
        ("eligible.leader.replicas.version", 1, 1),
    ):
        code, message = update(office, row)
        assert (code, row[0] in str(message)) == (ErrorCode.INVALID_UPDATE_VERSION, True), row
    assert office.controller.finalised.all() == before


def test_all_brokers_have_to_support_a_level() -> None:
    """A level that one broker cannot run at is refused, and named in the answer; all updates fail together."""
    office = Office(version=MetadataVersion.IBP_4_0_IV0)
    registration = office.registration(1)
    registration.features = [each for each in registration.features if each.name != "share.version"]
    office.ask(lambda now_ms: office.controller.registration.register(registration, now_ms))
    code, message = update(office, (METADATA_VERSION, 23, 1), ("share.version", 1, 1))
    assert code == ErrorCode.INVALID_UPDATE_VERSION
    assert "Broker 1" in str(message)
    assert office.controller.finalised.metadata_version == MetadataVersion.IBP_4_0_IV0


def test_eligible_leaders_begin_with_one_minimum() -> None:
    """When eligible leaders are first kept, min.insync.replicas is written for all brokers, and for no single one."""
    office = Office(brokers=[1], features={"eligible.leader.replicas.version": 0}, static={"min.insync.replicas": "2"})
    alter(office, BROKER, "1", ("min.insync.replicas", SET, "3"))
    assert update(office, ("eligible.leader.replicas.version", 1, 1))[0] == ErrorCode.NONE
    assert office.controller.configs.of((BROKER, "")) == {"min.insync.replicas": "2"}
    assert office.controller.configs.of((BROKER, "1")) == {}
    assert office.controller.finalised.keeps_elr


# Producer ids, and what is kept


def test_producer_id_blocks() -> None:
    """Blocks of 1,000 ids follow each other, for whoever asks with a current epoch; at the end there are none."""
    office = Office(brokers=[1, 2])

    def allocate(broker_id: int, epoch: int) -> int:
        request = AllocateProducerIdsRequest(broker_id, epoch)
        response = office.ask(lambda now_ms: office.controller.producer_ids.allocate(request, now_ms))
        assert response.producer_id_len == 1_000
        return response.producer_id_start

    assert [allocate(1, office.epochs[1]), allocate(2, office.epochs[2])] == [0, 1_000]
    assert refused(lambda: allocate(1, 77))[0] == ErrorCode.STALE_BROKER_EPOCH
    office.controller.journal.begin(office.runtime.next_offset)
    office.controller.producer_ids.replay(records.ProducerIdsRecord(1, 1, 2**63 - 1_000))
    office.controller.journal.end()
    assert refused(lambda: allocate(1, office.epochs[1]))[0] == ErrorCode.UNKNOWN_SERVER_ERROR


def kept(*written: Message) -> list[dict[object, object]]:
    """What is kept of these records."""
    kept: list[dict[object, object]] = state_of(replayed(written))["kept"]
    return kept


def test_records_of_other_duties_are_kept() -> None:
    """Quotas, credentials, ACLs and tokens are known after their records, and gone after those that remove them."""
    quota = records.ClientQuotaRecord([records.ClientQuotaRecord.EntityData("user", None)], "producer_byte_rate", 5.0)
    scram = records.UserScramCredentialRecord("alice", 1, b"salt", b"stored", b"server", 4_096)
    acl = records.AccessControlEntryRecord(id=uuid(5), resource_name="t")
    token = records.DelegationTokenRecord(token_id="k")
    found = kept(quota, scram, acl, token)
    assert found == [
        {((("user", None),), "producer_byte_rate"): 5.0},
        {("alice", 1): scram},
        {uuid(5): acl},
        {"k": token},
    ]
    removed = records.ClientQuotaRecord(quota.entity, quota.key, 0.0, remove=True)
    gone = (
        records.RemoveUserScramCredentialRecord("alice", 1),
        records.RemoveAccessControlEntryRecord(uuid(5)),
        records.RemoveDelegationTokenRecord("k"),
    )
    assert kept(quota, scram, acl, token, removed, *gone) == [{}, {}, {}, {}]


def test_records_of_a_transaction_count_at_its_end() -> None:
    """Records between begin and end count together, and not at all when the transaction is aborted (KIP-868)."""
    topic = records.TopicRecord("t", uuid(1))
    begin, end, abort = (
        records.BeginTransactionRecord(),
        records.EndTransactionRecord(),
        records.AbortTransactionRecord(),
    )

    def topics(*written: Message) -> list[str]:
        return list(replayed(written).table.topic_ids)

    assert topics(begin, topic) == []
    assert topics(begin, topic, end) == ["t"]
    assert topics(begin, topic, abort) == []
    assert topics(begin, topic, abort, records.NoOpRecord(), topic) == ["t"]


def test_a_new_cluster_begins_with_its_bootstrap_records() -> None:
    """The first controller writes what the cluster was formatted with, once; before that it decides nothing."""
    bootstrap = [records.FeatureLevelRecord(METADATA_VERSION, 30), records.FeatureLevelRecord("group.version", 1)]
    office = Office(bootstrap=bootstrap)
    assert office.log.records == []
    code, _ = refused(lambda: office.register(1))
    assert code == ErrorCode.NOT_CONTROLLER
    office.commit()
    assert office.log.records == bootstrap
    assert office.controller.finalised.metadata_version == 30
    office.resign()
    office.elect(2)
    office.commit()
    assert office.log.records[:2] == bootstrap
    assert not any(isinstance(each, records.FeatureLevelRecord) for each in office.log.records[2:])


def test_every_record_type_is_replayed() -> None:
    """Whatever Kafka 4.3 writes into the metadata log, the controller can replay."""
    controller: Controller = Office().controller
    types = {each for each in vars(records).values() if isinstance(each, type) and issubclass(each, Message)}
    assert set(controller._replays) == {each for each in types if each is not Message}
