"""Slack and the service, both real: what a person sees in the channel, and what follows from a press."""

import asyncio

import pytest

from babysitter.clock import SystemClock
from babysitter.engine.leadership import troubles_of
from babysitter.engine.service import Service
from babysitter.model.events import DecisionRefused, ProposalDecided
from babysitter.model.incident import IncidentStatus
from babysitter.model.message import ButtonKind
from babysitter.model.proposal import Answer, ProposalStatus, Surface
from babysitter.slack.run_interactivity import run_interactivity
from babysitter.usecases.answering.approvals import decide
from babysitter.usecases.watching.manage_watches import watch_status
from babysitter.wiring import open_app
from tests.e2e.channel import ADA, BOB, CARD_TITLES, EVE, IRIS_COMMAND, Channel, channel
from tests.support import build
from tests.support.sim_app import opener

RUN = (*IRIS_COMMAND, "job", "run", "--no-wait", "--memory", "5GB", "--enable-extra-resources")


async def test_a_press_stops_and_submits_once_and_the_card_tells_what_followed(tmp_path):
    async with channel(tmp_path) as place:
        await place.offer()
        ack, told = await place.press(ADA)
        assert ack.acked
        assert told == ""
        await place.pass_s(300, 20.0)
        assert place.sim.launched == ["/ada/dedup-r1"]
        assert not place.card().buttons or all(
            "approve" not in str(button) for button in place.card().buttons
        )
        assert "U0ADA" in place.shown(place.card())
        await place.pass_s(900, 30.0)
        card, root = place.card(), place.slack.messages[0]
        assert card.text.startswith("Over: Zombie coordinator, dedup.")
        assert "🟢 Over" in place.shown(card)
        assert not card.buttons
        assert root.text.startswith("Finished: /ada/dedup-r1")
        texts = [message.text for message in place.slack.messages]
        assert any(text.startswith("Over: Zombie coordinator, dedup. Restarted as") for text in texts)
        assert len(texts) == len(set(texts))


@pytest.mark.parametrize("over_http", [False, True])
async def test_cut_command_is_shown_whole_before_its_approval(tmp_path, over_http: bool):
    flags = [f"--input-{number}=gs://lake/part-{number}" for number in range(200)]
    command = build.submission(*RUN, "--", "python", "d.py", *flags)
    async with channel(tmp_path, over_http=over_http, resubmit=command) as place:
        await place.offer()
        card, offer = place.card(), (await place.proposal()).id
        assert "show-command" in place.shown(card)
        assert "'approve'" not in place.shown(card)
        _, told = await place.press(ADA, value=offer, message_ts=card.ts)  # by a client that was too clever
        assert "was not shown whole yet" in told
        assert (await place.proposal()).status is ProposalStatus.OPEN
        before = len(place.slack.messages)
        await place.press(BOB, ButtonKind.SHOW_COMMAND)
        pages = [place.shown(message) for message in place.slack.messages[before:]]
        assert len(pages) >= 3
        assert all(any(flag in page for page in pages) for flag in flags[::50])
        await place.pass_s(20)
        assert "'approve'" in place.shown(place.card())
        assert (await place.press(ADA))[1] == ""
        assert (await place.proposal()).status is ProposalStatus.APPROVED


async def test_command_that_slack_did_not_take_whole_is_not_approvable(tmp_path):
    command = build.submission(*RUN, "--", "python", "d.py", "x" * 6_000)
    async with channel(tmp_path, resubmit=command) as place:
        await place.offer()
        card, offer = place.card(), (await place.proposal()).id
        place.slack.faults.error("chat.postMessage", "msg_too_long", times=1)
        _, told = await place.press(ADA, ButtonKind.SHOW_COMMAND)
        assert "Slack did not take the whole command" in told
        assert (await place.proposal()).shown_whole_at is None
        assert "not shown whole" in (await place.press(ADA, value=offer, message_ts=card.ts))[1]


async def test_two_at_once_and_one_delivered_twice_are_one_decision(tmp_path):
    async with channel(tmp_path) as place:
        await place.offer()
        (_, first), (_, second) = await asyncio.gather(
            place.press(ADA, deliveries=2), place.press(BOB, ButtonKind.DENY)
        )
        decided = await place.events(ProposalDecided)
        assert len(decided) == 1
        loser = second if decided[0].by == ADA else first
        assert "Already" in loser
        await place.pass_s(300, 20.0)
        assert len(place.sim.launched) == (1 if decided[0].answer == Answer.YES else 0)


async def test_after_its_end_or_its_withdrawal_an_offer_does_nothing_and_says_why(tmp_path):
    async with channel(tmp_path) as place:
        await place.offer()
        ts, value = place.card().ts, (await place.proposal()).id
        await place.pass_s(13 * 3600, 600.0)
        assert (await place.proposal()).status is ProposalStatus.UNANSWERED
        _, told = await place.press(ADA, value=value, message_ts=ts)
        assert "ended" in told or "expired" in told
        assert place.sim.launched == []


async def test_facts_that_move_between_card_and_press_withdraw_the_offer(tmp_path):
    async with channel(tmp_path) as place:
        await place.offer()
        ts, value = place.card().ts, (await place.proposal()).id
        place.sim.cluster.stop("/ada/dedup")  # somebody else was quicker
        await place.pass_s(120, 20.0)
        assert (await place.proposal()).status is ProposalStatus.WITHDRAWN
        _, told = await place.press(ADA, value=value, message_ts=ts)
        assert "withdrawn" in told
        assert place.sim.launched == []


async def test_facts_that_move_between_press_and_act_call_it_off(tmp_path):
    async with channel(tmp_path) as place:
        await place.offer()
        await place.press(ADA)
        place.sim.cluster.stop("/ada/dedup")
        await place.pass_s(120, 20.0)
        assert place.sim.launched == []
        assert (await place.proposal()).status is ProposalStatus.WITHDRAWN
        assert "Withdrawn, nothing was done: /ada/dedup is now killed" in place.shown(place.card())
        said = [message.text for message in place.slack.messages]
        assert any("Nothing was done. " in text for text in said)
        assert any("Stopped by a person after" in text for text in said)


async def test_strangers_bots_and_other_workspaces_are_refused_and_recorded(tmp_path):
    async with channel(tmp_path) as place:
        await place.offer()
        place.slack.workspace.person(EVE, "eve")
        assert "U0EVE may not answer" in (await place.press(EVE))[1]
        assert "Only people may answer" in (await place.press("U0BOT", is_bot=True))[1]
        await place.press("U0FAR", team="T0OTHER")  # Slack lets nobody be told who is not in the channel
        refused = [event.by for event in await place.events(DecisionRefused)]
        assert refused == ["U0EVE", "U0BOT", "U0FAR"]
        assert (await place.proposal()).status is ProposalStatus.OPEN
        await place.pass_s(60)
        assert place.sim.launched == []


async def test_who_may_no_longer_approve_when_the_act_begins_has_approved_nothing(tmp_path):
    async with channel(tmp_path) as place:
        await place.offer()
        await place.press(ADA)
        # Between the press and the act the settings are changed, and the service started anew.
        object.__setattr__(place.app.policy, "approvers", ((BOB,),))
        await place.pass_s(120, 20.0)
        assert place.sim.launched == []
        first, second = (await watch_status(place.app, place.watch.id)).proposals
        assert first.status is ProposalStatus.WITHDRAWN
        assert (second.status, second.may_approve) == (ProposalStatus.OPEN, (BOB,))
        assert any("may not approve any more" in place.shown(message) for message in place.slack.messages)


async def test_an_old_cards_button_after_a_new_incident_answers_nothing_new(tmp_path):
    async with channel(tmp_path, scenario="zombie-again") as place:
        await place.offer()
        ts, value = place.card().ts, (await place.proposal()).id
        await place.press(ADA)
        await place.pass_s(600, 20.0)
        assert place.sim.launched == ["/ada/dedup-r1"]
        _, told = await place.press(BOB, value=value, message_ts=ts)
        assert "Already approved by" in told
        await place.pass_s(300, 20.0)
        assert place.sim.launched == ["/ada/dedup-r1"]


async def test_a_forged_a_late_and_a_replayed_request_are_let_in_by_nobody(tmp_path):
    async with channel(tmp_path, over_http=True) as place:
        await place.offer()
        forged, _ = await place.press(ADA, secret="another")
        late, _ = await place.press(ADA, at=int(place.slack.workspace.now()) - 400)
        assert (forged.status, late.status) == (401, 401)
        assert (await place.proposal()).status is ProposalStatus.OPEN
        real, _ = await place.press(ADA)
        again = await place.slack.replay()
        assert (real.status, again.status) == (200, 401)
        assert (await place.slack.send_raw(b"x" * 300_000, {})).status == 413
        await place.pass_s(300, 20.0)
        assert place.sim.launched == ["/ada/dedup-r1"]


async def test_an_hour_without_slack_loses_nothing_and_the_terminal_still_decides(tmp_path):
    async with channel(tmp_path) as place:
        await place.pass_s(100)
        before = len(place.slack.messages)
        place.slack.faults.is_down = True
        await place.pass_s(3600, 30.0)
        assert len(place.slack.messages) == before
        ruling = await decide(place.app, (await place.proposal()).id, ADA, Answer.YES, Surface.TERMINAL)
        assert ruling.took_effect
        await place.pass_s(300, 20.0)
        assert place.sim.launched == ["/ada/dedup-r1"]
        place.slack.faults.is_down = False
        await place.pass_s(300, 20.0)
        texts = [message.text for message in place.slack.messages]
        assert len(texts) == len(set(texts))
        assert any("ombie" in text for text in texts)
        async with place.app.store.reading() as tx:
            assert await tx.outbox.waiting_count("slack") == 0


async def test_an_address_that_is_taken_is_a_trouble_that_status_shows(tmp_path):
    async with channel(tmp_path, over_http=True) as place:
        place.app.settings.slack.__dict__["listen"] = f"127.0.0.1:{place.surface.port}"
        async with run_interactivity(place.app, wall_clock=SystemClock()):
            await place.slack.until(lambda: place.app.troubles)
        await place.app.leadership.renew(place.app.troubles)
        shown = await troubles_of(place.app.store, now=place.clock.now())
        assert "cannot be taken at 127.0.0.1" in shown["slack"]


async def test_a_denied_offer_stays_denied_whoever_presses_next(tmp_path):
    async with channel(tmp_path) as place:
        await place.offer()
        await place.press(BOB, ButtonKind.DENY)
        await place.pass_s(20)
        standing = await watch_status(place.app, place.watch.id)
        assert [incident.status for incident in standing.incidents] == [IncidentStatus.DENIED]
        assert not any("approve" in str(button) for button in place.card().buttons)
        await place.pass_s(300, 20.0)
        assert place.sim.launched == []


async def test_a_press_after_a_restart_of_the_bot_counts_once(tmp_path):
    async with channel(tmp_path) as place:
        await place.offer()
        card = place.card()
        wanted = place.app.settings
        await place.service.__aexit__()  # the bot ends in good order, its card stays
        async with (
            open_app(wanted, clock=place.clock, opener=opener(place.clock, place.sim)) as app,
            Service(app) as service,
            run_interactivity(app, wall_clock=SystemClock()) as surface,
        ):
            assert surface is not None
            await place.slack.until(lambda: not surface.trouble)
            value = (await place.proposal()).id
            for _ in range(2):
                await place.slack.click(ADA, "approve", value, card.ts)
            await surface.door.settled()
            again = Channel(place.slack, place.sim, place.clock, app, service, surface, place.watch)
            await again.pass_s(300)
            assert place.sim.launched == ["/ada/dedup-r1"]
            assert len(await again.events(ProposalDecided)) == 1


@pytest.mark.parametrize("trouble", ["rate-limited", "slow", "ill", "answers-lost"])
async def test_whatever_slack_does_everything_arrives_once(trouble: str, tmp_path):
    async with channel(tmp_path) as place:
        await place.pass_s(100)
        faults = place.slack.faults
        match trouble:
            case "rate-limited":
                faults.rate_limit("chat.postMessage", times=4, retry_after_s=30)
            case "slow":
                faults.delay("chat.postMessage", seconds=0.2, times=4)
            case "ill":
                faults.status(status=503, times=6)
            case "answers-lost":
                faults.lose("chat.postMessage", after_effect=True, times=3)
        await place.pass_s(300, 20.0)
        await place.press(ADA)
        await place.pass_s(600, 20.0)
        assert place.sim.launched == ["/ada/dedup-r1"]
        texts = [message.text for message in place.slack.messages]
        assert len(texts) == len(set(texts))
        assert any(text.startswith(CARD_TITLES) for text in texts)
        assert any(text.startswith("Over:") for text in texts)
        async with place.app.store.reading() as tx:
            assert await tx.outbox.waiting_count("slack") == 0
