"""What to do about a verdict that nothing proves: the action by the rules beside what the text model says.

The model has learned what was done about incidents that read alike (docs/learned.md). It chooses only among
what the state of the job allows, and it never has a living job restarted that the rules would not restart: a
person looks first.
"""

from collections.abc import Set as AbstractSet
from dataclasses import replace

from babysitter.diagnosis.judge.actions import is_over
from babysitter.diagnosis.learned.cause_classes import CALM, class_of
from babysitter.model.cause_info import about
from babysitter.model.finding import ActionKind, Cause
from babysitter.model.job_facts import JobFacts
from babysitter.model.learned_weights import Scores
from babysitter.model.verdict import Diagnosis

RULES_COUNT = 5.0  # measured: the share of the action by the rules counts so many times


def with_likely_action(diagnosis: Diagnosis, actions: Scores, facts: JobFacts) -> Diagnosis:
    """The diagnosis with the likeliest action. `actions`: shares by the text model, by name of the action."""

    by_rules = diagnosis.action

    def likelihood(action: ActionKind) -> tuple[float, bool]:
        share = actions.get(action, 0.0)
        return share * (RULES_COUNT if action is by_rules else 1.0), action is by_rules

    action = max(sorted(_possible(diagnosis, facts)), key=likelihood)
    if action is by_rules or not actions:
        return diagnosis
    return replace(diagnosis, action=action, change=None, further_changes=())


def _possible(diagnosis: Diagnosis, facts: JobFacts) -> AbstractSet[ActionKind]:
    if class_of(diagnosis.cause) == CALM:
        return {ActionKind.IGNORE, ActionKind.WAIT, diagnosis.action}
    if about(diagnosis.cause).is_benign or diagnosis.cause is Cause.UNKNOWN:
        return {diagnosis.action}
    if is_over(facts):
        return {ActionKind.RESTART, ActionKind.RESTART_WITH_CHANGE, ActionKind.ESCALATE}
    return {ActionKind.WAIT, ActionKind.ESCALATE, diagnosis.action}
