"""What follows from a verdict: silence, incidents, proposals, messages, applied to a small ledger."""

from dataclasses import replace
from datetime import time, timedelta

import pytest

from babysitter.model.finding import ActionKind, Cause, Severity
from babysitter.model.ids import IncidentId, JobId, Person
from babysitter.model.incident import Incident, IncidentStatus, Ledger, Restart
from babysitter.model.intent import (
    EndIncident,
    Expire,
    OpenIncident,
    Propose,
    Reassign,
    Remind,
    RepeatIncident,
    SendMessage,
    Withdraw,
)
from babysitter.model.job import JobState
from babysitter.model.memory import Memory
from babysitter.model.message import MessageKind, Told
from babysitter.model.phase import Phase
from babysitter.model.policy import Policy, QuietHours, Silence
from babysitter.model.proposal import Answer, Decision, ProposalStatus, Surface
from babysitter.model.verdict import Signal, SignalKind
from babysitter.policy.respond import respond
from tests.support.build import NOON, ROOT, at, blind_verdict, case, diagnosis, verdict, watch


def of(kind, intents):
    return [intent for intent in intents if isinstance(intent, kind)]


def told(intents):
    return [intent.occasion for intent in of(SendMessage, intents)]


def applied(intents, ledger=Ledger(), *, now=NOON):  # noqa: B008
    """The ledger after these intents, as commit would write them."""
    incidents = {incident.id: incident for incident in ledger.incidents}
    proposals = {proposal.id: proposal for proposal in ledger.proposals}
    told = list(ledger.told)
    for intent in intents:
        match intent:
            case OpenIncident():
                incidents[intent.incident] = Incident(
                    intent.incident, intent.key, IncidentStatus.OPEN, intent.diagnosis, now, now
                )
            case RepeatIncident():
                old = incidents[intent.incident]
                incidents[intent.incident] = replace(old, diagnosis=intent.diagnosis, count=old.count + 1)
            case EndIncident():
                incidents[intent.incident] = replace(
                    incidents[intent.incident], status=intent.status, ended_at=now, outcome=intent.outcome
                )
            case SendMessage() if intent.incident:
                told.append(Told(intent.incident, intent.occasion, now, intent.proposal))
            case Propose():
                proposals[intent.proposal.id] = intent.proposal
                incidents[intent.proposal.incident] = replace(
                    incidents[intent.proposal.incident], status=IncidentStatus.PROPOSED
                )
            case Withdraw():
                proposals[intent.proposal] = replace(
                    proposals[intent.proposal], status=ProposalStatus.WITHDRAWN
                )
    return replace(
        ledger,
        incidents=tuple(incidents.values()),
        proposals=tuple(proposals.values()),
        told=tuple(told),
    )


ZOMBIE = verdict(diagnosis())
PROPOSED = applied(respond(case(ZOMBIE)))


def test_a_healthy_watch_leads_to_nothing():
    assert respond(case(verdict())) == ()


def test_a_confirmed_zombie_opens_one_incident_with_one_proposal_and_one_message():
    intents = respond(case(ZOMBIE))
    assert [type(intent) for intent in intents] == [OpenIncident, Propose, SendMessage]
    proposal = of(Propose, intents)[0].proposal
    assert proposal.job == ROOT
    assert proposal.successor == "/ada/dedup-r1"
    assert "--job-name dedup-r1" in " ".join(proposal.submission.argv)


def test_seen_again_it_only_counts():
    assert [type(item) for item in respond(case(ZOMBIE, PROPOSED))] == [RepeatIncident]


def test_the_same_check_run_again_after_a_crash_wants_the_same_things():
    assert respond(case(ZOMBIE)) == respond(case(ZOMBIE))


@pytest.mark.parametrize("phase", [Phase.PENDING, Phase.SMOKE, Phase.STEADY, Phase.SUSPECT])
def test_a_suspicion_is_not_told(phase):
    assert respond(case(verdict(diagnosis(), phase=phase), watch=watch(phase))) == ()


@pytest.mark.parametrize("action", [ActionKind.WAIT, ActionKind.IGNORE])
def test_waiting_and_ignoring_are_silent(action):
    assert respond(case(verdict(diagnosis(Cause.WORKER_CHURN, action, Severity.DEGRADED)))) == ()


def test_recovery_withdraws_the_proposal_and_resolves_the_incident():
    intents = respond(case(verdict(), PROPOSED, now=at(300)))
    assert [type(intent) for intent in intents] == [Withdraw, EndIncident, SendMessage]
    assert intents[1].status is IncidentStatus.SELF_RESOLVED
    assert told(intents) == [MessageKind.RESOLVED]


class TestDamping:
    """An alarm and its all-clear are told at least `damping_s` (300 s) apart."""

    recovered = applied(respond(case(verdict(), PROPOSED, now=at(60))), PROPOSED, now=at(60))

    def test_a_quick_recovery_is_told_later(self):
        assert told(respond(case(verdict(), PROPOSED, now=at(299)))) == []
        assert told(respond(case(verdict(), self.recovered, now=at(299)))) == []
        (late,) = of(SendMessage, respond(case(verdict(), self.recovered, now=at(300))))
        assert late.occasion is MessageKind.RESOLVED

    def test_an_all_clear_is_told_once(self):
        later = applied(respond(case(verdict(), self.recovered, now=at(300))), self.recovered, now=at(300))
        assert respond(case(verdict(), later, now=at(330))) == ()

    def test_a_trouble_that_is_back_before_is_no_news(self):
        again = respond(case(ZOMBIE, self.recovered, now=at(120)))
        assert told(again) == [MessageKind.PROPOSAL]  # the withdrawn offer is made anew, once
        ledger = applied(again, self.recovered, now=at(120))
        ledger = applied(respond(case(verdict(), ledger, now=at(150))), ledger, now=at(150))
        assert not of(Propose, respond(case(ZOMBIE, ledger, now=at(180))))
        assert of(Propose, respond(case(ZOMBIE, ledger, now=at(300))))
        silent = respond(case(ZOMBIE, self.recovered, now=at(120), submission=None))
        assert told(silent) == []

    def test_a_trouble_that_is_back_after_waits_its_time(self):
        over = applied(respond(case(verdict(), PROPOSED, now=at(600))), PROPOSED, now=at(600))
        again = respond(case(ZOMBIE, over, now=at(700)))
        assert told(again) == []
        held = applied(again, over, now=at(700))
        assert told(respond(case(ZOMBIE, held, now=at(899)))) == []
        assert told(respond(case(ZOMBIE, held, now=at(900)))) == [MessageKind.PROPOSAL]

    def test_another_cause_is_told_at_once(self):
        over = applied(respond(case(verdict(), PROPOSED, now=at(600))), PROPOSED, now=at(600))
        other = verdict(diagnosis(Cause.HOST_OOM), attempt=JobId(f"{ROOT}/zephyr-dedup-0a1b2c3d-p0-a1"))
        assert told(respond(case(other, over, now=at(601)))) == [MessageKind.INCIDENT]

    def test_nothing_is_over_that_is_not_well(self):
        for seen in (verdict(phase=Phase.SUSPECT), verdict(phase=Phase.SMOKE)):
            assert told(respond(case(seen, self.recovered, now=at(400)))) == []

    def test_an_end_is_the_all_clear(self):
        ended = verdict(phase=Phase.FINISHED, state=JobState.SUCCEEDED)
        assert told(respond(case(ended, PROPOSED, now=at(900)))) == [MessageKind.FINISHED]

    def test_a_silence_that_ends_is_made_up_for(self):
        quiet = Policy(silences=(Silence("/ada/*", until=at(600)),))
        held = applied(respond(case(ZOMBIE, policy=quiet)))
        assert told(respond(case(ZOMBIE, held, policy=quiet, now=at(599)))) == []
        assert told(respond(case(ZOMBIE, held, policy=quiet, now=at(600)))) == [MessageKind.INCIDENT]


def test_a_newer_attempt_withdraws_the_proposal_and_says_what_changed():
    newer = verdict(diagnosis(), attempt=JobId(f"{ROOT}/zephyr-dedup-0a1b2c3d-p0-a1"))
    moved = replace(PROPOSED.proposals[0].facts, attempt=newer.attempt)
    assert moved != PROPOSED.proposals[0].facts
    same_incident = replace(
        PROPOSED.incidents[0], key=replace(PROPOSED.incidents[0].key, attempt=newer.attempt)
    )
    intents = respond(case(newer, replace(PROPOSED, incidents=(same_incident,))))
    assert "a newer attempt runs" in of(Withdraw, intents)[0].because
    assert of(Propose, intents)[0].proposal.facts.attempt == newer.attempt


def test_two_coordinators_are_an_incident_without_a_restart():
    found = diagnosis(Cause.ZOMBIE_COORDINATOR, ActionKind.WAIT, Severity.DEGRADED)
    intents = respond(case(verdict(found, Phase.STEADY, two_coordinators=True)))
    assert of(OpenIncident, intents)
    assert not of(Propose, intents)


def test_a_standing_proposal_is_withdrawn_while_the_job_heals_itself():
    intents = respond(case(verdict(diagnosis(), healing=True), PROPOSED))
    assert of(Withdraw, intents)[0].because == "the job's own recovery is at work"


def test_without_a_command_there_is_an_incident_and_no_proposal():
    intents = respond(case(ZOMBIE, submission=None))
    assert of(OpenIncident, intents)
    assert not of(Propose, intents)


def test_the_same_cause_after_a_restart_escalates():
    before = Ledger(restarts=(Restart(at(-3600), Cause.ZOMBIE_COORDINATOR, ROOT, ROOT, high_water=10),))
    intents = respond(case(ZOMBIE, before))
    assert told(intents) == [MessageKind.INCIDENT]
    assert not of(Propose, intents)


def test_the_second_restart_gets_the_next_name():
    before = Ledger(
        restarts=(Restart(at(-3600), Cause.HOST_OOM, ROOT, JobId("/ada/dedup-r1"), high_water=5),)
    )
    assert of(Propose, respond(case(ZOMBIE, before)))[0].proposal.successor == "/ada/dedup-r2"


def test_a_restarted_job_that_comes_up_resolves_the_incident():
    verifying = replace(PROPOSED.incidents[0], status=IncidentStatus.VERIFYING)
    new_attempt = JobId("/ada/dedup-r1/zephyr-dedup-11111111-p0-a0")
    intents = respond(case(verdict(attempt=new_attempt), Ledger(incidents=(verifying,))))
    assert of(EndIncident, intents)[0].status is IncidentStatus.RESOLVED


@pytest.mark.parametrize(("ago_s", "resolved"), [(10, 0), (59, 0), (60, 1)])
def test_restarted_job_is_well_once_it_stays_up(ago_s, resolved):
    verifying = replace(PROPOSED.incidents[0], status=IncidentStatus.VERIFYING)
    restarts = (Restart(at(-ago_s), Cause.ZOMBIE_COORDINATOR, ROOT, ROOT, 10),)
    restarted = Ledger(incidents=(verifying,), restarts=restarts)
    attempt = JobId("/ada/dedup-r1/zephyr-dedup-11111111-p0-a0")
    assert len(of(EndIncident, respond(case(verdict(attempt=attempt), restarted)))) == resolved
    ended = verdict(attempt=attempt, phase=Phase.FINISHED, state=JobState.SUCCEEDED)
    assert of(EndIncident, respond(case(ended, restarted)))


def test_a_restarted_job_that_fails_again_fails_the_incident_and_opens_another():
    verifying = replace(PROPOSED.incidents[0], status=IncidentStatus.VERIFYING)
    again = verdict(diagnosis(), attempt=JobId("/ada/dedup-r1/zephyr-dedup-11111111-p0-a0"))
    restarted = Ledger(
        incidents=(verifying,), restarts=(Restart(at(-60), Cause.ZOMBIE_COORDINATOR, ROOT, ROOT, 10),)
    )
    intents = respond(case(again, restarted))
    assert of(EndIncident, intents)[0].status is IncidentStatus.FAILED
    assert of(OpenIncident, intents)
    assert not of(Propose, intents)


class TestBlindness:
    def test_a_short_one_is_silent(self):
        assert respond(case(blind_verdict(at(-599)))) == ()

    def test_a_long_one_is_one_incident_of_the_cluster_and_never_a_restart(self):
        intents = respond(case(blind_verdict(at(-600))))
        assert of(OpenIncident, intents)[0].key.watch == "cluster:marin"
        assert not of(Propose, intents)
        other_job = watch(id="w-2", root=JobId("/ada/other"))
        assert (
            of(OpenIncident, respond(case(blind_verdict(at(-600)), watch=other_job)))[0].incident
            == intents[0].incident
        )

    def test_it_ends_when_the_cluster_answers(self):
        ledger = applied(respond(case(blind_verdict(at(-600)))))
        assert respond(case(blind_verdict(at(-700)), ledger)) == ()
        assert told(respond(case(verdict(), ledger))) == []
        assert told(respond(case(verdict(), ledger, now=at(300)))) == [MessageKind.RESOLVED]

    def test_it_neither_withdraws_nor_proposes(self):
        assert respond(case(blind_verdict(at(-60)), PROPOSED)) == ()


class TestUnanswered:
    hours = 3600

    def open_for(self, hours, policy=Policy()):  # noqa: B008
        now = NOON + timedelta(hours=hours)
        return respond(case(ZOMBIE, PROPOSED, now=now, policy=policy))

    def test_nothing_is_said_early(self):
        assert not of(SendMessage, self.open_for(5.9))

    def test_reminded_once(self):
        first, second = self.open_for(6.1), self.open_for(7)
        assert of(Remind, first)
        assert of(SendMessage, first)[0].key == of(SendMessage, second)[0].key

    def test_handed_on_with_a_fresh_expiry(self):
        tiers = Policy(approvers=((Person("U-ada"),), (Person("U-bob"),)))
        handed = of(Reassign, self.open_for(12, tiers))[0]
        assert (handed.to, handed.expires_at) == (("U-bob",), NOON + timedelta(hours=24))

    @pytest.mark.parametrize("hours", [12, 26])
    def test_expired_is_not_reminded_of(self, hours):
        intents = self.open_for(hours)  # the first check since the proposal: nobody was reminded in time
        assert (len(of(Expire, intents)), of(Remind, intents), of(SendMessage, intents)) == (1, [], [])

    def test_expired_is_not_denied(self):
        assert of(Expire, self.open_for(12))
        assert PROPOSED.proposals[0].status is ProposalStatus.OPEN


@pytest.mark.parametrize("status", [ProposalStatus.DENIED, ProposalStatus.UNANSWERED])
def test_the_same_facts_are_not_offered_again(status):
    answered = replace(PROPOSED, proposals=(replace(PROPOSED.proposals[0], status=status),))
    assert not of(Propose, respond(case(ZOMBIE, answered)))


@pytest.mark.parametrize(("hours", "offered"), [(1, 0), (2, 1)])
def test_a_snoozed_proposal_comes_back_when_the_snooze_is_over(hours, offered):
    proposal = replace(PROPOSED.proposals[0], status=ProposalStatus.SNOOZED)
    later = Decision(
        proposal.id, Person("U-ada"), Answer.SNOOZE, Surface.SLACK, NOON, NOON + timedelta(hours=2)
    )
    ledger = replace(PROPOSED, proposals=(proposal,), decisions=(later,))
    intents = respond(case(ZOMBIE, ledger, now=NOON + timedelta(hours=hours)))
    assert len(of(Propose, intents)) == offered


@pytest.mark.parametrize(("hours", "expired"), [(11, 0), (12, 1)])
def test_snoozed_proposal_expires_without_a_reminder(hours, expired):
    proposal = replace(PROPOSED.proposals[0], status=ProposalStatus.SNOOZED)
    later = Decision(proposal.id, Person("U-ada"), Answer.SNOOZE, Surface.SLACK, NOON, None)
    ledger = replace(PROPOSED, proposals=(proposal,), decisions=(later,))
    intents = respond(case(ZOMBIE, ledger, now=NOON + timedelta(hours=hours)))
    assert (len(of(Expire, intents)), of(Remind, intents), of(Reassign, intents)) == (expired, [], [])


@pytest.mark.parametrize("status", [IncidentStatus.APPROVED, IncidentStatus.ACTING])
def test_while_an_action_runs_the_verdict_keeps_its_hands_off(status):
    acting = replace(PROPOSED, incidents=(replace(PROPOSED.incidents[0], status=status),))
    acting = replace(acting, proposals=(replace(acting.proposals[0], status=ProposalStatus.APPROVED),))
    assert respond(case(ZOMBIE, acting)) == ()
    assert respond(case(verdict(), acting)) == ()


def test_a_silence_records_without_telling():
    quiet = Policy(silences=(Silence("/ada/*", frozenset({Cause.ZOMBIE_COORDINATOR})),))
    intents = respond(case(ZOMBIE, policy=quiet))
    assert of(OpenIncident, intents)
    assert told(intents) == []


def test_quiet_hours_hold_back_all_but_the_fatal():
    night = Policy(quiet_hours=QuietHours(time(11), time(13)))
    degraded = verdict(diagnosis(Cause.STAGE_STUCK, ActionKind.ESCALATE, Severity.DEGRADED))
    assert of(SendMessage, respond(case(degraded, policy=night)))[0].hold_until == at(3600)
    assert of(SendMessage, respond(case(ZOMBIE, policy=night)))[0].hold_until is None


def test_a_parents_incident_inhibits_its_childrens_messages():
    intents = respond(case(ZOMBIE, inhibited_by=IncidentId("i-parent")))
    assert of(OpenIncident, intents)
    assert told(intents) == []


def test_a_long_wait_is_told_once_and_is_no_incident():
    signal = Signal(SignalKind.PENDING_LONG, at(-1800), "Scheduler: insufficient memory")
    first = respond(case(verdict(phase=Phase.PENDING, signals=(signal,)), watch=watch(Phase.PENDING)))
    later = respond(
        case(verdict(phase=Phase.PENDING, signals=(signal,)), watch=watch(Phase.PENDING), now=at(600))
    )
    assert told(first) == [MessageKind.WAITING]
    assert of(SendMessage, first)[0].key == of(SendMessage, later)[0].key


@pytest.mark.parametrize(("ago_s", "said"), [(None, 1), (299, 0), (300, 1)])
def test_a_job_that_waits_again_is_told_unless_it_just_waited(ago_s, said):
    before = watch(memory=Memory(phase=Phase.STEADY, waited_at=None if ago_s is None else at(-ago_s)))
    again = case(verdict(phase=Phase.PENDING, memory=Memory(newest_attempt=ROOT)), watch=before)
    assert told(respond(again)) == [MessageKind.WAITING] * said


def test_the_end_is_told():
    intents = respond(case(verdict(phase=Phase.FINISHED, state=JobState.SUCCEEDED)))
    assert told(intents) == [MessageKind.FINISHED]
