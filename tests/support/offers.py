"""An open offer, written straight into the database: a watch, its incident, a proposal and its card."""

from dataclasses import replace

from babysitter.engine.telling.enqueue import enqueue_message, subject_of
from babysitter.model.ids import IncidentId, WatchId
from babysitter.model.incident import IncidentKey, IncidentStatus
from babysitter.model.job import JobState
from babysitter.model.message import MessageKind
from babysitter.model.phase import Phase
from babysitter.model.proposal import Proposal
from babysitter.model.watch import Watch
from babysitter.policy.respond import offer_of
from tests.support.app import AppHarness
from tests.support.build import COORDINATOR, ROOT, case, diagnosis, verdict
from tests.support.jobs import job

INCIDENT = IncidentId("i-1")


async def offered(place: AppHarness, **changes: object) -> tuple[Watch, Proposal]:
    """A watch of the place with one open proposal; `changes` are the proposal's."""
    place.cluster.jobs[ROOT] = job(ROOT, JobState.RUNNING)
    watch = await place.watch()
    found, now = diagnosis(), place.clock.now()
    made = offer_of(case(verdict(found), watch=watch, now=now), INCIDENT, found)
    proposal = replace(made, **changes)  # type: ignore[arg-type]
    async with place.app.store.transaction() as tx:
        failing = replace(watch.memory, phase=Phase.FAILING, phase_since_at=now)
        await tx.watches.save(replace(watch, memory=failing, due_at=None))
        watch = await tx.watches.get(watch.id)
        key = IncidentKey(WatchId(watch.id), found.cause, COORDINATOR)
        await tx.incidents.open_incident(INCIDENT, key, found, now=now)
        await tx.incidents.set_status(INCIDENT, IncidentStatus.PROPOSED, now=now)
        await tx.incidents.add_proposal(proposal)
        about = await subject_of(tx, watch, now=now, incident=INCIDENT, proposal=proposal.id)
        await enqueue_message(tx, MessageKind.PROPOSAL, about, key="card")
    return watch, proposal
