"""A playbook on trial: specimens of signatures, examples of rules, and scenarios."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from babysitter.diagnosis.causes.match_rules import classify_text
from babysitter.diagnosis.causes.rule import (
    Example,
    Expectation,
    RuleScenario,
    ScenarioFile,
)
from babysitter.diagnosis.causes.rule_fields import PaceFields
from babysitter.diagnosis.causes.rules_in_force import Playbook
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


def try_specimens(playbook: Playbook, files: Sequence[ScenarioFile]) -> Iterator[RuleTestResult]:
    """Every specimen is found by its signature, every line of a signature by one of its specimens.

    The rule of a signature that means something by itself must also find something in each.
    """
    known = {
        name: [*signature.specimens, *(text for file in files for text in file.specimens.get(name, ()))]
        for name, signature in playbook.signatures.items()
    }
    for file in files:
        for name in file.specimens.keys() - known.keys():
            yield RuleTestResult(name, "has specimens, but there is no such signature")
    for name, specimens in known.items():
        lines = playbook.signatures[name].lines
        for pattern in lines:
            if not any(pattern.captures_in(text) is not None for text in specimens):
                yield RuleTestResult(name, f"no specimen is found by its line {pattern.text!r}")
        for number, text in enumerate(specimens, 1):
            yield RuleTestResult(f"{name} specimen {number}", _specimen_trouble(name, text, playbook))


def _specimen_trouble(name: str, text: str, playbook: Playbook) -> str:
    lines = playbook.signatures[name].lines
    if not any(pattern.captures_in(text) is not None for pattern in lines):
        return f"no line of the signature finds {text!r}"
    rule = playbook.by_id.get(name)
    if rule is None or playbook.signatures[name].means is None:
        return ""
    return _trouble(name, Example(logs=text), playbook, wanted=True)


def try_examples(playbook: Playbook, files: Sequence[ScenarioFile]) -> Iterator[RuleTestResult]:
    """Every example of every rule, judged with all rules in force."""
    for file in files:
        for rule, examples in file.examples.items():
            if rule not in playbook.by_id:
                yield RuleTestResult(rule, "has examples, but there is no such rule")
                continue
            for wanted, tried in ((True, examples.match), (False, examples.no_match)):
                for number, example in enumerate(tried, 1):
                    name = f"{rule} {'match' if wanted else 'no_match'} {number}"
                    yield RuleTestResult(name, _trouble(rule, example, playbook, wanted=wanted))


def _trouble(rule: str, example: Example, playbook: Playbook, *, wanted: bool) -> str:
    findings = findings_of_example(example, playbook)
    found = any(finding.rule == rule for finding in findings.all)
    if found == wanted:
        return ""
    place = playbook.place_of(rule)
    if not wanted:
        return f"{place}: should stay silent, but matches"
    by = next((by for finding, by in findings.cancelled if finding.rule == rule), None)
    why = f"`{by}` explains it away" if by else "does not match"
    return f"{place}: should match, but {why}"


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
    )


def read_test_files(paths: Sequence[Path]) -> tuple[list[ScenarioFile], list[PlaybookFault]]:
    """The test files that can be read, and what is wrong with the others."""
    files: list[ScenarioFile] = []
    faults: list[PlaybookFault] = []
    for path in paths:
        content, wrong = read_scenarios(path)
        faults.extend(wrong)
        if content is not None:
            files.append(content)
    return files, faults


def run_scenarios(playbook: Playbook, files: Sequence[ScenarioFile]) -> Iterator[RuleTestResult]:
    """Every step of every scenario."""
    for file in files:
        for scenario in file.scenarios:
            yield from _try_scenario(scenario, playbook)


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
