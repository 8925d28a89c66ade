"""Process a click: the service decides, and a person whose click is rejected learns why.

An answer is written down, then acknowledged, then worked on. What a process leaves unanswered when it
dies, the next one takes up: nobody who saw their press acknowledged has to press again.
"""

import asyncio
import contextlib
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from functools import partial
from typing import Protocol, TypeAlias

import structlog

from babysitter.clock import Clock
from babysitter.errors import BabysitError, ExternalError, StorageUnavailable
from babysitter.model.finding import Cause
from babysitter.model.ids import IncidentId, Person, ProposalId
from babysitter.model.message import TAKE_BACK, ButtonKind
from babysitter.model.proposal import Answer, Surface
from babysitter.notify.notifier import NotifyError
from babysitter.slack.click import Click, parse_click
from babysitter.slack.click_result import ClickResult, Desk
from babysitter.slack.members import CANNOT_TELL, MemberDirectory

MAX_CONCURRENT_CLICKS = 200
PRESSES_REMEMBERED = 5_000
KEEP_TIMEOUT_S = 1.0  # of the three seconds that Slack gives
WORK_TIMEOUT_S = 30.0
PAUSE_MOST_S = 10.0
SNOOZES = {
    ButtonKind.SNOOZE_1H: timedelta(hours=1),
    ButtonKind.SNOOZE_4H: timedelta(hours=4),
    ButtonKind.SNOOZE_CHANGE: None,
}
UNKNOWN_BUTTON = "This button is not known any more. Please use the newest message of the thread."
NOT_STORED = (
    "babysit has your answer and cannot store it now ({reason}). It counts as soon as that works; "
    "press again if the card has not changed in a few minutes."
)
TOO_SLOW = "babysit has your answer and is slow to work on it; it is tried again."
SHOW_AGAIN = "Press 'Show the whole command' again, or use `babysit approve` in a terminal."
BROKEN = "babysit could not take your answer; nothing was done. Please try again, or use `babysit approve`."

log = structlog.get_logger(__name__)

Acknowledge: TypeAlias = Callable[[], Awaitable[None]]
Take: TypeAlias = Callable[[object, Acknowledge], Awaitable[None]]  # a payload, and what acknowledges it


class Voice(Protocol):
    """How the door answers; slack/posting.py has it. Both raise NotifyError."""

    async def tell(self, channel: str, user: str, sentence: str, *, thread: str) -> None: ...

    async def say_more(self, channel: str, root: str, heading: str, lines: Sequence[str]) -> None: ...


class ClickHandler:
    """Everything that may happen after a press."""

    def __init__(self, voice: Voice, desk: Desk, people: MemberDirectory, clock: Clock) -> None:
        self._voice = voice
        self._desk = desk
        self._people = people
        self._clock = clock
        self._working: dict[str, asyncio.Task[None]] = {}  # by the identity of their press
        self._seen: OrderedDict[str, None] = OrderedDict()
        self._put_off: set[str] = set()  # seen, and to be taken up again
        self._not_stored: dict[str, Click] = {}  # acknowledged, and in no other place than this
        self._storing: set[asyncio.Task[None]] = set()

    async def take(self, payload: object, acknowledge: Acknowledge) -> None:
        """Store a click, acknowledge it, and start to process it. The same click counts once."""
        press = parse_click(payload)
        if press is None or self._was_seen(press):
            await acknowledge()
            return
        await self._keep(press)
        try:
            await acknowledge()
        finally:
            self._begin(press, is_fresh=True)

    async def take_up(self) -> None:
        """Start working on what is kept: left by an earlier process, or put off by this one."""
        left: Sequence[Click] = ()
        try:
            left = await self._desk.kept()
        except Exception as fault:  # noqa: BLE001  what is kept here only is taken up all the same
            log.warning("stored_clicks_not_read", because=_in_words(fault))
        for press in (*left, *self._not_stored.values()):
            if not self._was_seen(press) or press.identity in self._put_off:
                self._begin(press, is_fresh=False)

    async def settled(self) -> None:
        """Return when every click received so far has been processed."""
        while self._working:
            await asyncio.wait(tuple(self._working.values()))

    async def close(self) -> None:
        """Finish what is under way, within its time limit. What is stored waits for the next process."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.settled(), WORK_TIMEOUT_S)
        left = (*self._working.values(), *self._storing)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        if self._not_stored:
            log.error("clicks_lost", count=len(self._not_stored))

    def _was_seen(self, press: Click) -> bool:
        if press.identity in self._seen:
            return True
        self._seen[press.identity] = None
        while len(self._seen) > PRESSES_REMEMBERED:
            self._seen.popitem(last=False)
        return False

    async def _keep(self, press: Click) -> None:
        """Write an answer down, and return after a second at the latest.

        What takes longer goes on beside the acknowledgement: cancelling it could take longer still. What
        fails is kept in memory, worked on all the same, and taken up again.
        """
        if not press.is_an_answer:
            return
        self._not_stored[press.identity] = press
        storing = asyncio.get_running_loop().create_task(self._store(press))
        self._storing.add(storing)
        storing.add_done_callback(self._storing.discard)
        await asyncio.wait((storing,), timeout=KEEP_TIMEOUT_S)

    async def _store(self, press: Click) -> None:
        try:
            await self._desk.keep(press)
        except Exception as fault:  # noqa: BLE001  whatever it is, the person must not be kept waiting
            log.warning("click_not_stored", user=press.user, because=_in_words(fault))
        else:
            if self._not_stored.pop(press.identity, None) is None:  # decided meanwhile
                await self._forget(press)

    def _begin(self, press: Click, *, is_fresh: bool) -> None:
        if press.identity in self._working:
            return
        if len(self._working) >= MAX_CONCURRENT_CLICKS:
            log.warning("click_deferred", user=press.user, because="too many at once")
            self._put_off.add(press.identity)
            return
        self._put_off.discard(press.identity)
        task = asyncio.get_running_loop().create_task(self._work(press, is_fresh=is_fresh))
        self._working[press.identity] = task
        task.add_done_callback(lambda _: self._working.pop(press.identity))

    async def _work(self, press: Click, *, is_fresh: bool) -> None:
        """Process one click, from the person to the reply. Never raises.

        What a service or the database is at fault for is taken up again; the person is told once.
        """
        sentence, is_answered = BROKEN, True
        try:
            async with asyncio.timeout(WORK_TIMEOUT_S):
                sentence = await self._answer(press, is_fresh=is_fresh)
        except StorageUnavailable as error:
            sentence, is_answered = NOT_STORED.format(reason=error.reason) if is_fresh else "", False
        except (ExternalError, TimeoutError) as error:
            sentence, is_answered = (str(error) or TOO_SLOW) if is_fresh else "", False
        except BabysitError as error:
            sentence = str(error)
        except Exception as fault:  # noqa: BLE001  the top of a press: one bad press must not end the door
            log.error("click_failed", fault=repr(fault), button=press.kind, target=press.target)
        if sentence:
            await self._tell(press, sentence)
        if not press.is_an_answer:
            return
        if is_answered:
            self._not_stored.pop(press.identity, None)
            await self._forget(press)
        else:
            self._put_off.add(press.identity)

    async def _forget(self, press: Click) -> None:
        """It need not be kept any more. If that fails it is answered once more, which is harmless."""
        with contextlib.suppress(BabysitError):
            await self._desk.answered(press)

    async def _answer(self, press: Click, *, is_fresh: bool) -> str:
        """What to tell the person; "" when the card says it all."""
        teams = (press.team, press.user_team) if press.user_team else (press.team,)
        objection = await self._people.objection_to(press.user, *teams)
        if objection == CANNOT_TELL and not is_fresh:
            raise ExternalError(objection)  # nobody waits for this one: ask again until Slack can say
        if objection:
            await self._desk.refuse(press.target, press.user, Surface.SLACK, objection)
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
            case ButtonKind.ADVISE:
                return (await self._desk.ask_advice(IncidentId(press.target), person)).sentence
            case ButtonKind.REALLY:
                return await self._teach(press, person)
            case ButtonKind.MORE:
                return await self._show_more(press)
            case ButtonKind.SHOW_COMMAND:
                return await self._show_command(press)
            case None:
                return UNKNOWN_BUTTON
        return "" if heard.took_effect else heard.sentence

    async def _teach(self, press: Click, person: Person) -> str:
        """Keep the cause that was chosen from the menu, or forget what this person chose before."""
        incident, _, cause = press.target.partition("|")
        if cause == TAKE_BACK:
            return (await self._desk.take_back_feedback(IncidentId(incident), person)).sentence
        if cause not in set(Cause):
            return UNKNOWN_BUTTON
        heard = await self._desk.give_feedback(
            IncidentId(incident), person, was_right=False, cause=Cause(cause)
        )
        return heard.sentence

    async def _decide(self, press: Click, answer: Answer, snooze: timedelta | None = None) -> ClickResult:
        until = self._clock.now() + snooze if snooze else None
        return await self._desk.decide(
            ProposalId(press.target),
            Person(press.user),
            answer,
            Surface.SLACK,
            snooze_until=until,
            incoming=press.identity,
        )

    async def _show_more(self, press: Click) -> str:
        lines = await self._desk.more_evidence(IncidentId(press.target))
        if not lines:
            return "There is no more evidence than what the card shows."
        await self._voice.say_more(press.channel, press.root, "More evidence", lines)
        return ""

    async def _show_command(self, press: Click) -> str:
        """Post the whole command in the thread. Only when all of it is there can it be approved."""
        proposal = ProposalId(press.target)
        pages = await self._desk.command_pages(proposal)
        for number, page in enumerate(pages, start=1):
            heading = f"The whole command of {proposal}, {number} of {len(pages)}"
            fault = await self._with_a_pause(partial(self._say_page, press, heading, page))
            if fault is not None:
                log.warning("command_not_shown", proposal=proposal, page=number, error=fault.sentence)
                return f"Slack did not take the whole command ({fault.sentence}). {SHOW_AGAIN}"
        await self._desk.record_shown(proposal)
        return ""

    async def _say_page(self, press: Click, heading: str, page: str) -> None:
        await self._voice.say_more(press.channel, press.root, heading, (page,))

    async def _tell(self, press: Click, sentence: str) -> None:
        """Answer one person, in the thread, seen by nobody else."""
        say = partial(self._voice.tell, press.channel, press.user, sentence, thread=press.thread_ts)
        if (fault := await self._with_a_pause(say)) is not None:
            log.warning("a person could not be answered", user=press.user, error=fault.sentence)

    async def _with_a_pause(self, call: Callable[[], Awaitable[None]]) -> NotifyError | None:
        """Make a call, once more after a short pause that Slack asks for. Gives the fault, if any."""
        for is_last in (False, True):
            try:
                await call()
            except NotifyError as error:
                pause_s = error.retry_after_s
                if is_last or pause_s is None or pause_s > PAUSE_MOST_S:
                    return error
                await self._clock.sleep_until(self._clock.now() + timedelta(seconds=pause_s))
            else:
                return None
        return None


def _in_words(fault: Exception) -> str:
    return str(fault) or type(fault).__name__
