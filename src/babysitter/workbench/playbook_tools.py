"""What the `playbook` commands ask for: list, lint, test, and the start of a new rule."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from babysitter.diagnosis.causes.match_rules import classify_text
from babysitter.diagnosis.causes.rules_in_force import Playbook
from babysitter.diagnosis.timeline.line_templates import learned, novel
from babysitter.diagnosis.timeline.traceback import read_tracebacks
from babysitter.errors import BadPlaybook, UserError
from babysitter.model.finding import Cause, Severity
from babysitter.model.job import JobState
from babysitter.model.job_facts import JobFacts
from babysitter.playbook.load import PlaybookFault, examine
from babysitter.shipped import shipped
from babysitter.workbench.rule_scaffold import rule_stub, scenario_stub
from babysitter.workbench.rule_tests import (
    Coverage,
    RuleTestResult,
    coverage,
    run_rule_examples,
    run_scenarios,
)

LINT_HINT = "Correct these places and run `babysit playbook lint` again."


@dataclass(frozen=True, slots=True)
class RuleTestReport:
    """Every example and every scenario step, tried."""

    outcomes: tuple[RuleTestResult, ...]
    coverage: tuple[Coverage, ...]

    @property
    def failed(self) -> tuple[RuleTestResult, ...]:
        return tuple(outcome for outcome in self.outcomes if not outcome.passed)


@dataclass(frozen=True, slots=True)
class RuleScaffold:
    """Files to be completed by a person, by name."""

    rule: str
    scenario: str


def folders_of(paths: Sequence[Path]) -> tuple[Path, ...]:
    """The shipped rules, then the user's folders or files, in rising order of authority. Raises UserError."""
    for path in paths:
        if not path.exists():
            raise UserError(f"{path} does not exist.", next_step="Name a playbook file, or a folder of them.")
    own = tuple(path for path in paths if path.resolve() != shipped().resolve())
    return (shipped(), *own)


def lint(paths: Sequence[Path]) -> tuple[Playbook, tuple[PlaybookFault, ...]]:
    """The rules that are usable, and everything that is wrong, scenario files included."""
    folders = folders_of(paths)
    playbook, faults = examine(folders)
    _, scenario_faults = run_scenarios(_scenario_files(folders), playbook) if not faults else ([], [])
    return playbook, (*faults, *scenario_faults)


def trial(paths: Sequence[Path]) -> RuleTestReport:
    """Try every example of these playbooks with all rules in force. Raises BadPlaybook for faults."""
    folders = folders_of(paths)
    playbook, faults = examine(folders)
    scenarios, scenario_faults = run_scenarios(_scenario_files(folders), playbook)
    if wrong := (*faults, *scenario_faults):
        raise BadPlaybook("\n".join(map(str, wrong)), next_step=LINT_HINT)
    return RuleTestReport((*run_rule_examples(playbook), *scenarios), tuple(coverage(playbook)))


def stub(log: Sequence[str], name: str, *, playbook: str, cause: Cause, state: JobState) -> RuleScaffold:
    """A rule and a scenario from a log that no rule explains. Raises UserError when one already does."""
    known, _ = examine(folders_of(()))
    findings = classify_text("\n".join(log), known, JobFacts(state=state))
    decided = next((f for f in findings.all if f.severity is Severity.FATAL and f.cause is cause), None)
    if decided is not None:
        raise UserError(
            f"The rule {decided.rule} explains this log already ({decided.cause}).",
            next_step="Give --cause when it explains it wrongly.",
        )
    decisive = _decisive(log)
    return RuleScaffold(
        rule_stub(playbook, name, decisive, log, cause),
        scenario_stub(playbook, name, log, state.value, cause),
    )


def _decisive(log: Sequence[str]) -> list[str]:
    """Lines that show the trouble: exceptions, else what is unlike the beginning, else the last line."""
    lines = [raised.line for unit in read_tracebacks(log) for raised in unit.raised if raised.line >= 0]
    if not lines:
        half = len(log) // 2
        lines = [half + index for index in novel(log[half:], learned(log[:half]))]
    return [log[line] for line in lines[-3:]] or list(log[-1:])


def _scenario_files(folders: Sequence[Path]) -> list[Path]:
    return [path for folder in folders if folder.is_dir() for path in sorted(folder.glob("*.test.y*ml"))]
