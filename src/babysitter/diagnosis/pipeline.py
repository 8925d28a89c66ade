"""The pure middle of a check: remember, classify, assess. `check` and `replay` are the same call of it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from babysitter.diagnosis.causes.demotion import NOTHING_DEMOTED, demote
from babysitter.diagnosis.causes.left_out import with_left_out
from babysitter.diagnosis.causes.loss_rules import non_finite_findings, runaway_findings
from babysitter.diagnosis.causes.match_rules import classify
from babysitter.diagnosis.causes.rule_fields import PaceFields
from babysitter.diagnosis.causes.rules_in_force import Playbook
from babysitter.diagnosis.compare_watch import (
    beside_good_runs,
    with_comparison,
    with_known_reports,
    with_profile,
)
from babysitter.diagnosis.frame.structured_lines import unwrap_text
from babysitter.diagnosis.guess_in_watch import with_guess
from babysitter.diagnosis.judge.assess import assess
from babysitter.diagnosis.judge.evidence import facts_of
from babysitter.diagnosis.judge.program_advice import with_first_advice, with_more_detail
from babysitter.diagnosis.judge.snapshot import Snapshot
from babysitter.diagnosis.judge.suspicions.stalled import motion_of
from babysitter.diagnosis.last_good.good_runs import GoodRuns
from babysitter.diagnosis.learned.read_log import read_log, shipped_verdict_weights
from babysitter.diagnosis.timeline.aftermath import JobEnd
from babysitter.diagnosis.timeline.measures.loss import is_at_its_level
from babysitter.diagnosis.timeline.measures.non_finite import came_back, find_non_finite
from babysitter.diagnosis.timeline.overcome import mark_overcome
from babysitter.diagnosis.timeline.pace import quiet_limit_s, usual_silence_s
from babysitter.diagnosis.timeline.pipelines.stage_pace import current_stage, since_last_completion_s
from babysitter.diagnosis.timeline.pipelines.zephyr_jobs import role_of
from babysitter.diagnosis.timeline.repetition.new_lines import learn_healthy, new_lines
from babysitter.diagnosis.timeline.startup.startup_phases import (
    durations_of,
    read_startup_lines,
    table_of,
    usual_of,
)
from babysitter.diagnosis.timeline.update_memory import update_memory
from babysitter.model.finding import Cause, Findings, Severity
from babysitter.model.ids import RuleId, TaskId, job_of
from babysitter.model.learned_weights import VerdictWeights
from babysitter.model.limits import Limits
from babysitter.model.log import Role
from babysitter.model.memory import Memory
from babysitter.model.observation import Observation
from babysitter.model.phase import Phase
from babysitter.model.progress import Motion
from babysitter.model.seen import Seen
from babysitter.model.verdict import SignalKind, Verdict
from babysitter.model.watch import Watch


@dataclass(frozen=True, slots=True)
class Considered:
    """A verdict with everything that it rests on."""

    verdict: Verdict
    findings: Findings


def judge(
    watch: Watch,
    observation: Observation,
    playbook: Playbook,
    *,
    backend: str = "iris",
    good: GoodRuns | None = None,
    demoted: Mapping[RuleId, str] = NOTHING_DEMOTED,
) -> Verdict:
    """What an observation means for a watch. Pure; the memory to keep is in the verdict.

    `good`: earlier runs of the same program that ended well. `demoted`: rules that count as hints, and why.
    """
    return consider(watch, observation, playbook, backend=backend, good=good, demoted=demoted).verdict


def _with_plain_lines(observation: Observation) -> Observation:
    """The observation with the lines of JSON and logfmt loggers as other loggers write them."""
    if not isinstance(observation.lines, Seen) or observation.excerpt is not None:
        return observation
    lines = tuple(
        line if (text := unwrap_text(line.text)) is line.text else line._replace(text=text)
        for line in observation.lines.value
    )
    return replace(observation, lines=replace(observation.lines, value=lines))


def consider(
    watch: Watch,
    observation: Observation,
    playbook: Playbook,
    *,
    backend: str = "iris",
    good: GoodRuns | None = None,
    demoted: Mapping[RuleId, str] = NOTHING_DEMOTED,
    weights: VerdictWeights | None = None,
) -> Considered:
    """As `judge`, with what the rules found. `weights`: of verdicts, other than the shipped ones."""
    observation = _with_plain_lines(observation)
    memory = _with_startup(update_memory(watch.memory, observation), observation, good)
    memory = with_profile(memory, observation, is_compared=good is not None)
    beside = beside_good_runs(memory, observation, good) if good is not None else None

    def its_role(task: TaskId) -> Role | None:
        return memory.roles.get(task) or role_of(job_of(task), observation.root)

    findings = classify(
        observation,
        playbook if observation.excerpt else playbook.for_job(backend, memory.kind),
        carried=() if observation.is_reread else watch.memory.recent_lines,
        measures=measures_of(memory, motion_of(memory, observation, watch.limits)),
        last_log_age_s=last_line_age_s(memory, observation),
        role_of_task=its_role,
    )
    findings, demotions = demote(findings, demoted)
    if beside is not None:
        findings = with_known_reports(findings, beside, observation)
    if observation.seen_tree is not None:
        facts = facts_of(Snapshot(observation.seen_tree, observation, findings, memory, watch.limits))
        memory, findings = with_guess(memory, findings, observation, facts, watch.memory.recent_lines)
        reading = read_log(
            memory,
            observation,
            facts,
            weights or shipped_verdict_weights(),
            playbook.own_rules | demoted.keys(),
        )
        findings = replace(findings, reading=reading)
    lines = observation.seen_lines
    memory, findings = _with_measures(memory, findings, observation, before=watch.memory)
    memory, findings = _with_aftermath(memory, findings, observation, watch.limits, before=watch.memory)
    findings = replace(findings, all=with_left_out(findings, memory, observation))
    if not findings.fatal and not findings.novel_templates and _is_in_trouble(memory):
        findings = replace(findings, novel_templates=new_lines(memory, lines))
    verdict = assess(observation, findings, memory, watch.limits)
    if verdict.phase is Phase.STEADY and findings.worst <= Severity.INFO:
        verdict = replace(verdict, memory=learn_healthy(verdict.memory, lines))
    if (table := table_of(memory.startup)) is not None and verdict.diagnosis is not None:
        diagnosis = with_first_advice(verdict.diagnosis, table)
        is_stalled = _start_stands_still(verdict)
        if observation.excerpt is None and (is_stalled or _is_over(verdict)):
            diagnosis = with_more_detail(diagnosis, table, is_stalled=is_stalled)
        verdict = replace(verdict, diagnosis=diagnosis)
    if beside is not None:
        verdict = with_comparison(verdict, beside.comparison)
    return Considered(replace(verdict, reasons=(*verdict.reasons, *demotions)), findings)


def _is_over(verdict: Verdict) -> bool:
    return verdict.outlook.job_state is not None and verdict.outlook.job_state.ended_badly


def _start_stands_still(verdict: Verdict) -> bool:
    return verdict.cause is Cause.STAGE_STUCK and any(
        signal.kind is SignalKind.NOT_UP_YET for signal in verdict.signals
    )


def _with_startup(memory: Memory, observation: Observation, good: GoodRuns | None) -> Memory:
    """The phases of the start, with how long they took in good runs; this run's own, once it is through."""
    startup = read_startup_lines(memory.startup, observation.seen_lines, observation.seen_tree)
    if not startup.program:
        return memory
    startup = replace(startup, usual=usual_of(good.profiles) if good is not None else ())
    profile = replace(memory.profile, startup=durations_of(startup) or memory.profile.startup)
    return replace(memory, startup=startup, profile=profile)


def _with_measures(
    memory: Memory, findings: Findings, observation: Observation, *, before: Memory
) -> tuple[Memory, Findings]:
    """What measured values prove. Values that are finite again, or at their level, clear what was held."""
    base = 0 if observation.is_reread else before.lines_read
    excerpt = observation.excerpt
    offset, source = (base, "") if excerpt is None else (0, excerpt.source)
    found = (
        *non_finite_findings(memory.measures, first_position=base, offset=offset, source=source),
        *runaway_findings(memory.loss_courses, first_position=base, offset=offset, source=source),
    )
    is_finite_again = (
        find_non_finite(before.measures) is not None and find_non_finite(memory.measures) is None
    )
    if not found and (is_finite_again or is_at_its_level(memory.loss_courses, base)):
        kept = tuple(
            finding for finding in memory.findings if finding.cause is not Cause.NUMERICAL_DIVERGENCE
        )
        memory = replace(memory, findings=kept)
    returned = came_back(memory.measures)
    moved = 0 if excerpt is not None else base
    others = tuple(
        finding
        for finding in findings.all
        if finding.cause is not Cause.NUMERICAL_DIVERGENCE or finding.last_position + moved not in returned
    )
    return memory, replace(findings, all=(*found, *others))


def _with_aftermath(
    memory: Memory, findings: Findings, observation: Observation, limits: Limits, *, before: Memory
) -> tuple[Memory, Findings]:
    """What the job has overcome, of what was found at this look and before it.

    Of a job that prints little it takes several looks to see normal work.
    """
    lines = observation.seen_lines
    tree = observation.seen_tree
    quiet_s = last_line_age_s(memory, observation) or 0.0
    unusual_s = quiet_limit_s(memory.work, memory.line_gap_s, limits)
    if unusual_s is None:
        unusual_s = max(limits.pace_floor_s, limits.pace_gap_factor * memory.line_gap_s)
    is_quiet = quiet_s > max(unusual_s, usual_silence_s(memory))
    end = JobEnd(tree is not None and tree.root.state.ended_badly, is_quiet)
    base = 0 if observation.is_reread else before.lines_read
    offset = 0 if observation.excerpt is not None else base
    found = mark_overcome(findings.all, lines, memory, end, first_position=base, offset=offset)
    carried = () if observation.is_reread else before.recent_lines
    kept = mark_overcome(memory.findings, (*carried, *lines), memory, end, first_position=base - len(carried))
    return replace(memory, findings=kept), replace(findings, all=found)


def _is_in_trouble(memory: Memory) -> bool:
    has_ended_badly = memory.root_state is not None and memory.root_state.ended_badly
    return has_ended_badly or memory.phase in (Phase.SUSPECT, Phase.FAILING)


def measures_of(memory: Memory, motion: Motion | None = None) -> PaceFields:
    """The pace of the stage under way, under the names that playbooks compare."""
    stage = current_stage(memory.stages, memory.newest_attempt)
    if stage is None:
        return PaceFields(motion)
    counts = {
        "done": stage.done,
        "total": stage.total,
        "in_flight": stage.in_flight,
        "queued": stage.queued,
        "alive": stage.alive,
        "workers": stage.workers,
        "gone": stage.gone,
        "done_ratio": stage.done / stage.total if stage.total else None,
        "dead_ratio": _ratio(stage.gone, stage.workers),
        "alive_ratio": _ratio(stage.alive, stage.workers),
        "quiet_s": since_last_completion_s(stage),
    }
    return PaceFields(motion, {name: float(value) for name, value in counts.items() if value is not None})


def _ratio(part: int | None, whole: int | None) -> float | None:
    return part / whole if part is not None and whole else None


def last_line_age_s(memory: Memory, observation: Observation) -> float | None:
    """How long the job had been silent when it was looked at, seconds; None when it never spoke."""
    if memory.last_line_at is None:
        return None
    return max(0.0, (observation.taken_at - memory.last_line_at).total_seconds())
