"""What to do about a cause, given the state and whether a repeat can help. Restart budgets are checked
in policy/restart_budget.py.
"""

from babysitter.model.cause_info import about
from babysitter.model.finding import ActionKind, Cause, Finding, Retry, Severity
from babysitter.model.job import JobState
from babysitter.model.job_facts import JobFacts

_OVER = frozenset({JobState.FAILED, JobState.KILLED, JobState.WORKER_FAILED, JobState.UNSCHEDULABLE})


def is_over(facts: JobFacts) -> bool:
    """Whether the job has ended badly."""
    return facts.state in _OVER


def has_ended_badly(facts: JobFacts) -> bool:
    """The same, also of a job whose state nobody knows and whose exit code says so."""
    return is_over(facts) or (facts.state is None and facts.exit_code not in (None, 0))


def severity_of(cause: Cause, facts: JobFacts, seen: Severity) -> Severity:
    """How much it matters: what the evidence says, raised by an end, lowered where the job heals itself."""
    row = about(cause)
    if row.is_benign:
        return Severity.BENIGN
    if is_over(facts):
        return Severity.FATAL
    if facts.retried_by_itself or row.heals:
        return Severity.DEGRADED
    return max(seen, Severity.DEGRADED)


def action_of(finding: Finding, facts: JobFacts) -> ActionKind:
    """What to do, given the cause, the state, and whether a repeat can help."""
    cause = finding.cause
    row = about(cause)
    if cause is Cause.SLOW_STARTUP:
        return ActionKind.WAIT
    if row.is_benign:
        return ActionKind.IGNORE
    if is_over(facts):
        return _after_the_end(finding)
    if facts.retried_by_itself:
        return ActionKind.WAIT
    if row.heals and finding.action is not ActionKind.ESCALATE:
        return ActionKind.IGNORE if _is_healed(finding, facts) else ActionKind.WAIT
    if finding.action.restarts and (
        row.lingers or row.needs_a_look
    ):  # it may get through, or stay broken elsewhere
        return ActionKind.ESCALATE
    return finding.action if finding.action is not ActionKind.IGNORE else ActionKind.ESCALATE


def _after_the_end(finding: Finding) -> ActionKind:
    """Waiting is no answer any more: repeat what may work, change what will not, else ask a person."""
    row = about(finding.cause)
    if finding.action is ActionKind.RESTART_WITH_CHANGE:
        return finding.action
    if row.heals and row.lingers:  # the machines that it waited for do not come
        return ActionKind.RESTART_WITH_CHANGE
    if row.repeat_works and finding.retry is not Retry.USELESS:
        return ActionKind.ESCALATE if finding.action is ActionKind.ESCALATE else ActionKind.RESTART
    if finding.action in (ActionKind.WAIT, ActionKind.IGNORE):
        can_work = finding.retry in (Retry.HELPS, Retry.ITSELF)
        return ActionKind.RESTART if can_work else ActionKind.ESCALATE
    return finding.action


def _is_healed(finding: Finding, facts: JobFacts) -> bool:
    """Whether work was done since: the cluster has repaired it."""
    return (
        finding.cause is Cause.PREEMPTION
        and facts.advanced_after is not None
        and finding.last_position < facts.advanced_after  # what a counter says stands before all lines
    )
