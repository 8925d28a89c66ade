"""A place in a file, as it is shown to people."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, order=True)
class FilePosition:
    """A spot in a file, 1-based."""

    path: Path
    line: int
    column: int = 1

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"
