"""What is displayed when rules and an opinion meet. Pure; `diagnose`, `classify` and `eval` call it.

1. Without an opinion the rules' verdict stands unchanged.
2. A proof (exit record, dump, terminal state) is never overruled.
3. Elsewhere the opinion's cause is displayed as suspected, the rules' cause second.
4. An alarm that rests on less than a proof and that the opinion denies is displayed as watching.

The opinion never changes an act: restarts and proposals come from rules and people. The displayed action can
become `wait` (4), or `escalate` or `wait` where the rules ask for less; never a restart.
"""

from collections.abc import Sequence

from babysitter.advisor.material import RulesVerdict
from babysitter.model.cause_info import about
from babysitter.model.finding import ActionKind, Cause, Evidence, Severity
from babysitter.model.opinion import Combined, NoOpinion, Opinion, Weighing
from babysitter.model.verdict import Diagnosis

PROOF = 0.9  # confidence of a rule whose evidence is a proof
_RECORDS = (
    "job",
    "dump of",
)  # sources of what the cluster recorded or a dump showed; lines of logs have others
_ALARMS = (ActionKind.ESCALATE, ActionKind.RESTART, ActionKind.RESTART_WITH_CHANGE)


def is_alarm(action: ActionKind) -> bool:
    """Whether somebody is asked to look or to approve."""
    return action in _ALARMS


def is_proven(diagnosis: Diagnosis) -> bool:
    """Whether a diagnosis rests on what was recorded of the job, or on a dump, rather than on log lines."""
    return diagnosis.confidence >= PROOF and _is_record(diagnosis.evidence[:1])


def _is_record(evidence: Sequence[Evidence]) -> bool:
    return any(line.source.startswith(_RECORDS) and line.line_number is None for line in evidence)


def combine(rules: RulesVerdict, opinion: Opinion | NoOpinion) -> Combined:
    """What to display of the rules' verdict and an opinion."""
    if isinstance(opinion, NoOpinion):
        return Combined(Weighing.NO_OPINION, rules.cause, rules.action, no_opinion=opinion.reason)
    if opinion.cause is rules.cause:
        action = _raised(rules, opinion) if rules.has_ended_badly else rules.action
        return Combined(Weighing.AGREED, rules.cause, action, opinion=opinion)
    if rules.is_proven or _denies_the_end(rules, opinion):
        return Combined(Weighing.PROOF_STANDS, rules.cause, rules.action, opinion=opinion)
    if opinion.cause is Cause.UNKNOWN:
        return Combined(Weighing.UNDECIDED, rules.cause, rules.action, opinion=opinion)
    if is_alarm(rules.action) and _denies_the_alarm(rules, opinion):
        weighing, action = Weighing.WATCHING, ActionKind.WAIT
    else:
        weighing, action = Weighing.SUSPECTED, _raised(rules, opinion)
    return Combined(weighing, opinion.cause, action, second=rules.cause, opinion=opinion)


def _denies_the_end(rules: RulesVerdict, opinion: Opinion) -> bool:
    """Whether nothing is found wrong with a job that has ended badly; a stop by a person would explain it."""
    return rules.has_ended_badly and about(opinion.cause).is_benign and opinion.cause is not Cause.USER_CANCEL


def _denies_the_alarm(rules: RulesVerdict, opinion: Opinion) -> bool:
    """Whether the opinion needs nobody: a benign cause, or one that the job gets over by itself."""
    heals = about(opinion.cause).severity < Severity.FATAL and not is_alarm(opinion.action)
    return about(opinion.cause).is_benign or (heals and not rules.has_ended_badly)


def _raised(rules: RulesVerdict, opinion: Opinion) -> ActionKind:
    """The rules' action, or more attention where they ask for less than the opinion: never a restart.

    Rules that wait already go on waiting over a cause that degrades the job and that only time decides.
    """
    cause = about(opinion.cause)
    if is_alarm(rules.action) or opinion.action is ActionKind.IGNORE:
        return rules.action
    needs_time = cause.severity < Severity.FATAL and cause.is_judged_over_time
    may_wait = needs_time and rules.action is ActionKind.WAIT and not rules.has_ended_badly
    if is_alarm(opinion.action) and not cause.is_benign and not may_wait:
        return ActionKind.ESCALATE
    return ActionKind.WAIT
