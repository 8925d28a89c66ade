"""A watched job, or a text, beside its good runs: the profile that grows, and what the comparison says."""

from dataclasses import dataclass, replace

from babysitter.diagnosis.last_good.build_profile import MAX_TEMPLATES, MAX_TEMPLATES_OF_WATCH, add_lines
from babysitter.diagnosis.last_good.compare import SHOWN, compare_runs
from babysitter.diagnosis.last_good.good_runs import GoodRuns
from babysitter.diagnosis.last_good.rule_input import KnownReports, known_report_findings, with_good_runs
from babysitter.model.finding import Cause, Evidence, Findings
from babysitter.model.memory import Memory
from babysitter.model.observation import Excerpt, Observation
from babysitter.model.run_profile import DifferenceKind, RunComparison, StageDuration
from babysitter.model.verdict import Diagnosis, Verdict

ONLY_DIFFERENT = "No rule finds anything wrong, but the run differs from the last good run."
MAX_NEW_LINES = 6  # given to a diagnosis that knows no cause
SILENT_S = 1800.0  # a text whose newest line is older is compared as a whole run


@dataclass(frozen=True, slots=True)
class BesideGoodRuns:
    """What one look says of a job beside its good runs."""

    comparison: RunComparison
    known: KnownReports


def with_profile(memory: Memory, observation: Observation, *, is_compared: bool) -> Memory:
    """The memory with the new lines in the profile. Of a text only where it is compared."""
    lines = observation.seen_lines
    if observation.excerpt is not None:
        return (
            replace(memory, profile=add_lines(memory.profile, lines, at_most=MAX_TEMPLATES))
            if is_compared
            else memory
        )
    if observation.is_reread and memory.profile.lines:  # most of them are counted already
        lines = tuple(line for line in lines if line.at_ms / 1000 > memory.profile.last_at_s)
    stages = tuple(
        StageDuration(stage.label, (stage.ended_at - stage.started_at).total_seconds())
        for stage in memory.stages
        if stage.started_at is not None and stage.ended_at is not None
    )
    profile = add_lines(memory.profile, lines, at_most=MAX_TEMPLATES_OF_WATCH)
    return replace(memory, profile=replace(profile, stages=stages) if stages != profile.stages else profile)


def beside_good_runs(memory: Memory, observation: Observation, good: GoodRuns) -> BesideGoodRuns:
    """Compare the run as far as it is known."""
    root = observation.seen_tree.root if observation.seen_tree is not None else None
    has_failed = root is not None and root.state.ended_badly
    is_over = root is not None and root.state.is_terminal
    if (excerpt := observation.excerpt) is not None:
        is_silent = (excerpt.facts.last_line_age_s or 0.0) > SILENT_S
        is_over = excerpt.facts.state is None or excerpt.facts.state.is_terminal or is_silent
    comparison = compare_runs(
        memory.profile, good, state=root.state if root is not None else None, is_over=is_over
    )
    if excerpt is not None:
        comparison = _placed_in(comparison, excerpt)
    is_usual = comparison.has_ended_as_usual and not has_failed
    known = KnownReports(good, memory.profile, is_over=is_over and not is_usual)
    return BesideGoodRuns(comparison, known)


def _placed_in(comparison: RunComparison, excerpt: Excerpt) -> RunComparison:
    """The comparison of a text, its new lines with their places in the file."""
    placed = tuple(
        replace(difference, evidence=_in_file(difference.evidence, excerpt))
        if difference.evidence is not None
        else difference
        for difference in comparison.differences
    )
    return replace(comparison, differences=placed)


def _in_file(evidence: Evidence, excerpt: Excerpt) -> Evidence:
    number = evidence.line_number
    return replace(
        evidence,
        source=excerpt.source,
        line_number=None if number is None else number + excerpt.first_line,
    )


def with_known_reports(findings: Findings, beside: BesideGoodRuns, observation: Observation) -> Findings:
    """Findings as good runs see them, before anything is guessed."""
    excerpt = observation.excerpt
    calmed = with_good_runs(findings, beside.known)
    first = excerpt.first_line if excerpt is not None else 0
    noise = known_report_findings(observation.seen_lines, beside.known, first_place=first)
    cancelled = (*calmed.cancelled, *((finding, finding.rule) for finding in noise))
    return replace(calmed, cancelled=cancelled, novel_templates=_new_lines(beside.comparison))


def with_comparison(verdict: Verdict, comparison: RunComparison) -> Verdict:
    """The verdict with the differences; its diagnosis has those of the first screen."""
    diagnosis = verdict.diagnosis
    if diagnosis is not None:
        diagnosis = with_differences(diagnosis, comparison)
    return replace(verdict, comparison=comparison, diagnosis=diagnosis)


def with_differences(diagnosis: Diagnosis, comparison: RunComparison) -> Diagnosis:
    """A diagnosis with the differences of the first screen; one that finds nothing says so."""
    if not comparison.differences:
        return diagnosis
    diagnosis = replace(diagnosis, differences=comparison.differences[:SHOWN])
    if diagnosis.cause is not Cause.HEALTHY:
        return diagnosis
    return replace(diagnosis, explanation=ONLY_DIFFERENT)


def _new_lines(comparison: RunComparison) -> tuple[Evidence, ...]:
    new = [
        difference.evidence for difference in comparison.differences if difference.kind is DifferenceKind.NEW
    ]
    return tuple(evidence for evidence in new if evidence is not None)[:MAX_NEW_LINES]
