"""Do the Python extras of the job fit its accelerator, and does the project declare them?"""

import re
from collections.abc import Iterator
from difflib import get_close_matches

from babysitter.preflight.command_line import RunCommand
from babysitter.preflight.facts import SubmissionFacts
from babysitter.preflight.preflight_finding import PreflightFinding, PreflightSeverity
from babysitter.preflight.program.program_runs import program_runs
from babysitter.preflight.program.wrapped_program import UvCommand, uv_command
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
    """Every extra, group and package that uv is asked for is declared by a pyproject.toml of the bundle."""
    command = run_command(facts)
    workspace = facts.command.workspace if facts.command else None
    if command is None or workspace is None:
        return
    packages = tuple(values[0] for values in command.values("--sync-package"))
    asked_of_uv = [UvCommand(() if command.has("--no-sync") else asked_extras(command), packages=packages)]
    asked_of_uv += [
        uv for run in program_runs(command.program) if run.is_certain and (uv := uv_command(run.typed))
    ]
    for kind, asked, declared in (
        ("extra", [name for uv in asked_of_uv for name in uv.extras], workspace.extras),
        ("dependency group", [name for uv in asked_of_uv for name in uv.groups], workspace.groups),
        ("package", [name for uv in asked_of_uv for name in uv.packages], workspace.projects),
    ):
        if declared is not None:
            is_certain = bool(declared) or kind != "extra"  # extras may be declared where nobody looks
            yield from (
                _undeclared(kind, name, declared, is_certain=is_certain)
                for name in asked
                if not _is_in(name, declared)
            )


def as_uv_spells(name: str) -> str:
    """The spelling by which uv compares names: `flash_attn` is `flash-attn`."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _is_in(name: str, declared: frozenset[str]) -> bool:
    return as_uv_spells(name) in declared


def _undeclared(kind: str, name: str, declared: frozenset[str], *, is_certain: bool) -> PreflightFinding:
    near = get_close_matches(name, sorted(declared), n=1)
    hint = f"Did you mean {near[0]}? " if near else ""
    names = ", ".join(sorted(filter(None, declared))) or "none"
    reason = f"No pyproject.toml of this folder declares the {kind} '{name}'."
    severity = PreflightSeverity.BLOCK if is_certain else PreflightSeverity.WARN
    return PreflightFinding(UNKNOWN, severity, reason, f"{hint}Declared: {names}.")


def _installs(command: RunCommand) -> bool:
    """Whether the program itself installs what it needs."""
    return bool(_INSTALLS.search(" ".join(command.program)))


def _finding(facts: SubmissionFacts, reason: str, fix: str) -> PreflightFinding:
    accepted = was_accepted_before(facts)
    severity = PreflightSeverity.WARN if accepted else PreflightSeverity.BLOCK
    return PreflightFinding(ID, severity, reason, fix)
