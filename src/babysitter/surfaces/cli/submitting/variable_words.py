"""`-e KEY [VALUE]`: an option with one word or two, which the parser of the command line does not have."""

from collections.abc import Sequence
from typing import Any

from typer.core import TyperCommand

SPELLINGS = ("-e", "--env-vars", "--env_vars", "--env")
JOINT = "\x1f"  # between the words of one variable, for the parser one word


class CommandWithVariables(TyperCommand):
    """A command whose `-e` takes as many words as follow it, up to the next option or `--`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, joined_variables(args))


def joined_variables(words: Sequence[str]) -> list[str]:
    """The words with those of each variable joined: `-e`, `KEY`, `VALUE` -> `-e`, `KEY<joint>VALUE`.

    Nothing behind `--` is touched. A value may begin with `-` only where it is a number.
    """
    end = list(words).index("--") if "--" in words else len(words)
    head, found = list(words[:end]), []
    while head:
        word = head.pop(0)
        found.append(word)
        if word not in SPELLINGS:
            continue
        variable: list[str] = []
        while head and not _is_option(head[0]):
            variable.append(head.pop(0))
        found.append(JOINT.join(variable))
    return [*found, *words[end:]]


def split_variable(text: str) -> tuple[str, ...]:
    """The words of one variable; `KEY=VALUE` stays one word, to be refused by its name."""
    return tuple(text.split(JOINT))


def _is_option(word: str) -> bool:
    return len(word) > 1 and word.startswith("-") and not word[1:].replace(".", "", 1).isdigit()
