"""What one response is computed from."""

from dataclasses import dataclass
from datetime import datetime

from babysitter.model.ids import IncidentId
from babysitter.model.incident import Incident, IncidentKey, Ledger
from babysitter.model.policy import Policy
from babysitter.model.submission import Submission
from babysitter.model.verdict import Verdict
from babysitter.model.watch import Neighbour, Watch
from babysitter.policy.incident_lifecycle import NO_ATTEMPT


@dataclass(frozen=True, slots=True)
class PolicyInput:
    """Everything one response is computed from.

    `ledger` holds the watch's own incidents and those of its cluster. `submission`: how to start the
    job again, None when nobody knows. `inhibited_by`: an open incident of a watch on an ancestor job.
    `neighbours`: the other watches of the cluster, where the response depends on them.
    """

    verdict: Verdict
    ledger: Ledger
    watch: Watch
    policy: Policy
    now: datetime
    submission: Submission | None = None
    inhibited_by: IncidentId | None = None
    neighbours: tuple[Neighbour, ...] = ()

    @property
    def high_water(self) -> int:
        """Shards done so far, over all stages that were seen."""
        return sum(stage.done for stage in self.verdict.outlook.stages)

    @property
    def own_open(self) -> tuple[Incident, ...]:
        """Open incidents about the job itself: not about whether it, or its cluster, can be seen."""
        return tuple(
            incident
            for incident in self.ledger.open_incidents
            if incident.key.watch == self.watch.id and incident.key.attempt != NO_ATTEMPT
        )

    def open_of(self, key: IncidentKey) -> Incident | None:
        """The open incident of exactly this key."""
        return next((incident for incident in self.ledger.open_incidents if incident.key == key), None)
