"""Takes up an approved action, carries it on from its journal, and records how it ended."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from babysitter.assess.phases import enter
from babysitter.backends.base import Eyes
from babysitter.backends.iris.bundle import folder_state
from babysitter.decide.differences import folder_change
from babysitter.decide.proposal import askable, difference
from babysitter.errors import BabysitError, StorageUnavailable, UserError, WorldError
from babysitter.model.action import BrokeOff, CalledOff, Outcome, Step, StepRecord, StepState, Submitted
from babysitter.model.events import IncidentEnded, JobFinished, PhaseChanged, ProposalWithdrawn
from babysitter.model.ids import TaskId, WatchId
from babysitter.model.incident import IncidentStatus, Restart
from babysitter.model.job import JobState
from babysitter.model.log import LogSource
from babysitter.model.memory import Memory
from babysitter.model.message import Occasion
from babysitter.model.phase import Phase
from babysitter.model.proposal import Approved, Decision, Facts, Proposal, ProposalStatus
from babysitter.model.submission import Submission
from babysitter.model.verdict import Outlook
from babysitter.model.watch import Watch
from babysitter.private_files import make_private_folder, write_private
from babysitter.redact import redact
from babysitter.service import saga
from babysitter.service.hall import Hall
from babysitter.service.judge import judge
from babysitter.service.observe import observe
from babysitter.service.telling import redraw, say, subject_of
from babysitter.store.journal import Action

BLIND_AGAIN = timedelta(seconds=10)
TAIL_LINES = 2_000
_OCCASIONS = {
    Submitted: Occasion.ACTING,
    CalledOff: Occasion.WITHDRAWN,
    BrokeOff: Occasion.WORSE,
}


async def carry_on(watch: Watch, action: Action, hall: Hall) -> datetime | None:
    """Do what is left of an approved action. Gives when the watch is due next."""
    async with hall.store.reading() as records:
        proposal = await records.ledger.proposal(action.proposal)
        decision = await records.ledger.decision_on(action.proposal)
    assert proposal is not None, "an action is about a proposal"
    assert decision is not None, "an action begins with a decision"
    eyes = await hall.clusters.eyes(watch.cluster)
    hands = await hall.clusters.hands(watch.cluster)
    approved = Approved(proposal, decision.person, decision.decided_at, hall.tenure.lease.fence)
    try:
        outcome = await saga.run(
            approved,
            _Journal(hall, action),
            eyes,
            hands,
            hall.clock,
            what_moved=lambda: _what_moved(approved, decision, watch, eyes, hall),
            save_evidence=lambda: _save_evidence(watch, eyes, hall),
        )
    except StorageUnavailable:
        raise  # no step is taken that could not be written down; the journal says where to go on
    except WorldError:
        return hall.clock.now() + BLIND_AGAIN  # nothing was touched yet: look again when we can see
    return await _conclude(approved, outcome, watch.id, action, hall)


class _Journal:
    """The journal of one action; every write is refused under an older lease."""

    def __init__(self, hall: Hall, action: Action) -> None:
        self._hall = hall
        self._action = action

    async def taken(self) -> Mapping[Step, StepRecord]:
        async with self._hall.store.reading() as records:
            return await records.journal.taken(self._action.proposal)

    async def intend(self, step: Step, detail: str = "") -> None:
        await self._write(step, StepState.INTENDED, detail)

    async def done(self, step: Step, detail: str = "") -> None:
        await self._write(step, StepState.DONE, detail)

    async def failed(self, step: Step, detail: str = "") -> None:
        await self._write(step, StepState.FAILED, detail)

    async def _write(self, step: Step, state: StepState, detail: str) -> None:
        lease = self._hall.tenure.lease
        async with self._hall.store.transaction() as records:
            await records.leases.must_hold(lease.name, lease.fence)
            await records.journal.write(self._action, step, state, detail, now=self._hall.clock.now())


async def _what_moved(approved: Approved, decision: Decision, watch: Watch, eyes: Eyes, hall: Hall) -> str:
    """Look and judge once more; what differs from the facts the person saw, "" when nothing does."""
    if objection := await _objection(decision, watch, hall) or await _folder_moved(approved.proposal):
        return objection
    shown = approved.proposal.facts
    before = replace(watch, memory=replace(watch.memory, phase=Phase.FAILING))
    observation = await observe(before, eyes, hall.clock)
    verdict = judge(before, observation, hall.playbook)
    if verdict.blind:
        spot = verdict.blind[0]
        raise WorldError(f"Cannot look once more before acting: {spot.reason}")
    if verdict.gone is not None:
        return f"the cluster does not know {watch.root} any more"
    if verdict.recovered or verdict.phase is Phase.STEADY:
        return "the job recovered by itself"
    if verdict.healing:
        return "the job's own recovery is at work"
    now = Facts(
        root=watch.root,
        root_state=verdict.outlook.job_state or shown.root_state,
        attempt=verdict.attempt or shown.attempt,
        cause=verdict.cause if verdict.diagnosis else shown.cause,
        submission=shown.submission,
        two_coordinators=verdict.two_coordinators,
    )
    return difference(shown, now)


async def _folder_moved(proposal: Proposal) -> str:
    """How the folder to submit from differs from what the person saw on the card; "" when it does not."""
    shown, workdir = proposal.submission.folder, proposal.submission.workdir
    if shown is None:
        return ""
    try:
        now = await asyncio.to_thread(folder_state, Path(workdir))
    except UserError as fault:
        return str(fault)
    change = folder_change(shown, now)
    return f"the folder {workdir} changed since this was proposed: {change}" if change else ""


async def _objection(decision: Decision, watch: Watch, hall: Hall) -> str:
    """Why who approved may not do so any more: the settings, or the door that they came through, changed."""
    person, asked = decision.person, askable(hall.policy, watch)
    voucher = hall.vouchers.get(decision.door)
    if voucher is not None:
        return await voucher(person, asked)
    # A group's members are known to its own door only; while that is shut, the check at the press counts.
    is_asked = person in asked or any(each.startswith("S") for each in asked)
    return "" if is_asked else f"{person}, who approved, may not approve any more"


def _as_run(given: Submission | None, ran: Submission) -> Submission | None:
    """A person's command with the change that was made, so that the next restart does not take it back."""
    return replace(given, argv=ran.argv, folder=ran.folder) if given is not None and ran.argv else given


async def _save_evidence(watch: Watch, eyes: Eyes, hall: Hall) -> str:
    """Keep what the stop would put out of reach: the end of the log, and a thread dump of who is at work.

    Redacted, in the state folder. Never a reason to break off.
    """
    folder = hall.state_folder / "evidence"
    name = f"{watch.id}-{watch.root.rpartition('/')[2]}"
    kept, missed = [], []
    for suffix, read in (("log", _tail_of), ("threads", _threads_of)):
        path = folder / f"{name}.{suffix}"
        try:
            text = await read(watch, eyes)
            make_private_folder(folder)
            write_private(path, redact(text))
            kept.append(str(path))
        except (BabysitError, OSError) as trouble:
            missed.append(f"{suffix} not saved: {trouble}")
    return "; ".join([*kept, *missed])


async def _tail_of(watch: Watch, eyes: Eyes) -> str:
    batch = await eyes.lines(LogSource(watch.root), after=None, at_most=TAIL_LINES, newest=True)
    return "\n".join(line.text for line in batch.lines)


async def _threads_of(watch: Watch, eyes: Eyes) -> str:
    return (await eyes.dump(TaskId(f"{watch.memory.newest_attempt or watch.root}/0"))).text


async def _conclude(
    approved: Approved, outcome: Outcome, watch_id: WatchId, action: Action, hall: Hall
) -> datetime:
    """One transaction: the watch follows the new job, or the incident says what was done and what not."""
    now, lease, proposal = hall.clock.now(), hall.tenure.lease, approved.proposal
    async with hall.store.transaction() as records:
        await records.leases.must_hold(lease.name, lease.fence)
        watch = await records.watches.get(watch_id)
        match outcome:
            case Submitted(job=job):
                await records.journal.write(action, Step.RECORD, StepState.DONE, job, now=now)
                done = sum(stage.done for stage in watch.outlook.stages) if watch.outlook else 0
                restart = Restart(now, proposal.facts.cause, proposal.job, job, done)
                await records.ledger.add_restart(watch.id, proposal.id, restart)
                status, sentence = (
                    IncidentStatus.VERIFYING,
                    f"restarted as {job}; it must pass its smoke check",
                )
                after = replace(
                    watch,
                    root=job,
                    resubmit=_as_run(watch.resubmit, proposal.submission),
                    submit_context=replace(watch.submit_context, stored=None, missing=()),
                    memory=enter(replace(Memory(), phase=Phase.ACTING), Phase.SMOKE, now),
                    restarts=watch.restarts + 1,
                )
            case CalledOff(because=because):
                status, sentence = (
                    IncidentStatus.OPEN,
                    f"called off before anything was touched: {because.rstrip('.')}",
                )
                await records.ledger.set_proposal(
                    proposal.id,
                    ProposalStatus.WITHDRAWN,
                    among=(ProposalStatus.APPROVED,),
                    because=because,
                )
                await records.events.append(
                    ProposalWithdrawn(at=now, watch=watch.id, proposal=proposal.id, because=because)
                )
                after = replace(watch, memory=enter(watch.memory, Phase.FAILING, now))
            case BrokeOff(step=step, because=because, done=steps):
                did = ", ".join(steps) or "nothing"
                left = ", ".join(outcome.not_done)
                sentence = f"broke off at {step}: {because.rstrip('.')}. Done: {did}. Not done: {left}"
                status = IncidentStatus.FAILED
                await records.events.append(
                    IncidentEnded(
                        at=now,
                        watch=watch.id,
                        incident=proposal.incident,
                        status=status,
                        outcome=sentence,
                    )
                )
                after = replace(watch, memory=enter(watch.memory, Phase.FAILING, now))
        await records.events.append(
            PhaseChanged(at=now, watch=watch.id, before=Phase.ACTING, after=after.phase, because=sentence)
        )
        if isinstance(outcome, BrokeOff) and Step.STOP in outcome.done:
            # By us, and nothing took its place: an end that must not pass for a person's stop.
            why = f"stopped for a restart that {sentence}"
            shown = replace(after.outlook or Outlook(""), summary=why, job_state=JobState.KILLED)
            after = replace(after, memory=enter(after.memory, Phase.FINISHED, now), outlook=shown)
            await records.events.append(
                PhaseChanged(at=now, watch=watch.id, before=Phase.FAILING, after=Phase.FINISHED, because=why)
            )
            await records.events.append(
                JobFinished(
                    at=now,
                    watch=watch.id,
                    root=proposal.job,
                    state=JobState.KILLED,
                    cause=proposal.facts.cause,
                    summary=why,
                )
            )
        await records.ledger.set_status(proposal.incident, status, now=now, outcome=sentence)
        await records.journal.end(proposal.id, sentence, now=now)
        after = replace(after, due_at=None if after.phase is Phase.FINISHED else now)
        await records.watches.save(after)
        about = await subject_of(
            records, after, now=now, incident=proposal.incident, proposal=proposal.id, outcome=sentence
        )
        occasion = _OCCASIONS[type(outcome)]
        await say(records, occasion, about, key=f"{proposal.id}:concluded", mentions_on_call=False)
        await redraw(records, proposal.incident, after, now=now)
    return now
