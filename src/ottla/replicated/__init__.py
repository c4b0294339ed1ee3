"""State that is replayed records: what the controller and the coordinators share.

- `log.py`       what is asked of the log that the records go to
- `decision.py`  what a decision is: records, a response, timers; nothing changed yet
- `timeline.py`  collections that can be taken back to an earlier offset
- `deferred.py`  answers that wait for their offset
- `runtime.py`   the machine that decides, replays, appends, waits and answers, and loads what is there already

Nothing in here waits, has a clock, or knows storage or network.
"""
