"""What the `playbook` commands ask for: list, lint, test, and the start of a new rule."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from babysitter.diagnosis.causes.file_position import FilePosition
from babysitter.diagnosis.causes.match_rules import classify_text
from babysitter.diagnosis.causes.rules_in_force import Playbook
from babysitter.diagnosis.causes.signature_files import SignatureFile
from babysitter.diagnosis.timeline.processes.traceback import read_tracebacks
from babysitter.diagnosis.timeline.repetition.line_templates import learned, novel
from babysitter.errors import BadPlaybook, UserError
from babysitter.model.finding import Cause, Severity
from babysitter.model.job import JobState
from babysitter.model.job_facts import JobFacts
from babysitter.playbook.load import PlaybookFault, examine, playbook_files, read_file, scenario_files
from babysitter.shipped import shipped
from babysitter.workbench.rule_scaffold import TO_COMPLETE, draft_signature, name_of
from babysitter.workbench.rule_tests import (
    RuleTestResult,
    read_test_files,
    run_scenarios,
    try_examples,
    try_specimens,
)

LINT_HINT = "Correct these places and run `babysit playbook lint` again."


@dataclass(frozen=True, slots=True)
class RuleTestReport:
    """Every specimen, example and scenario step, tried."""

    outcomes: tuple[RuleTestResult, ...]

    @property
    def failed(self) -> tuple[RuleTestResult, ...]:
        return tuple(outcome for outcome in self.outcomes if not outcome.passed)


def folders_of(paths: Sequence[Path]) -> tuple[Path, ...]:
    """The shipped rules, then the user's folders or files, in rising order of authority. Raises UserError."""
    for path in paths:
        if not path.exists():
            raise UserError(f"{path} does not exist.", next_step="Name a playbook file, or a folder of them.")
    own = tuple(path for path in paths if path.resolve() != shipped().resolve())
    return (shipped(), *own)


def lint(paths: Sequence[Path]) -> tuple[Playbook, tuple[PlaybookFault, ...]]:
    """The rules that are usable, and everything that is wrong, test files included."""
    folders = folders_of(paths)
    playbook, faults = examine(folders)
    _, wrong = read_test_files(scenario_files(folders))
    incomplete = (fault for paths in playbook_files(folders[1:]) for path in paths for fault in _drafts(path))
    return playbook, (*faults, *wrong, *incomplete)


def _drafts(path: Path) -> Iterator[PlaybookFault]:
    """Where a file still has the words of a draft."""
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
        if any(text in line for text in TO_COMPLETE):
            yield PlaybookFault(FilePosition(path, number), "is still the draft's; write your own words here")


def trial(paths: Sequence[Path]) -> RuleTestReport:
    """Try every specimen, example and scenario of these files, with all rules in force; of no path, all.

    Raises BadPlaybook for faults.
    """
    folders = folders_of(paths)
    own = folders[1:] or folders
    playbook, faults = examine(folders)
    files, wrong = read_test_files(scenario_files(own))
    if found := (*faults, *wrong):
        raise BadPlaybook("\n".join(map(str, found)), next_step=LINT_HINT)
    names = {name for paths in playbook_files(own) for path in paths for name in _signatures_of(path)}
    names |= {name for file in files for name in file.specimens}
    chosen = {name: signature for name, signature in playbook.signatures.items() if name in names}
    specimens = try_specimens(replace(playbook, signatures=chosen), files)
    outcomes = (*specimens, *try_examples(playbook, files), *run_scenarios(playbook, files))
    return RuleTestReport(outcomes)


def _signatures_of(path: Path) -> Iterator[str]:
    """Ids of the signatures of a file."""
    content = read_file(path).content
    if isinstance(content, SignatureFile):
        yield from (f"{content.program}.{name}" for name in content.says)


def draft(log: Sequence[str], name: str, *, program: str, cause: Cause) -> str:
    """A signature file from the lines of a log that show the problem. Raises UserError when one exists."""
    decisive = _decisive(log)
    if not decisive or not name_of(decisive[-1]):
        raise UserError("There is no line to begin from.", next_step="Name a line that shows the problem.")
    known, _ = examine(folders_of(()))
    findings = classify_text("\n".join(decisive), known, JobFacts(state=JobState.FAILED))
    decided = next((f for f in findings.all if f.severity is Severity.FATAL and f.cause is cause), None)
    if decided is not None:
        raise UserError(
            f"The rule {decided.rule} explains this already ({decided.cause}).",
            next_step="Give --cause when it explains it wrongly.",
        )
    return draft_signature(program, name or name_of(decisive[-1]), decisive, cause)


def _decisive(log: Sequence[str]) -> list[str]:
    """Lines that show the trouble: exceptions, else what is unlike the beginning, else the last line."""
    lines = [raised.line for unit in read_tracebacks(log) for raised in unit.raised if raised.line >= 0]
    if not lines:
        half = len(log) // 2
        lines = [half + index for index in novel(log[half:], learned(log[:half]))]
    return [log[line] for line in lines[-3:]] or list(log[-1:])
