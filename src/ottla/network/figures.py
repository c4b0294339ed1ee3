"""What a server counts, under Kafka's names, in objects that the hot path holds on to.

- of an API: `kafka.network:type=RequestMetrics,name=...,request=Produce`, times in milliseconds from the arrival of the
  last byte to the handing over of the answer. Requests have their version as a tag. What Kafka measures between its
  threads (ResponseQueueTimeMs, ResponseSendTimeMs) has no counterpart here.
- of a listener: `kafka.server:type=socket-server-metrics,listener=...,networkProcessor=0`; there is one processor. As
  in Kafka, whose selector knows clients' words only, `request` is what was sent and `response` what was received.
- of all: `kafka.network:type=SocketServer` and `RequestChannel`.
- our own: `ottla.network:type=Connections,name=ClosedPerSec,listener=...,reason=...`, `RefusedPerSec`.

APIs and versions are counted only once they are known to be served, so no peer can make series.
"""

from collections.abc import Callable
from typing import Final

from ottla.metrics.counters import Counter
from ottla.metrics.meter import Meter
from ottla.metrics.names import MetricName, attribute_name, metric_name
from ottla.metrics.registry import Metrics
from ottla.network.limits import Reason
from ottla.protocol.api_keys import ApiKey

PROCESSOR: Final = "0"
QUEUE_SIZE: Final = metric_name("kafka.network", "RequestChannel", "RequestQueueSize")
MEMORY_USED: Final = metric_name("kafka.network", "SocketServer", "MemoryPoolUsed")
_COUNTED: Final = ("incoming-byte", "outgoing-byte", "request", "response", "connection-creation", "connection-close")


class ApiFigures:
    """One API in one version; the times are of all its versions."""

    __slots__ = ("local_time", "queue_time", "remote_time", "request_bytes", "requests", "throttle_time", "total_time")

    def __init__(self, metrics: Metrics, api: ApiKey, version: int) -> None:
        def name(what: str) -> MetricName:
            return metric_name("kafka.network", "RequestMetrics", what, request=api.message)

        self.requests = metrics.meter(
            metric_name("kafka.network", "RequestMetrics", "RequestsPerSec", request=api.message, version=version)
        )
        self.request_bytes = metrics.histogram(name("RequestBytes"))
        self.total_time = metrics.histogram(name("TotalTimeMs"))
        self.queue_time = metrics.histogram(name("RequestQueueTimeMs"))
        self.local_time = metrics.histogram(name("LocalTimeMs"))
        self.remote_time = metrics.histogram(name("RemoteTimeMs"))
        self.throttle_time = metrics.histogram(name("ThrottleTimeMs"))


class ListenerFigures:
    """One listener."""

    def __init__(self, metrics: Metrics, listener: str, connections: Callable[[], float], now_ms: int) -> None:
        self._metrics, self._listener = metrics, listener
        self._gauges: list[MetricName] = []

        def name(attribute: str) -> MetricName:
            return attribute_name(
                "kafka.server", "socket-server-metrics", attribute, listener=listener, networkProcessor=PROCESSOR
            )

        def counter(what: str) -> Counter:
            return metrics.counter(name(what))

        def gauge(what: str, read: Callable[[], float]) -> None:
            self._gauges.append(name(what))
            metrics.computed_gauge(name(what), read)

        self.bytes_in, self.bytes_out, self.sent, self.received, self.created, self.closed = (
            counter(f"{what}-total") for what in _COUNTED
        )
        self.authenticated = counter("successful-authentication-total")
        self.reauthenticated = counter("successful-reauthentication-total")
        self.failed_authentications = counter("failed-authentication-total")
        self.failed_reauthentications = counter("failed-reauthentication-total")
        gauge("connection-count", connections)
        self.refused = metrics.meter(metric_name("ottla.network", "Connections", "RefusedPerSec", listener=listener))
        self._closes: dict[Reason, Meter] = {}
        counted = (self.bytes_in, self.bytes_out, self.sent, self.received, self.created, self.closed)
        self._rates = [(total, Meter(now_ms)) for total in counted]
        for what, (_, meter) in zip(_COUNTED, self._rates, strict=True):
            gauge(f"{what}-rate", lambda meter=meter: meter.one_minute_rate)  # type: ignore[misc]

    def closed_for(self, reason: Reason) -> None:
        """A connection has ended."""
        self.closed.value += 1
        meter = self._closes.get(reason)
        if meter is None:
            name = metric_name(
                "ottla.network", "Connections", "ClosedPerSec", listener=self._listener, reason=reason.value
            )
            meter = self._closes[reason] = self._metrics.meter(name)
        meter.count += 1

    def closes(self) -> dict[Reason, int]:
        """How many connections have ended, and why."""
        return {reason: meter.count for reason, meter in self._closes.items()}

    def remove(self) -> None:
        """Forget what looks into the listener; what was counted stays."""
        for name in self._gauges:
            self._metrics.remove(name)

    def tick(self, now_ms: int) -> None:
        """Rates follow their totals."""
        for total, meter in self._rates:
            meter.count = total.value
            meter.tick(now_ms)


class ServerFigures:
    """A whole server."""

    def __init__(self, metrics: Metrics, queue_size: Callable[[], float], memory_used: Callable[[], float]) -> None:
        self.metrics = metrics
        self._apis: dict[int, ApiFigures] = {}
        metrics.computed_gauge(QUEUE_SIZE, queue_size)
        metrics.computed_gauge(MEMORY_USED, memory_used)
        self.expired = metrics.counter(metric_name("kafka.network", "SocketServer", "ExpiredConnectionsKilledCount"))

    def api(self, api: ApiKey, version: int) -> ApiFigures:
        """Those of an API in a version that is served."""
        key = api << 16 | version
        found = self._apis.get(key)
        if found is None:
            found = self._apis[key] = ApiFigures(self.metrics, api, version)
        return found

    def remove(self) -> None:
        """Forget what looks into the server; what was counted stays."""
        self.metrics.remove(QUEUE_SIZE)
        self.metrics.remove(MEMORY_USED)
