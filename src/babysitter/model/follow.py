"""A promise to watch every new root job of a cluster whose id matches a pattern."""

from dataclasses import dataclass
from datetime import datetime

from babysitter.model.ids import JobId, Person, WatchId

DEFAULT_LIMIT = 50


@dataclass(frozen=True, slots=True)
class Follow:
    """`pattern`: a shell pattern over full job ids. `limit`: jobs that are watched for it at once.

    `begun_at`: a job that had ended before is not looked at. `owner`: of the jobs, "" = whoever follows.
    """

    id: str
    pattern: str
    cluster: str
    by: Person
    begun_at: datetime
    limit: int = DEFAULT_LIMIT
    owner: str = ""
    is_setting: bool = False  # named in the settings, which alone end it
    stopped_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class FollowedWatch:
    """An unfinished watch that a follow began."""

    id: WatchId
    root: JobId
    cluster: str
    follow: str
