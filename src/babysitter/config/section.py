"""What every section of the settings has in common."""

from pydantic import BaseModel, ConfigDict


class Section(BaseModel):
    """Refuses what it does not know, and never changes."""

    model_config = ConfigDict(extra="forbid", frozen=True)
