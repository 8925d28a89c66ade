"""Do sizes name their unit? `--memory 8` asks for eight bytes."""

from collections.abc import Iterator

from babysitter.preflight.command_line import with_flag
from babysitter.preflight.facts import SubmissionFacts
from babysitter.preflight.preflight_finding import PreflightFinding, PreflightSeverity
from babysitter.preflight.resources.sizes import Units, has_unit, parse_size
from babysitter.preflight.run_command import run_command, was_accepted_before

ID = "size-without-unit"
SMALLEST_PLAUSIBLE_BYTES = 1024 * 1024  # no process runs in less


def check_size_units(facts: SubmissionFacts) -> Iterator[PreflightFinding]:
    """A size without a unit is a number of bytes; one below a megabyte is not meant.

    Controllers accept it: a command that ran before is warned about only.
    """
    command = run_command(facts)
    if command is None:
        return
    for use in command.uses:
        if use.option.type != "size" or has_unit(use.values[0]):
            continue
        size_bytes = parse_size(use.values[0], Units.BINARY) or 0
        is_given = use.values[0].strip() and float(use.values[0]) > 0  # 0 asks for no limit
        if is_given and size_bytes < SMALLEST_PLAUSIBLE_BYTES:
            accepted = was_accepted_before(facts)
            meant = f"{use.values[0].strip()}GB"
            yield PreflightFinding(
                ID,
                PreflightSeverity.WARN if accepted else PreflightSeverity.BLOCK,
                f"{use.name} {use.values[0]} means {size_bytes} bytes: the size has no unit.",
                f"Write the unit, for example {use.name} {meant}.",
                with_flag(facts.submission.argv, use.name, meant),
            )
