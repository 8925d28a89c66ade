"""What `follow --json` prints; of the same versioned schema as views.py."""

from datetime import datetime

from babysitter.model.follow import Follow
from babysitter.surfaces.view_base import Field, View
from babysitter.surfaces.views import Reply


class FollowView(View):
    """A pattern whose new jobs are watched."""

    id: str
    pattern: str
    cluster: str
    limit: int = Field(description="jobs that are watched for it at once")
    owner: str = Field(default="", description="who is called; '' = as `owners` says, else whoever follows")
    by: str
    begun_at: datetime
    is_setting: bool = Field(description="named in the settings, which alone end it")
    watching: int | None = Field(default=None, description="by --list: its unfinished watches")

    @classmethod
    def of(cls, follow: Follow, *, watching: int | None = None) -> "FollowView":
        return cls(
            id=follow.id,
            pattern=follow.pattern,
            cluster=follow.cluster,
            limit=follow.limit,
            owner=follow.owner,
            by=follow.by,
            begun_at=follow.begun_at,
            is_setting=follow.is_setting,
            watching=watching,
        )


class FollowReply(Reply):
    """`follow --json`: what is followed, and the jobs whose watches it began at once."""

    follow: FollowView
    begun: list[str]
    beyond_limit: list[str] = Field(default=[], description="jobs that match and are not watched yet")


class FollowsReply(Reply):
    """`follow --list --json`, and with `--stop` what is not followed any more."""

    follows: list[FollowView]
