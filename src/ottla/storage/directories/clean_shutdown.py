"""`.kafka_cleanshutdown`: the log directory was closed as it should be, so that no log needs recovery.

    {"version":0,"brokerEpoch":42}

That the file is there is the news; it is removed as soon as a node has started to load, before anything is written. The
broker epoch is for the controller: a broker that registers with it shows that it lost nothing (KIP-966). Files without
one are older, and a damaged one is as good as those: reading never fails.
"""

import json
from typing import Final

FILE_NAME: Final = ".kafka_cleanshutdown"
VERSION: Final = 0
MAX_EPOCH: Final = 2**63 - 1


def render_clean_shutdown(broker_epoch: int) -> bytes:
    """The file's content."""
    return f'{{"version":{VERSION},"brokerEpoch":{broker_epoch}}}'.encode()


def parse_clean_shutdown(data: bytes) -> int | None:
    """The broker epoch in the file's content, if it tells one."""
    try:
        content = json.loads(data)
    except (ValueError, RecursionError):
        return None
    epoch = content.get("brokerEpoch") if isinstance(content, dict) else None
    return epoch if type(epoch) is int and -1 <= epoch <= MAX_EPOCH else None
