"""The logs of a run as files in folders, read in part and put in order: what `classify FOLDER` judges."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FolderLine:
    """A line with its place: node and file. `number`: 1-based in the file; None where it is not known."""

    text: str
    place: str
    number: int | None = None


@dataclass(frozen=True, slots=True)
class LogFolder:
    """What one reading found.

    `quiet_s`: how long the run's own processes had printed nothing at the last sign of life. `summary`: what
    was read, in a sentence.
    """

    name: str
    lines: tuple[FolderLine, ...]
    quiet_s: float
    bytes_read: int
    summary: str
