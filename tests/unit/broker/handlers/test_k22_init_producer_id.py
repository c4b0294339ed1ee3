"""What InitProducerId answers."""

import pytest

from ottla.broker.handlers.k22_init_producer_id import failed, init_producer_id
from ottla.errors import RequestRefused
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.controller import AllocateProducerIdsResponse
from ottla.protocol.messages.transactions import InitProducerIdRequest, InitProducerIdResponse
from ottla.world.simulated import SimulatedWorld
from tests.unit.broker.handlers.circumstances import Controller, context, parts
from tests.unit.network.ends import run


def test_each_producer_gets_an_id_of_its_own() -> None:
    """With the epoch 0, also one that says it has an id: that is of use to transactions alone."""

    async def main(world: SimulatedWorld) -> None:
        broker = parts(world, controller=Controller(AllocateProducerIdsResponse(0, ErrorCode.NONE, 5_000, 1_000)))
        found = []
        for request in (
            InitProducerIdRequest(transactional_id=None),
            InitProducerIdRequest(transactional_id=None, transaction_timeout_ms=-1),
            InitProducerIdRequest(transactional_id=None, producer_id=7, producer_epoch=3),
        ):
            outcome = init_producer_id(context(5, broker=broker), request)
            response = outcome if isinstance(outcome, InitProducerIdResponse) else await outcome
            found.append((response.error_code, response.producer_id, response.producer_epoch))
        assert found == [(0, 5_000, 0), (0, 5_001, 0), (0, 5_002, 0)]
        await broker.producer_ids.stop()

    run(main)


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        (InitProducerIdRequest(transactional_id=None, producer_id=7), ErrorCode.INVALID_REQUEST),
        (InitProducerIdRequest(transactional_id=None, producer_epoch=7), ErrorCode.INVALID_REQUEST),
        (InitProducerIdRequest(transactional_id="", transaction_timeout_ms=1_000), ErrorCode.INVALID_REQUEST),
        (InitProducerIdRequest("t", transaction_timeout_ms=0), ErrorCode.INVALID_TRANSACTION_TIMEOUT),
        (InitProducerIdRequest("t", transaction_timeout_ms=900_001), ErrorCode.INVALID_TRANSACTION_TIMEOUT),
        (InitProducerIdRequest("t", transaction_timeout_ms=900_000), ErrorCode.UNSUPPORTED_VERSION),
    ],
)
def test_what_is_refused(request_: InitProducerIdRequest, code: ErrorCode) -> None:
    """Half an identity, an empty transactional id and impossible timeouts as in Kafka; transactions for now."""
    with pytest.raises(RequestRefused) as refused:
        init_producer_id(context(5), request_)
    assert refused.value.code == code
    answer = failed(request_, code, "")
    assert (answer.error_code, answer.producer_id, answer.producer_epoch) == (code, -1, -1)
