# The compiled twin's types: its signatures are the pure one's, which is what makes it a twin.

from ottla.protocol.records.kernel.pure import BatchWalk as BatchWalk
from ottla.protocol.records.kernel.pure import OffsetMap as OffsetMap
from ottla.protocol.records.kernel.pure import build as build
from ottla.protocol.records.kernel.pure import index as index
from ottla.protocol.records.kernel.pure import retain as retain
from ottla.protocol.records.kernel.pure import rises as rises
from ottla.protocol.records.kernel.pure import validate as validate

def digest(key: bytes | bytearray | memoryview) -> bytes: ...
