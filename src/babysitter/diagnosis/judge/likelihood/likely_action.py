"""What to do about a verdict that nothing proves: the action by the rules beside what the text model says.

The model has learned what was done about incidents that read alike (docs/learned.md). It chooses only among
what the state of the job and the cause allow, and has no living job restarted: a person looks first.
"""

from collections.abc import Set as AbstractSet
from dataclasses import replace

from babysitter.diagnosis.judge.actions import has_ended_badly
from babysitter.diagnosis.learned.cause_classes import CALM, class_of
from babysitter.model.cause_info import about
from babysitter.model.finding import ActionKind, Cause, Retry, Severity
from babysitter.model.job import JobState
from babysitter.model.job_facts import JobFacts
from babysitter.model.learned_weights import Scores
from babysitter.model.limits import Limits
from babysitter.model.verdict import Diagnosis

RULES_FACTOR = 5.0  # measured: the share of the action by the rules counts so many times
MAJORITY = 0.5  # of all shares, needed to replace the action by the rules
_WAITS = frozenset({JobState.PENDING, JobState.BUILDING})


def with_likely_action(diagnosis: Diagnosis, actions: Scores, facts: JobFacts) -> Diagnosis:
    """The diagnosis with the likeliest action. `actions`: shares by the text model, by name of the action."""
    by_rules = diagnosis.action
    shares = {action: actions.get(action, 0.0) for action in ActionKind}
    if not has_ended_badly(facts):  # where it would restart a living job, a person looks first
        shares[ActionKind.ESCALATE] += sum(share for action, share in shares.items() if action.restarts)

    def weighted_share(action: ActionKind) -> tuple[float, bool]:
        return shares[action] * (RULES_FACTOR if action is by_rules else 1.0), action is by_rules

    action = max(sorted(_allowed_actions(diagnosis, facts)), key=weighted_share)
    if action is by_rules or shares[action] < MAJORITY:
        return diagnosis
    return replace(diagnosis, action=action, change=None, further_changes=())


def _allowed_actions(diagnosis: Diagnosis, facts: JobFacts) -> AbstractSet[ActionKind]:
    """What may be done instead, and what the rules say."""
    by_rules, cause = diagnosis.action, about(diagnosis.cause)
    if class_of(diagnosis.cause) == CALM:
        return {ActionKind.IGNORE, ActionKind.WAIT, by_rules}
    if cause.is_benign or diagnosis.cause is Cause.UNKNOWN:
        return {by_rules}
    if has_ended_badly(facts):
        can_repeat = not cause.repeat_fails and diagnosis.retry is not Retry.USELESS
        repeated = {ActionKind.RESTART} if can_repeat else set()
        return {ActionKind.RESTART_WITH_CHANGE, ActionKind.ESCALATE, by_rules} | repeated
    if by_rules is ActionKind.WAIT and cause.heals and facts.state in _WAITS:
        return {by_rules}
    is_quiet = (facts.last_line_age_s or 0.0) > Limits().pace_floor_s
    is_grave = is_quiet or cause.is_silent or diagnosis.severity is Severity.FATAL or facts.state is None
    return {ActionKind.ESCALATE, by_rules} | (set() if is_grave else {ActionKind.WAIT})
