"""Do the Python extras of the job fit its accelerator, and does the project declare them?"""

import re
from collections.abc import Iterator
from difflib import get_close_matches

from babysitter.preflight.command_line import RunCommand
from babysitter.preflight.facts import SubmissionFacts
from babysitter.preflight.preflight_finding import PreflightFinding, PreflightSeverity
from babysitter.preflight.run_command import run_command, was_accepted_before

ID = "accelerator-extra"
UNKNOWN = "unknown-extra"
_INSTALLS = re.compile(
    r"\b(?:uv (?:sync|pip|run)|pip3? install|poetry install|conda (?:env|install))\b|--extra\b|\[tpu\]"
)
_FOR_TPU = re.compile(r"tpu")
_FOR_GPU = re.compile(r"gpu|cuda")


def asked_extras(command: RunCommand) -> tuple[str, ...]:
    """The extras by name; the client drops the package in front of the colon."""
    return tuple(values[0].rpartition(":")[2].strip() for values in command.values("--extra"))


def check_accelerator_extra(facts: SubmissionFacts) -> Iterator[PreflightFinding]:
    """A TPU job installs an extra for TPUs, and none for another kind of device."""
    command = run_command(facts)
    if command is None:
        return
    extras = asked_extras(command)
    tpu, gpu = command.value("--tpu"), command.value("--gpu")
    device = f"--tpu {tpu}" if tpu else f"--gpu {gpu}" if gpu else ""
    wrong = _FOR_GPU if tpu else _FOR_TPU
    unfit = [extra for extra in extras if extra == "cpu" or wrong.search(extra)] if device else []
    if unfit:
        right = "tpu" if tpu else "gpu"
        yield _finding(
            facts,
            f"--extra {unfit[0]} installs no software for {device}: the job would not use its accelerator.",
            f"Use --extra {right} in its place.",
        )
    elif (
        tpu
        and not any(_FOR_TPU.search(extra) or extra == "vllm" for extra in extras)
        and not _installs(command)
    ):
        yield _finding(
            facts,
            f"--tpu {tpu} comes without an extra for TPUs: the job would not find its chips.",
            "Add --extra tpu (or the name that the project gives it).",
        )


def check_extras_declared(facts: SubmissionFacts) -> Iterator[PreflightFinding]:
    """Every extra is declared by a pyproject.toml of the bundle: the set-up of the task fails otherwise."""
    command = run_command(facts)
    workspace = facts.command.workspace if facts.command else None
    if command is None or workspace is None or not workspace.extras:
        return
    for extra in asked_extras(command):
        if extra not in workspace.extras:
            near = get_close_matches(extra, sorted(workspace.extras), n=1)
            hint = f"Did you mean {near[0]}? " if near else ""
            yield PreflightFinding(
                UNKNOWN,
                PreflightSeverity.BLOCK,
                f"No pyproject.toml of this folder declares the extra '{extra}'.",
                f"{hint}Declared: {', '.join(sorted(workspace.extras))}.",
            )


def _has_tpu_extra(extras: tuple[str, ...]) -> bool:
    return any(_FOR_TPU.search(extra) or extra == "vllm" for extra in extras)


def _installs(command: RunCommand) -> bool:
    """Whether the program itself installs what it needs."""
    return bool(_INSTALLS.search(" ".join(command.program)))


def _finding(facts: SubmissionFacts, reason: str, fix: str) -> PreflightFinding:
    accepted = was_accepted_before(facts)
    severity = PreflightSeverity.WARN if accepted else PreflightSeverity.BLOCK
    return PreflightFinding(ID, severity, reason, fix)
