"""Records that an approved stop was carried out: the watch ends with its job, or goes on without a child."""

from dataclasses import replace
from datetime import datetime

from babysitter.diagnosis.judge.phases.phases import enter
from babysitter.model.action import ActionStep, StepState, StoredAction
from babysitter.model.events import IncidentEnded, JobFinished, PhaseChanged
from babysitter.model.incident import IncidentStatus
from babysitter.model.job import JobState
from babysitter.model.phase import Phase
from babysitter.model.proposal import Proposal
from babysitter.model.verdict import ProgressSummary
from babysitter.model.watch import Watch
from babysitter.store.store import Transaction


async def record_stop(
    tx: Transaction, watch: Watch, action: StoredAction, proposal: Proposal, now: datetime
) -> tuple[Watch, IncidentStatus, str]:
    """The watch after the stop, the state of its incident, and the sentence for people."""
    await tx.journal.write(action, ActionStep.RECORD, StepState.DONE, proposal.job, now=now)
    sentence = f"stopped {proposal.job} as approved; nothing was submitted"
    status = IncidentStatus.RESOLVED
    await tx.events.append(
        IncidentEnded(at=now, watch=watch.id, incident=proposal.incident, status=status, outcome=sentence)
    )
    after = replace(watch, memory=enter(watch.memory, Phase.FAILING, now))
    before = Phase.ACTING
    if proposal.job == watch.root:
        shown = replace(after.outlook or ProgressSummary(""), summary=sentence, job_state=JobState.KILLED)
        after = replace(after, memory=enter(after.memory, Phase.FINISHED, now), outlook=shown)
        await tx.events.append(
            JobFinished(
                at=now,
                watch=watch.id,
                root=proposal.job,
                state=JobState.KILLED,
                cause=proposal.facts.cause,
                summary=sentence,
            )
        )
    await tx.events.append(
        PhaseChanged(at=now, watch=watch.id, before=before, after=after.phase, because=sentence)
    )
    return after, status, sentence
