"""What is remembered about an incident: remember it when it opens, recall what it resembles."""

from dataclasses import replace

from babysitter.diagnosis.fingerprint import fingerprint_of
from babysitter.diagnosis.similarity import SAME, SIMILAR, similarity, terms_of
from babysitter.model.incident import Incident
from babysitter.model.memory import Memory
from babysitter.model.observation import Observation
from babysitter.model.past_incident import EarlierIncidents, Fingerprint, PastIncident, Recalled
from babysitter.model.phase import Phase
from babysitter.model.verdict import ProgressSummary, Verdict
from babysitter.model.watch import Watch
from babysitter.store.store import Store, Transaction

MAX_RECALLED = 50  # of the nearest by words, whose likeness is computed
MAX_SIMILAR = 3


async def remember(
    tx: Transaction, incident: Incident, watch: Watch, verdict: Verdict, observation: Observation | None
) -> None:
    """Write down what an incident looks like. Again for one whose cause has changed."""
    fingerprint = fingerprint_of(replace(verdict, diagnosis=incident.diagnosis), observation)
    past = PastIncident(
        id=incident.id,
        at=incident.opened_at,
        cause=incident.diagnosis.cause,
        fingerprint=fingerprint,
        job=incident.key.attempt or watch.root,
        cluster=watch.cluster,
    )
    await tx.history.put(past, terms_of(fingerprint))


async def earlier_incidents(tx: Transaction, incident: Incident) -> EarlierIncidents:
    """What was seen before an incident opened; nothing for one that was not remembered."""
    past = await tx.history.get(incident.id)
    if past is None:
        return EarlierIncidents()
    found = await nearest(tx, past.fingerprint, leave_out=(incident.id,))
    return sorted_by_likeness([recalled for recalled in found if recalled.past.at < incident.opened_at])


async def nearest(
    tx: Transaction, fingerprint: Fingerprint, *, leave_out: tuple[str, ...] = (), at_most: int = MAX_RECALLED
) -> list[Recalled]:
    """The remembered incidents nearest by their words, best first, each with its likeness."""
    ranked = await tx.history.search(terms_of(fingerprint), at_most=at_most, leave_out=leave_out)
    found = await tx.history.of([recalled.id for recalled in ranked])
    return [Recalled(past, similarity(fingerprint, past.fingerprint)) for past in found]


def sorted_by_likeness(found: list[Recalled]) -> EarlierIncidents:
    """The same incident again, and those that are alike; anything less is left out. Pure."""
    ordered = sorted(found, key=lambda recalled: -recalled.likeness)
    return EarlierIncidents(
        seen=tuple(recalled for recalled in ordered if recalled.likeness >= SAME),
        similar=tuple(recalled for recalled in ordered if SIMILAR <= recalled.likeness < SAME)[:MAX_SIMILAR],
    )


async def remember_missing(store: Store) -> None:
    """Remember incidents that opened before there was a memory, by the lines that their diagnosis quotes."""
    async with store.reading() as tx:
        missing = await tx.history.missing()
    if not missing:
        return
    async with store.transaction() as tx:
        for incident in [candidate for candidate in await tx.incidents.all() if candidate.id in missing]:
            seen = Verdict(Phase.FAILING, Memory(), 0.0, ProgressSummary(""), incident.diagnosis)
            fingerprint = fingerprint_of(seen)
            cause, job = incident.diagnosis.cause, incident.key.attempt
            past = PastIncident(incident.id, incident.opened_at, cause, fingerprint, job=job)
            await tx.history.put(past, terms_of(fingerprint))
