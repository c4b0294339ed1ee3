"""A partition's log: Kafka's files, written, read, recovered and compacted on a world's disk.

Pure rules are in pure modules (what may be appended, when a segment is closed, what compaction keeps); what touches
files is thin. No network and no cluster in here.
"""
