"""A press comes in; the service decides; the person who cannot be heard learns why.

Acknowledging is not done here: whoever brings a press (socket.py, endpoint.py) acknowledges it first
and then calls `take`, which returns at once and works afterwards.
"""

import asyncio
import contextlib
from collections import OrderedDict
from collections.abc import Sequence
from datetime import timedelta
from typing import Protocol

import structlog

from babysitter.clock import Clock
from babysitter.errors import BabysitError
from babysitter.model.ids import IncidentId, Person, ProposalId
from babysitter.model.message import ButtonKind
from babysitter.model.proposal import Answer, Door
from babysitter.notify.base import NotifyError
from babysitter.surfaces.slack.desk import Desk, Heard
from babysitter.surfaces.slack.people import SlackPeople
from babysitter.surfaces.slack.press import Press, read_press

PRESSES_AT_ONCE_MOST = 200
PRESSES_REMEMBERED = 5_000
WORK_WITHIN_S = 30.0
PAUSE_MOST_S = 10.0
SNOOZES = {
    ButtonKind.SNOOZE_1H: timedelta(hours=1),
    ButtonKind.SNOOZE_4H: timedelta(hours=4),
    ButtonKind.SNOOZE_CHANGE: None,
}
UNKNOWN_BUTTON = "This button is not known any more. Please use the newest message of the thread."
BROKEN = "babysit could not take your answer; nothing was done. Please try again, or use `babysit approve`."

log = structlog.get_logger(__name__)


class Voice(Protocol):
    """How the door answers; notify/slack.py has it. Both raise NotifyError."""

    async def tell(self, channel: str, user: str, sentence: str, *, thread: str) -> None: ...

    async def say_more(self, channel: str, root: str, heading: str, lines: Sequence[str]) -> None: ...


class SlackDoor:
    """Everything that may happen after a press."""

    def __init__(self, voice: Voice, desk: Desk, people: SlackPeople, clock: Clock) -> None:
        self._voice = voice
        self._desk = desk
        self._people = people
        self._clock = clock
        self._working: set[asyncio.Task[None]] = set()
        self._seen: OrderedDict[str, None] = OrderedDict()

    def take(self, payload: object) -> None:
        """Start working on a payload that has been acknowledged. The same press counts once."""
        press = read_press(payload)
        if press is None or self._was_seen(press):
            return
        if len(self._working) >= PRESSES_AT_ONCE_MOST:
            log.error("press dropped: too many at once", user=press.user)
            return
        task = asyncio.get_running_loop().create_task(self._work(press))
        self._working.add(task)
        task.add_done_callback(self._working.discard)

    async def settled(self) -> None:
        """Return when every press taken so far has been worked on."""
        while self._working:
            await asyncio.wait(tuple(self._working))

    async def close(self) -> None:
        """Finish what is under way, within its time limit."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.settled(), WORK_WITHIN_S)

    def _was_seen(self, press: Press) -> bool:
        if press.identity in self._seen:
            return True
        self._seen[press.identity] = None
        while len(self._seen) > PRESSES_REMEMBERED:
            self._seen.popitem(last=False)
        return False

    async def _work(self, press: Press) -> None:
        """One press, from who it is to what they are told. Never raises."""
        try:
            async with asyncio.timeout(WORK_WITHIN_S):
                sentence = await self._answer(press)
        except BabysitError as error:
            sentence = str(error)
        except Exception as fault:  # noqa: BLE001  the top of a press: one bad press must not end the door
            log.error("press failed", fault=repr(fault), button=press.kind, target=press.target)
            sentence = BROKEN
        if sentence:
            await self._tell(press, sentence)

    async def _answer(self, press: Press) -> str:
        """What to tell the person; "" when the card says it all."""
        teams = (press.team, press.user_team) if press.user_team else (press.team,)
        objection = await self._people.objection_to(press.user, *teams)
        if objection:
            await self._desk.refuse(press.target, press.user, Door.SLACK, objection)
            return objection
        person = Person(press.user)
        match press.kind:
            case ButtonKind.APPROVE:
                heard = await self._decide(press, Answer.YES)
            case ButtonKind.DENY:
                heard = await self._decide(press, Answer.NO)
            case ButtonKind.SNOOZE_1H | ButtonKind.SNOOZE_4H | ButtonKind.SNOOZE_CHANGE:
                heard = await self._decide(press, Answer.SNOOZE, SNOOZES[press.kind])
            case ButtonKind.RIGHT | ButtonKind.WRONG:
                was_right = press.kind is ButtonKind.RIGHT
                heard = await self._desk.give_feedback(IncidentId(press.target), person, was_right=was_right)
                return heard.sentence or "Thank you; noted for the rule behind this."
            case ButtonKind.MORE:
                return await self._show_more(press)
            case None:
                return UNKNOWN_BUTTON
        return "" if heard.took_effect else heard.sentence

    async def _decide(self, press: Press, answer: Answer, snooze: timedelta | None = None) -> Heard:
        until = self._clock.now() + snooze if snooze else None
        return await self._desk.decide(
            ProposalId(press.target), Person(press.user), answer, Door.SLACK, snooze_until=until
        )

    async def _show_more(self, press: Press) -> str:
        lines = await self._desk.more_evidence(IncidentId(press.target))
        if not lines:
            return "There is no more evidence than what the card shows."
        await self._voice.say_more(press.channel, press.root, "More evidence", lines)
        return ""

    async def _tell(self, press: Press, sentence: str) -> None:
        """Answer one person, in the thread, seen by nobody else. A short pause asked for is kept."""
        for is_last in (False, True):
            try:
                await self._voice.tell(press.channel, press.user, sentence, thread=press.thread_ts)
            except NotifyError as error:
                pause_s = error.retry_after_s
                if is_last or pause_s is None or pause_s > PAUSE_MOST_S:
                    log.warning("a person could not be answered", user=press.user, error=error.sentence)
                    return
                await self._clock.sleep_until(self._clock.now() + timedelta(seconds=pause_s))
            else:
                return
