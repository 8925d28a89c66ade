"""Ask for second opinions beside the checks: the card goes out first.

Asked about, in this order: incidents for which a person pressed "Second opinion", new incidents, and watches
without an incident that report something which nothing explains. Nothing here can delay a check or change a
verdict: an answer is a row, and a note on the card.
"""

from datetime import datetime, timedelta

import structlog

from babysitter.advisor.consultation import Advisor
from babysitter.diagnosis.causes.guess import is_guess
from babysitter.diagnosis.causes.guess_of_counts import PREFIX
from babysitter.engine.advising.advice_question import (
    PreparedQuestion,
    consult_known_first,
    keep_opinion,
    question_about_incident,
    question_about_watch,
)
from babysitter.engine.advising.budgeted_advisor import BudgetedAdvisor
from babysitter.engine.app import App
from babysitter.engine.telling.enqueue import refresh_thread_header, subject_of
from babysitter.model.advisor_spend import DAY
from babysitter.model.ids import WatchId
from babysitter.model.incident import Incident
from babysitter.model.opinion import NoOpinion
from babysitter.model.phase import Phase
from babysitter.model.verdict import UNSURE_BELOW
from babysitter.model.watch import Watch
from babysitter.store.repositories.advisor_budget import AdvicePurpose

ASK_AGAIN = timedelta(seconds=30)  # for an answer that somebody may put into the exchange folder
WATCH_INTERVAL = timedelta(hours=1)  # between questions about a watch without an incident
SCAN_INTERVAL = timedelta(minutes=1)  # of watches: the memory of those with a guess is read

log = structlog.get_logger()


class SecondOpinions:
    """Asks about one incident or watch at a time."""

    def __init__(self, app: App, advisor: Advisor, *, waits_for_answers: bool) -> None:
        """`waits_for_answers`: answers come later, cost nothing, and are looked for again."""
        self._app = app
        self._waits_for_answers = waits_for_answers
        self._advisor = advisor
        self._not_before: dict[str, datetime] = {}
        self._waiting: dict[WatchId, PreparedQuestion] = {}  # for an answer in the exchange folder
        self._scan_at = datetime.min.replace(tzinfo=app.clock.now().tzinfo)

    async def ask_next(self) -> None:
        """Ask about what has waited longest. Raises StorageUnavailable."""
        incident = await self._next_requested() or await self._next_new()
        if incident is not None:
            await self._ask(incident)
            return
        watch = await self._next_watch()
        if watch is not None:
            await self.ask_about_watch(watch)
            return
        for prepared in [
            prepared_question for name, prepared_question in self._waiting.items() if self._is_due(name)
        ]:
            await self._consult_about_watch(prepared)

    async def _next_requested(self) -> Incident | None:
        """The incident that a person asks about; requests about ended incidents are closed."""
        async with self._app.store.reading() as tx:
            requests = await tx.opinions.requested()
            found = [(request, await tx.incidents.incident(request.incident)) for request in requests]
        for request, incident in found:
            if incident is None or incident.status.is_resolved:
                async with self._app.store.transaction() as tx:
                    await tx.opinions.close_request(request.incident)
            elif self._is_due(incident.id):
                return incident
        return None

    async def _next_new(self) -> Incident | None:
        """The oldest incident of the last day that nobody was asked about."""
        ask = self._app.settings.advisor.ask
        if ask == "on-request":
            return None
        async with self._app.store.reading() as tx:
            unasked = await tx.opinions.unasked(self._app.clock.now() - DAY)
        wanted = [
            incident
            for incident in unasked
            if ask == "incidents" or incident.diagnosis.confidence < UNSURE_BELOW
        ]
        return next((incident for incident in wanted if self._is_due(incident.id)), None)

    async def _next_watch(self) -> Watch | None:
        """A watch without an incident that reports what nothing explains, at most once an hour."""
        now = self._app.clock.now()
        if now < self._scan_at or self._app.settings.advisor.ask == "on-request":
            return None
        self._scan_at = now + SCAN_INTERVAL
        async with self._app.store.reading() as tx:
            asked = await tx.opinions.asked_since(now - WATCH_INTERVAL)
            for watch in await tx.watches.remembering(f'"{PREFIX}'):
                if watch.id in asked or not has_unexplained_report(watch):
                    continue
                if not await tx.incidents.incidents_of((watch.id,), only_open=True):
                    return watch
        return None

    def _is_due(self, name: str) -> bool:
        now = self._app.clock.now()
        return self._not_before.get(name, now) <= now

    def _budgeted(self, purpose: AdvicePurpose) -> Advisor:
        app = self._app
        if self._waits_for_answers:
            return self._advisor
        return BudgetedAdvisor(self._advisor, app.store, app.settings.advisor, app.clock, purpose)

    async def _ask(self, incident: Incident) -> None:
        app, now = self._app, self._app.clock.now()
        self._not_before[incident.id] = now + ASK_AGAIN
        prepared = await question_about_incident(app, incident)
        if prepared is None:
            await self._close(incident)
            return
        advisor = self._budgeted(AdvicePurpose.INCIDENT)
        found = await consult_known_first(app, advisor, prepared, incident)
        if isinstance(found.opinion, NoOpinion) and self._waits_for_answers:
            return
        lease = app.leadership.lease
        async with app.store.transaction() as tx:
            await tx.leases.must_hold(lease.name, lease.fence)
            record = prepared.record(found, now)
            await keep_opinion(tx, incident, prepared.watch, record, now=app.clock.now())
        log.info("opinion_given", incident=incident.id, weighing=record.combined.weighing.value)

    async def _close(self, incident: Incident) -> None:
        """Close a request about an incident of a whole cluster, which has no job to read."""
        async with self._app.store.transaction() as tx:
            await tx.opinions.close_request(incident.id)

    async def ask_about_watch(self, watch: Watch) -> None:
        """Note that it is asked about, then ask: a process that dies meanwhile does not ask again."""
        app, now = self._app, self._app.clock.now()
        lease = app.leadership.lease
        prepared = await question_about_watch(app, watch)
        async with app.store.transaction() as tx:
            await tx.leases.must_hold(lease.name, lease.fence)
            await tx.opinions.mark_asked(watch.id, now)
        if prepared is not None:
            await self._consult_about_watch(prepared)

    async def _consult_about_watch(self, prepared: PreparedQuestion) -> None:
        app, lease, name = self._app, self._app.leadership.lease, prepared.watch.id
        now = app.clock.now()
        advisor = self._budgeted(AdvicePurpose.WATCH)
        found = await advisor.consult(prepared.question, prepared.material)
        if isinstance(found.opinion, NoOpinion) and self._waits_for_answers:
            self._waiting[name], self._not_before[name] = prepared, now + ASK_AGAIN
            return
        self._waiting.pop(name, None)
        record = prepared.record(found, now)
        async with app.store.transaction() as tx:
            await tx.leases.must_hold(lease.name, lease.fence)
            await tx.opinions.put_of_watch(name, record)
            watch = await tx.watches.get(name)
            await refresh_thread_header(tx, await subject_of(tx, watch, now=app.clock.now()))
        log.info("opinion_given", watch=name, weighing=record.combined.weighing.value)


def has_unexplained_report(watch: Watch) -> bool:
    """Whether a job that goes on has reported what no rule explains, and no work was done after it."""
    if watch.phase is Phase.FINISHED or watch.due_at is None:
        return False
    return any(is_guess(finding) and not finding.overcome_by for finding in watch.memory.findings)
