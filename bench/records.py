"""Record batches: the kernel beside its pure twin, a header's check and stamp beside its checksum, and the codecs.

The second table is the broker's hot path: what it does to each batch before it writes it. What counts there is the time
beside the CRC-32C, which is the hardware's.
"""

from collections.abc import Callable
from types import ModuleType

from crc32c import crc32c

from bench.measure import best_of_turns, microseconds, table
from ottla.protocol.records.batch import CRC_START, CompressionType, RecordBatch
from ottla.protocol.records.builder import BatchBuilder, BatchFields
from ottla.protocol.records.columns import Columns
from ottla.protocol.records.compression import DECOMPRESSED_MAX_BYTES, compress, decompress
from ottla.protocol.records.kernel import compiled, pure

RECORD_BYTES = 100
RECORDS = 1_000
NOW = 1_700_000_000_000


def batch_of(count: int, record_bytes: int = RECORD_BYTES) -> bytearray:
    """A batch of records of this size, all told, with short keys."""
    building = BatchBuilder(BatchFields(producer_id=1, producer_epoch=0, base_sequence=0))
    for at in range(count):
        building.append(NOW + at, b"key-%04d" % at, bytes(record_bytes - 19))
    return building.build()


def section_of(count: int) -> bytes:
    """The records of such a batch."""
    return bytes(RecordBatch(memoryview(batch_of(count))).section)


def kernels() -> None:
    """Each operation, compiled and pure."""
    section = section_of(RECORDS)
    columns = compiled.index(section, RECORDS, 0, NOW)
    mask = bytes(at % 2 for at in range(RECORDS))

    def put(twin: ModuleType, indexed: Columns) -> Callable[[], object]:
        offsets = twin.OffsetMap(24 * 2 * RECORDS)
        return lambda: offsets.put_columns(indexed)

    def contestants(twin: ModuleType) -> dict[str, Callable[[], object]]:
        return {
            "validate": lambda: twin.validate(section, RECORDS, NOW, earliest=0, latest=2 * NOW, keys_required=True),
            "index": lambda: twin.index(section, RECORDS, 0, NOW),
            "build": lambda: twin.build(columns, 0, NOW),
            "retain every other": lambda: twin.retain(section, RECORDS, mask, NOW, NOW),
            "retain, new base": lambda: twin.retain(section, RECORDS, mask, NOW, NOW + 5),
            "offset map, put": put(twin, columns),
        }

    rows = []
    slow = contestants(pure)
    for name, fast in contestants(compiled).items():
        quick, patient = best_of_turns(fast, slow[name])
        rates = [f"{RECORDS / seconds / 1e6:.2f}" for seconds in (quick, patient)]
        rows.append([name, *rates, f"{patient / quick:.0f}"])
    title = f"The kernel: million records of {len(section) // RECORDS} bytes a second"
    table(title, ["operation", "compiled", "pure", "times"], rows)


def headers() -> None:
    """What a broker does to a batch, and how much of it is the checksum."""
    rows = []
    for count in (1, 10, 160, 1_000):
        buffer = memoryview(batch_of(count))
        rows.append(hot_path(buffer))
    heads = ["batch", "view + check + stamp", "checksum alone", "beside it", "view alone"]
    table("A batch's header: microseconds a batch", heads, rows)


def hot_path(buffer: memoryview) -> list[str]:
    """One row: view, check and stamp a batch, and the checksum over the same bytes."""

    def serve() -> None:
        batch = RecordBatch(buffer)
        batch.check()
        batch.stamp(1_234_567, 8)

    def checksum() -> None:
        crc32c(buffer[CRC_START:])

    whole, crc, view = best_of_turns(serve, checksum, lambda: RecordBatch(buffer))
    size = f"{len(buffer)} B"
    return [size, microseconds(whole), microseconds(crc), microseconds(whole - crc), microseconds(view)]


def codecs() -> None:
    """Each codec at its default level, over text-like records."""
    building = BatchBuilder()
    at = 0
    while building.size_bytes < 16 * 1024:
        building.append(NOW + at, b"user-%d" % (at * 7919 % 1000), b'{"at": %d, "page": "/item/%d", "ms": %d}' % (
            NOW + at * 13, at * at % 997, at * 31 % 211))  # fmt: skip
        at += 1
    section = bytes(RecordBatch(memoryview(building.build())).section)
    rows = []
    for codec in list(CompressionType)[1:]:
        rows.append(codec_row(codec, section))
    title = f"Codecs at their default levels: {len(section)} bytes of small JSON records"
    table(title, ["codec", "times smaller", "compress us", "MB/s", "decompress us", "MB/s"], rows)


def codec_row(codec: CompressionType, section: bytes) -> list[str]:
    """One row: how small, and how fast both ways."""
    stored = bytes(compress(codec, section))
    write, read = best_of_turns(
        lambda: compress(codec, section), lambda: decompress(codec, stored, DECOMPRESSED_MAX_BYTES)
    )
    rates = [f"{len(section) / seconds / 1e6:.0f}" for seconds in (write, read)]
    smaller = f"{len(section) / len(stored):.1f}"
    return [codec.name.lower(), smaller, microseconds(write), rates[0], microseconds(read), rates[1]]


def run() -> None:
    """Print all three tables."""
    kernels()
    headers()
    codecs()


if __name__ == "__main__":
    run()
