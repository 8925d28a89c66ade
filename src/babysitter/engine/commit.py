"""Writes down what follows from one check: memory, incidents, proposals, events, messages.

Runs inside one transaction, together with the reading of the ledger it rests on: all of it or nothing,
and nobody writes in between. Every id is computed from its cause, so doing it again changes nothing.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from babysitter.diagnosis.timeline.pipelines.stage_pace import is_one_stage
from babysitter.engine.earlier_incidents import remember
from babysitter.engine.telling.enqueue import (
    enqueue_message,
    refresh_incident_messages,
    refresh_thread_header,
    subject_of,
)
from babysitter.engine.telling.tell_routine import tell_routine
from babysitter.errors import FactsChanged
from babysitter.messages.routine import compose_routine
from babysitter.model.events import (
    Event,
    IncidentEnded,
    IncidentOpened,
    IncidentWorsened,
    JobFinished,
    JobReappeared,
    JobVanished,
    PhaseChanged,
    ProposalReminded,
    ProposalWithdrawn,
    RestartProposed,
    SawAgain,
    StageChanged,
    WentBlind,
)
from babysitter.model.ids import IncidentId, ProposalId
from babysitter.model.incident import IncidentStatus
from babysitter.model.intent import (
    EndIncident,
    Expire,
    Intent,
    OpenIncident,
    Propose,
    Reassign,
    Remind,
    RepeatIncident,
    SendMessage,
    Withdraw,
)
from babysitter.model.job import JobState
from babysitter.model.message import MessageKind
from babysitter.model.observation import Observation
from babysitter.model.phase import Phase
from babysitter.model.proposal import ProposalStatus
from babysitter.model.verdict import ProgressSummary, Verdict
from babysitter.model.watch import Watch
from babysitter.policy.policy_input import PolicyInput
from babysitter.store.store import Transaction

KEPT_EVERY = 20  # healthy observations; every other kind is kept
EVENT_EVIDENCE_LINES = 3
LOOK_WHILE_ASKING = timedelta(minutes=5)  # after a job's end, while an offer about it stands
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SPREAD = 0.05  # of the pause between checks, so that watches started together drift apart
SPREAD_FROM_S = 30.0


async def commit(
    tx: Transaction, case: PolicyInput, observation: Observation, intents: Sequence[Intent]
) -> Watch:
    """The watch as it is now kept. Raises FactsChanged when somebody else wrote the watch meanwhile."""
    verdict, watch, now = case.verdict, case.watch, case.now
    checked = replace(
        watch,
        memory=verdict.memory,
        kind=verdict.memory.kind or watch.kind,
        outlook=verdict.outlook,
        due_at=due_at(verdict, watch, now),
        last_checked_at=now,
        trouble="",
    )
    await tx.events.append(*course(watch, verdict, now))
    deeds = _IntentExecutor(tx, checked, verdict, now, observation)
    for intent in intents:
        await deeds.do(intent)
    await deeds.redraw_touched()
    await refresh_thread_header(tx, await subject_of(tx, checked, now=now, verdict=verdict))
    if is_worth_keeping(watch, verdict):
        await tx.observations.keep(watch.id, observation)
    if checked.due_at is None and await _somebody_is_asked(tx, watch):
        checked = replace(checked, due_at=now + LOOK_WHILE_ASKING)
    if not await tx.watches.save(checked, verdict):
        raise FactsChanged(f"The watch {watch.id} was changed while it was being checked.")
    return replace(checked, revision=checked.revision + 1)


async def apply_intents(
    tx: Transaction, watch: Watch, verdict: Verdict, intents: Sequence[Intent], *, now: datetime
) -> None:
    """What is wanted outside a check, in the caller's transaction; the watch itself is not written."""
    deeds = _IntentExecutor(tx, watch, verdict, now)
    for intent in intents:
        await deeds.do(intent)
    await deeds.redraw_touched()


async def _somebody_is_asked(tx: Transaction, watch: Watch) -> bool:
    """Whether an offer stands: it must be reminded of, handed on, and withdrawn when its facts move."""
    standing = (ProposalStatus.OPEN, ProposalStatus.SNOOZED)
    return any(proposal.status in standing for proposal in (await tx.incidents.of(watch)).proposals)


def due_at(verdict: Verdict, watch: Watch, now: datetime) -> datetime | None:
    """When to look again; None = never.

    Steady watches are due together, so that one request asks for the states of all their jobs. Others are
    spread a little, the same way for the same check.
    """
    pause_s = verdict.next_check_s
    if pause_s == float("inf"):
        return None
    if verdict.phase is Phase.STEADY and not verdict.blind:
        return _next_tick(now, pause_s, watch.due_at)
    if pause_s >= SPREAD_FROM_S:
        drawn = hashlib.sha256(f"{watch.id}:{watch.revision}".encode()).digest()[0] / 255
        pause_s *= 1 + SPREAD * drawn
    return now + timedelta(seconds=pause_s)


def _next_tick(now: datetime, pause_s: float, due_at: datetime | None) -> datetime:
    """The last moment within the pause that is a multiple of it since 1970, in every process the same.

    A look that came late, because there is much to do, is not followed by an early one.
    """
    is_late = due_at is not None and now - due_at >= timedelta(seconds=pause_s / 2)
    pause = timedelta(seconds=pause_s)
    at = now + pause
    return at if is_late else at - (at - EPOCH) % pause


def course(watch: Watch, verdict: Verdict, now: datetime) -> Iterator[Event]:
    """What this check saw happen to the job, as events."""
    passed = [*verdict.trail, verdict.phase]
    for before, after in pairwise([watch.phase, *passed]):
        if before is not after:
            yield PhaseChanged(at=now, watch=watch.id, before=before, after=after, because=_because(verdict))
    stage, earlier = _current_stage(verdict.outlook), _current_stage(watch.outlook)
    if stage is not None and not _is_the_same(earlier, stage):
        yield StageChanged(at=now, watch=watch.id, stage=stage[0], pipeline=stage[1])
    blind, was_blind = verdict.memory.blind_since, watch.memory.blind_since
    for spot in verdict.blind:
        if spot.source not in was_blind:
            yield WentBlind(at=now, watch=watch.id, source=spot.source, reason=spot.reason)
    for source, since in was_blind.items():
        if source not in blind:
            yield SawAgain(at=now, watch=watch.id, source=source, blind_s=(now - since).total_seconds())
    gone_since, was_gone_since = verdict.memory.gone_since, watch.memory.gone_since
    if verdict.gone is not None and was_gone_since is None:
        yield JobVanished(at=now, watch=watch.id, root=watch.root, reason=verdict.gone.reason)
    if was_gone_since is not None and gone_since is None:
        gone_s = (now - was_gone_since).total_seconds()
        yield JobReappeared(at=now, watch=watch.id, root=watch.root, gone_s=gone_s)
    if verdict.phase is Phase.FINISHED and watch.phase is not Phase.FINISHED:
        yield _finished(watch, verdict, now)


def is_worth_keeping(watch: Watch, verdict: Verdict) -> bool:
    """Whether a replay would want this observation: trouble, a move, or now and then one of the usual."""
    is_usual = verdict.phase is watch.phase and not verdict.diagnosis and not verdict.signals
    return not is_usual or verdict.memory.checks_in_phase % KEPT_EVERY == 1


class _IntentExecutor:
    """Carries out intents in their order, and knows which incidents they touched."""

    def __init__(
        self,
        tx: Transaction,
        watch: Watch,
        verdict: Verdict,
        now: datetime,
        observation: Observation | None = None,
    ) -> None:
        self._tx = tx
        self._watch = watch
        self._verdict = verdict
        self._now = now
        self._observation = observation
        self._touched: dict[IncidentId, None] = {}

    async def do(self, intent: Intent) -> None:
        match intent:
            case OpenIncident():
                await self._open(intent)
            case RepeatIncident():
                await self._repeat(intent)
            case EndIncident():
                await self._end(intent)
            case Propose():
                await self._propose(intent)
            case Withdraw():
                await self._withdraw(intent)
            case Remind():
                if await self._tx.incidents.remind(intent.proposal, now=self._now):
                    await self._append(ProposalReminded(at=self._now, proposal=intent.proposal))
            case Reassign():
                await self._hand_on(intent)
            case Expire():
                await self._expire(intent)
            case SendMessage():
                await self._say(intent)

    async def redraw_touched(self) -> None:
        for incident in self._touched:
            await refresh_incident_messages(
                self._tx, incident, self._watch, now=self._now, verdict=self._verdict
            )

    async def _open(self, intent: OpenIncident) -> None:
        ledger, diagnosis = self._tx.incidents, intent.diagnosis
        if await ledger.open_incident(intent.incident, intent.key, diagnosis, now=self._now):
            await self._append(
                IncidentOpened(
                    at=self._now,
                    incident=intent.incident,
                    cause=diagnosis.cause,
                    severity=diagnosis.severity,
                    explanation=diagnosis.explanation,
                    evidence=tuple(line.text for line in diagnosis.evidence[:EVENT_EVIDENCE_LINES]),
                )
            )
            await self._remember(intent.incident)

    async def _repeat(self, intent: RepeatIncident) -> None:
        before = await self._tx.incidents.incident(intent.incident)
        await self._tx.incidents.repeat_incident(intent.incident, intent.diagnosis, now=self._now)
        if before is not None and intent.diagnosis.severity > before.diagnosis.severity:
            await self._append(
                IncidentWorsened(
                    at=self._now,
                    incident=intent.incident,
                    severity=intent.diagnosis.severity,
                    explanation=intent.diagnosis.explanation,
                )
            )
        if before is not None and intent.diagnosis.cause is not before.diagnosis.cause:
            await self._remember(intent.incident)
        self._touched[intent.incident] = None

    async def _remember(self, incident: IncidentId) -> None:
        """Keep what the incident looks like, so that it is recognised when it comes again."""
        found = await self._tx.incidents.incident(incident)
        if found is not None:
            await remember(self._tx, found, self._watch, self._verdict, self._observation)

    async def _end(self, intent: EndIncident) -> None:
        await self._tx.incidents.set_status(
            intent.incident, intent.status, now=self._now, outcome=intent.outcome
        )
        await self._append(
            IncidentEnded(
                at=self._now, incident=intent.incident, status=intent.status, outcome=intent.outcome
            )
        )
        self._touched[intent.incident] = None

    async def _propose(self, intent: Propose) -> None:
        offer = intent.proposal
        if not await self._tx.incidents.add_proposal(offer):
            return
        await self._tx.incidents.set_status(offer.incident, IncidentStatus.PROPOSED, now=self._now)
        changed = (f"{change.what}: {change.before} -> {change.after}" for change in offer.changes)
        await self._append(
            RestartProposed(
                at=self._now,
                incident=offer.incident,
                proposal=offer.id,
                job=offer.job,
                command=" ".join(offer.submission.words) if offer.submits else f"stop {offer.job}",
                act=offer.act,
                change="; ".join(changed),
                asked_by=offer.asked_by,
                asked_because=offer.asked_because,
            )
        )

    async def _withdraw(self, intent: Withdraw) -> None:
        standing = (ProposalStatus.OPEN, ProposalStatus.SNOOZED)
        if await self._tx.incidents.set_proposal(
            intent.proposal, ProposalStatus.WITHDRAWN, among=standing, because=intent.because
        ):
            await self._append(
                ProposalWithdrawn(at=self._now, proposal=intent.proposal, because=intent.because)
            )
            await self._move_incident_of(intent.proposal, IncidentStatus.OPEN)

    async def _hand_on(self, intent: Reassign) -> None:
        if await self._tx.incidents.hand_on(intent.proposal, intent.to, expires_at=intent.expires_at):
            await self._append(
                ProposalReminded(at=self._now, proposal=intent.proposal, handed_to=", ".join(intent.to))
            )

    async def _expire(self, intent: Expire) -> None:
        standing = (ProposalStatus.OPEN, ProposalStatus.SNOOZED)
        if await self._tx.incidents.set_proposal(intent.proposal, ProposalStatus.UNANSWERED, among=standing):
            await self._move_incident_of(intent.proposal, IncidentStatus.EXPIRED)

    async def _say(self, intent: SendMessage) -> None:
        about = await subject_of(
            self._tx,
            self._watch,
            now=self._now,
            verdict=self._verdict,
            incident=intent.incident,
            proposal=intent.proposal,
            because=intent.because,
        )
        if intent.occasion is MessageKind.ROUTINE:
            words = compose_routine(about)
            await tell_routine(self._tx, words, key=intent.key, now=self._now, watch=self._watch.id)
            return
        await enqueue_message(
            self._tx,
            intent.occasion,
            about,
            key=intent.key,
            mentions_on_call=intent.mentions_on_call,
            mentions=intent.mentions,
            hold_until=intent.hold_until,
        )

    async def _move_incident_of(self, proposal: ProposalId, status: IncidentStatus) -> None:
        """The incident of an offer that does not stand any more, unless it is over or being acted upon."""
        offer = await self._tx.incidents.proposal(proposal)
        if offer is not None:
            waiting = (IncidentStatus.PROPOSED, IncidentStatus.SNOOZED)
            await self._tx.incidents.set_status(offer.incident, status, now=self._now, among=waiting)
            self._touched[offer.incident] = None

    async def _append(self, event: Event) -> None:
        await self._tx.events.append(replace(event, watch=self._watch.id))


def _is_the_same(earlier: tuple[str, int] | None, stage: tuple[str, int]) -> bool:
    return earlier is not None and earlier[1] == stage[1] and is_one_stage(earlier[0], stage[0])


def _current_stage(outlook: ProgressSummary | None) -> tuple[str, int] | None:
    if outlook is None:
        return None
    current = next((stage.label for stage in outlook.stages if stage.is_current), None)
    return (current, outlook.pipeline or 0) if current is not None else None


def _because(verdict: Verdict) -> str:
    if verdict.diagnosis is not None:
        return verdict.diagnosis.explanation
    return verdict.signals[0].explanation if verdict.signals else ""


def _finished(watch: Watch, verdict: Verdict, now: datetime) -> JobFinished:
    outlook = verdict.outlook
    lasted = None
    if outlook.started_at is not None and outlook.finished_at is not None:
        lasted = (outlook.finished_at - outlook.started_at).total_seconds()
    return JobFinished(
        at=now,
        watch=watch.id,
        root=watch.root,
        state=outlook.job_state or JobState.OTHER,
        cause=verdict.cause,
        summary=verdict.diagnosis.explanation if verdict.diagnosis else outlook.summary,
        duration_s=lasted,
        retries=outlook.retries,
        peak_memory_bytes=outlook.peak_memory_bytes,
    )
