"""Remembered incidents: list them, and find those like one of them."""

from datetime import UTC, datetime

from babysitter.config import Settings
from babysitter.diagnosis.fingerprint import fingerprint_of
from babysitter.engine.app import App
from babysitter.engine.earlier_incidents import (
    earlier_incidents,
    nearest,
    remember_missing,
    sorted_by_likeness,
)
from babysitter.errors import BabysitError, UserError
from babysitter.messages.seen_before import seen_before
from babysitter.model.cause_info import about
from babysitter.model.finding import Cause
from babysitter.model.ids import IncidentId
from babysitter.model.observation import Observation
from babysitter.model.past_incident import Recalled
from babysitter.model.verdict import Verdict
from babysitter.store.default_folder import FILE_NAME
from babysitter.store.store import Store, open_store
from babysitter.usecases.state_folder import state_folder

MAX_LIKE = 10


async def find_incidents(
    app: App,
    *,
    like: str = "",
    cause: Cause | None = None,
    since: datetime | None = None,
    at_most: int = MAX_LIKE,
) -> list[Recalled]:
    """Remembered incidents, newest first; with `like` those nearest to that one by their words, best first.

    `cause`: what a person said it was, else what was judged; it does not influence the order. Raises
    UserError for an unknown id.
    """
    await remember_missing(app.store)
    async with app.store.reading() as tx:
        if like:
            past = await tx.history.get(like)
            if past is None:
                raise UserError(
                    f"No incident has the id '{like}'.",
                    next_step="`babysit incidents` lists what is remembered.",
                )
            found = await nearest(tx, past.fingerprint, leave_out=(like,))
        else:
            found = [Recalled(past, 1.0) for past in await tx.history.since(since)]
    wanted = [
        recalled
        for recalled in found
        if (cause is None or recalled.past.known_cause is cause)
        and (since is None or recalled.past.at >= since)
    ]
    return wanted[:at_most]


async def sentence_about(app: App, incident: IncidentId) -> str:
    """What is remembered about an incident, as its card says it; "" for nothing."""
    async with app.store.reading() as tx:
        found = await tx.incidents.incident(incident)
        earlier = await earlier_incidents(tx, found) if found is not None else None
    return seen_before(earlier, now=app.clock.now()) if earlier else ""


async def sentence_about_verdict(store: Store, verdict: Verdict, observation: Observation | None) -> str:
    """What is remembered about a look that was not kept; "" for nothing, and for a healthy job."""
    if not _is_trouble(verdict):
        return ""
    async with store.reading() as tx:
        found = await nearest(tx, fingerprint_of(verdict, observation))
    return seen_before(sorted_by_likeness(found), now=datetime.now(UTC))


async def sentence_from_memory(settings: Settings, verdict: Verdict, observation: Observation | None) -> str:
    """The same for a command that opens nothing else; "" where nothing is remembered or can be read."""
    folder, url = state_folder(settings.state_dir), settings.database_url
    if not _is_trouble(verdict) or (url is None and not (folder / FILE_NAME).exists()):
        return ""
    try:
        store = await open_store(url.get_secret_value() if url is not None else folder)
    except BabysitError:
        return ""
    try:
        return await sentence_about_verdict(store, verdict, observation)
    finally:
        await store.close()


def _is_trouble(verdict: Verdict) -> bool:
    return verdict.diagnosis is not None and not about(verdict.diagnosis.cause).is_benign
