"""Is --enable-extra-resources there where the client demands it?"""

from collections.abc import Iterator

from babysitter.preflight.client.client_tables import limits
from babysitter.preflight.command_line import RunCommand, flag_value, with_switch
from babysitter.preflight.facts import SubmissionFacts
from babysitter.preflight.preflight_finding import PreflightFinding, PreflightSeverity
from babysitter.preflight.resources.sizes import Units, parse_size
from babysitter.preflight.run_command import run_command

ID = "extra-resources"


def check_extra_resources(facts: SubmissionFacts) -> Iterator[PreflightFinding]:
    """An accelerator, or at least 4 GB of memory or 10 GB of disk, comes with --enable-extra-resources."""
    command = run_command(facts)
    flag = limits().extra_resources.flag
    if command is None or command.has(flag):
        return
    if demand := _demand(command):
        yield PreflightFinding(
            ID,
            PreflightSeverity.BLOCK,
            f"{demand} is refused without {flag}.",
            f"Add {flag}.",
            with_switch(facts.submission.argv, flag),
        )


def with_extra_resources(argv: tuple[str, ...]) -> tuple[str, ...]:
    """The command with the flag, if one of its sizes demands it."""
    extra = limits().extra_resources
    if any(_demands(flag_value(argv, option), limit) for option, limit in extra.sizes.items()):
        return with_switch(argv, extra.flag)
    return argv


def _demand(command: RunCommand) -> str:
    """The option that demands the flag, as typed; "" when none does."""
    extra = limits().extra_resources
    for option in extra.accelerators:
        if value := command.value(option):
            return f"{option} {value}"
    for option, limit in extra.sizes.items():
        if _demands(command.value(option), limit):
            return f"{option} {command.value(option)} (from {limit} on)"
    return ""


def _demands(size: str, limit: str) -> bool:
    return (parse_size(size, Units.DECIMAL) or 0) >= (parse_size(limit, Units.DECIMAL) or 0)
