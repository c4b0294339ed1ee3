"""The broker: a node, the way of a request through it, and one handler an API.

- `node.py`          builds a node out of its parts; starts and stops them
- `listeners.py`     the listeners of a node, out of its settings
- `requests.py`      a frame becomes a request, a handler's response becomes an answer
- `context.py`       what a handler knows of whoever asks
- `metadata_cache.py`  the cluster as this node tells it
- `lifecycle.py`     a broker's life as the controller sees it: registered, fenced, serving, going
- `dynamic_settings.py`  settings that change while it runs, and `running_parts.py`, who takes them over
- `handlers/`        one file an API
"""
