"""The words for every occasion: complete, redacted, and a function of how things stand."""

import shlex
from dataclasses import fields, replace
from datetime import timedelta
from io import StringIO

import pytest
from hypothesis import given, settings

from babysitter.messages.compose import FEEDBACK, MessageSubject, buttons_for, compose_message, digest
from babysitter.messages.formatting import (
    bar,
    format_duration,
    format_time,
    shortened,
    size,
)
from babysitter.messages.incident_card import compose_card
from babysitter.model.finding import ActionKind, Cause, Evidence, Severity
from babysitter.model.ids import Digest, IncidentId, JobId, MessageId, Person, ProposalId, WatchId
from babysitter.model.incident import Incident, IncidentKey, IncidentStatus
from babysitter.model.job import JobState
from babysitter.model.message import ButtonKind, Message, MessageContent, MessageKind
from babysitter.model.opinion import OpinionRequest
from babysitter.model.phase import Phase
from babysitter.model.proposal import (
    Answer,
    CostOfWaiting,
    Decision,
    Proposal,
    ProposalFacts,
    ProposalStatus,
    Surface,
)
from babysitter.model.seen import Source, Unseen
from babysitter.model.submission import BY_PERSON, Submission, SubmissionOrigin, SubmitContext
from babysitter.model.verdict import (
    Change,
    Diagnosis,
    ProgressSummary,
    StageProgressSummary,
)
from babysitter.notify.console import ConsoleNotifier, as_text
from babysitter.policy.incident_lifecycle import cluster_key
from babysitter.sim.slack.validate import fault_of_blocks, texts_in
from babysitter.slack import blocks
from tests.notify.hostile import texts
from tests.support import build

INCIDENT, PROPOSAL = IncidentId("i-7f"), ProposalId("p-7f")
OUTLOOK = ProgressSummary(
    "stage1-Reduce, 17 of 18 shards",
    job_state=JobState.RUNNING,
    stages=(
        StageProgressSummary("stage0-Map", 40, 40, is_current=False),
        StageProgressSummary("stage1-Reduce", 17, 18, is_current=True),
    ),
    eta_s=5400,
    rate_per_min=1.5,
    alive=2,
    workers=4,
    retries=1,
)


def incident(status: IncidentStatus = IncidentStatus.PROPOSED, **changes: object) -> Incident:
    diagnosis = replace(
        build.diagnosis(),
        explanation="The coordinator has shut down, but its job still runs.",
        confidence=0.95,
        evidence=(Evidence("Coordinator shutdown complete", f"{build.COORDINATOR}/0", 812, build.at(-900)),),
        cascade=(Evidence("worker exited", "/ada/dedup/w/3"),),
    )
    values: dict[str, object] = {
        "id": INCIDENT,
        "key": IncidentKey(WatchId("w-1"), diagnosis.cause, build.COORDINATOR),
        "status": status,
        "diagnosis": diagnosis,
        "opened_at": build.at(-600),
        "updated_at": build.NOON,
    }
    return Incident(**(values | changes))  # type: ignore[arg-type]


def proposal(status: ProposalStatus = ProposalStatus.OPEN, **changes: object) -> Proposal:
    submission = build.submission()
    values: dict[str, object] = {
        "id": PROPOSAL,
        "incident": INCIDENT,
        "watch": WatchId("w-1"),
        "cluster": "marin",
        "job": build.ROOT,
        "successor": "/ada/dedup-r1",
        "action": ActionKind.RESTART,
        "submission": submission,
        "facts": ProposalFacts(
            build.ROOT, JobState.RUNNING, build.COORDINATOR, Cause.ZOMBIE_COORDINATOR, submission.argv
        ),
        "digest": Digest("d"),
        "created_at": build.at(-600),
        "expires_at": build.at(42_600),
        "status": status,
        "price": CostOfWaiting(idle_workers=4, since_at=build.at(-900)),
        "restarts_left": 2,
    }
    return Proposal(**(values | changes))  # type: ignore[arg-type]


def subject(**changes: object) -> MessageSubject:
    values: dict[str, object] = {
        "watch": build.watch(Phase.FAILING),
        "now": build.NOON,
        "verdict": build.verdict(build.diagnosis(), outlook=OUTLOOK),
        "incident": incident(),
        "proposal": proposal(),
    }
    return MessageSubject(**(values | changes))  # type: ignore[arg-type]


def decided(answer: Answer = Answer.YES, **changes: object) -> MessageSubject:
    status = {
        Answer.YES: ProposalStatus.APPROVED,
        Answer.NO: ProposalStatus.DENIED,
        Answer.SNOOZE: ProposalStatus.SNOOZED,
    }
    return subject(
        proposal=proposal(status[answer]),
        decision=Decision(PROPOSAL, Person("U0ADA"), answer, Surface.SLACK, build.at(60)),
        **changes,
    )


def test_a_card_has_everything_a_person_needs_to_decide() -> None:
    words = compose_message(MessageKind.INCIDENT, subject())
    assert words.title == "Zombie coordinator: dedup"
    assert words.sentence == "The coordinator has shut down, but its job still runs."
    assert (words.cause, words.severity, words.confidence) == ("zombie-coordinator", "fatal", 0.95)
    assert words.evidence == ("11:45:00 zephyr-dedup-0a1b2c3d-p0-a0/0 | Coordinator shutdown complete",)
    assert words.more_evidence == ("w/3 | worker exited",)
    assert words.recovery == "The job's own recovery is not at work (own retries so far: 1)."
    assert words.price == "15 min lost so far, 4 workers held"
    assert words.commands == (
        "stop /ada/dedup   # exactly this job",
        "# the command given with --resubmit",
        f"cd {build.JOB_FOLDER}",
        "iris --cluster marin job run --no-wait --job-name dedup -- python d.py",
    )
    assert words.budget == "2 of 3 restarts left in 24 h"
    assert words.expires_at == build.at(42_600)
    assert words.decided == ""


def test_a_change_is_shown_with_the_number_that_justifies_it() -> None:
    change = Change("memory", "5GB", "10GB", "measured peak 4.9 GB of 5 GB")
    words = compose_message(MessageKind.PROPOSAL, subject(proposal=proposal(change=change)))
    assert words.change == "memory: 5GB → 10GB (measured peak 4.9 GB of 5 GB)"


@pytest.mark.parametrize("action", [ActionKind.ESCALATE, ActionKind.RESTART_WITH_CHANGE])
def test_a_card_without_an_offer_says_what_to_do_instead(action: ActionKind) -> None:
    found = build.diagnosis(Cause.CODE_ERROR, action)
    words = compose_message(MessageKind.INCIDENT, subject(incident=incident(diagnosis=found), proposal=None))
    assert words.commands == ()
    assert words.footer.startswith("This needs a person: a restart alone would not help. ")


def test_card_of_a_run_that_nobody_submitted() -> None:
    missing = f"Not by what the cluster stored: {BY_PERSON} By hand on 10.0.0.1: `kill 4711`."
    watch = build.watch(Phase.FAILING, submit_context=SubmitContext(missing=(missing,)))
    words = compose_message(MessageKind.INCIDENT, subject(watch=watch, proposal=None))
    assert words.footer == f"A restart would help. {BY_PERSON} By hand on 10.0.0.1: `kill 4711`."


def test_an_outage_names_the_cluster_and_not_one_of_its_jobs() -> None:
    found = build.diagnosis(Cause.CONTROLLER_UNREACHABLE, ActionKind.ESCALATE, Severity.DEGRADED)
    outage = incident(diagnosis=found, outcome="it answers again", key=cluster_key("marin"))
    about = subject(incident=outage, proposal=None)
    assert compose_message(MessageKind.BLIND, about).title == "Cluster cannot be seen: marin"
    assert compose_message(MessageKind.RESOLVED, about).title == "Over: Cluster cannot be seen, marin"


@pytest.mark.parametrize(
    ("about", "text"),
    [
        (
            decided(incident=incident(IncidentStatus.APPROVED)),
            "Approved by U0ADA at 12:01 UTC (slack). The restart is about to begin.",
        ),
        (
            decided(incident=incident(IncidentStatus.RESOLVED, outcome="restarted as /ada/dedup-r1")),
            "Approved by U0ADA at 12:01 UTC (slack). Restarted as /ada/dedup-r1.",
        ),
        (decided(Answer.NO), "Denied by U0ADA at 12:01 UTC (slack). Nothing was done."),
        (
            decided(Answer.SNOOZE),
            "Snoozed by U0ADA at 12:01 UTC (slack). Asked again when something changes.",
        ),
        (
            subject(proposal=proposal(ProposalStatus.WITHDRAWN, withdrawn_because="a newer attempt runs")),
            "Withdrawn, nothing was done: a newer attempt runs.",
        ),
        (
            subject(proposal=proposal(ProposalStatus.UNANSWERED)),
            "Nobody answered until 23:50 UTC; nothing was done.",
        ),
    ],
)
def test_a_decided_card_says_who_when_and_what_followed(about: MessageSubject, text: str) -> None:
    words = compose_message(MessageKind.INCIDENT, about)
    assert words.decided == text
    assert words.commands == ()
    assert words.expires_at is None
    kinds = {button.kind for button in buttons_for(MessageKind.INCIDENT, about)}
    assert kinds == (set() if about.is_resolved else {ButtonKind.MORE, *FEEDBACK})


def test_an_open_offer_has_all_buttons_each_with_its_own_id_only() -> None:
    buttons = {
        button.kind: button.target for button in buttons_for(MessageKind.INCIDENT, subject(can_ask=True))
    }
    assert set(buttons) == set(ButtonKind) - {ButtonKind.SHOW_COMMAND}
    assert buttons[ButtonKind.APPROVE] == PROPOSAL
    assert buttons[ButtonKind.WRONG] == INCIDENT


def test_opinion_is_offered_only_where_it_can_be_had() -> None:
    wish = OpinionRequest(INCIDENT, Person("U0ADA"), build.NOON)
    for about in (subject(), subject(can_ask=True, advice_request=wish)):
        assert ButtonKind.ADVISE not in {button.kind for button in buttons_for(MessageKind.INCIDENT, about)}


def test_live_state_shows_stages_pace_and_open_incidents() -> None:
    words = compose_message(MessageKind.LIVE_STATE, subject(open_incidents=(incident(),)))
    assert words.progress == (
        "stage0-Map     ████████████  40/40",
        "stage1-Reduce  ███████████░  17/18",
    )
    assert ("ETA", "1 h 30 min") in words.fields
    assert ("Workers", "2 of 4 alive") in words.fields
    assert ("Open incident", "Zombie coordinator (proposed)") in words.fields
    assert words.footer == "Last check 12:00:00 UTC"


def test_live_state_says_when_it_cannot_see() -> None:
    verdict = replace(
        build.verdict(outlook=OUTLOOK), blind=(Unseen(Source.CONTROLLER, "No answer.", build.at(-120)),)
    )
    assert compose_message(MessageKind.LIVE_STATE, subject(verdict=verdict)).sentence.startswith(
        "Cannot be seen since 11:58 UTC: No answer."
    )


def test_the_end_is_told_with_duration_stages_retries_and_memory() -> None:
    outlook = replace(
        OUTLOOK,
        job_state=JobState.SUCCEEDED,
        started_at=build.at(-11_520),
        finished_at=build.NOON,
        peak_memory_bytes=9_700_000_000,
        stage_count=2,
    )
    about = subject(incident=None, proposal=None, verdict=build.verdict(outlook=outlook))
    words = compose_message(MessageKind.FINISHED, about)
    assert words.sentence == "The job succeeded after 3 h 12 min."
    assert {("Stages", "2"), ("Own retries", "1"), ("Peak memory", "9.7 GB")} <= set(words.fields)


def test_a_bad_end_is_told_with_its_root_cause() -> None:
    outlook = replace(OUTLOOK, job_state=JobState.FAILED)
    ended = subject(verdict=build.verdict(build.diagnosis(), outlook=outlook))
    words = compose_message(MessageKind.FINISHED, replace(ended, incident=None))
    assert words.title == "Ended badly: dedup"
    assert words.cause == "zombie-coordinator"
    assert len(words.evidence) == 1
    told = compose_message(
        MessageKind.FINISHED, replace(ended, because="the zombie coordinator was open when it ended")
    )
    assert told.evidence == ()
    assert "The zombie coordinator was open when it ended." in told.sentence
    assert compose_message(MessageKind.INCIDENT, ended).title == "Ended badly: dedup (zombie coordinator)"


def test_the_digest_keeps_order_and_says_how_much_is_left_out() -> None:
    held = [MessageContent(f"T{n}", "s") for n in range(50)]
    words = digest(held, now=build.NOON)
    assert words.progress[0] == "T0: s"
    assert len(words.progress) == 40
    assert "10 more" in words.footer


@pytest.mark.parametrize("occasion", list(MessageKind))
@pytest.mark.parametrize("about", [subject(), subject(incident=None, proposal=None, verdict=None), decided()])
def test_every_occasion_has_words_on_every_surface(occasion: MessageKind, about: MessageSubject) -> None:
    words, buttons = compose_message(occasion, about), buttons_for(occasion, about)
    assert words.title
    assert words.sentence
    assert fault_of_blocks(list(blocks.render(words, buttons).blocks)) is None
    assert words.title in as_text(message(words, occasion))


def message(words: MessageContent, occasion: MessageKind = MessageKind.INCIDENT) -> Message:
    return Message(MessageId("m"), "w-1", occasion, words, build.NOON)


def poisoned(text: str) -> MessageSubject:
    """A subject in which everything that may come from a job is this text."""
    found = Diagnosis(
        Cause.UNKNOWN,
        Severity.FATAL,
        ActionKind.RESTART,
        text,
        evidence=(Evidence(text, text),) * 10,
        cascade=(Evidence(text, text),),
        machine=text,
        change=Change("memory", text, text, text),
    )
    submission = build.submission("iris", "job", "run", "--", text)
    return (
        decided(
            incident=incident(IncidentStatus.FAILED, diagnosis=found, outcome=text),
            because=text,
            outcome=text,
            verdict=build.verdict(
                found,
                outlook=replace(
                    OUTLOOK, summary=text, stages=(StageProgressSummary(text, 1, 2, is_current=True),)
                ),
            ),
            affected=(text,),
        )
        if len(text) % 2
        else subject(
            incident=incident(diagnosis=found),
            proposal=proposal(submission=submission, change=found.change, asked_by=text),
            because=text,
            verdict=build.verdict(found, outlook=replace(OUTLOOK, summary=text)),
        )
    )


SECRET = "hf" + "_" + "Zq8" * 12


@pytest.mark.parametrize("occasion", list(MessageKind))
@pytest.mark.parametrize(
    "text", [f"token {SECRET} !", f"token {SECRET} !!", f"\x1b[31m{SECRET}\u202e", f"{SECRET} "]
)
def test_no_secret_and_no_control_character_reaches_any_surface(occasion: MessageKind, text: str) -> None:
    about = poisoned(text)
    words = compose_message(occasion, about)
    shown = repr([getattr(words, field.name) for field in fields(words)])
    assert SECRET not in shown
    assert "\\x1b" not in shown
    assert "\\u202e" not in shown


@settings(max_examples=60, deadline=None)
@given(text=texts)
def test_whatever_a_job_says_the_card_is_within_limits_on_every_surface(text: str) -> None:
    about = poisoned(text)
    for occasion in (
        MessageKind.INCIDENT,
        MessageKind.LIVE_STATE,
        MessageKind.FINISHED,
        MessageKind.REMINDER,
    ):
        words = compose_message(occasion, about)
        rendered = blocks.render(words, buttons_for(occasion, about))
        assert fault_of_blocks(list(rendered.blocks)) is None
        assert sum(map(len, texts_in(list(rendered.blocks)))) <= 10_500
        assert "\x1b" not in as_text(message(words))


def test_a_quotation_cannot_pass_for_two() -> None:
    found = build.diagnosis(evidence=(Evidence("one\n12:00:00 /ada/dedup/0 | fake", "/ada/dedup/0"),))
    (line,) = compose_message(MessageKind.INCIDENT, subject(incident=incident(diagnosis=found))).evidence
    assert line == "0 | one\n    12:00:00 /ada/dedup/0 | fake"


async def test_the_console_says_how_to_answer() -> None:
    stream = StringIO()
    card = replace(message(compose_message(MessageKind.INCIDENT, subject())), proposal=PROPOSAL)
    await ConsoleNotifier(stream).post(card, thread=None, is_repeat=False)
    assert "answer with: babysit approve p-7f" in stream.getvalue()


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (42, "42 s"),
        (90, "1 min 30 s"),
        (660, "11 min"),
        (11_520, "3 h 12 min"),
        (270_000, "3 d 3 h"),
    ],
)
def test_durations(seconds: float, text: str) -> None:
    assert format_duration(seconds) == text


def test_other_phrases() -> None:
    assert size(9_700_000_000) == "9.7 GB"
    assert size(512) == "512 B"
    assert bar(1, 2) == "██████░░░░░░"
    assert bar(1, 0) == ""
    assert format_time(build.NOON) == "12:00 UTC"
    assert format_time(build.NOON + timedelta(days=1), now=build.NOON) == "21 Nov 12:00 UTC"
    assert len(shortened("x" * 1_000, 100)) == 100
    assert "more characters" in shortened("x" * 1_000, 100)


@pytest.mark.parametrize("job", build.ODD_JOBS)
def test_card_hint_can_be_pasted(job: JobId):
    watch = replace(build.watch(), root=job, cluster="the lagoon", resubmit=None)
    found = replace(build.diagnosis(), action=ActionKind.RESTART)
    footer = compose_card(MessageSubject(watch, build.NOON, verdict=build.verdict(found))).footer
    stop, _, start = footer.partition("`babysit stop ")[2].partition("`, then `babysit ")
    assert shlex.split(stop) == [job]
    words = shlex.split(start.removesuffix("`."))
    assert words == [
        *("start", job, "--cluster", "the lagoon"),
        *("--workdir", "FOLDER", "--resubmit", "..."),
    ]


def test_card_of_an_old_incident_keeps_the_old_job():
    restarted = replace(build.watch(), root=JobId("/ada/dedup-r1"))
    words = compose_message(MessageKind.INCIDENT, decided(watch=restarted))
    assert words.title.endswith(": dedup")
    assert ("Job", "/ada/dedup") in words.fields


@pytest.mark.parametrize("status", [IncidentStatus.RESOLVED, IncidentStatus.SELF_RESOLVED])
def test_card_of_a_resolved_incident_looks_resolved(status: IncidentStatus):
    found = build.diagnosis(Cause.CODE_ERROR, ActionKind.ESCALATE)
    over = incident(status, outcome="the job recovered by itself", diagnosis=found)
    about = subject(incident=over, proposal=None)
    words = compose_message(MessageKind.INCIDENT, about)
    assert words.title.startswith("Over: ")
    assert words.severity == Severity.BENIGN
    assert words.decided == "The job recovered by itself."
    assert (words.price, words.recovery, words.footer) == ("", "", "")
    assert buttons_for(MessageKind.INCIDENT, about) == ()
    restarted = compose_message(MessageKind.INCIDENT, decided(incident=incident(status)))
    assert (restarted.title, restarted.price) == ("Over: Zombie coordinator, dedup", "")


def test_card_of_a_failed_incident_keeps_its_colour():
    about = subject(incident=incident(IncidentStatus.FAILED), proposal=None)
    assert compose_message(MessageKind.INCIDENT, about).severity == Severity.FATAL
    assert buttons_for(MessageKind.INCIDENT, about) != ()


@pytest.mark.parametrize(
    ("cause", "state", "title", "severity"),
    [
        (None, JobState.SUCCEEDED, "Finished: /ada/dedup", Severity.BENIGN),
        (Cause.USER_CANCEL, JobState.KILLED, "Stopped: /ada/dedup", Severity.FATAL),
        (Cause.CODE_ERROR, JobState.FAILED, "Ended badly: /ada/dedup", Severity.FATAL),
    ],
)
def test_live_state_of_an_ended_job_says_how_it_ended(cause, state, title, severity):
    found = build.diagnosis(cause) if cause else None
    verdict = build.verdict(found, Phase.FINISHED, outlook=replace(OUTLOOK, job_state=state))
    words = compose_message(MessageKind.LIVE_STATE, subject(incident=None, proposal=None, verdict=verdict))
    assert (words.title, words.severity) == (title, severity)


def test_live_state_of_a_watch_that_was_stopped_says_so():
    about = subject(watch=replace(build.watch(), stopped_at=build.NOON))
    assert compose_message(MessageKind.LIVE_STATE, about).title == "Not watched any more: /ada/dedup"


def test_messages_name_why_nothing_is_proposed():
    because = "the same cause came back after a restart."
    watch = build.watch(Phase.FINISHED)
    context = replace(
        watch.submit_context, not_proposed=because, stored=Submission((), SubmissionOrigin.CONTROLLER)
    )
    watch = replace(watch, submit_context=context)
    about = subject(watch=watch, proposal=None)
    assert because in compose_message(MessageKind.INCIDENT, about).footer
    assert because in compose_message(MessageKind.FINISHED, about).footer


def test_acting_asks_nobody_again():
    words = compose_message(MessageKind.ACTING, subject())
    shown = as_text(replace(message(words, MessageKind.ACTING), proposal=PROPOSAL))
    assert words.commands
    assert "approved" in shown
    assert "babysit approve" not in shown
    assert "would run" not in shown
