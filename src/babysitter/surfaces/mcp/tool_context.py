"""What every tool holds."""

from collections.abc import Callable
from dataclasses import dataclass

from babysitter.engine.app import App
from babysitter.errors import UserError
from babysitter.model.ids import Person


@dataclass(frozen=True, slots=True)
class ToolContext:
    """The app to look through, and for whom.

    `owner`: the person at this machine, who may approve where the settings name nobody. `ensure_served`: sees
    to it that a service runs, so that what is watched is also checked; returns True if it started one.
    """

    app: App
    owner: Person
    default_cluster: str = ""
    ensure_served: Callable[[], bool] = lambda: False

    def cluster(self, name: str) -> str:
        """The cluster meant by a name that may be empty. Raises UserError."""
        found = name or self.default_cluster
        if not found:
            raise UserError(
                "Which cluster?", next_step="Give `cluster`; the settings can name a default one."
            )
        return found
