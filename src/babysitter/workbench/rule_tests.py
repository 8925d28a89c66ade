"""A playbook on trial: every example of every rule, and the scenario files beside the playbooks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from babysitter.diagnosis.causes.match_rules import classify_text
from babysitter.diagnosis.causes.rule import Example, Expectation, RuleScenario
from babysitter.diagnosis.causes.rule_fields import PaceFields
from babysitter.diagnosis.causes.rules_in_force import LocatedRule, Playbook
from babysitter.diagnosis.frame.thread_dump_text import read_dump
from babysitter.model.finding import Cause, Findings, Severity
from babysitter.model.job_facts import JobFacts
from babysitter.model.progress import Motion
from babysitter.playbook.load import PlaybookFault, read_scenarios

_PEAK_SCALE = 1_000_000  # an example gives the peak as a share; facts want bytes


@dataclass(frozen=True, slots=True)
class RuleTestResult:
    """One example or step: what was expected, and what came instead ("" = as expected)."""

    name: str
    trouble: str = ""

    @property
    def passed(self) -> bool:
        return not self.trouble


@dataclass(frozen=True, slots=True)
class Coverage:
    """How well a rule is shown by its examples, and what it leaves unsaid."""

    rule: str
    matching: int
    not_matching: int
    missing: tuple[str, ...]  # keys that a careful rule has


def run_rule_examples(playbook: Playbook) -> Iterator[RuleTestResult]:
    """Every example, judged with all rules in force, in the playbook's order."""
    for placed in playbook.placed:
        examples = placed.rule.examples
        for wanted, tried in ((True, examples.match), (False, examples.no_match)):
            for number, example in enumerate(tried, 1):
                name = f"{placed.rule.id} {'match' if wanted else 'no_match'} {number}"
                yield RuleTestResult(name, _trouble(placed, example, playbook, wanted=wanted))


def _trouble(placed: LocatedRule, example: Example, playbook: Playbook, *, wanted: bool) -> str:
    findings = findings_of_example(example, playbook)
    rule = placed.rule.id
    found = any(finding.rule == rule for finding in findings.all)
    if found == wanted:
        return ""
    if not wanted:
        return f"{placed.place}: should stay silent, but matches"
    by = next((by for finding, by in findings.cancelled if finding.rule == rule), None)
    why = f"`{by}` explains it away" if by else "does not match"
    return f"{placed.place}: should match, but {why}"


def findings_of_example(example: Example, playbook: Playbook, before: str = "") -> Findings:
    """What the playbook finds in an example. `before`: log lines of earlier steps."""
    facts = JobFacts(
        state=example.state,
        exit_code=example.exit_code,
        error=example.error,
        pending_reason=example.pending_reason,
        failure_count=example.failure_count or 0,
        preemption_count=example.preemption_count or 0,
        memory_peak_bytes=None if example.memory_peak is None else round(example.memory_peak * _PEAK_SCALE),
        memory_limit_bytes=None if example.memory_peak is None else _PEAK_SCALE,
        last_line_age_s=example.last_log_age_s,
    )
    numbers = {name: float(value) for name, value in example.progress.items() if name != "motion"}
    motion = example.progress.get("motion")
    return classify_text(
        before + example.logs,
        playbook.for_job("", example.kind),
        facts,
        role=example.source,
        dumps=(read_dump(example.thread_dump),) if example.thread_dump else (),
        measures=PaceFields(Motion(motion) if motion else None, numbers),
        task_states=(example.task_state,) if example.task_state else (),
        explains_unasked=True,
    )


def run_scenarios(
    paths: Sequence[Path], playbook: Playbook
) -> tuple[list[RuleTestResult], list[PlaybookFault]]:
    """Every step of every scenario in these `*.test.yaml` files."""
    outcomes: list[RuleTestResult] = []
    faults: list[PlaybookFault] = []
    for path in paths:
        content, wrong = read_scenarios(path)
        faults.extend(wrong)
        for scenario in content.scenarios if content else ():
            outcomes.extend(_try_scenario(scenario, playbook))
    return outcomes, faults


def _try_scenario(scenario: RuleScenario, playbook: Playbook) -> Iterator[RuleTestResult]:
    before = ""
    rules = playbook.for_job("", scenario.kind)
    for number, step in enumerate(scenario.steps, 1):
        findings = findings_of_example(step, rules, before)
        before += step.logs.rstrip("\n") + "\n" if step.logs else ""
        yield RuleTestResult(
            f"{scenario.name}, step {number}", "; ".join(_differences(step.expect, findings))
        )


def _differences(expect: Expectation, findings: Findings) -> Iterator[str]:
    found = {str(finding.rule) for finding in findings.all}
    if missing := [rule for rule in expect.rules if rule not in found]:
        yield f"expected {', '.join(missing)}, found {', '.join(sorted(found)) or 'nothing'}"
    if unwanted := [rule for rule in expect.not_rules if rule in found]:
        yield f"did not expect {', '.join(unwanted)}"
    serious = [finding for finding in findings.all if finding.severity > Severity.INFO]
    if expect.nothing and serious:
        yield f"expected nothing above info, found {', '.join(finding.rule for finding in serious)}"
    causes: set[Cause] = {finding.cause for finding in findings.all}
    if expect.cause and expect.cause not in causes:
        yield f"expected cause {expect.cause}, found {', '.join(sorted(causes)) or 'none'}"
    if expect.severity and findings.worst is not expect.severity:
        yield f"expected severity {expect.severity}, found {findings.worst}"


def coverage(playbook: Playbook) -> Iterator[Coverage]:
    """What each rule shows and what it leaves unsaid."""
    for rule in playbook.rules:
        wanted = ("safety", "advice", "retry") if rule.severity > Severity.INFO else ()
        missing = tuple(name for name in wanted if name not in rule.model_fields_set)
        yield Coverage(rule.id, len(rule.examples.match), len(rule.examples.no_match), missing)
