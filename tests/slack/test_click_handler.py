"""Every way in which a press may go: what the person sees, and that at most one act follows."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from babysitter.model.finding import Cause
from babysitter.model.message import ButtonKind
from babysitter.model.proposal import Answer, Surface
from babysitter.sim.slack import SlackServer
from babysitter.sim.slack.interactions import signed
from tests.slack.rig import MemoryDesk, Rig, connected, listening, make_rig
from tests.surfaces.manual_clock import ManualClock


@pytest.fixture
async def slack() -> AsyncIterator[SlackServer]:
    async with SlackServer() as slack:
        yield slack


@pytest.fixture(params=["socket", "http"])
async def rig(request: pytest.FixtureRequest, slack: SlackServer) -> AsyncIterator[Rig]:
    clock, over_http = ManualClock(), request.param == "http"
    bare = make_rig(slack, clock, MemoryDesk(clock), over_http=over_http)
    async with (listening if over_http else connected)(bare) as rig:
        yield rig


async def test_an_approver_approves_and_the_card_says_the_rest(rig: Rig) -> None:
    await rig.offer()
    assert await rig.press("U0ADA") == ""
    assert rig.desk.acts == ["p-1"]
    decision = rig.desk.decisions["p-1"]
    assert (decision.person, decision.answer, decision.door) == ("U0ADA", Answer.YES, Surface.SLACK)


async def test_acknowledged_at_once_however_slow_the_decision(rig: Rig) -> None:
    await rig.offer()
    rig.desk.slowness = asyncio.Event()
    ack = await rig.slack.click("U0ADA", "approve")
    assert ack.acked
    assert rig.desk.acts == []
    rig.desk.slowness.set()
    await rig.door.settled()
    assert rig.desk.acts == ["p-1"]


async def test_two_people_at_once_the_second_hears_who_was_first(rig: Rig) -> None:
    await rig.offer()
    told = await asyncio.gather(rig.press("U0ADA"), rig.press("U0BOB"))
    assert rig.desk.acts == ["p-1"]
    first = rig.desk.decisions["p-1"].person
    told_late = told[1] if first == "U0ADA" else told[0]
    assert told_late == f"Already approved by <@{first}> at 12:00 UTC."


async def test_a_press_delivered_twice_counts_once_and_nobody_is_scolded(rig: Rig) -> None:
    await rig.offer()
    assert await rig.press("U0ADA", deliveries=2) == ""
    assert rig.desk.acts == ["p-1"]


async def test_pressing_twice_oneself_is_answered_politely(rig: Rig) -> None:
    await rig.offer()
    await rig.press("U0ADA")
    assert await rig.press("U0ADA") == "Already approved by <@U0ADA> at 12:00 UTC."
    assert rig.desk.acts == ["p-1"]


async def test_after_the_end_of_the_offer(rig: Rig) -> None:
    await rig.offer()
    rig.clock.at += timedelta(hours=2)
    assert await rig.press("U0ADA") == "The offer ended at 13:00 UTC; nothing was done."
    assert rig.desk.acts == []


async def test_after_withdrawal_the_person_sees_what_changed(rig: Rig) -> None:
    await rig.offer()
    rig.desk.withdrawn["p-1"] = "the job recovered by itself at 12:10"
    told = await rig.press("U0ADA")
    assert told == "The offer was withdrawn: the job recovered by itself at 12:10."
    assert rig.desk.acts == []


async def test_an_old_cards_button_after_a_new_incident(rig: Rig) -> None:
    old = await rig.offer(1)
    rig.desk.withdrawn["p-1"] = "a newer attempt runs"
    await rig.offer(2)
    told = await rig.press("U0ADA", "approve", value="p-1", message_ts=old.handle)
    assert "a newer attempt runs" in told
    assert rig.desk.acts == []
    assert rig.desk.decisions == {}


async def test_somebody_who_may_not_approve(rig: Rig) -> None:
    rig.slack.workspace.person("U0EVE", "eve")
    await rig.offer()
    assert await rig.press("U0EVE") == "Only U0ADA and U0BOB may answer this."
    assert rig.desk.acts == []
    assert rig.desk.refused == [("p-1", "U0EVE", "not an approver")]


async def test_a_bot_even_when_it_is_listed_as_approver(rig: Rig) -> None:
    rig.desk.approvers = ("U0ROBOT",)
    await rig.offer()
    assert await rig.press("U0ROBOT", is_bot=True) == "Only people may answer; bots and apps may not."
    assert rig.desk.acts == []
    assert rig.desk.refused == [("p-1", "U0ROBOT", "Only people may answer; bots and apps may not.")]


async def test_another_workspace_even_with_an_approvers_id(rig: Rig) -> None:
    await rig.offer()
    assert await rig.press("U0ADA", team="T0OTHER") == "Only members of this workspace may answer."
    assert rig.desk.acts == []
    assert [who for _, who, _ in rig.desk.refused] == ["U0ADA"]


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        ({"is_stranger": True}, "Only members of this workspace may answer."),
        ({"team": "T0OTHER"}, "Only members of this workspace may answer."),
        ({"deleted": True}, "This account has been deactivated."),
    ],
)
async def test_people_who_only_seem_to_be_members(rig: Rig, facts: dict[str, object], told: str) -> None:
    rig.desk.approvers = ("U0GUEST",)
    rig.slack.workspace.person("U0GUEST", **facts)
    await rig.offer()
    assert await rig.press("U0GUEST", team="T0SIM") == told
    assert rig.desk.acts == []


async def test_when_slack_cannot_say_who_it_is_nobody_is_let_in(rig: Rig) -> None:
    await rig.offer()
    rig.slack.faults.status("users.info", status=500)
    assert "could not say who you are" in await rig.press("U0ADA")
    assert rig.desk.acts == []
    assert await rig.press("U0ADA") == ""
    assert rig.desk.acts == ["p-1"]


async def test_slack_down_at_the_start_keeps_nobody_out_for_ever(rig: Rig) -> None:
    await rig.offer()
    rig.slack.faults.status("auth.test", status=500)
    assert "could not say who you are" in await rig.press("U0ADA")
    assert await rig.press("U0ADA") == ""
    assert rig.desk.acts == ["p-1"]


async def test_an_answer_waits_for_a_short_pause_that_slack_asks_for(rig: Rig) -> None:
    await rig.offer()
    await rig.press("U0ADA")
    rig.slack.faults.rate_limit("chat.postEphemeral", retry_after_s=2)
    await rig.slack.click("U0BOB", "approve")
    await rig.slack.until(lambda: [call for call, _ in rig.slack.calls].count("chat.postEphemeral") == 1)
    assert rig.slack.ephemerals == []
    rig.clock.advance(3)
    await rig.door.settled()
    assert "Already approved" in rig.slack.ephemerals[0].text


async def test_a_button_that_is_not_known(rig: Rig) -> None:
    card = await rig.offer()
    told = await rig.press("U0ADA", "launch-rockets", value="p-1", message_ts=card.handle)
    assert told == "This button is not known any more. Please use the newest message of the thread."
    assert rig.desk.acts == []


async def test_an_id_that_was_never_offered(rig: Rig) -> None:
    card = await rig.offer()
    told = await rig.press("U0ADA", "approve", value="p-999", message_ts=card.handle)
    assert told == "This offer is not known any more."
    assert rig.desk.acts == []


async def test_deny_and_snooze(rig: Rig) -> None:
    buttons = (ButtonKind.DENY, ButtonKind.SNOOZE_1H, ButtonKind.SNOOZE_4H, ButtonKind.SNOOZE_CHANGE)
    for number, button in enumerate(buttons):
        await rig.offer(number)
        assert await rig.press("U0ADA", button) == ""
    noon = rig.clock.now()
    assert [(decision.answer, decision.snooze_until) for decision in rig.desk.decisions.values()] == [
        (Answer.NO, None),
        (Answer.SNOOZE, noon + timedelta(hours=1)),
        (Answer.SNOOZE, noon + timedelta(hours=4)),
        (Answer.SNOOZE, None),
    ]
    assert rig.desk.acts == []


async def test_feedback_and_more_evidence(rig: Rig) -> None:
    rig.desk.evidence["i-1"] = ("first line", "<!channel>")
    card = await rig.offer()
    assert "Thank you" in await rig.press("U0BOB", ButtonKind.RIGHT)
    assert rig.desk.feedback == [("i-1", "U0BOB", True)]
    await rig.press("U0BOB", ButtonKind.REALLY, value="i-1|host-oom")
    assert rig.desk.feedback[-1] == ("i-1", "U0BOB", False)
    assert rig.desk.causes == [None, Cause.HOST_OOM]
    assert await rig.press("U0BOB", ButtonKind.REALLY, value="i-1|take-back") == "Taken back."
    assert (rig.desk.taken_back, len(rig.desk.causes)) == ([("i-1", "U0BOB")], 2)
    kept = len(rig.desk.kept_at_all)
    assert await rig.press("U0BOB", ButtonKind.ADVISE) == ""
    assert (rig.desk.advice, len(rig.desk.kept_at_all)) == ([("i-1", "U0BOB")], kept + 1)
    assert rig.desk.inbox == {}
    assert await rig.press("U0BOB", ButtonKind.MORE) == ""
    reply = rig.slack.messages[-1]
    assert reply.thread_ts == card.handle
    assert "first line" in str(reply.blocks)
    assert "<!channel>" not in str(reply.blocks)


async def test_a_fault_of_ours_is_told_and_the_door_stays_open(rig: Rig) -> None:
    await rig.offer()
    rig.desk.approvers = None  # type: ignore[assignment]
    assert "nothing was done" in await rig.press("U0ADA")
    rig.desk.approvers = ("U0ADA",)
    assert await rig.press("U0ADA") == ""
    assert rig.desk.acts == ["p-1"]


async def test_after_a_restart_of_the_bot_the_old_card_still_works(slack: SlackServer) -> None:
    clock = ManualClock()
    desk = MemoryDesk(clock)
    async with connected(make_rig(slack, clock, desk)) as before:
        await before.offer()
    async with connected(make_rig(slack, clock, desk)) as reborn:
        assert await reborn.press("U0ADA") == ""
        assert await reborn.press("U0BOB") == "Already approved by <@U0ADA> at 12:00 UTC."
    assert desk.acts == ["p-1"]


async def test_a_press_is_written_down_before_it_is_acknowledged(rig: Rig) -> None:
    await rig.offer()
    rig.desk.slowness = asyncio.Event()
    assert (await rig.slack.click("U0ADA", "approve")).acked
    assert [click.target for click in rig.desk.inbox.values()] == ["p-1"]
    rig.desk.slowness.set()
    await rig.door.settled()
    assert rig.desk.inbox == {}


async def test_a_desk_that_cannot_write_delays_no_acknowledgement(rig: Rig) -> None:
    await rig.offer()
    rig.desk.is_stuck = True
    assert await rig.press("U0ADA", ButtonKind.RIGHT) != ""
    rig.desk.is_broken = True
    assert await rig.press("U0ADA") == ""
    assert rig.desk.acts == ["p-1"]


async def test_a_look_is_not_kept_and_a_persons_word_is(rig: Rig) -> None:
    await rig.offer()
    await rig.press("U0ADA", ButtonKind.MORE)
    assert rig.desk.kept_at_all == []
    await rig.press("U0ADA", ButtonKind.WRONG)
    assert len(rig.desk.kept_at_all) == 1


async def test_what_a_dead_process_acknowledged_the_next_one_decides(slack: SlackServer) -> None:
    clock = ManualClock()
    desk = MemoryDesk(clock, slowness=asyncio.Event())
    async with connected(make_rig(slack, clock, desk)) as before:
        await before.offer()
        assert (await slack.click("U0ADA", "approve")).acked
        for task in before.door._working.values():
            task.cancel()  # as the end of a process does
    assert desk.acts == []
    desk.slowness = None
    slack.faults.status("users.info", status=503)  # who it is cannot be said at once
    async with connected(make_rig(slack, clock, desk)) as reborn:
        await reborn.door.settled()
        assert (desk.acts, len(desk.inbox)) == ([], 1)
        clock.advance(20)
        await slack.until(lambda: desk.acts)
        await reborn.door.settled()
    assert (desk.acts, desk.inbox) == (["p-1"], {})
    assert slack.ephemerals == []


class TestHttp:
    """What only a request over HTTP can get wrong. Nothing is told to anybody: there is nobody to trust."""

    @pytest.fixture
    async def http(self, slack: SlackServer) -> AsyncIterator[Rig]:
        clock = ManualClock()
        async with listening(make_rig(slack, clock, MemoryDesk(clock), over_http=True)) as rig:
            await rig.offer()
            yield rig

    async def test_forged(self, http: Rig) -> None:
        ack = await http.slack.click("U0ADA", "approve", secret="not the secret")
        await self.nothing_happened(http, ack.status, 401)

    @pytest.mark.parametrize("age_s", [301, -301, 86_400])
    async def test_too_old_or_from_the_future(self, http: Rig, age_s: int) -> None:
        moment = int(http.slack.workspace.now()) - age_s
        ack = await http.slack.click("U0ADA", "approve", at=moment)
        await self.nothing_happened(http, ack.status, 401)

    async def test_replayed(self, http: Rig) -> None:
        await http.press("U0ADA")
        assert http.desk.acts == ["p-1"]
        assert (await http.slack.replay()).status == 401
        await http.door.settled()
        assert http.desk.acts == ["p-1"]
        assert http.slack.ephemerals == []

    @pytest.mark.parametrize(
        ("body", "headers", "status"),
        [
            (b"x" * 300_000, {}, 413),
            (b"payload=%7B", {}, 401),
            (b"payload=%7B", {"X-Slack-Request-Timestamp": "soon", "X-Slack-Signature": "v0=0"}, 401),
            (b"payload=%7B", {"X-Slack-Request-Timestamp": "1" * 400, "X-Slack-Signature": "v0=0"}, 401),
        ],
    )
    async def test_malformed(self, http: Rig, body: bytes, headers: dict[str, str], status: int) -> None:
        ack = await http.slack.send_raw(body, headers)
        await self.nothing_happened(http, ack.status, status)

    @pytest.mark.parametrize(
        "body", [b"", b"payload=%7B", b"payload=[]", b"payload=" + b"%5B" * 50_000, b"\xff\xfe", b"x=1"]
    )
    async def test_signed_nonsense(self, http: Rig, body: bytes) -> None:
        now = int(http.slack.workspace.now())
        ack = await http.slack.send_raw(body, signed(body, http.slack.signing_secret, at=now))
        assert ack.status in (200, 400)
        await self.nothing_happened(http, ack.status, ack.status)

    async def nothing_happened(self, http: Rig, status: int | None, wanted: int) -> None:
        assert status == wanted
        await http.door.settled()
        assert http.desk.acts == []
        assert http.desk.decisions == {}
        assert http.slack.ephemerals == []
