"""Golden scripts: replicas of one partition driven by hand, and what they know, as a text that a reviewer reads.

A line that begins with `>` is a command; the lines below it, up to the next command, are what followed. Lines with `#`
and empty ones are for the reader. Nothing happens by itself.

    > replicas 1 2 3        these brokers have it, the first leads and all are in sync; `min-isr 2`: before this
    > append a b            a client writes to the leader
    > fetch 2               2 asks the leader, whose answer is on its way; `fetch 2 1`: at most one record comes
    > deliver 2             the answer reaches 2;  > copy 2   both, until nothing more comes
    > controller            the controller answers what leaders have asked it
    > elapse 11000          that much later leaders look at who is in sync
    > crash 2  > start 2    2 dies; `crash 2 kept 6`: with what lies behind offset 6; `watermark 0`: noted last
    > elect 2               the controller elects; `elect 2 2 3`: with this ISR; `elect none`
    > show                  a line for each: role, epoch, end, high watermark, records; and what the leader knows

`python -m tests.unit.cluster.replication.script FILE...` writes the trace anew; a reviewer then reads what has changed.
"""

import sys
from pathlib import Path

from ottla.cluster.replication.follower import Follower
from ottla.cluster.replication.leader import Leader
from tests.unit.cluster.replication.replicas import Replicas

ROUNDS_MAX = 100


class Script:
    """Replicas driven by hand."""

    def __init__(self) -> None:
        self._replicas: Replicas | None = None
        self._min_isr = 1

    @property
    def replicas(self) -> Replicas:
        """They, once they are there."""
        assert self._replicas is not None, "a script begins with `replicas`"
        return self._replicas

    def run(self, text: str) -> str:
        """The text with what follows from its commands in the place of what it says."""
        result: list[str] = []
        for line in text.splitlines():
            if line.startswith(">"):
                result += [line, *self._command(line[1:].split())]
                if self._replicas is not None:
                    self._replicas.check()
            elif not line or line.startswith("#"):
                result.append(line)
        return "\n".join(result) + "\n"

    def _command(self, words: list[str]) -> list[str]:
        match words:
            case ["min-isr", count]:
                self._min_isr = int(count)
            case ["replicas", *ids]:
                self._replicas = Replicas([int(each) for each in ids], min_isr=self._min_isr)
            case ["append", *values]:
                return [f"{value}: {self._appended(value)}" for value in values]
            case ["fetch", who, *rest]:
                return self._fetched(int(who), int(rest[0]) if rest else 1_000)
            case ["deliver", who]:
                self.replicas.deliver(int(who))
            case ["copy", who]:
                self._copy(int(who))
            case ["controller"]:
                self.replicas.answer_proposals()
                return self._isr()
            case ["elapse", duration]:
                self.replicas.elapse(int(duration))
                return self._asked()
            case ["crash", who, *rest]:
                told = dict(zip(rest[::2], map(int, rest[1::2]), strict=True))
                self.replicas.crash(int(who), kept=told.get("kept"), high_watermark=told.get("watermark"))
            case ["start", who]:
                self.replicas.start(int(who))
            case ["elect", "none"]:
                self.replicas.elect(-1)
            case ["elect", who, *isr]:
                self.replicas.elect(int(who), tuple(map(int, isr)) or None)
            case ["show"]:
                return self._show()
            case _:
                raise AssertionError(f"no command: {words}")
        return []

    def _appended(self, value: str) -> str:
        leader = self.replicas.leader
        if leader is not None and not leader.has_enough_in_sync:
            return "not enough in sync for acks=all"
        end_offset = self.replicas.append(value)
        leader = self.replicas.leader
        if end_offset is None or leader is None:
            return "nobody leads"
        code = leader.acknowledged(end_offset)
        return f"offset {end_offset - 1}, {'acks=all waits' if code is None else 'safe'}"

    def _fetched(self, who: int, limit: int) -> list[str]:
        if not self.replicas.fetch(who, limit):
            return ["refused"]
        answer = self.replicas.answers[who]
        if answer.diverging:
            return [f"epoch {answer.diverging[0]} ended at {answer.diverging[1]}", *self._asked()]
        values = " ".join(value for _, value in answer.records) or "nothing"
        return [f"from {answer.offset}: {values}, high watermark {answer.high_watermark}", *self._asked()]

    def _copy(self, who: int) -> None:
        for _ in range(ROUNDS_MAX):
            log = self.replicas.logs[who]
            before = log.log_end_offset, log.high_watermark, log.epochs.entries()
            if not self.replicas.fetch(who) or not self.replicas.deliver(who):
                return
            if (log.log_end_offset, log.high_watermark, log.epochs.entries()) == before:
                return

    def _asked(self) -> list[str]:
        return [
            f"{broker_id} asks for the ISR {' '.join(str(member) for member, _ in proposal.members)}"
            for broker_id, proposal in self.replicas.proposals
        ]

    def _isr(self) -> list[str]:
        return [f"ISR {' '.join(map(str, self.replicas.controller.registration.isr))}"]

    def _show(self) -> list[str]:
        lines = []
        for broker_id, partition in self.replicas.partitions.items():
            log, role = self.replicas.logs[broker_id], partition.role
            if broker_id in self.replicas.down:
                state = "is down"
            else:
                state = "follows" if isinstance(role, Follower) else "leads"
                state += f" in epoch {partition.leader_epoch}"
            values = " ".join(f"{value}/{epoch}" for epoch, value in log.records) or "empty"
            line = f"{broker_id} {state}: end {log.log_end_offset}, high watermark {log.high_watermark}, {values}"
            if isinstance(role, Leader) and broker_id not in self.replicas.down:
                known = " ".join(f"{other}:{each.log_end_offset}" for other, each in role.followers.items())
                line += f"; knows {known or 'nobody'}, ISR {' '.join(map(str, sorted(role.isr.isr)))}"
            lines.append(line)
        return lines


def scripts() -> list[Path]:
    """All of them."""
    return sorted((Path(__file__).parent / "scripts").glob("*.txt"))


if __name__ == "__main__":
    for path in map(Path, sys.argv[1:]):
        path.write_text(Script().run(path.read_text(encoding="utf-8")), encoding="utf-8")
