"""`completion`: the script with which a shell completes commands and options."""

import os
from typing import Annotated, Literal

import typer

VARIABLE = "_BABYSIT_COMPLETE"  # how the shell's script asks for completions; see app.run


def completion(
    shell: Annotated[Literal["bash", "zsh", "fish"], typer.Argument(help="bash, zsh or fish.")],
) -> None:
    """Print the script that completes commands and options in a shell.

    Put it where the shell reads it: ~/.bashrc, ~/.zshrc (after compinit), or
    ~/.config/fish/completions/babysit.fish.
    """
    from babysitter.surfaces.cli.app import app

    os.environ[VARIABLE] = f"source_{shell}"
    try:
        app([], prog_name="babysit")
    finally:
        del os.environ[VARIABLE]
