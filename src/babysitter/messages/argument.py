"""A verdict as a short argument: what speaks for it, what against it, what would change it. Pure.

Nothing here is redacted; whoever shows a sentence makes it safe first.
"""

from collections.abc import Iterator, Sequence

from babysitter.messages.diagnosis_words import how_sure
from babysitter.model.cause_info import about
from babysitter.model.finding import Cause
from babysitter.model.verdict import Diagnosis, Reason, Verdict

MAX_ARGUMENTS = 3

# Causes that are told from the course of a job rather than from a line, and the suspicion that tells them.
TOPICS = {
    "zombie-coordinator": "zombie",
    "stage-stuck": "stuck",
    "stragglers": "stragglers",
    "worker-churn": "churn",
}


def topic_of(reason: Reason) -> str:
    """The suspicion or family of rules that a reason belongs to."""
    return reason.name.partition(".")[0]


def argument_lines(verdict: Verdict) -> Iterator[str]:
    """For, against, what would change it: at most three reasons of each kind."""
    if verdict.diagnosis is None:
        yield from _calm_argument(verdict)
        return
    diagnosis = verdict.diagnosis
    topic = TOPICS.get(diagnosis.cause, "")
    own = [reason for reason in verdict.reasons if topic_of(reason) == topic or _is_of(reason, diagnosis)]
    quoted = [f"{line.text.strip()} ({line.source})" for line in diagnosis.evidence]
    yield from _listed("For", [*quoted, *(reason.text for reason in own if reason.holds)])
    rivals = [reason.text for reason in verdict.reasons if reason.name.endswith(".not-the-root")]
    yield from _listed("Against", [*(reason.text for reason in own if not reason.holds), *rivals])
    yield f"How sure: {how_sure(diagnosis)}"
    yield f"What would change it: {_change_of_mind(diagnosis)}"


def _calm_argument(verdict: Verdict) -> Iterator[str]:
    """Why nothing is confirmed: of each suspicion the first demand that is not met."""
    unmet = {topic_of(reason): reason.text for reason in reversed(verdict.reasons) if not reason.holds}
    yield from _listed("For", [f"{topic}: {text}" for topic, text in reversed(unmet.items())])
    yield from _listed("Against", [f"{signal.kind}: {signal.explanation}" for signal in verdict.signals])
    yield (
        "What would change it: a failure with no normal work after it, or no progress for longer than the "
        "job's own pace explains."
    )


def _is_of(reason: Reason, diagnosis: Diagnosis) -> bool:
    """Whether it is an argument of one of the rules that decided."""
    return any(reason.name.startswith(f"{rule}.") for rule in diagnosis.rules)


def _change_of_mind(diagnosis: Diagnosis) -> str:
    row = about(diagnosis.cause)
    if diagnosis.cause is Cause.UNKNOWN:
        return "a line that names a cause, or a signature for the lines quoted."
    if row.is_benign:
        return "a failure with no normal work after it."
    if row.outlasts_progress:
        return "the end of the job, or evidence of an earlier cause; other progress does not refute it."
    return "normal work of the same process after the line, or evidence of an earlier cause."


def _listed(label: str, texts: Sequence[str]) -> Iterator[str]:
    shown = list(dict.fromkeys(texts))[:MAX_ARGUMENTS]
    if not shown:
        yield f"{label}: nothing"
        return
    yield f"{label}:"
    yield from (f"  - {' '.join(text.split())}" for text in shown)
