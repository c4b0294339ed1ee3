"""Other people's clients and Kafka's own tools, at work on one broker: what they expect of Kafka, they find.

Each test holds for Apache Kafka as well: `OTTLA_JUDGED=kafka make integration` runs them against that, which tells
whether a red test is the broker's fault or the test's.
"""
