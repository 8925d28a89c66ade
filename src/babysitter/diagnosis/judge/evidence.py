"""From findings of many looks to one diagnosis: what is kept, whose evidence counts, what may be advised.

`root_cause` chooses among findings; this file says which findings, and holds back what may not be said of a
job that still lives: a restart needs proof of death, and a line in a log is none.
"""

from dataclasses import replace

from babysitter.diagnosis.judge.root_cause import diagnose
from babysitter.diagnosis.judge.snapshot import STOPPED, Snapshot
from babysitter.diagnosis.timeline.counts.slow_pace import find_proof_of_work
from babysitter.diagnosis.timeline.pace import usual_silence_s
from babysitter.diagnosis.timeline.processes.traceback import read_tracebacks
from babysitter.model.finding import ActionKind, Cause, Evidence, Finding, Findings, Retry, Severity
from babysitter.model.ids import JobId, is_within
from babysitter.model.job import Task, TaskState
from babysitter.model.job_facts import JobFacts
from babysitter.model.memory import ErrorNote, Memory
from babysitter.model.observation import Observation
from babysitter.model.verdict import Diagnosis

MAX_FINDINGS = 40
MEASURED = "measured."  # begins the rule id of findings that are folded over all lines
LAST_WORDS = 3  # lines shown of an end that nothing explains


def retain_findings(memory: Memory, findings: Findings, observation: Observation) -> Memory:
    """The memory with the findings that rest on lines, which count from the job's first line from here on.

    Those that rest on states are found at every look.
    """
    lines = len(observation.seen_lines)
    base = memory.lines_read - lines
    kept = {} if observation.is_reread else {finding.rule: finding for finding in memory.findings}
    for finding in findings.all:
        if not 0 <= finding.position < lines:
            continue
        last = min(finding.last_position, lines - 1)
        placed = replace(finding, last_position=last).moved(base)
        before = kept.get(finding.rule)
        kept[finding.rule] = placed if before is None else _joined(before, placed)
    worst_first = sorted(kept.values(), key=lambda finding: finding.severity, reverse=True)[:MAX_FINDINGS]
    return replace(memory, findings=tuple(sorted(worst_first, key=lambda finding: finding.position)))


def _joined(before: Finding, again: Finding) -> Finding:
    """A rule's earliest evidence with its newest place; a repetition is one finding with a count.

    What is measured counts from the first bad report on, and tells the newest count.
    """
    if again.rule.startswith(MEASURED):
        evidence = dict.fromkeys((*before.evidence[:1], *again.evidence[-1:]))
        return replace(again, position=before.position, evidence=tuple(evidence))
    return replace(
        before,
        severity=max(before.severity, again.severity),
        last_position=again.last_position,
        count=before.count + again.count,
        evidence=tuple(dict.fromkeys((*before.evidence[:3], *again.evidence[-1:]))),
        overcome_by=again.overcome_by,
    )


def known_findings(snapshot: Snapshot) -> Findings:
    """Everything that speaks now: what was kept, and what the states of this look say."""
    if snapshot.is_last_look:
        return snapshot.findings
    lines = len(snapshot.observation.seen_lines)
    facts = [finding for finding in snapshot.findings.all if not 0 <= finding.position < lines]
    facts = [replace(f, position=-1, last_position=-1) if f.position >= 0 else f for f in facts]
    return replace(snapshot.findings, all=(*snapshot.memory.findings, *facts))


def newest_only(snapshot: Snapshot, findings: Findings) -> Findings:
    """Those with evidence from the newest attempt: the root's present try and the newest pipeline attempt."""
    return replace(findings, all=tuple(f for f in findings.all if _is_of_newest(snapshot, f)))


def _is_of_newest(snapshot: Snapshot, finding: Finding) -> bool:
    sources = [(line.source.rpartition(" ")[2], line.attempt) for line in finding.evidence]
    placed = [(source, attempt) for source, attempt in sources if source.startswith("/")]
    return not placed or any(_counts(snapshot, source, attempt) for source, attempt in placed)


def _counts(snapshot: Snapshot, source: str, attempt: int) -> bool:
    root, pipeline = snapshot.root, snapshot.pipeline
    if pipeline is not None and is_within(JobId(source), pipeline.coordinator.id):
        return True
    if (
        pipeline is not None
        and pipeline.workers is not None
        and is_within(JobId(source), pipeline.workers.id)
    ):
        return True
    if source == root.id:
        return True
    task = next((task for task in root.tasks or () if task.id == source), None)
    if task is None:
        return source.rpartition("/")[0] == root.id
    return attempt < 0 or attempt >= task.current_attempt


def facts_of(snapshot: Snapshot) -> JobFacts:
    """What is known of the job beside its lines, from the newest attempt upwards."""
    root, pipeline = snapshot.root, snapshot.pipeline
    if (excerpt := snapshot.observation.excerpt) is not None:
        return replace(
            excerpt.facts,
            retried_by_itself=excerpt.facts.retried_by_itself or snapshot.was_restarted_by_itself,
            advanced_after=find_proof_of_work(snapshot.memory),
            usual_silence_s=usual_silence_s(snapshot.memory),
        )
    ended = _decisive_task(snapshot)
    job = pipeline.coordinator if pipeline and pipeline.coordinator.state.ended_badly else root
    limit = max((job.resources.memory_bytes for job in snapshot.tree), default=0)
    return JobFacts(
        state=root.state,
        exit_code=ended.exit_code if ended and ended.exit_code else None,
        error=(ended.error if ended else "") or job.error or root.error,
        pending_reason=root.pending_reason,
        failure_count=root.failure_count,
        preemption_count=root.preemption_count,
        memory_peak_bytes=snapshot.memory.peak_memory_bytes,
        memory_limit_bytes=limit or None,
        last_line_age_s=snapshot.age_s(snapshot.memory.last_line_at) if snapshot.sees_lines else None,
        stopped_at_root=snapshot.was_stopped,
        retried_by_itself=not root.state.is_terminal and (snapshot.is_healing or snapshot.retries > 0),
        advanced_after=find_proof_of_work(snapshot.memory),
        usual_silence_s=usual_silence_s(snapshot.memory),
    )


def _decisive_task(snapshot: Snapshot) -> Task | None:
    """The first task of the newest attempt that ended by itself and badly: coordinator, root, workers."""
    pipeline = snapshot.pipeline
    jobs = [pipeline.coordinator if pipeline else None, snapshot.root, pipeline.workers if pipeline else None]
    tasks = [task for job in jobs if job is not None for task in job.tasks or ()]
    bad = (TaskState.FAILED, TaskState.WORKER_FAILED)
    return next((task for task in tasks if task.state in bad and (task.exit_code or task.error)), None)


def diagnosis_of_the_end(snapshot: Snapshot) -> Diagnosis:
    """The cause of an end: from the newest attempt, else from whatever the whole run shows."""
    facts, findings = facts_of(snapshot), known_findings(snapshot)
    newest = newest_only(snapshot, findings)
    if diagnose(replace(newest, reading=None), facts).cause is Cause.UNKNOWN:
        newest = findings
    found = diagnose(newest, facts)
    return _tried_out(snapshot, _with_last_words(snapshot, raised_by_itself(snapshot, found)))


def _with_last_words(snapshot: Snapshot, diagnosis: Diagnosis) -> Diagnosis:
    """An end that nothing explains still shows how it ended and what was said last."""
    if diagnosis.cause is not Cause.UNKNOWN or diagnosis.evidence or snapshot.observation.excerpt is not None:
        return diagnosis  # of a text the last lines are shown beside it
    task = _decisive_task(snapshot)
    ended = [] if task is None else [Evidence(task.error or f"exit code {task.exit_code}", task.id)]
    lines = [line for line in snapshot.memory.recent_lines if line.text.strip()]
    of_task = [line for line in lines if task is None or line.task == task.id]
    said = [Evidence(line.text, line.task, attempt=line.attempt) for line in of_task[-LAST_WORDS:]]
    return replace(diagnosis, evidence=(*ended, *said))


def raised_by_itself(snapshot: Snapshot, diagnosis: Diagnosis) -> Diagnosis:
    """An exception that the program's own code raises in every one of its tries is the program's own.

    What it says may sound like broken input; but what was read from outside would fail in what reads it.
    """
    note = repeated(snapshot)
    is_vague = diagnosis.cause in (Cause.UNKNOWN, Cause.DATA_ERROR)
    if note is None or not is_vague or tries_of(snapshot, note) < snapshot.limits.same_error_escalate_count:
        return diagnosis
    lines = snapshot.observation.seen_lines or snapshot.memory.recent_lines
    units = read_tracebacks([line.text for line in lines], [line.task for line in lines])
    raised = next((unit.raised[0] for unit in reversed(units) if unit.raised and unit.raised[0].frames), None)
    if raised is None or not raised.frames[-1].is_user or raised.name not in note.text:
        return diagnosis
    return replace(
        diagnosis,
        cause=Cause.CODE_ERROR,
        likelihood=None,
        severity=Severity.FATAL,
        action=ActionKind.ESCALATE,
        explanation=f"The program itself raises {raised.name} in every try ({raised.frames[-1]}): "
        f"{raised.message[:200]}",
        retry=Retry.USELESS,
    )


def _tried_out(snapshot: Snapshot, diagnosis: Diagnosis) -> Diagnosis:
    """What failed alike in every try that the pipeline itself made needs a person, not another submission."""
    by_people = diagnosis.cause in (Cause.CODE_ERROR, Cause.DATA_ERROR)
    is_tried_out = snapshot.memory.shard_tries >= snapshot.limits.same_error_escalate_count
    if by_people and is_tried_out and diagnosis.change is None and diagnosis.action.restarts:
        return replace(diagnosis, action=ActionKind.ESCALATE)
    return diagnosis


def findings_still_valid(diagnosis: Diagnosis) -> Diagnosis:
    """A diagnosis of a job that still runs: without proof of death it offers no restart."""
    if diagnosis.action.restarts:
        return replace(diagnosis, action=ActionKind.ESCALATE)
    return diagnosis


def repeated(snapshot: Snapshot) -> ErrorNote | None:
    """The error that ended most tries of the job; None when none did."""
    notes = [note for note in snapshot.memory.errors if STOPPED not in note.text]
    return max(notes, key=lambda note: note.count, default=None)


def tries_of(snapshot: Snapshot, note: ErrorNote) -> int:
    """How many tries ended so. Some generations list only the present try: then the job's counter tells."""
    own = [error for error in snapshot.memory.errors if any(":" in tried for tried in error.tries)]
    if own == [note]:
        return max(note.count, snapshot.root.failure_count)
    return note.count
