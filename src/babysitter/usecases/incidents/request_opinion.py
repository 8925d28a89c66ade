"""A person asks for a second opinion on an incident."""

from dataclasses import dataclass
from pathlib import Path

from babysitter.engine.advising.advice_question import (
    consult_known_first,
    keep_opinion,
    question_about_incident,
)
from babysitter.engine.advising.budgeted_advisor import BudgetedAdvisor
from babysitter.engine.advising.open_advisor import is_exchange, open_advisor
from babysitter.engine.app import App
from babysitter.engine.telling.enqueue import refresh_incident_messages
from babysitter.errors import NoSuchWatch, UserError
from babysitter.messages.opinion_text import opinion_lines
from babysitter.model.ids import IncidentId, Person
from babysitter.model.incident import Incident
from babysitter.model.job import JobState
from babysitter.model.opinion import NoOpinion, Opinion, OpinionRecord, OpinionRequest
from babysitter.model.watch import Watch
from babysitter.store.repositories.advisor_budget import AdvicePurpose
from babysitter.usecases.looking.stored_evidence import incident_log
from babysitter.usecases.watching.manage_watches import find_watch
from babysitter.waits import waiting_for

NO_ADVISOR = "The service has no advisor, so nobody can give a second opinion."
OVER = "This incident is over; `babysit explain JOB --advise` asks about it all the same."


async def request_opinion(app: App, incident: IncidentId, person: Person) -> str:
    """Have the service ask about an incident. Returns what to tell the person; "" when the card shows it.

    Asked again while an answer is awaited, or after there is one, nothing changes. Raises UserError for an
    unknown incident.
    """
    now = app.clock.now()
    await app.store.prepare_memory()  # for the card
    async with app.store.transaction() as tx:
        found = await tx.incidents.incident(incident)
        if found is None:
            raise UserError(f"No incident has the id '{incident}'.", next_step="Use the newest card.")
        if await tx.advisor.limits() is None:
            return NO_ADVISOR
        if found.status.is_resolved:
            return OVER
        record = await tx.opinions.of(incident)
        if record is not None and record.combined.opinion is not None:
            return "There is a second opinion on this incident already; the card shows it."
        try:
            watch = await tx.watches.get(found.key.watch)
        except NoSuchWatch:
            return "This incident is about the whole cluster: there is no job whose log could be read."
        if not await tx.opinions.request(OpinionRequest(incident, person, now)):
            return "A second opinion was asked for already; the card shows it when it is there."
        await refresh_incident_messages(tx, incident, watch, now=now)
    return ""


async def advise_now(app: App, watch: Watch, exchange: Path | None = None) -> list[str]:
    """Ask about the newest incident of a watch, unless there is an opinion; returns what to print.

    The answer is kept and shown on the card. Raises UserError without an incident or an advisor.
    """
    async with app.store.reading() as tx:
        incidents = await tx.incidents.incidents_of((watch.id,))
        incident = incidents[-1] if incidents else None
        record = await tx.opinions.of(incident.id) if incident is not None else None
    if incident is None:
        raise UserError(
            f"{watch.root} has had no incident to ask about.",
            next_step=f"`babysit diagnose {watch.root} --advise` looks at the job and asks.",
        )
    if record is None or record.combined.opinion is None:
        record = await _asked(app, incident, exchange)
    return [f"{incident.id}, {record.at:%Y-%m-%d %H:%M:%S} UTC:", *opinion_lines(record.combined)]


@dataclass(frozen=True, slots=True)
class OpinionForDraft:
    """A second opinion on an incident, with the redacted lines that were read until then."""

    incident: IncidentId
    opinion: Opinion
    log: tuple[str, ...]


async def opinion_for_draft(app: App, name: str, exchange: Path | None = None) -> OpinionForDraft:
    """The opinion on an incident, asked for unless there is one. `name`: as `stored_evidence` takes it.

    Raises UserError for an unknown incident, and where no opinion is to be had.
    """
    lines, _ = await incident_log(app, name, JobState.FAILED)
    async with app.store.reading() as tx:
        incident = await tx.incidents.incident(IncidentId(name))
        if incident is None:
            watch = await find_watch(app, name)
            incident = (await tx.incidents.incidents_of((watch.id,)))[-1]
        record = await tx.opinions.of(incident.id)
    if record is None or record.combined.opinion is None:
        record = await _asked(app, incident, exchange)
    opinion = record.combined.opinion
    if opinion is None:
        raise UserError(
            f"There is no second opinion on {incident.id}: {record.combined.no_opinion}",
            next_step="Try again later, or leave --advise out.",
        )
    return OpinionForDraft(incident.id, opinion, tuple(lines))


async def _asked(app: App, incident: Incident, exchange: Path | None) -> OpinionRecord:
    advisor, now = open_advisor(app.settings, exchange, is_at_terminal=True), app.clock.now()
    is_free = is_exchange(app.settings, exchange)
    if not is_free:
        advisor = BudgetedAdvisor(advisor, app.store, app.settings.advisor, app.clock, AdvicePurpose.INCIDENT)
    prepared = await question_about_incident(app, incident)
    if prepared is None:
        raise UserError(f"Nothing is kept of {incident.id} that could be asked about.")
    with waiting_for("the second opinion"):
        found = await consult_known_first(app, advisor, prepared, incident)
    record = prepared.record(found, now)
    if is_free and isinstance(found.opinion, NoOpinion):
        return record  # its answer may come later
    async with app.store.transaction() as tx:
        return await keep_opinion(tx, incident, prepared.watch, record, now=app.clock.now())
