"""Before an approved restart touches anything: do the facts still hold, and is the evidence saved."""

import asyncio
from dataclasses import replace
from pathlib import Path

from babysitter.backends.backend import ClusterReader
from babysitter.backends.iris.submission.bundle import folder_state
from babysitter.diagnosis.pipeline import judge
from babysitter.engine.app import App
from babysitter.engine.observe import observe
from babysitter.errors import BabysitError, ExternalError, UserError
from babysitter.model.ids import TaskId
from babysitter.model.log import LogSource
from babysitter.model.phase import Phase
from babysitter.model.proposal import Approved, Decision, Proposal, ProposalFacts
from babysitter.model.watch import Watch
from babysitter.policy.build_proposal import difference, missing_submission_reason
from babysitter.policy.command_differences import folder_change
from babysitter.private_files import make_private_folder, write_private
from babysitter.redact import redact

TAIL_LINES = 2_000


async def what_moved(
    approved: Approved, decision: Decision, watch: Watch, reader: ClusterReader, app: App
) -> str:
    """Check again; return what differs from the facts the person saw, "" when nothing does."""
    if objection := await _objection(decision, watch, app) or await folder_moved(approved.proposal):
        return objection
    shown = approved.proposal.facts
    before = replace(watch, memory=replace(watch.memory, phase=Phase.FAILING))
    observation = await observe(before, reader, app.clock)
    verdict = judge(before, observation, app.playbook, demoted=await app.demotions.now())
    if verdict.blind:
        spot = verdict.blind[0]
        raise ExternalError(f"Cannot look once more before acting: {spot.reason}")
    if verdict.gone is not None:
        return f"the cluster does not know {watch.root} any more"
    is_child = approved.proposal.job != watch.root
    if (verdict.recovered or verdict.phase is Phase.STEADY) and not is_child:
        return "the job recovered by itself"
    if verdict.healing and approved.proposal.submits:
        return "the job's own recovery is at work"
    now = ProposalFacts(
        root=watch.root,
        root_state=verdict.outlook.job_state or shown.root_state,
        attempt=verdict.attempt or shown.attempt,
        cause=verdict.cause if verdict.diagnosis else shown.cause,
        submission=shown.submission,
        two_coordinators=verdict.two_coordinators,
    )
    return difference(shown, now)


async def folder_moved(proposal: Proposal) -> str:
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


async def _objection(decision: Decision, watch: Watch, app: App) -> str:
    """Why who approved may not do so any more: the settings, or the door that they came through, changed."""
    person, asked = decision.person, missing_submission_reason(app.policy, watch)
    voucher = app.approval_checks.get(decision.door)
    if voucher is not None:
        return await voucher(person, asked)
    # A group's members are known to its own door only; while that is shut, the check at the press counts.
    is_asked = person in asked or any(approver.startswith("S") for approver in asked)
    return "" if is_asked else f"{person}, who approved, may not approve any more"


async def save_evidence(watch: Watch, reader: ClusterReader, app: App) -> str:
    """Keep what the stop would put out of reach: the end of the log, and a thread dump of who is at work.

    Redacted, in the state folder. Never a reason to break off.
    """
    folder = app.state_folder / "evidence"
    name = f"{watch.id}-{watch.root.rpartition('/')[2]}"
    kept, missed = [], []
    for suffix, read in (("log", _tail_of), ("threads", _threads_of)):
        path = folder / f"{name}.{suffix}"
        try:
            text = await read(watch, reader)
            make_private_folder(folder)
            write_private(path, redact(text))
            kept.append(str(path))
        except (BabysitError, OSError) as trouble:
            missed.append(f"{suffix} not saved: {trouble}")
    return "; ".join([*kept, *missed])


async def _tail_of(watch: Watch, reader: ClusterReader) -> str:
    batch = await reader.lines(LogSource(watch.root), after=None, at_most=TAIL_LINES, newest=True)
    return "\n".join(line.text for line in batch.lines)


async def _threads_of(watch: Watch, reader: ClusterReader) -> str:
    return (await reader.dump(TaskId(f"{watch.memory.newest_attempt or watch.root}/0"))).text
