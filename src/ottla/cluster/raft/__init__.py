"""Kafka's Raft: the quorum that agrees on the metadata log (KIP-595, 630, 853, 996): a machine, and its shell.

- `events.py`         what happens, and what is to be done about it
- `machine.py`        the machine: one event in, effects out
- `quorum.py`         a replica's part in the quorum: its state, and the transitions; `states.py` draws them
- `elections.py`      votes and pre-votes, given and asked for
- `telling.py`        what others say of epoch and leader
- `leading.py`        the leader's duties; `serving.py` answers its readers; `progress.py` knows how far they are
- `following.py`      fetching, cutting, taking snapshots
- `voters.py`         who votes; `voter_history.py` since which offset; `control.py` the records that say so
- `log.py`            what is asked of the log; `durability.py` what of it is on the disk
- `quorum_state.py`   the file that votes are kept in
- `connections.py`    what is under way to whom; `messages.py` requests and responses, made and opened
- `config.py`         settings, and who we are

In the world:
- `shell.py`          feeds the machine, carries out its effects; `asking.py` sends what it sends
- `disk_log.py`       the log in Kafka's files; `snapshots.py` those beside it, `unwritten.py` what a slow disk holds up
- `replicated_log.py` the log as the controller's runtime wants it
"""
