"""What every tool holds, and the arguments that many tools share."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from mcp.server.mcpserver import Context
from pydantic import Field

from babysitter.errors import UserError
from babysitter.model.ids import Person
from babysitter.service.hall import Hall
from babysitter.service.proposing import agent

ROWS_MOST = 50  # of one page. Every answer stays below what clients cut: some 25,000 tokens


@dataclass(frozen=True, slots=True)
class Desk:
    """The hall to look through, and for whom.

    `owner`: the person at this machine, who may approve where the settings name nobody. `ensure_served`: sees
    to it that a service runs, so that what is watched is also checked.
    """

    hall: Hall
    owner: Person
    default_cluster: str = ""
    ensure_served: Callable[[], None] = lambda: None

    def cluster(self, name: str) -> str:
        """The cluster meant by a name that may be empty. Raises UserError."""
        found = name or self.default_cluster
        if not found:
            raise UserError(
                "Which cluster?", next_step="Give `cluster`; the settings can name a default one."
            )
        return found


def name_of(ctx: Context) -> str:
    """The client, as a person will read it; by its own word."""
    params = ctx.session.client_params
    info = params.client_info if params else None
    return agent(f"{info.name} {info.version}" if info else "")


WatchName = Annotated[
    str, Field(description="A watch id (w-...), or the full id of a watched job, /user/name.")
]
JobName = Annotated[
    str,
    Field(description="Full id of any job, /user/name or a child below it; or a watch id. Never a prefix."),
]
ClusterName = Annotated[
    str,
    Field(
        pattern=r"^(\w[\w.:-]*)?$",  # a name; never a path or an address of the agent's choice
        description="Name of the cluster; empty = that of the watch on this job, else the default.",
    ),
]
PageCursor = Annotated[str, Field(description="`more` of the previous answer; empty = from the beginning.")]
