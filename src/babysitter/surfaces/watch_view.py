"""A watch and its open incidents, as every program sees them."""

from typing import TYPE_CHECKING

from babysitter.surfaces.views import IncidentView, WatchView

if TYPE_CHECKING:
    from babysitter.usecases.watching.watch_status import WatchStatus


def watch_view(standing: "WatchStatus") -> WatchView:
    """Return the view of a watch and its open incidents."""
    incidents = [
        IncidentView.of(
            incident, standing.watch.root, standing.proposal_of(incident), standing.opinions.get(incident.id)
        )
        for incident in standing.incidents
    ]
    return WatchView.of(standing.watch, incidents)
