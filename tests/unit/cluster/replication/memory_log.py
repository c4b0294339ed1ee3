"""A log in memory, as far as a partition needs one: records with their epochs, and the offsets that bound it."""

from ottla.storage.leader_epochs import EpochEntry, LeaderEpochs


class MemoryLog:
    """One replica's."""

    def __init__(self) -> None:
        self.records: list[tuple[int, str]] = []  # (epoch, value), from offset 0 on
        self.epochs = LeaderEpochs()
        self.log_start_offset = self.high_watermark = 0

    @property
    def log_end_offset(self) -> int:
        """The offset of the next record."""
        return len(self.records)

    @log_end_offset.setter
    def log_end_offset(self, offset: int) -> None:
        raise AssertionError(f"nobody sets the end to {offset}")

    def append(self, epoch: int, value: str) -> None:
        """One more record."""
        if epoch != self.epochs.latest_epoch:
            self.epochs.assign(epoch, self.log_end_offset)
        self.records.append((epoch, value))

    def truncate_to(self, offset: int) -> None:
        """Cut what lies from an offset on."""
        del self.records[offset:]
        self.epochs.truncate_from_end(offset)
        self.high_watermark = min(self.high_watermark, offset)

    def maybe_increment_high_watermark(self, offset: int) -> bool:
        """Move the high watermark forward."""
        assert offset <= self.log_end_offset, f"a high watermark of {offset}, and the log ends at {self.log_end_offset}"
        return offset > self.high_watermark and self.update_high_watermark(offset) == offset

    def update_high_watermark(self, offset: int) -> int:
        """Set the high watermark, within the log."""
        self.high_watermark = min(max(offset, self.log_start_offset), self.log_end_offset)
        return self.high_watermark

    def maybe_increment_log_start_offset(self, offset: int) -> bool:
        """Let the log begin later."""
        assert offset <= self.high_watermark
        is_later = offset > self.log_start_offset
        self.log_start_offset = max(offset, self.log_start_offset)
        return is_later

    def assign_epoch_start(self, leader_epoch: int) -> None:
        """An epoch begins at the log's end."""
        self.epochs.assign(leader_epoch, self.log_end_offset)

    def end_offset_for_epoch(self, leader_epoch: int) -> EpochEntry:
        """The largest epoch up to this one, and where it ends."""
        return self.epochs.end_offset_for(leader_epoch, self.log_end_offset)
