"""`completion`: the script with which a shell completes commands and options."""

import os
from typing import Annotated, Literal

import typer


def completion(
    shell: Annotated[Literal["bash", "zsh", "fish"], typer.Argument(help="bash, zsh or fish.")],
) -> None:
    """Print the script that completes commands and options in a shell.

    Put it where the shell reads it: ~/.bashrc, ~/.zshrc (after compinit), or
    ~/.config/fish/completions/babysit.fish.
    """
    from babysitter.surfaces.cli.commands import COMPLETION_VARIABLE, app

    os.environ[COMPLETION_VARIABLE] = f"source_{shell}"
    try:
        app([], prog_name="babysit")
    finally:
        del os.environ[COMPLETION_VARIABLE]
