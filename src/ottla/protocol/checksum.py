"""The checksum of Kafka's files and batches: CRC-32C.

It is the processor's own instruction where there is one, and gives the GIL back while it counts a large buffer.
`crc32c(data)` begins anew, `crc32c(data, before)` goes on from the checksum of what came before.
"""

from crc32c import crc32c

__all__ = ["crc32c"]
