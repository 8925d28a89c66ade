"""Finds out how a job would be submitted again: what is stored, what the folder holds, which way would work.

Asked while a restart may help and none is offered yet. Which ways there are, and in which order, is
policy/resubmission.py; here they are looked at, and checked by the writer that would make them.
"""

import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from babysitter.backends.backend import ClusterReader, ClusterWriter
from babysitter.backends.iris.submission.bundle import folder_state
from babysitter.engine.app import App
from babysitter.errors import ExternalError, UserError
from babysitter.model.ids import IncidentId
from babysitter.model.incident import Ledger
from babysitter.model.proposal import Proposal, ProposalStatus
from babysitter.model.submission import ONLY_WATCHED, Submission, SubmissionOrigin
from babysitter.model.verdict import Change, Verdict
from babysitter.model.watch import Watch
from babysitter.policy.build_proposal import difference, is_open, plan_restart
from babysitter.policy.policy_input import PolicyInput
from babysitter.policy.respond import as_asked, eligibility_of, offer_of
from babysitter.policy.resubmission import KnownSubmission, Way, closed_by, missing, ways
from babysitter.preflight.facts import Purpose
from babysitter.preflight.preflight_finding import blocking, undecided

_ANSWERED = (ProposalStatus.APPROVED, ProposalStatus.DENIED, ProposalStatus.UNANSWERED)


@dataclass(frozen=True, slots=True)
class Resubmission:
    """How the job would be submitted again, None while no way is open. `watch`: with what was learned."""

    submission: Submission | None
    watch: Watch


async def resubmission(
    case: PolicyInput, reader: ClusterReader, writer: ClusterWriter, app: App
) -> Resubmission:
    """The way that a restart would take now; `case` without a submission. Never raises for the cluster.

    An offer that stands keeps its way and is not checked again: the act checks it.
    """
    verdict, ledger = case.verdict, case.ledger
    if not reader.abilities.submits:
        return Resubmission(None, _with_missing(case.watch, (ONLY_WATCHED,)))
    standing = next((proposal for proposal in reversed(ledger.proposals) if is_open(proposal)), None)
    if standing is not None and not standing.submits:
        return Resubmission(None, _with_missing(case.watch, ()))
    is_sought = verdict.action.restarts and not (verdict.diagnosis and verdict.diagnosis.needs_own_change)
    if verdict.blind or verdict.diagnosis is None or not (is_sought or standing):
        return Resubmission(None, _with_missing(case.watch, ()))
    known = await known_submission(case.watch, reader, app, standing)
    watch = replace(case.watch, submit_context=known.context)
    asked = standing.asked_changes if standing is not None else ()
    found = [_fitting(way, verdict, watch, ledger, asked) for way in ways(known)]
    if standing is not None:
        chosen = next((way for way in found if _is_same_way(way, standing)), None)
    else:
        chosen, found = await _first_that_works(found, replace(case, watch=watch), writer)
    if chosen is not None and chosen.submission is not None:
        return Resubmission(chosen.submission, _with_missing(watch, ()))
    return Resubmission(None, _with_missing(watch, missing(way for way in found if way.closed)))


async def known_submission(
    watch: Watch, reader: ClusterReader, app: App, standing: Proposal | None = None
) -> KnownSubmission:
    """Everything known about submitting this job again. What the cluster stored is asked for once a job.

    The folder is read anew unless an offer stands that shows it: then the act compares the two.
    """
    context = watch.submit_context
    if context.stored is None or context.stored.job != watch.root:
        try:
            context = replace(context, stored=await reader.submission(watch.root))
        except ExternalError:
            context = replace(context, stored=None)  # asked again at the next check
    env_from = tuple(dict.fromkeys((*context.env_from, *app.settings.env_from)))
    known = KnownSubmission(
        context=context,
        given=watch.resubmit,
        env_from=env_from,
        set_variables=frozenset(name for name in env_from if os.environ.get(name)),
        client_constants=reader.abilities.client_constants,
        is_child=watch.first_root.count("/") > 2,
    )
    if not known.workdir:
        return known
    if standing is not None and standing.submission.workdir == known.workdir:
        return replace(known, folder=standing.submission.folder)
    try:
        return replace(known, folder=await asyncio.to_thread(folder_state, Path(known.workdir)))
    except UserError as fault:
        return replace(known, folder_fault=str(fault))


async def obstacle(submission: Submission, writer: ClusterWriter) -> str:
    """Why this would not come back, "" if nothing is known to be in the way.

    Raises WorldError while a check could not be made that may be made later.
    """
    findings = await writer.preflight(submission, purpose=Purpose.RESUBMIT)
    if faults := blocking(findings):
        return " ".join(finding.sentence for finding in faults)
    if open_questions := undecided(findings):
        raise ExternalError(open_questions[0].reason)
    return ""


def _fitting(way: Way, verdict: Verdict, watch: Watch, ledger: Ledger, asked: tuple[Change, ...]) -> Way:
    """The way, closed where it cannot express a change that this restart needs, or that was `asked` for."""
    if way.submission is None or verdict.diagnosis is None:
        return way
    diagnosis, peak = as_asked(verdict.diagnosis, asked), verdict.outlook.peak_memory_bytes
    for change in plan_restart(diagnosis, way.submission, watch, ledger, peak).changes:
        way = closed_by(change, way)
    return way


async def _first_that_works(
    found: Sequence[Way], case: PolicyInput, writer: ClusterWriter
) -> tuple[Way | None, list[Way]]:
    """The first open way without an obstacle; the others, with theirs. Unchecked where nothing is offered."""
    tried = []
    for way in found:
        if way.submission is None:
            tried.append(way)
            continue
        offer = _offer(replace(case, submission=way.submission))
        if offer is None:
            return way, tried
        try:
            because = await obstacle(offer.submission, writer)
        except ExternalError as error:
            because = f"not checked yet: {error.sentence}"
        if not because:
            return way, tried
        tried.append(replace(way, submission=None, closed=because))
    return None, tried


def _offer(case: PolicyInput) -> Proposal | None:
    """What would be offered now; None where the policy says no, or where it was answered before."""
    assert case.verdict.diagnosis is not None
    diagnosis = as_asked(case.verdict.diagnosis)
    if not eligibility_of(case, diagnosis, is_asked=True).allows:
        return None
    earlier = case.ledger.proposals[-1] if case.ledger.proposals else None
    offer = offer_of(case, earlier.incident if earlier else IncidentId(""), diagnosis)
    was_answered = earlier is not None and earlier.status in _ANSWERED
    return None if was_answered and earlier and not difference(earlier.facts, offer.facts) else offer


def _is_same_way(way: Way, standing: Proposal) -> bool:
    submission, offered = way.submission, standing.submission
    return submission is not None and _kind_of(submission) == _kind_of(offered)


def _kind_of(submission: Submission) -> tuple[bool, bool, SubmissionOrigin]:
    return submission.is_http, bool(submission.workdir), submission.origin


def _with_missing(watch: Watch, sentences: tuple[str, ...]) -> Watch:
    return replace(watch, submit_context=replace(watch.submit_context, missing=sentences))
