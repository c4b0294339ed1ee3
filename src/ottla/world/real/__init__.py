"""The real world: asyncio on uvloop, positional I/O, a thread pool, helper processes, sockets.

The only place that may touch clocks, files, sockets, threads and processes.
"""
