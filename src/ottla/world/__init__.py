"""All that is not a function of its inputs: time, chance, disks, networks, threads, processes, tasks.

- `api.py`      the Protocols that everything else is written against
- `real/`       asyncio on uvloop, positional I/O, a thread pool, helper processes
- `simulated/`  a deterministic loop, an in-memory network, disks that forget: a whole cluster from one seed
"""
