"""The console that commands print to."""

import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions
from rich.panel import Panel

PIPED_WIDTH = 120  # of sentences and tables, which others search line by line
CARD_WIDTH = 80  # of boxes, which are read by people only


def console() -> Console:
    """Colours and boxes on a terminal, plain text when piped; NO_COLOR is respected by rich itself."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else piped_width(os.environ))


def piped_width(environment: Mapping[str, str], *, default: int = PIPED_WIDTH) -> int:
    """Characters in a line where no terminal is: COLUMNS, or the default."""
    columns = environment.get("COLUMNS", "")
    return int(columns) if columns.isascii() and columns.isdecimal() and int(columns) > 0 else default


@dataclass(frozen=True, slots=True)
class Card:
    """A box as wide as the terminal; without a terminal COLUMNS wide, or 80."""

    panel: Panel

    def __rich_console__(self, screen: Console, options: ConsoleOptions) -> Iterator[Panel]:
        if not screen.is_terminal:
            width = piped_width(os.environ, default=CARD_WIDTH)
            self.panel.width = min(width, options.max_width)
        yield self.panel
