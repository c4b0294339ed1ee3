"""The broker: a node, the way of a request through it, and one handler an API.

- `node.py`                builds a node out of its roles; starts and stops them
- `roles/`                 what a node is: a replica of the quorum, a controller, a broker; how it registers and leaves
- `requests.py`            a frame becomes a request, a handler's response becomes an answer
- `context.py` `parts.py`  what a handler knows of whoever asks, and what it may use of the node
- `controller_channel.py`  the way to the active controller, wherever it is
- `data/`                  records: partitions, requests that wait for them, sessions of readers
- `metadata/`              the cluster as clients are told of it
- `settings/`              what the broker goes by while it runs, and its listeners
- `handlers/`              one file an API
"""
