"""A connection, both ends: what a server does with those that come in, and a client with the one that it opened.

The server's end:
- `server.py`      listeners together: starting, stopping, limits, what is looked at now and then
- `listener.py`    a port, its connections, who may come in
- `connection.py`  one connection: frames in, answers out in order, and why it is muted
- `request.py`     a request on its way to an answer
- `turns.py`       whose request is served next: control before data, in slices
- `memory.py`      what parts of frames all connections hold, and who waits when that is too much
- `handshake.py`   what a connection may ask before it has said who it is (pure); `sasl.py` carries it out
- `limits.py`      settings of listeners and limits, reasons of mutes and ends; `figures.py` what is counted

The client's end:
- `channel.py`     requests to one peer: queue, versions, deadlines, back-off; `channels.py` all of a client's
- `link.py`        one TCP connection of a channel

Both:
- `frames.py`      bytes as they arrive, cut into frames without copying what is whole

Nothing in here knows what a request means: a server is given a function that serves it.
"""
