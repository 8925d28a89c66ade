"""What is displayed when rules and an opinion meet. Pure; the same for a watch, `diagnose`, `classify` and `eval`.

1. Without an opinion the rules' verdict stands unchanged.
2. A proof (exit record, dump, terminal state) is never overruled.
3. Elsewhere the opinion's cause is displayed as suspected, the rules' cause second.
4. An alarm that rests on less than a proof and that the opinion denies is displayed as watching.

The opinion never changes an act: restarts and proposals come from rules and people. Of the displayed action it
can make `wait` (4), and `escalate` or `wait` where the rules would have said nothing; never a restart.
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
    return any(each.source.startswith(_RECORDS) and each.line_number is None for each in evidence)


def combine(rules: RulesVerdict, opinion: Opinion | NoOpinion) -> Combined:
    """What to display of the rules' verdict and an opinion."""
    if isinstance(opinion, NoOpinion):
        return Combined(Weighing.NO_OPINION, rules.cause, rules.action, no_opinion=opinion.reason)
    if opinion.cause is rules.cause:
        return Combined(Weighing.AGREED, rules.cause, rules.action, opinion=opinion)
    if rules.is_proven or _denies_the_end(rules, opinion):
        return Combined(Weighing.PROOF_STANDS, rules.cause, rules.action, opinion=opinion)
    if opinion.cause is Cause.UNKNOWN:
        return Combined(Weighing.UNDECIDED, rules.cause, rules.action, opinion=opinion)
    if is_alarm(rules.action) and about(opinion.cause).is_benign:
        weighing, action = Weighing.WATCHING, ActionKind.WAIT
    else:
        weighing, action = Weighing.SUSPECTED, _raised(rules, opinion)
    return Combined(weighing, opinion.cause, action, second=rules.cause, opinion=opinion)


def _denies_the_end(rules: RulesVerdict, opinion: Opinion) -> bool:
    """Whether the opinion finds nothing wrong with a job that has ended badly. A stop by a person explains it."""
    return rules.has_ended_badly and about(opinion.cause).is_benign and opinion.cause is not Cause.USER_CANCEL


def _raised(rules: RulesVerdict, opinion: Opinion) -> ActionKind:
    """The rules' action, or more attention where they ask for less than the opinion: never a restart."""
    if is_alarm(rules.action):
        return rules.action
    if is_alarm(opinion.action) and about(opinion.cause).severity >= Severity.DEGRADED:
        return ActionKind.ESCALATE
    return rules.action if opinion.action is ActionKind.IGNORE else ActionKind.WAIT
