"""Does the client know the TPU type, and do the tasks fill whole slices?"""

from collections.abc import Iterator
from difflib import get_close_matches

from babysitter.preflight.client.client_tables import TpuType, tpu_types
from babysitter.preflight.command_line import RunCommand, with_flag
from babysitter.preflight.facts import SubmissionFacts
from babysitter.preflight.preflight_finding import PreflightFinding, PreflightSeverity
from babysitter.preflight.run_command import generation_of, run_command

UNKNOWN = "unknown-tpu"
REPLICAS = "replicas-of-slice"


def asked_tpus(command: RunCommand) -> tuple[str, ...]:
    """The alternatives of --tpu, the first one decides the number of tasks."""
    return tuple(name.strip() for name in command.value("--tpu").split(",") if name.strip())


def check_tpu_type(facts: SubmissionFacts) -> Iterator[PreflightFinding]:
    """--tpu names types that the client knows, in their spelling: another one gets no chips."""
    command = run_command(facts)
    if command is None:
        return
    names = asked_tpus(command)
    if not names and any(command.values("--tpu")):
        yield PreflightFinding(
            UNKNOWN,
            PreflightSeverity.BLOCK,
            "--tpu names no TPU type.",
            "Name one, for example v5litepod-16.",
        )
    for name in names:
        if name in tpu_types():
            continue
        near = _nearest(name)
        corrected: tuple[str, ...] = ()
        if near:
            corrected = with_flag(
                facts.submission.argv, "--tpu", ",".join(near if text == name else text for text in names)
            )
        yield PreflightFinding(
            UNKNOWN,
            PreflightSeverity.BLOCK,
            f"'{name}' is not a TPU type that the client knows: its tasks would get no chips.",
            f"Did you mean {near}?" if near else f"Known are types of {', '.join(_families())}.",
            corrected,
        )


def check_replicas(facts: SubmissionFacts) -> Iterator[PreflightFinding]:
    """Every machine of a TPU slice runs one task, and alternatives have as many machines."""
    command = run_command(facts)
    if command is None:
        return
    types = [tpu_types()[name] for name in asked_tpus(command) if name in tpu_types()]
    if not types:
        return
    first = types[0]
    if others := [kind for kind in types if kind.machines != first.machines]:
        yield _finding(
            f"{first.name} has {first.machines} machines per slice, {others[0].name} {others[0].machines}: "
            "alternatives must have the same number.",
            "Name types with the same number of machines.",
        )
    elif generation_of(facts) in ("may", "august"):
        for kind in types:
            if kind.chips != first.chips:
                yield _finding(
                    f"{first.name} has {first.chips} chips per machine, {kind.name} {kind.chips}: "
                    "the controller refuses such alternatives.",
                    "Name types with the same number of chips per machine.",
                )
    replicas = command.value("--replicas")
    count = int(replicas) if replicas.isdigit() else 0
    if replicas == "0" and first.machines > 1:
        yield _finding(
            f"--replicas 0 leaves no task for the {first.machines} machines.", "Leave --replicas out."
        )
    if count > 1 and first.machines > 1 and count % first.machines:
        yield _finding(
            f"--replicas {count} does not fill slices of {first.name}, which have {first.machines} machines.",
            f"Leave --replicas out, or give a multiple of {first.machines}.",
            with_flag(facts.submission.argv, "--replicas", str(_rounded_up(count, first))),
        )


def _rounded_up(count: int, tpu: TpuType) -> int:
    return -(-count // tpu.machines) * tpu.machines


def _families() -> tuple[str, ...]:
    return tuple(dict.fromkeys(name.rpartition("-")[0] for name in tpu_types()))


def _nearest(name: str) -> str:
    """The type that was probably meant, "" when none is near. v5e is how people call v5litepod."""
    spelled = name.lower().replace("_", "-").removeprefix("tpu-")
    spelled = spelled.replace("v5e-", "v5litepod-").replace("v5lite-", "v5litepod-")
    if spelled in tpu_types():
        return spelled
    close = get_close_matches(spelled, tpu_types(), n=1, cutoff=0.7)
    return close[0] if close else ""


def _finding(reason: str, fix: str, command: tuple[str, ...] = ()) -> PreflightFinding:
    return PreflightFinding(REPLICAS, PreflightSeverity.BLOCK, reason, fix, command)
