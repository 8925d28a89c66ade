"""Incidents, proposals, decisions: the first answer wins, and nothing is written twice."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from babysitter.errors import FactsChanged, UserError
from babysitter.model.finding import Cause
from babysitter.model.ids import IncidentId, JobId, MessageId, Person, ProposalId, WatchId
from babysitter.model.incident import IncidentKey, IncidentStatus, Restart
from babysitter.model.intent import Propose
from babysitter.model.message import Message, MessageContent, MessageKind
from babysitter.model.proposal import Answer, Decision, Proposal, ProposalStatus, Surface
from babysitter.policy.incident_lifecycle import cluster_key
from babysitter.policy.respond import respond
from babysitter.store.store import Store, Transaction, open_store
from tests.support import build
from tests.support.build import NOON, at

INCIDENT = IncidentId("i-1")
KEY = IncidentKey(WatchId("w-1"), Cause.ZOMBIE_COORDINATOR, build.COORDINATOR)


def proposal() -> Proposal:
    intents = respond(build.case(build.verdict(build.diagnosis())))
    made = next(intent.proposal for intent in intents if isinstance(intent, Propose))
    return replace(made, id=ProposalId("p-1"), incident=INCIDENT)


def yes(person: str = "U-ada") -> Decision:
    return Decision(ProposalId("p-1"), Person(person), Answer.YES, Surface.TERMINAL, NOON)


async def offered(tx: Transaction) -> None:
    await tx.watches.add(build.watch())
    assert await tx.incidents.open_incident(INCIDENT, KEY, build.diagnosis(), now=NOON)
    assert await tx.incidents.add_proposal(proposal())


async def test_a_ledger_comes_back_as_it_was_written(store: Store):
    async with store.transaction() as tx:
        await offered(tx)
        await tx.incidents.decide_once(yes())
        restart = Restart(at(60), Cause.ZOMBIE_COORDINATOR, build.ROOT, JobId("/ada/dedup-r1"), 10)
        await tx.incidents.add_restart(WatchId("w-1"), ProposalId("p-1"), restart)
        ledger = await tx.incidents.of(build.watch())
    assert [incident.key for incident in ledger.incidents] == [KEY]
    assert ledger.incidents[0].diagnosis == build.diagnosis()
    assert ledger.proposals == (replace(proposal(), status=ProposalStatus.APPROVED),)
    assert ledger.decisions == (yes(),)
    assert ledger.restarts == (restart,)


async def test_what_is_computed_twice_is_written_once(store: Store):
    async with store.transaction() as tx:
        await offered(tx)
        assert not await tx.incidents.open_incident(INCIDENT, KEY, build.diagnosis(), now=at(9))
        assert not await tx.incidents.add_proposal(proposal())
        restart = Restart(at(60), Cause.ZOMBIE_COORDINATOR, build.ROOT, JobId("/ada/dedup-r1"))
        assert await tx.incidents.add_restart(WatchId("w-1"), ProposalId("p-1"), restart)
        assert not await tx.incidents.add_restart(WatchId("w-1"), ProposalId("p-1"), restart)


@pytest.mark.parametrize(
    ("first_root", "cluster", "after_s", "counted"),
    [
        ("/ada/dedup-r1", "marin", 3600, True),  # stopped, and started again on the successor
        (build.ROOT, "marin", 3600, True),  # and on the job itself
        ("/ada/other", "marin", 3600, False),
        ("/ada/dedup-r1", "elsewhere", 3600, False),
        ("/ada/dedup-r1", "marin", 90_000, False),  # more than a day later
    ],
)
async def test_restarts_of_an_earlier_watch_count(store: Store, first_root, cluster, after_s, counted):
    job = JobId(first_root)
    later = replace(
        build.watch(), id=WatchId("w-2"), root=job, first_root=job, cluster=cluster, created_at=at(after_s)
    )
    restart = Restart(at(60), Cause.ZOMBIE_COORDINATOR, build.ROOT, JobId("/ada/dedup-r1"), 10)
    async with store.transaction() as tx:
        await offered(tx)
        await tx.incidents.add_restart(WatchId("w-1"), ProposalId("p-1"), restart)
        await tx.watches.save(replace(build.watch(), stopped_at=at(120), due_at=None))
        await tx.watches.add(later)
        key = replace(KEY, watch=later.id)
        await tx.incidents.open_incident(IncidentId("i-2"), key, build.diagnosis(), now=at(after_s))
        ledger = await tx.incidents.of(later)
    assert ledger.restarts == ((restart,) if counted else ())


async def test_promise_2_the_first_of_two_answers_wins(store: Store):
    async with store.transaction() as tx:
        await offered(tx)
    answers = [yes("U-ada"), yes("U-bob"), replace(yes("U-bob"), answer=Answer.NO)]

    async def decide(decision: Decision) -> Decision:
        async with store.transaction() as tx:
            return await tx.incidents.decide_once(decision)

    came_to_be = await asyncio.gather(*(decide(answer) for answer in answers))
    assert len({item.person for item in came_to_be}) == 1
    assert sum(mine is theirs for mine, theirs in zip(answers, came_to_be, strict=True)) == 1


async def test_promise_2_two_processes_cannot_both_be_first(tmp_path: Path):
    ours, theirs = await open_store(tmp_path), await open_store(tmp_path)
    async with ours.transaction() as tx:
        await offered(tx)

    async def decide(store: Store, decision: Decision) -> Decision:
        async with store.transaction() as tx:
            return await tx.incidents.decide_once(decision)

    first, second = await asyncio.gather(decide(ours, yes("U-ada")), decide(theirs, yes("U-bob")))
    assert first == second
    await ours.close()
    await theirs.close()


async def test_answers_to_what_is_gone(store: Store):
    async with store.transaction() as tx:
        with pytest.raises(UserError, match="no proposal 'p-1'"):
            await tx.incidents.decide_once(yes())
        await offered(tx)
        await tx.incidents.set_proposal(
            ProposalId("p-1"), ProposalStatus.WITHDRAWN, because="the job recovered"
        )
        with pytest.raises(FactsChanged, match="withdrawn: the job recovered"):
            await tx.incidents.decide_once(yes())


async def test_answer_to_an_unanswered_offer_gives_no_reason(store: Store):
    async with store.transaction() as tx:
        await offered(tx)
        await tx.incidents.set_proposal(ProposalId("p-1"), ProposalStatus.UNANSWERED)
        with pytest.raises(FactsChanged, match="p-1 is unanswered; nothing was done"):
            await tx.incidents.decide_once(yes())


async def test_open_offers_are_those_that_can_be_answered(store: Store):
    async with store.transaction() as tx:
        await offered(tx)
        assert [other.id for other in await tx.incidents.open_proposals()] == ["p-1"]
        await tx.incidents.set_proposal(ProposalId("p-1"), ProposalStatus.SNOOZED)
        assert await tx.incidents.open_proposals() == ()


async def test_incident_moves_only_from_where_it_may(store: Store):
    async with store.transaction() as tx:
        await offered(tx)
        only = (IncidentStatus.PROPOSED,)
        snoozed = IncidentStatus.SNOOZED
        assert not await tx.incidents.set_status(INCIDENT, snoozed, now=at(1), among=only)
        assert await tx.incidents.set_status(INCIDENT, IncidentStatus.PROPOSED, now=at(2))
        assert await tx.incidents.set_status(INCIDENT, snoozed, now=at(3), among=only)
        (incident,) = (await tx.incidents.of(build.watch())).incidents
    assert (incident.status, incident.updated_at, incident.ended_at) == (snoozed, at(3), None)


async def test_incident_is_part_of_a_larger_one(store: Store):
    async with store.transaction() as tx:
        await offered(tx)
        other = replace(KEY, cause=Cause.HOST_OOM)
        await tx.incidents.open_incident(IncidentId("i-2"), other, build.diagnosis(), now=NOON)
        await tx.incidents.group(IncidentId("i-2"), INCIDENT)
        groups = [incident.group for incident in (await tx.incidents.of(build.watch())).incidents]
    assert groups == [None, INCIDENT]


async def test_a_reminder_counts_once_until_it_is_handed_on(store: Store):
    async with store.transaction() as tx:
        await offered(tx)
        assert await tx.incidents.remind(ProposalId("p-1"), now=at(1))
        assert not await tx.incidents.remind(ProposalId("p-1"), now=at(2))
        assert await tx.incidents.hand_on(ProposalId("p-1"), (Person("U-bob"),), expires_at=at(99))
        assert await tx.incidents.remind(ProposalId("p-1"), now=at(3))
        found = await tx.incidents.proposal(ProposalId("p-1"))
    assert found is not None
    assert (found.may_approve, found.expires_at) == (("U-bob",), at(99))


async def test_an_incident_that_came_back_is_open_again(store: Store):
    async with store.transaction() as tx:
        await offered(tx)
        await tx.incidents.set_status(INCIDENT, IncidentStatus.SELF_RESOLVED, now=at(5), outcome="well")
        assert (await tx.incidents.of(build.watch())).open_incidents == ()
        await tx.incidents.repeat_incident(INCIDENT, build.diagnosis(), now=at(9))
        (again,) = (await tx.incidents.of(build.watch())).open_incidents
    assert (again.status, again.count, again.ended_at, again.outcome) == (IncidentStatus.OPEN, 2, None, "")


async def test_an_outage_is_in_the_ledger_of_every_watch_of_the_cluster(store: Store):
    async with store.transaction() as tx:
        await tx.incidents.open_incident(
            IncidentId("i-9"), cluster_key("marin"), build.diagnosis(Cause.CONTROLLER_UNREACHABLE), now=NOON
        )
        for watch in (build.watch(), build.watch(id=WatchId("w-2"))):
            assert [incident.id for incident in (await tx.incidents.of(watch)).incidents] == ["i-9"]
        assert (await tx.incidents.of(build.watch(cluster="other"))).incidents == ()


async def test_trouble_of_an_ancestor_inhibits(store: Store):
    child = build.watch(id=WatchId("w-2"), root=JobId("/ada/dedup/eval"))
    async with store.transaction() as tx:
        await offered(tx)
        assert await tx.incidents.inhibitor_of(child) == INCIDENT
        assert await tx.incidents.inhibitor_of(build.watch()) is None
        neighbour = build.watch(id=WatchId("w-3"), root=JobId("/ada/dedup-2/eval"))
        assert await tx.incidents.inhibitor_of(neighbour) is None


async def say_about(tx: Transaction, incident: str, proposal: ProposalId | None = None) -> None:
    words = MessageContent(incident, "Sentence.")
    said = Message(
        MessageId(f"m-{incident}-{proposal}"),
        "w-1",
        MessageKind.INCIDENT,
        words,
        NOON,
        watch=WatchId("w-1"),
        incident=IncidentId(incident),
        proposal=proposal,
    )
    await tx.outbox.put(said)


@pytest.mark.parametrize(
    ("ended_s", "repeated_s", "is_told"),
    [(None, None, True), (1, None, True), (0, None, False), (0, 86_400, True), (0, 86_399, False)],
)
async def test_told_is_what_is_open_or_ended_lately(store: Store, ended_s, repeated_s, is_told):
    async with store.transaction() as tx:
        await offered(tx)
        await say_about(tx, INCIDENT)
        await say_about(tx, INCIDENT, ProposalId("p-1"))
        later = replace(KEY, cause=Cause.HOST_OOM)
        await tx.incidents.open_incident(IncidentId("i-2"), later, build.diagnosis(), now=at(86_400))
        if ended_s is not None:
            await tx.incidents.set_status(INCIDENT, IncidentStatus.FAILED, now=at(ended_s))
        if repeated_s is not None:
            await tx.incidents.repeat_incident(INCIDENT, build.diagnosis(), now=at(repeated_s))
        told = (await tx.incidents.of(build.watch())).told
    assert {other.incident for other in told} <= {INCIDENT}
    assert [other.proposal for other in told] == ([None, "p-1"] if is_told else [])
