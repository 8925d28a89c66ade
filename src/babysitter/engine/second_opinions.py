"""Ask for a second opinion on each new incident, beside the checks: the card goes out first.

Nothing here can delay a check or change a verdict: an answer is a row, and a note on the card.
"""

from dataclasses import replace
from datetime import datetime, timedelta

import structlog

from babysitter.advisor.combine import combine
from babysitter.advisor.consultation import Advisor, Consultation
from babysitter.advisor.evidence_pack import build_pack
from babysitter.advisor.material import Material, Remark, RulesVerdict
from babysitter.advisor.question import Question, ask_about
from babysitter.advisor.verify import requote
from babysitter.engine.advice_material import good_run_remarks
from babysitter.engine.advice_of_job import material_of_job, verdict_of_rules
from babysitter.engine.app import App
from babysitter.engine.earlier_incidents import earlier_incidents
from babysitter.engine.enqueue import refresh_incident_messages
from babysitter.errors import NoSuchWatch
from babysitter.messages.seen_before import seen_before
from babysitter.model.ids import IncidentId
from babysitter.model.incident import Incident
from babysitter.model.observation import Observation
from babysitter.model.opinion import NoOpinion, Opinion, OpinionRecord
from babysitter.model.watch import Watch
from babysitter.store.store import Transaction

DAY = timedelta(days=1)
ASK_AGAIN = timedelta(seconds=30)  # for an answer that somebody may put into the exchange folder
MAX_LINES = 20_000
UNSURE = 0.65  # confidence below which `advisor.ask: unsure` asks

log = structlog.get_logger()


class SecondOpinions:
    """Asks about one incident at a time."""

    def __init__(self, app: App, advisor: Advisor, *, waits_for_answers: bool) -> None:
        """`waits_for_answers`: answers come later, by another hand, and are looked for again."""
        self._app = app
        self._advisor = advisor
        self._waits_for_answers = waits_for_answers
        self._not_before: dict[str, datetime] = {}

    async def ask_next(self) -> None:
        """Ask about the oldest incident of the last day that waits for it. Raises StorageUnavailable."""
        now = self._app.clock.now()
        async with self._app.store.reading() as tx:
            unasked = await tx.opinions.unasked(now - DAY)
        for incident in unasked:
            is_due = self._not_before.get(incident.id, now) <= now
            if is_due and self._is_wanted(incident):
                await self._ask(incident)
                return

    def _is_wanted(self, incident: Incident) -> bool:
        match self._app.settings.advisor.ask:
            case "incidents":
                return True
            case "unsure":
                return incident.diagnosis.confidence < UNSURE
        return False

    async def _ask(self, incident: Incident) -> None:
        now = self._app.clock.now()
        self._not_before[incident.id] = now + ASK_AGAIN
        prepared = await self._prepared(incident)
        if prepared is None:
            return
        watch, material, rules = prepared
        question = ask_about(build_pack(material))
        found = await self._consult(incident, question, material, now)
        if isinstance(found.opinion, NoOpinion) and self._waits_for_answers:
            return
        record = OpinionRecord(
            incident=incident.id,
            at=now,
            fingerprint=question.fingerprint,
            combined=combine(rules, found.opinion),
            calls=found.usage.calls,
            tokens=found.usage.input_tokens + found.usage.output_tokens,
            cost_usd=found.usage.cost_usd,
            transcript=found.transcript,
        )
        lease = self._app.leadership.lease
        async with self._app.store.transaction() as tx:
            await tx.leases.must_hold(lease.name, lease.fence)
            await tx.opinions.put(record)
            await refresh_incident_messages(tx, incident.id, watch, now=now)
        log.info("opinion_given", incident=incident.id, weighing=record.combined.weighing.value)

    async def _prepared(self, incident: Incident) -> tuple[Watch, Material, RulesVerdict] | None:
        """What is asked about an incident, from what the store keeps; None for one without a watch."""
        async with self._app.store.reading() as tx:
            try:
                watch = await tx.watches.get(incident.key.watch)
            except NoSuchWatch:  # an outage of a cluster: its incident belongs to no job
                return None
            verdict = await tx.watches.last_verdict(watch.id)
            observations = await tx.observations.of(watch.id)
            remembered = seen_before(await earlier_incidents(tx, incident), now=self._app.clock.now())
        if verdict is None:
            return None
        verdict = replace(verdict, memory=watch.memory)
        newest = next((each for each in reversed(observations) if each.seen_tree is not None), None)
        lines = [line for each in observations for line in each.seen_lines][-MAX_LINES:]
        remarks = good_run_remarks(verdict.comparison)
        if remembered:
            remarks = (*remarks, Remark("Earlier incidents of this kind", (remembered,)))
        material = material_of_job(verdict, lines, _with_dumps(newest, observations), remarks=remarks)
        return watch, material, verdict_of_rules(verdict, incident.diagnosis)

    async def _consult(
        self, incident: Incident, question: Question, material: Material, now: datetime
    ) -> Consultation:
        """The answer that is known already, else a new one if the day's budget allows it."""
        async with self._app.store.reading() as tx:
            known = await _known(tx, incident, question)
            spent = await tx.opinions.spent(now - DAY)
        if known is not None:
            return Consultation(known)
        wishes = self._app.settings.advisor
        if spent.calls + wishes.calls > wishes.calls_per_day:
            return Consultation(NoOpinion(f"The {wishes.calls_per_day} calls of a day are used up."))
        if spent.tokens + wishes.tokens > wishes.tokens_per_day:
            return Consultation(NoOpinion(f"The {wishes.tokens_per_day:,} tokens of a day are used up."))
        if wishes.cost_usd_per_day and spent.cost_usd >= wishes.cost_usd_per_day:
            return Consultation(NoOpinion(f"The {wishes.cost_usd_per_day:.2f} USD of a day are used up."))
        return await self._advisor.consult(question, material)


async def _known(tx: Transaction, incident: Incident, question: Question) -> Opinion | None:
    """The opinion on the same question, or on an incident that looked the same, if its quotes hold."""
    same = await tx.opinions.with_fingerprint(question.fingerprint)
    if same is not None and same.combined.opinion is not None:
        return same.combined.opinion
    for recalled in (await earlier_incidents(tx, incident)).seen:
        record = await tx.opinions.of(IncidentId(recalled.past.id))
        if record is not None and record.combined.opinion is not None:
            opinion = requote(record.combined.opinion, question.pack, fingerprint=question.fingerprint)
            if opinion is not None:
                return opinion
    return None


def _with_dumps(newest: Observation | None, observations: tuple[Observation, ...]) -> Observation | None:
    """The newest observation of the tree, with the last dumps that were taken."""
    dumps = next((each.dumps for each in reversed(observations) if each.dumps), {})
    return None if newest is None else replace(newest, dumps=dumps)
