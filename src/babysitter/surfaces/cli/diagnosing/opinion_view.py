"""A second opinion on the terminal, above the verdict of the rules."""

from typing import TYPE_CHECKING

import typer

from babysitter.messages.opinion_text import opinion_lines
from babysitter.surfaces.printable import safe

if TYPE_CHECKING:
    from rich.console import Console

    from babysitter.model.opinion import Combined


def print_opinion(combined: "Combined | None", screen: "Console") -> None:
    """Print an opinion. That there is none goes to standard error, so that the output stays the same."""
    from rich.text import Text

    lines = [safe(line) for line in opinion_lines(combined)]
    if combined is None or combined.opinion is None:
        for line in lines:
            typer.echo(line, err=True)
        return
    for number, line in enumerate(lines):
        screen.print(Text(line, style="bold" if number == 0 else ""))
    screen.print(Text("The rules' verdict:", style="dim"))
