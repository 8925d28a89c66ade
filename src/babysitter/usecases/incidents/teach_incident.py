"""A person says whether a diagnosis was right, or what it really was; and takes it back."""

from collections.abc import Sequence

from babysitter.engine.app import App
from babysitter.engine.telling.enqueue import refresh_incident_messages
from babysitter.errors import UserError
from babysitter.model.events import FeedbackGiven, FeedbackWithdrawn
from babysitter.model.finding import Cause
from babysitter.model.ids import IncidentId, Person, RuleId, WatchId
from babysitter.store.repositories.feedback import FeedbackLabel
from babysitter.store.store import Transaction


async def teach(
    app: App, incident: IncidentId, person: Person, *, was_right: bool, cause: Cause | None = None
) -> str:
    """Keep a person's word on a diagnosis; their newest word counts. Gives what to tell them.

    `cause`: what it really was; the judged one means that the diagnosis was right. Raises UserError for an
    unknown incident.
    """
    now = app.clock.now()
    await app.store.prepare_memory()  # for the card
    async with app.store.transaction() as tx:
        judged, rules, watch = await _known(tx, incident)
        was_right = was_right or cause is judged
        true_cause = None if was_right else cause
        label = FeedbackLabel(incident, person, now, was_right=was_right, rules=rules, cause=true_cause)
        await tx.feedback.put(label)
        await tx.events.append(
            FeedbackGiven(
                at=now,
                watch=watch,
                incident=incident,
                by=person,
                was_right=was_right,
                rules=rules,
                cause=true_cause.value if true_cause else "",
            )
        )
        await _redraw(tx, app, incident, watch)
    if was_right:
        return f"Kept: {judged.value} was right."
    said = f"it was really {true_cause.value}" if true_cause else f"{judged.value} was wrong"
    return f"Kept: {said}. The next similar incident says so."


async def take_back(app: App, incident: IncidentId, person: Person) -> str:
    """Forget a person's word on a diagnosis. Raises UserError when there is none."""
    now = app.clock.now()
    await app.store.prepare_memory()
    async with app.store.transaction() as tx:
        _, _, watch = await _known(tx, incident)
        if not await tx.feedback.remove(incident, person):
            raise _nothing_said(incident, person, await tx.feedback.of(incident))
        await tx.events.append(FeedbackWithdrawn(at=now, watch=watch, incident=incident, by=person))
        await _redraw(tx, app, incident, watch)
    return f"Taken back: what you said about {incident} does not count any more."


def _nothing_said(incident: IncidentId, person: Person, labels: Sequence[FeedbackLabel]) -> UserError:
    """Names who did say something: a person has one name at a terminal and another one in Slack."""
    others = ", ".join(dict.fromkeys(label.person for label in labels))
    if not others:
        return UserError(
            f"{person} has said nothing about {incident}.",
            next_step="`babysit incidents` shows what people said.",
        )
    return UserError(
        f"{person} has said nothing about {incident}; {others} did.",
        next_step="Everybody takes back their own word where they gave it: in Slack with the last entry "
        "of the menu 'It was really …' on the card.",
    )


async def _known(tx: Transaction, incident: IncidentId) -> tuple[Cause, tuple[RuleId, ...], WatchId | None]:
    """The judged cause, its rules and its watch; an imported incident has neither rules nor watch."""
    found = await tx.incidents.incident(incident)
    if found is not None:
        return found.diagnosis.cause, found.diagnosis.rules, found.key.watch
    past = await tx.history.get(incident)
    if past is None:
        raise UserError(
            f"No incident has the id '{incident}'.", next_step="`babysit incidents` lists what is remembered."
        )
    return past.cause, (), None


async def _redraw(tx: Transaction, app: App, incident: IncidentId, watch: WatchId | None) -> None:
    """Show on the incident's own card what people say. The card of an outage belongs to no watch."""
    owner = next((candidate for candidate in await tx.watches.all() if candidate.id == watch), None)
    if owner is not None:
        await refresh_incident_messages(tx, incident, owner, now=app.clock.now())
