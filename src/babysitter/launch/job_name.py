"""Names of jobs, made from their commands."""

import re
from collections.abc import Sequence
from datetime import datetime
from pathlib import PurePosixPath

_INTERPRETERS = re.compile(r"(python[\d.]*|uv|bash|sh|env|run|exec|torchrun|accelerate|launch)")
_SCRIPTS = (".py", ".sh")
MAX_STEM_CHARS = 40


def generated_job_name(command: Sequence[str], at: datetime, token: str) -> str:
    """babysit-<stem>-<YYYYmmdd-HHMMSS>-<token>: the script's, else the module's or program's name.

    `token`: what tells two submissions of one second apart.
    """
    return f"babysit-{command_stem(command)}-{at:%Y%m%d-%H%M%S}-{token}"


def command_stem(command: Sequence[str]) -> str:
    """What a command is called: train of `python experiments/train.py`, `job` where nothing names it."""
    words = list(command)
    script = next((word for word in words if PurePosixPath(word).suffix in _SCRIPTS), "")
    if script:
        return _plain(PurePosixPath(script).stem)
    if "-m" in words[:-1]:
        return _plain(words[words.index("-m") + 1].rpartition(".")[2])
    program = next(
        (
            word
            for word in words
            if not word.startswith("-") and "=" not in word and not _INTERPRETERS.fullmatch(_base(word))
        ),
        "",
    )
    is_code = "-c" in words or "-lc" in words or "-lec" in words
    return _plain(_base(program)) if program and not is_code else "job"


def _base(word: str) -> str:
    return PurePosixPath(word).name


def _plain(text: str) -> str:
    """Lower case letters, digits, `_` and `-`."""
    found = re.sub(r"[^A-Za-z0-9_-]+", "-", text).strip("-")[:MAX_STEM_CHARS].strip("-")
    return found or "job"
