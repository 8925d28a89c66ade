"""Which root jobs of a cluster a follow begins to watch. Pure."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from fnmatch import fnmatchcase

from babysitter.model.follow import Follow
from babysitter.model.ids import JobId
from babysitter.model.job import Job

_WILD = "*?["


class FollowDecision(StrEnum):
    """What a follow does about one root job, and why."""

    WATCH = "it is new"
    KNOWN = "this run was dealt with before"
    NO_MATCH = "its id does not match"
    ENDED_BEFORE = "it had ended before the follow began"
    BEING_SUBMITTED = "we submit it ourselves, and its own watch begins"
    BEYOND_LIMIT = "as many jobs as allowed are watched"


@dataclass(frozen=True, slots=True)
class KnownRuns:
    """`handled`: when each job was submitted that was dealt with. `submitting`: names that we submit."""

    handled: Mapping[JobId, datetime | None]
    submitting: Collection[JobId] = ()


def follow_decision(job: Job, follow: Follow, known: KnownRuns, *, free: int) -> FollowDecision:
    """What to do about a job. `free`: so many more may be watched for this follow."""
    if not matches(follow, job.id):
        return FollowDecision.NO_MATCH
    if job.id in known.handled and known.handled[job.id] == job.submitted_at:
        return FollowDecision.KNOWN
    if job.state.is_terminal and (job.submitted_at is None or job.submitted_at < follow.begun_at):
        return FollowDecision.ENDED_BEFORE
    if job.id in known.submitting:
        return FollowDecision.BEING_SUBMITTED
    return FollowDecision.WATCH if free > 0 else FollowDecision.BEYOND_LIMIT


def matches(follow: Follow, job: JobId) -> bool:
    return fnmatchcase(job, follow.pattern)


def shared_prefix(follows: Sequence[Follow]) -> str:
    """How the id of every job begins that any of these patterns matches."""
    first, *others = sorted(_literal(follow.pattern) for follow in follows)
    last = others[-1] if others else first
    same = next((at for at, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1]), None)
    return first if same is None else first[:same]


def _literal(pattern: str) -> str:
    ends = [at for at in map(pattern.find, _WILD) if at >= 0]
    return pattern[: min(ends)] if ends else pattern
