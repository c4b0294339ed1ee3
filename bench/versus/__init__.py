"""Ottla beside Apache Kafka: the same clients, on the same machine, in the same run.

    python -m bench versus                      every row
    python -m bench versus produce latency      some: produce, consume, latency, small, many, cost

Both brokers run all the time, each on a directory of its own; Kafka with its stock heap and collector. They take turns
at every row, in both orders, and the median of the turns counts; Kafka is warmed first, with many small requests, and
the page cache with as many bytes as a row writes, for both alike. `ratio` is ours by theirs, so that above 1 we are
faster, and where less is better theirs by ours. CPU is the broker's, in seconds for 10^9 bytes of payload. The table
says the load of the machine: figures of different runs do not compare. What was printed is kept in bench/results.
"""
