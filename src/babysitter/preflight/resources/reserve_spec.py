"""Can the client read what --reserve asks for?"""

from collections.abc import Iterator

from babysitter.preflight.client.client_tables import gpu_names, tpu_types
from babysitter.preflight.facts import SubmissionFacts
from babysitter.preflight.preflight_finding import PreflightFinding, PreflightSeverity
from babysitter.preflight.resources.gpu_name import is_gpu
from babysitter.preflight.run_command import generation_of, run_command

ID = "bad-reserve"


def check_reserve_spec(facts: SubmissionFacts) -> Iterator[PreflightFinding]:
    """--reserve is [COUNT:]DEVICE with a TPU type or a GPU that the client knows."""
    command = run_command(facts)
    if command is None:
        return
    for values in command.values("--reserve"):
        if reason := _fault(values[0], generation_of(facts)):
            yield PreflightFinding(
                ID, PreflightSeverity.BLOCK, reason, "Write for example v5litepod-16 or 4:H100x8."
            )


def _fault(spec: str, generation: str) -> str:
    count, has_count, device = spec.partition(":")
    device = device if has_count else spec
    if has_count and generation != "august" and not (_is_whole(count) and int(count) > 0):
        return f"The count of --reserve {spec} is not a whole number from 1 on."
    if device in tpu_types() or is_gpu(device, gpu_names(generation)):
        if generation == "august" and device.isdigit():
            return f"--reserve {spec} names no type of accelerator."
        return ""
    return f"The client does not know the accelerator of --reserve {spec}."


def _is_whole(text: str) -> bool:
    try:
        int(text)
    except ValueError:
        return False
    return True
