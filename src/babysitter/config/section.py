"""What every section of the settings has in common."""

from pydantic import BaseModel, ConfigDict

from babysitter.model.duration import duration_s


class Section(BaseModel):
    """Refuses what it does not know, and never changes."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def span_s(value: object) -> object:
    """Seconds; what is not a duration is left for the validator to refuse."""
    seconds = duration_s(value) if isinstance(value, str) else None
    return value if seconds is None else seconds
