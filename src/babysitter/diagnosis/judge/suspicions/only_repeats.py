"""For long a job has only printed lines that it had printed before."""

from collections.abc import Sequence
from datetime import UTC, datetime

from babysitter.diagnosis.judge.likelihood.cause_by_lines import cause_by_lines, with_cause
from babysitter.diagnosis.judge.snapshot import Snapshot
from babysitter.diagnosis.judge.suspicions.patience import was_reported
from babysitter.diagnosis.judge.suspicions.suspicion import Certainty, Suspicion, none_of
from babysitter.diagnosis.timeline.entries import read_entries
from babysitter.diagnosis.timeline.pace import usual_silence_s
from babysitter.diagnosis.timeline.repetition.housekeeping import is_housekeeping
from babysitter.diagnosis.timeline.repetition.nothing_new import is_long_since_new, may_repeat
from babysitter.diagnosis.timeline.repetition.only_polls import is_poll
from babysitter.diagnosis.timeline.repetition.wordings import (
    is_regular,
    is_request,
    reports_trouble,
    shows_work,
)
from babysitter.model.finding import ActionKind, Cause, Evidence, Retry, Severity
from babysitter.model.observation import Want
from babysitter.model.run_profile import LineTemplate
from babysitter.model.verdict import Diagnosis, Reason, SignalKind

TEXTS_OF_A_WORDING = 2  # guess: more of them are values that return: parts of an epoch, cameras in turn
NEVER_WORKED = 2.0  # guess: times as long as after other work began, where no work was ever seen
NEAR_S = 60.0  # guess: before the newest new line, a report is of what stopped the job
_WANTS = frozenset({Want.ROOT_DUMP, Want.WORKER_DUMPS, Want.TASKS})


def only_repeats(snapshot: Snapshot) -> Suspicion:
    """Only known lines are printed, digit by digit, by no server that waits and none that is asked."""
    memory, texts = snapshot.memory, snapshot.memory.texts
    if not snapshot.runs or not snapshot.sees_lines or snapshot.needs_crew or texts.new_at_s is None:
        return none_of(SignalKind.STUCK, "texts.new", "not a running job whose own log was read")
    new_at = datetime.fromtimestamp(texts.new_at_s, UTC)
    if snapshot.began_at is not None and new_at < snapshot.began_at:
        return none_of(SignalKind.STUCK, "texts.new", "the newest try has printed nothing yet")
    is_reported = was_reported(snapshot, texts.new_at_s - NEAR_S, texts.new_at_s + NEAR_S)
    least_s = snapshot.limits.work_stopped_s if is_reported else snapshot.limits.nothing_new_s
    least_s = max(least_s, usual_silence_s(memory))
    if not is_reported and not _has_worked(snapshot):
        least_s = max(least_s, NEVER_WORKED * snapshot.limits.work_announced_s)
    told = f"{texts.repeats} lines in {texts.repeated_for_s / 60:.0f} minutes, and none that is new"
    is_long = is_long_since_new(texts, least_s)
    reasons = (Reason("texts.new", is_long, f"{told} (told from {least_s / 60:.0f} min on)"),)
    if not is_long:
        return Suspicion(SignalKind.STUCK, Certainty.NONE, reasons)
    repeated = [line for line in memory.profile.templates if line.last_at_s > texts.new_at_s]
    if _may_repeat(snapshot, repeated, is_reported=is_reported):
        why_not = "they are a round of values, or of a server, a wait or a part that only lives"
        return none_of(SignalKind.STUCK, "texts.work", why_not)
    chatter = [line for line in repeated if not reports_trouble(line)]
    found = cause_by_lines(snapshot, texts.new_at_s - NEAR_S, chatter=chatter, silent_s=least_s)
    diagnosis = with_cause(
        Diagnosis(
            cause=Cause.STAGE_STUCK,
            severity=Severity.FATAL if is_reported else Severity.DEGRADED,
            action=ActionKind.ESCALATE,
            explanation=f"The job printed {told}: it lives, and its work does not go on.",
            confidence=0.6,
            evidence=tuple(
                Evidence(line.example, line.source, at=datetime.fromtimestamp(line.last_at_s, UTC))
                for line in repeated[:2]
            ),
            retry=Retry.HELPS,
            look_at=("worker-dump",),
        ),
        found,
    )
    return Suspicion(SignalKind.STUCK, Certainty.PROVEN, reasons, told, diagnosis, diagnosis.evidence, _WANTS)


def _may_repeat(snapshot: Snapshot, repeated: Sequence[LineTemplate], *, is_reported: bool) -> bool:
    """Whether these lines say nothing of the job's work, so that no news is none."""
    memory = snapshot.memory
    if len(memory.texts.since_new) > TEXTS_OF_A_WORDING * len(repeated):
        return True
    newest = (line.text for line in memory.recent_lines if line.at_ms / 1000 > (memory.texts.new_at_s or 0.0))
    entries = read_entries(dict.fromkeys((*(line.example for line in repeated), *newest)))
    lives = all(is_poll(entry) or is_housekeeping(entry.message) for entry in entries)
    is_served = any(is_request(line) for line in memory.profile.templates)
    return not is_reported and (is_served or lives or may_repeat(entries))


def _has_worked(snapshot: Snapshot) -> bool:
    """Whether a count of the job rose, or a line of its work came regularly."""
    memory = snapshot.memory
    return memory.work.rises > 0 or any(
        is_regular(template) and shows_work(template) for template in memory.profile.templates
    )
