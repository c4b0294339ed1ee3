"""Operations on resources, against what Kafka 4.3 says (AclEntry.supportedOperations)."""

import pytest

from ottla.security.operations import NOT_ASKED, OPERATIONS, Operation, ResourceType, operation_bits


@pytest.mark.parametrize(
    ("resource_type", "bits"),
    [
        (ResourceType.TOPIC, 0b0000_1101_1111_1000),
        (ResourceType.GROUP, 0b0000_1101_0100_1000),
        (ResourceType.CLUSTER, 0b0001_1111_1010_0000),
        (ResourceType.TRANSACTIONAL_ID, 0b1000_0001_0001_0000),
        (ResourceType.DELEGATION_TOKEN, 0b0000_0001_0000_0000),
        (ResourceType.USER, 0b0110_0000_0000_0000),
    ],
)
def test_a_resource_knows_its_operations(resource_type: ResourceType, bits: int) -> None:
    """All operations on a resource, as the bits that an answer carries."""
    assert operation_bits(OPERATIONS[resource_type]) == bits


def test_no_set_of_operations_looks_like_nobody_has_asked() -> None:
    """The value for `not asked` is out of reach of every set of operations."""
    assert NOT_ASKED == -2147483648
    assert operation_bits(Operation) > 0
