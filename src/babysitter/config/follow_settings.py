"""Settings of the jobs that are followed."""

from pydantic import Field

from babysitter.config.section import Section
from babysitter.model.follow import DEFAULT_LIMIT


class FollowSettings(Section):
    """Root jobs that are watched as soon as they exist. A text alone is a pattern."""

    pattern: str = Field(
        min_length=1, max_length=200, pattern=r"^\S+$", description="shell pattern over full job ids: /ada/*"
    )
    cluster: str = Field(default="", description="empty = default_cluster")
    limit: int = Field(default=DEFAULT_LIMIT, ge=1, le=1000, description="jobs that are watched at once")
    owner: str = Field(
        default="", description="who is called and may approve, where owners does not name the job's user"
    )


def as_patterns(value: object) -> object:
    """A pattern alone stands for a follow with every default."""
    if isinstance(value, str):
        value = (value,)
    if not isinstance(value, (list, tuple)):
        return value
    return tuple({"pattern": text} if isinstance(text, str) else text for text in value)
