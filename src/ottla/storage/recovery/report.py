"""What recovery did to a log, for whoever watches the start: counts, and sentences about what was wrong.

Always true: a sentence names the file or the batch; there is a bound to how many are kept, since a damaged disk has
more to complain about than anybody reads.
"""

from dataclasses import dataclass, field
from typing import Final

NOTES_MAX: Final = 100


@dataclass(slots=True)
class RecoveryReport:
    """One log's recovery."""

    was_clean: bool = True
    checked_segments: int = 0
    checked_bytes: int = 0
    truncated_bytes: int = 0
    deleted_segments: int = 0
    notes: list[str] = field(default_factory=list)

    def note(self, text: str) -> None:
        """Say something; after so many notes the rest is silence."""
        if len(self.notes) < NOTES_MAX:
            self.notes.append(text)
