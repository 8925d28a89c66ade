"""Names of things. Each is an exact name, never a prefix."""

from typing import NewType

JobId = NewType("JobId", str)  # exact, e.g. /me/dedup-r2; there is no JobPrefix anywhere
TaskId = NewType("TaskId", str)  # <job id>/<index>
WatchId = NewType("WatchId", str)
IncidentId = NewType("IncidentId", str)
ProposalId = NewType("ProposalId", str)
MessageId = NewType("MessageId", str)  # the outbox id that travels with a message
ReplicaId = NewType("ReplicaId", str)
Digest = NewType("Digest", str)  # fingerprint of the facts a proposal rests on
RuleId = NewType("RuleId", str)  # <playbook>.<rule>
Person = NewType("Person", str)  # who decided: a Slack user id, or user@host at a terminal


def job_of(task: TaskId) -> JobId:
    """The job a task belongs to."""
    return JobId(task.rpartition("/")[0])


def is_within(job: JobId, root: JobId) -> bool:
    """Whether `job` is `root` or one of its descendants (by whole path segments)."""
    return job == root or job.startswith(root + "/")


def group_of(task: TaskId) -> str:
    """The kind of a process: TrainerActor of job/TrainerActor-0a1b2c3d, "" of numbered ones."""
    return task.rpartition("/")[2].rpartition("-")[0]
