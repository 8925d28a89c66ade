"""Questions about incidents and watches from what the store keeps, and the records of their answers."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from babysitter.advisor.combine import combine
from babysitter.advisor.consultation import Advisor, Consultation
from babysitter.advisor.evidence_pack import build_pack
from babysitter.advisor.material import Material, Remark, RulesVerdict
from babysitter.advisor.question import Question, ask_about
from babysitter.advisor.verify import requote
from babysitter.engine.advising.advice_material import good_run_remarks
from babysitter.engine.advising.advice_of_job import material_of_job, verdict_of_rules
from babysitter.engine.app import App
from babysitter.engine.earlier_incidents import earlier_incidents
from babysitter.engine.telling.enqueue import refresh_incident_messages
from babysitter.errors import NoSuchWatch
from babysitter.messages.seen_before import seen_before
from babysitter.model.ids import IncidentId
from babysitter.model.incident import Incident
from babysitter.model.observation import Observation
from babysitter.model.opinion import Opinion, OpinionRecord
from babysitter.model.verdict import Diagnosis, Verdict
from babysitter.model.watch import Watch
from babysitter.store.repositories.advisor_budget import AdvicePurpose
from babysitter.store.store import Transaction

MAX_LINES = 20_000


@dataclass(frozen=True, slots=True)
class PreparedQuestion:
    """A question with what it is about. `rules`: what the rules alone conclude."""

    watch: Watch
    question: Question
    material: Material
    rules: RulesVerdict
    incident: Incident | None = None

    def record(self, found: Consultation, at: datetime) -> OpinionRecord:
        """What came of it."""
        usage = found.usage
        return OpinionRecord(
            incident=self.incident.id if self.incident is not None else None,
            at=at,
            fingerprint=self.question.fingerprint,
            combined=combine(self.rules, found.opinion),
            calls=usage.calls,
            tokens=usage.input_tokens + usage.output_tokens,
            cost_usd=usage.cost_usd,
            transcript=found.transcript,
        )


async def question_about_incident(app: App, incident: Incident) -> PreparedQuestion | None:
    """What is asked about an incident; None for one of a cluster, which belongs to no job."""
    async with app.store.reading() as tx:
        try:
            watch = await tx.watches.get(incident.key.watch)
        except NoSuchWatch:
            return None
        verdict, observations = await _course(tx, watch)
        remembered = seen_before(await earlier_incidents(tx, incident), now=app.clock.now())
    if verdict is None:
        return None
    remarks = [Remark("Earlier incidents of this kind", (remembered,))] if remembered else []
    return _prepared(watch, verdict, observations, incident.diagnosis, incident, remarks)


async def question_about_watch(app: App, watch: Watch) -> PreparedQuestion | None:
    """What is asked about a watch without an incident; None for one that was never checked."""
    async with app.store.reading() as tx:
        verdict, observations = await _course(tx, watch)
    return None if verdict is None else _prepared(watch, verdict, observations, verdict.diagnosis)


async def consult_known_first(
    app: App, advisor: Advisor, prepared: PreparedQuestion, incident: Incident
) -> Consultation:
    """The answer that is known already, else that of the advisor."""
    async with app.store.reading() as tx:
        known = await _known(tx, incident, prepared.question)
    if known is not None:
        return Consultation(known)
    return await advisor.consult(prepared.question, prepared.material)


async def keep_opinion(
    tx: Transaction, incident: Incident, watch: Watch, record: OpinionRecord, *, now: datetime
) -> OpinionRecord:
    """Keep what came of asking about an incident, and show it on its card. Returns it as it is kept."""
    if not record.calls and record.combined.opinion is not None:
        await tx.advisor.note_free(now, AdvicePurpose.INCIDENT)
    record = replace(record, day=await tx.advisor.day(now))
    await tx.opinions.put(record)
    await tx.opinions.close_request(incident.id)
    await refresh_incident_messages(tx, incident.id, watch, now=now)
    return record


async def _course(tx: Transaction, watch: Watch) -> tuple[Verdict | None, tuple[Observation, ...]]:
    """The last verdict with the watch's memory, and what is kept of what was seen."""
    verdict = await tx.watches.last_verdict(watch.id)
    if verdict is None:
        return None, ()
    return replace(verdict, memory=watch.memory), await tx.observations.of(watch.id)


def _prepared(
    watch: Watch,
    verdict: Verdict,
    observations: tuple[Observation, ...],
    diagnosis: Diagnosis | None,
    incident: Incident | None = None,
    remarks: Sequence[Remark] = (),
) -> PreparedQuestion:
    newest = next(
        (observation for observation in reversed(observations) if observation.seen_tree is not None), None
    )
    lines = [line for observation in observations for line in observation.seen_lines][-MAX_LINES:]
    if incident is None:
        lines += watch.memory.recent_lines  # of a job that is well few observations are kept
    every = (*good_run_remarks(verdict.comparison), *remarks)
    material = material_of_job(verdict, lines, _with_dumps(newest, observations), remarks=every)
    question = ask_about(build_pack(material))
    return PreparedQuestion(watch, question, material, verdict_of_rules(verdict, diagnosis), incident)


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
    dumps = next((observation.dumps for observation in reversed(observations) if observation.dumps), {})
    return None if newest is None else replace(newest, dumps=dumps)
