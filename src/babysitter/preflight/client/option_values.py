"""Do the options have values that the client accepts?"""

import re
from collections.abc import Iterator

from babysitter.preflight.command_line import OptionUse
from babysitter.preflight.facts import SubmissionFacts
from babysitter.preflight.preflight_finding import PreflightFinding, PreflightSeverity
from babysitter.preflight.resources.sizes import Units, parse_size
from babysitter.preflight.run_command import generation_of, run_command

ID = "bad-value"
_CPU_ONLY_PROFILE = "CONTAINER_PROFILE_GVISOR"


def check_values(facts: SubmissionFacts) -> Iterator[PreflightFinding]:
    """Numbers are numbers, sizes are sizes, choices are among the known ones, names have no slash."""
    command = run_command(facts)
    if command is None:
        return
    for fault in command.faults:
        yield _finding(fault)
    for use in command.uses:
        if use.option.takes == 1 and (fault := _fault(use, use.values[0])):
            yield _finding(fault)
    for key, _ in command.values("--env-vars"):
        if not key.strip():
            yield _finding("-e needs the name of a variable.", "Write -e NAME VALUE.")
        if "=" in key:
            name = key.partition("=")[0]
            yield _finding(
                f"-e takes a name and a value as two words, not {name}=...", f"Write -e {name} VALUE."
            )
    regions = command.value("--region") or command.value("--zone")
    if generation_of(facts) == "may" and command.value("--reserve") and regions:
        yield _finding("--reserve cannot be combined with --region or --zone.", "Remove one of them.")
    accelerator = command.value("--tpu") or command.value("--gpu")
    if command.value("--container-profile").upper() == _CPU_ONLY_PROFILE and accelerator:
        yield _finding(f"{_CPU_ONLY_PROFILE} cannot be combined with --tpu or --gpu.", "Use another profile.")
    if command.has("--no-sync") and command.value("--sync-package"):
        yield _finding("--no-sync cannot be combined with --sync-package.", "Remove one of them.")


def _fault(use: OptionUse, value: str) -> str:
    if use.name == "--job-name" and "/" in value:
        return f"A job name has no slash: --job-name {value}."
    if use.name == "--job-name" and value and not value.strip():
        return "A job name has other characters than spaces."
    if use.name == "--user" and (not value.strip() or "/" in value):
        return f"--user needs a name without a slash, not '{value}'."
    if use.name == "--replicas" and _is_number(value, int) and int(value) < 0:
        return f"--replicas is at least 1, not {value}."
    if use.name == "--exclude" and not _is_pattern(value):
        return f"--exclude takes a regular expression, not '{value}'."
    if use.option.choices and value.lower() not in [choice.lower() for choice in use.option.choices]:
        return f"{use.name} takes one of {', '.join(use.option.choices)}, not '{value}'."
    match use.option.type:
        case "int" if not _is_number(value, int):
            return f"{use.name} takes a whole number, not '{value}'."
        case "float" if not _is_number(value, float):
            return f"{use.name} takes a number, not '{value}'."
        case "size" if value.strip() not in ("", "0") and parse_size(value, Units.BINARY) is None:
            return f"{use.name} takes a size such as 2GB, not '{value}'."
    return ""


def _is_pattern(text: str) -> bool:
    try:
        re.compile(text)
    except re.error:
        return False
    return True


def _is_number(text: str, kind: type[int] | type[float]) -> bool:
    try:
        kind(text)
    except ValueError:
        return False
    return True


def _finding(reason: str, fix: str = "") -> PreflightFinding:
    return PreflightFinding(ID, PreflightSeverity.BLOCK, reason, fix or "Correct the command.")
