"""The words of `preflight`: an `iris job run` line, or the options of `submit`."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from typer.core import TyperCommand

IRIS_WITHIN = 6  # words: `uv run --with x iris`


class PreflightCommand(TyperCommand):
    """Hands a job that is described by the options of `submit` to its parser."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        own = {name for parameter in self.params for name in getattr(parameter, "opts", ())}
        head = args[: args.index("--")] if "--" in args else []
        foreign = [word for word in head if word.startswith("-") and word.partition("=")[0] not in own]
        if foreign and not is_iris_line(args[len(head) + 1 :]):
            args = ["--submit-words", json.dumps(args)]
        return super().parse_args(ctx, args)


def is_iris_line(words: Sequence[str]) -> bool:
    """Whether a command line means to submit by iris, if only wrongly: `iris ...`, `no-iris job run ...`."""
    from babysitter.usecases.submitting.check_command import submits

    return any(Path(word).name == "iris" for word in words[:IRIS_WITHIN]) or submits(words)
