"""Check a command line before it is typed: gather the facts, run every check, tell the verdict."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from babysitter.backends.iris.submission.new_submission import TypedCommand, as_job_run, read_new_submission
from babysitter.backends.iris.submission.submission_facts import SubmissionFactsReader
from babysitter.backends.registry import spec_from_options
from babysitter.clock import Clock, SystemClock
from babysitter.errors import UserError
from babysitter.preflight.command_line import flag_value, run_index
from babysitter.preflight.facts import Known, NotKnown, Purpose, SubmissionFacts
from babysitter.preflight.preflight_finding import PreflightFinding, blocking
from babysitter.preflight.run import check_submission
from babysitter.redact.redaction import redact


@dataclass(frozen=True, slots=True)
class CommandToCheck:
    """A command line, where it is typed, and what is known of its cluster ("" and None = not given)."""

    argv: tuple[str, ...]
    line: str
    generation: str
    config: Path | None
    controller_url: str
    purpose: str
    folder: Path
    environ: Mapping[str, str]
    home: Path


class FindingView(BaseModel):
    """One finding, as `--json` prints it. `command`: the corrected command, [] where none corrects it."""

    model_config = ConfigDict(frozen=True)

    id: str
    severity: Literal["block", "warn", "info"]
    reason: str
    fix: str = ""
    command: list[str] = []


class PreflightReply(BaseModel):
    """`generation`: april, may or august; "" where it is not known."""

    model_config = ConfigDict(frozen=True)

    verdict: Literal["ok", "blocked"]
    generation: str
    findings: list[FindingView]


async def check_command(command: CommandToCheck) -> PreflightReply:
    """Every finding, blocking ones first. Raises UserError for a command that is not a submission."""
    facts = await _facts(command)
    findings = check_submission(facts)
    generation = facts.generation
    return PreflightReply(
        verdict="blocked" if blocking(findings) else "ok",
        generation=generation.value if isinstance(generation, Known) else "",
        findings=[finding_view(finding) for finding in findings],
    )


async def _facts(command: CommandToCheck) -> SubmissionFacts:
    clock = SystemClock()
    typed = TypedCommand(command.argv, command.folder, command.environ, command.home, command.line)
    url = command.controller_url or _url_of(command.argv)
    generation = (
        Known(command.generation)
        if command.generation
        else NotKnown(
            "Neither --generation nor a controller tells the generation.",
            fix="Give --generation april, may or august.",
        )
    )
    config = command.folder / command.config if command.config else None
    asked, fault = _reader(url, command, clock)
    async with asked as reader:
        facts = await read_new_submission(
            typed,
            purpose=Purpose(command.purpose),
            generation=generation,
            config=config,
            reader=reader,
            clock=clock,
        )
    return replace(facts, cluster_fault=fault) if fault else facts


def _reader(
    url: str, command: CommandToCheck, clock: Clock
) -> tuple[AbstractAsyncContextManager[SubmissionFactsReader | None], str]:
    """Asks the controller at this address, None without one; and what is wrong with an address of the line.

    Raises UserError for an address that preflight itself was given.
    """
    if not url:
        return nullcontext(), ""
    from babysitter.backends.iris.connection.connect import (
        facts_reader,  # here: half of the start without a controller
    )

    try:
        spec = spec_from_options(controller_url=url)
    except UserError as wrong:
        if command.controller_url:
            raise
        return nullcontext(), wrong.sentence
    return facts_reader(spec, clock=clock, home=command.home, working_dir=command.folder), ""


def submits(words: Sequence[str]) -> bool:
    """Whether a command line has the words of a submission: `job run`, or those of an old client."""
    return run_index(as_job_run(tuple(words))) is not None


def _url_of(argv: tuple[str, ...]) -> str:
    words = as_job_run(argv)
    at = run_index(words)
    return flag_value(words[:at], "--controller-url") if at is not None else ""


def finding_view(finding: PreflightFinding) -> FindingView:
    return FindingView(
        id=finding.id,
        severity=finding.severity.value,
        reason=redact(finding.reason),
        fix=redact(finding.fix),
        command=[redact(word) for word in finding.command],
    )
