"""The page of a job in its cluster's dashboard."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DashboardPage:
    """`through_tunnel`: it answers while the tunnel of this process is open, on this machine only."""

    url: str
    through_tunnel: bool = False
