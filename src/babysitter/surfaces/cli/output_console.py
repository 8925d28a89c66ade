"""The console that commands print to."""

import sys

from rich.console import Console

PIPED_WIDTH = 120


def console() -> Console:
    """Colours and boxes on a terminal, plain text when piped; NO_COLOR is respected by rich itself."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else PIPED_WIDTH)
