"""From findings of many looks to one diagnosis: what is kept, whose evidence counts, what may be advised.

`root_cause` chooses among findings; this file says which findings, and holds back what may not be said of a
job that still lives: a restart needs proof of death, and a line in a log is none.
"""

from dataclasses import replace

from babysitter.assess.causality import BENIGN_CAUSES, OUTLAST_PROGRESS
from babysitter.assess.root_cause import diagnose
from babysitter.assess.scene import Scene
from babysitter.assess.suspicion import Level, Suspicion
from babysitter.model.facts import JobFacts
from babysitter.model.finding import ActionKind, Cause, Evidence, Finding, Findings, Retry, Severity
from babysitter.model.ids import JobId, is_within
from babysitter.model.job import Job, JobState, Task, TaskState
from babysitter.model.log import Role
from babysitter.model.memory import ErrorNote, Memory
from babysitter.model.observation import Observation, Want
from babysitter.model.verdict import Diagnosis, Reason, SignalKind
from babysitter.read.names import role_of
from babysitter.read.traceback import read_tracebacks

MOST_FINDINGS = 40
STOPPED = "Terminated by user"

# Judged over time, with numbers, by suspicion.py and pending.py: a single line or dump proves none of them.
JUDGED_OVER_TIME = frozenset(
    {
        Cause.ZOMBIE_COORDINATOR,
        Cause.STAGE_STUCK,
        Cause.STRAGGLERS,
        Cause.WORKER_CHURN,
        Cause.CAPACITY_WAIT,
        Cause.UNSCHEDULABLE,
        Cause.PREEMPTION,
        Cause.USER_CANCEL,
    }
)


def keep(memory: Memory, findings: Findings, observation: Observation) -> Memory:
    """The memory with the findings that rest on lines; those that rest on states are found at every look."""
    lines = len(observation.seen_lines)
    base = memory.lines_read - lines
    kept = {} if observation.is_reread else {finding.rule: finding for finding in memory.findings}
    for finding in findings.all:
        if not 0 <= finding.position < lines:
            continue
        last = min(finding.last_position, lines - 1)
        shifted = replace(finding, position=finding.position + base, last_position=last + base)
        before = kept.get(finding.rule)
        kept[finding.rule] = shifted if before is None else _joined(before, shifted)
    worst_first = sorted(kept.values(), key=lambda finding: finding.severity, reverse=True)[:MOST_FINDINGS]
    return replace(memory, findings=tuple(sorted(worst_first, key=lambda finding: finding.position)))


def _joined(before: Finding, again: Finding) -> Finding:
    """A rule's earliest evidence with its newest place; a repetition is one finding with a count."""
    return replace(
        before,
        severity=max(before.severity, again.severity),
        last_position=again.last_position,
        count=before.count + again.count,
        evidence=tuple(dict.fromkeys((*before.evidence[:3], *again.evidence[-1:]))),
    )


def known_findings(scene: Scene) -> Findings:
    """Everything that speaks now: what was kept, and what the states of this look say."""
    lines = len(scene.observation.seen_lines)
    facts = [finding for finding in scene.findings.all if not 0 <= finding.position < lines]
    facts = [replace(f, position=-1, last_position=-1) if f.position >= 0 else f for f in facts]
    return Findings(
        (*scene.memory.findings, *facts), scene.findings.cancelled, scene.findings.novel_templates
    )


def newest_only(scene: Scene, findings: Findings) -> Findings:
    """Those with evidence from the newest attempt: the root's present try and the newest crew."""
    return replace(findings, all=tuple(f for f in findings.all if _is_of_newest(scene, f)))


def _is_of_newest(scene: Scene, finding: Finding) -> bool:
    sources = [(each.source.rpartition(" ")[2], each.attempt) for each in finding.evidence]
    placed = [(source, attempt) for source, attempt in sources if source.startswith("/")]
    return not placed or any(_counts(scene, source, attempt) for source, attempt in placed)


def _counts(scene: Scene, source: str, attempt: int) -> bool:
    root, crew = scene.root, scene.crew
    if crew is not None and is_within(JobId(source), crew.coordinator.id):
        return True
    if crew is not None and crew.workers is not None and is_within(JobId(source), crew.workers.id):
        return True
    if source == root.id:
        return True
    task = next((task for task in root.tasks or () if task.id == source), None)
    if task is None:
        return source.rpartition("/")[0] == root.id
    return attempt < 0 or attempt >= task.current_attempt


def facts_of(scene: Scene) -> JobFacts:
    """What is known of the job beside its lines, from the newest attempt upwards."""
    root, crew = scene.root, scene.crew
    ended = _decisive_task(scene)
    job = crew.coordinator if crew and crew.coordinator.state.ended_badly else root
    limit = max((each.resources.memory_bytes for each in scene.tree), default=0)
    return JobFacts(
        state=root.state,
        exit_code=ended.exit_code if ended and ended.exit_code else None,
        error=(ended.error if ended else "") or job.error or root.error,
        pending_reason=root.pending_reason,
        failure_count=root.failure_count,
        preemption_count=root.preemption_count,
        memory_peak_bytes=scene.memory.peak_memory_bytes,
        memory_limit_bytes=limit or None,
        last_line_age_s=scene.age_s(scene.memory.last_line_at) if scene.sees_lines else None,
        stopped_at_root=was_stopped(root),
        retried_by_itself=not root.state.is_terminal and (scene.is_healing or scene.retries > 0),
        advanced_after=scene.memory.advanced_position,
    )


def was_stopped(root: Job) -> bool:
    """Whether the root itself was ended through the controller. At a child the same words prove nothing."""
    texts = [root.error, *(task.error for task in root.tasks or ())]
    return root.state is JobState.KILLED and any(STOPPED in text for text in texts)


def _decisive_task(scene: Scene) -> Task | None:
    """The first task of the newest attempt that ended by itself and badly: coordinator, root, workers."""
    crew = scene.crew
    jobs = [crew.coordinator if crew else None, scene.root, crew.workers if crew else None]
    tasks = [task for job in jobs if job is not None for task in job.tasks or ()]
    bad = (TaskState.FAILED, TaskState.WORKER_FAILED)
    return next((task for task in tasks if task.state in bad and (task.exit_code or task.error)), None)


def diagnosis_of_the_end(scene: Scene) -> Diagnosis:
    """The cause of an end: from the newest attempt, else from whatever the whole run shows."""
    facts, findings = facts_of(scene), known_findings(scene)
    newest = diagnose(newest_only(scene, findings), facts)
    if newest.cause is Cause.UNKNOWN:
        widest = diagnose(findings, facts)
        newest = widest if widest.cause is not Cause.UNKNOWN else newest
    return _without_a_change(_raised_by_itself(scene, newest))


def _raised_by_itself(scene: Scene, diagnosis: Diagnosis) -> Diagnosis:
    """An exception that the program's own code raises in every one of its tries is the program's own.

    What it says may sound like broken input; but what was read from outside would fail in what reads it.
    """
    note = _repeated(scene)
    is_vague = diagnosis.cause in (Cause.UNKNOWN, Cause.DATA_ERROR)
    if note is None or not is_vague or _count(scene, note) < scene.limits.same_error_escalate_count:
        return diagnosis
    lines = scene.observation.seen_lines or scene.memory.recent_lines
    units = read_tracebacks([line.text for line in lines], [line.task for line in lines])
    raised = next((unit.raised[0] for unit in reversed(units) if unit.raised and unit.raised[0].frames), None)
    if raised is None or not raised.frames[-1].is_user or raised.name not in note.text:
        return diagnosis
    return replace(
        diagnosis,
        cause=Cause.CODE_ERROR,
        severity=Severity.FATAL,
        action=ActionKind.ESCALATE,
        explanation=f"The program itself raises {raised.name} in every try ({raised.frames[-1]}): "
        f"{raised.message[:200]}",
        retry=Retry.USELESS,
    )


def _without_a_change(diagnosis: Diagnosis) -> Diagnosis:
    """Code and data are changed by people, not by another submission: somebody must look."""
    by_people = diagnosis.cause in (Cause.CODE_ERROR, Cause.DATA_ERROR)
    if by_people and diagnosis.change is None and diagnosis.action.restarts:
        return replace(diagnosis, action=ActionKind.ESCALATE)
    return diagnosis


def errors(scene: Scene) -> Suspicion:
    """Fatal-looking evidence of a job that still runs: tries that failed alike, lines nothing came after."""
    repeated = _repeated(scene)
    limits, memory = scene.limits, scene.memory
    count = _count(scene, repeated) if repeated else 0
    found = _diagnosis_of_the_living(scene)
    since = memory.suspicious_since.get(SignalKind.ERRORS)
    stands_s = scene.age_s(since) if found is not None else 0.0
    is_same = count >= limits.same_error_escalate_count
    is_fatal = found is not None and found.severity is Severity.FATAL
    is_lasting = is_fatal and stands_s >= limits.suspect_most_s
    reasons = (
        Reason(
            "errors.same-error-again",
            is_same,
            f"{count} tries ended in the same error (told from {limits.same_error_escalate_count} on)",
        ),
        Reason("errors.fatal-evidence", is_fatal, found.explanation if found else "no evidence of a failure"),
        Reason(
            "errors.nothing-came-after",
            is_lasting,
            f"it stands for {stands_s:.0f} s without progress (told from {limits.suspect_most_s:.0f} s on)",
        ),
    )
    if is_same and repeated is not None:
        told = _of_repetition(scene, repeated, count, found)
        return Suspicion(SignalKind.ERRORS, Level.PROVEN, reasons, told.explanation, told, told.evidence)
    if found is None:
        return Suspicion(SignalKind.ERRORS, Level.NONE, reasons)
    level = Level.PROVEN if is_lasting else Level.POSSIBLE
    wants = frozenset({Want.TASKS, Want.WORKER_LINES})
    return Suspicion(SignalKind.ERRORS, level, reasons, found.explanation, found, found.evidence, wants)


def _diagnosis_of_the_living(scene: Scene) -> Diagnosis | None:
    findings = newest_only(scene, known_findings(scene))
    findings = replace(findings, all=tuple(f for f in findings.all if _still_matters(scene, f)))
    found = diagnose(findings, facts_of(scene))
    if found.cause in BENIGN_CAUSES or found.severity < Severity.DEGRADED or found.cause in JUDGED_OVER_TIME:
        return None
    return living(found)


def _still_matters(scene: Scene, finding: Finding) -> bool:
    """Whether a finding can be news about a job that lives: not overcome, and not the job's own to mend."""
    if finding.cause in JUDGED_OVER_TIME:
        return False
    # Workers are replaced and their shards tried again by the pipeline itself; when that does not help, the
    # coordinator gives up, or nothing completes any more, and either is seen.
    if scene.needs_crew and all(_is_of_worker(scene, each) for each in finding.evidence):
        return False
    if finding.position < 0:
        return all(_has_ended_badly(scene, each.source.rpartition(" ")[2]) for each in finding.evidence)
    advanced_at = scene.memory.advanced_at
    is_older = advanced_at is not None and all(
        each.at and each.at <= advanced_at for each in finding.evidence
    )
    return not is_older or finding.cause in OUTLAST_PROGRESS


def _is_of_worker(scene: Scene, evidence: Evidence) -> bool:
    source = evidence.source.rpartition(" ")[2]
    return evidence.role is Role.WORKER or role_of(JobId(_job_in(source)), scene.root.id) is Role.WORKER


def _has_ended_badly(scene: Scene, source: str) -> bool:
    """Whether a state is about something that is over: what lives keeps the errors of its earlier tries."""
    tasks = [task for job in scene.tree for task in job.tasks or () if task.id == source]
    if tasks:
        return tasks[0].state.is_terminal and tasks[0].state is not TaskState.SUCCEEDED
    job = scene.tree.find(JobId(source))
    return job is None or job.state.ended_badly or job.state is scene.root.state


def _job_in(source: str) -> str:
    """The job of a source, which names a job or one of its tasks."""
    job, _, last = source.rpartition("/")
    return job if last.isdigit() else source


def living(diagnosis: Diagnosis) -> Diagnosis:
    """A diagnosis of a job that still runs: without proof of death it offers no restart."""
    if diagnosis.action.restarts:
        return replace(diagnosis, action=ActionKind.ESCALATE)
    return diagnosis


def _repeated(scene: Scene) -> ErrorNote | None:
    notes = [note for note in scene.memory.errors if STOPPED not in note.text]
    return max(notes, key=lambda note: note.count, default=None)


def _count(scene: Scene, note: ErrorNote) -> int:
    """How many tries ended so. A generation that lists only the present try leaves the others to be counted."""
    own = [each for each in scene.memory.errors if any(":" in tried for tried in each.tries)]
    if own == [note]:
        return max(note.count, scene.root.failure_count)
    return note.count


def _of_repetition(scene: Scene, note: ErrorNote, count: int, found: Diagnosis | None) -> Diagnosis:
    base = _raised_by_itself(scene, found if found is not None else diagnosis_of_the_end(scene))
    cause = base.cause if base.cause not in BENIGN_CAUSES else Cause.UNKNOWN
    evidence = (Evidence(note.text[:400], f"job {scene.root.id}", at=note.seen_at), *base.evidence)
    return replace(
        base,
        cause=cause,
        severity=Severity.FATAL,
        action=ActionKind.ESCALATE,
        explanation=f"{count} tries of the job ended in the same error; another will too. {base.explanation}",
        evidence=evidence[:6],
    )
