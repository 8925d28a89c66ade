"""Does the client know the GPU?"""

import re
from collections.abc import Iterator
from difflib import get_close_matches

from babysitter.preflight.client.client_tables import gpu_names
from babysitter.preflight.command_line import with_flag
from babysitter.preflight.facts import SubmissionFacts
from babysitter.preflight.preflight_finding import PreflightFinding, PreflightSeverity
from babysitter.preflight.run_command import generation_of, run_command

ID = "unknown-gpu"


def check_gpu_name(facts: SubmissionFacts) -> Iterator[PreflightFinding]:
    """--gpu is NAME, NAMExCOUNT or COUNT with a name that the client knows and a count from 1 on."""
    command = run_command(facts)
    value = command.value("--gpu") if command is not None else ""
    names = gpu_names(generation_of(facts))
    if not value or is_gpu(value, names):
        return
    near = get_close_matches(
        value.lower().partition("x")[0], [name.lower() for name in names], n=1, cutoff=0.5
    )
    name = next((candidate for candidate in names if near and candidate.lower() == near[0]), "")
    _, has_count, count = value.lower().rpartition("x")
    corrected: tuple[str, ...] = ()
    if name:
        meant = f"{name}x{count}" if has_count and count.isdigit() and int(count) else name
        corrected = with_flag(facts.submission.argv, "--gpu", meant)
    yield PreflightFinding(
        ID,
        PreflightSeverity.BLOCK,
        f"The iris client does not know the GPU '{value}'.",
        f"Known are {', '.join(sorted(names))}; a count follows an x, as in H100x8.",
        corrected,
    )


def is_gpu(value: str, names: tuple[str, ...]) -> bool:
    """Whether this is NAME, NAMExCOUNT or COUNT of these names."""
    if value.isdigit():
        return int(value) > 0
    for name in names:
        if value.lower().startswith(name.lower()):
            rest = value[len(name) :]
            if not rest or (re.fullmatch(r"x\d+", rest) and int(rest[1:]) > 0):
                return True
    return False
