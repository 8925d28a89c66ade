"""How a watch stands, and which watch a person means. Values only: every way to read the state uses it."""

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from babysitter.errors import NoSuchWatch, UserError
from babysitter.model.ids import IncidentId
from babysitter.model.incident import Incident, IncidentStatus, Ledger
from babysitter.model.opinion import Combined
from babysitter.model.phase import Phase
from babysitter.model.proposal import Proposal
from babysitter.model.watch import Watch

_INCIDENT_ID = re.compile(r"i-[0-9a-f]{10}")


@dataclass(frozen=True, slots=True)
class WatchStatus:
    """How one watch stands: itself, its incidents (its cluster's too), and what is offered for them."""

    watch: Watch
    incidents: tuple[Incident, ...]
    proposals: tuple[Proposal, ...]
    opinions: Mapping[IncidentId, Combined] = field(default_factory=dict)  # second ones, on these incidents

    def proposal_of(self, incident: Incident) -> Proposal | None:
        """The newest offer for this incident, however it stands."""
        return next(
            (proposal for proposal in reversed(self.proposals) if proposal.incident == incident.id), None
        )


def standing_from(watch: Watch, ledger: Ledger) -> WatchStatus:
    """How a watch stands by its ledger: with its open incidents, and the one that its job ended with."""
    return WatchStatus(watch, (*ledger.open_incidents, *_ended_with(watch, ledger)), ledger.proposals)


def _ended_with(watch: Watch, ledger: Ledger) -> tuple[Incident, ...]:
    """The incident that the end of the watch's job has closed."""
    own = [incident for incident in ledger.incidents if incident.key.watch == watch.id]
    if watch.phase is not Phase.FINISHED or not own or own[-1].status is not IncidentStatus.FAILED:
        return ()
    return (own[-1],)


def the_one_meant(found: Sequence[Watch], name: str) -> Watch:
    """The watch that a person means by `name`. Raises NoSuchWatch for none, UserError for several."""
    if not found and is_incident_id(name):
        raise NoSuchWatch(
            f"No incident has the id '{name}'.",
            next_step="`babysit incidents` lists the remembered incidents, `babysit list` the watched jobs.",
        )
    if not found:
        raise NoSuchWatch(
            f"Nothing named '{name}' is being watched.", next_step="`babysit list` shows what is watched."
        )
    active = [other for other in found if other.stopped_at is None]
    if len(active) > 1:
        known = ", ".join(f"{other.id} on '{other.cluster}'" for other in active)
        raise UserError(
            f"'{name}' may be any of {known}.", next_step="Name the watch by its id, or its cluster too."
        )
    return found[0]


def is_incident_id(name: str) -> bool:
    """Whether a name has the form of an incident's id."""
    return _INCIDENT_ID.fullmatch(name) is not None


def not_a_watch(incident: IncidentId, watch: Watch) -> UserError:
    """The error for an incident's id where a watch is meant."""
    return UserError(
        f"{incident} is an incident of {watch.root}, not a job or a watch.",
        next_step=f"Name the job: {shlex.quote(watch.root)}.",
    )


def no_such_proposal(proposal: str) -> UserError:
    """The error for an id that nothing was proposed under."""
    return UserError(f"There is no proposal '{proposal}'.", next_step="`babysit status` shows the open ones.")
