"""Is Slack set up so that a button works? Each step is tried for real and says what to mend."""

import asyncio
import contextlib
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from babysitter.clock import Clock
from babysitter.model.message import Button, ButtonKind
from babysitter.slack.api_errors import MENDABLE_ERRORS, SlackRefused, translate
from babysitter.slack.click import Click, parse_click
from babysitter.slack.click_handler import Acknowledge
from babysitter.slack.manifest import APP_TOKEN_SCOPE, SCOPES
from babysitter.slack.socket_mode import SlackConnection

if TYPE_CHECKING:
    from slack_sdk.web.async_client import AsyncWebClient

CONNECT_TIMEOUT_S = 20.0
REFUSED = "Slack opens no socket"  # how the socket's trouble begins then
_CHECKING = "babysit's set-up is being checked; nothing was done. Please press again in a minute."
PROBE_TEXT = "babysit checks its set-up. Press the button, and this message will say that it works."


@dataclass(frozen=True, slots=True)
class SetupProblem:
    """One checked thing. `mend`: what to do when it does not hold."""

    what: str
    holds: bool
    detail: str = ""
    mend: str = ""


@dataclass(frozen=True, slots=True)
class SetupCheckSettings:
    """What `slack check` works with."""

    bot_token: str
    app_token: str  # "" = HTTP is used instead of Socket Mode
    channel: str
    approvers: tuple[str, ...] = ()
    press_within_s: float = 120.0  # 0 = do not wait for a press
    echo_within_s: float = 15.0


class SlackCheck:
    """Runs the steps in order; what needs an earlier one that failed is not tried."""

    def __init__(
        self,
        client: "AsyncWebClient",
        settings: SetupCheckSettings,
        clock: Clock,
        *,
        show: Callable[[SetupProblem], None] = lambda _finding: None,
        waiting: Callable[[str], None] = lambda _sentence: None,
    ) -> None:
        self._client = client
        self._settings = settings
        self._clock = clock
        self._show = show
        self._waiting = waiting
        self._presses: asyncio.Queue[object] = asyncio.Queue()
        self._probe = ""  # the ts of the message with the button

    async def run(self) -> list[SetupProblem]:
        """Everything found, in order; each is shown as it is found."""
        found: list[SetupProblem] = []
        async for finding in self._steps():
            found.append(finding)
            self._show(finding)
        return found

    async def _steps(self) -> AsyncIterator[SetupProblem]:
        token = await self._bot_token()
        yield token
        if not token.holds:
            return
        for approver in self._settings.approvers:
            yield await self._approver(approver)
        if not self._settings.app_token:
            channel = await self._post_probe()
            yield channel
            yield SetupProblem("button", True, "not tried: over HTTP the running service answers presses")
            await self._clean_up("")
            return
        socket = SlackConnection(
            self._settings.app_token, self._client, self._take, self._clock, poke=self._no_poke
        )
        async with self._open(socket) as connected:
            yield connected
            channel = await self._post_probe()
            yield channel
            if connected.holds and channel.holds:
                yield await self._echo(socket)
                async for finding in self._press():
                    yield finding

    async def _bot_token(self) -> SetupProblem:
        if not self._settings.bot_token:
            return SetupProblem(
                "bot token", False, "none is configured", "Set BABYSIT_SLACK_BOT_TOKEN (xoxb-...)."
            )
        answer, refused = await self._ask(self._client.auth_test())
        if refused:
            return SetupProblem("bot token", False, refused.sentence, _mend(refused))
        given = set(str(answer.headers.get("x-oauth-scopes", "")).replace(" ", "").split(","))
        missing = sorted(set(SCOPES) - given)
        if missing:
            reasons = "; ".join(f"{scope} ({SCOPES[scope]})" for scope in missing)
            return SetupProblem(
                "bot token",
                False,
                f"lacks {reasons}",
                "Add these under OAuth & Permissions, then install the app again.",
            )
        return SetupProblem("bot token", True, f"{answer['user']} in {answer['team']}, all scopes")

    async def _approver(self, approver: str) -> SetupProblem:
        what = f"approver {approver}"
        if approver.startswith("S"):
            answer, refused = await self._ask(self._client.usergroups_users_list(usergroup=approver))
            if refused:
                return SetupProblem(
                    what, False, refused.sentence, "Use a user group id (S...) or user ids (U...)."
                )
            return SetupProblem(
                what, bool(answer["users"]), f"{len(answer['users'])} members", "Nobody is in it."
            )
        answer, refused = await self._ask(self._client.users_info(user=approver))
        if refused:
            return SetupProblem(
                what, False, refused.sentence, "Copy the member id from the person's profile."
            )
        user = answer["user"]
        is_person = not user.get("is_bot") and not user.get("deleted")
        return SetupProblem(
            what, is_person, str(user.get("real_name", "")), "Bots and former members cannot approve."
        )

    @contextlib.asynccontextmanager
    async def _open(self, socket: SlackConnection) -> AsyncIterator[SetupProblem]:
        running = asyncio.create_task(socket.run())
        try:
            yield await self._connected(socket)
        finally:
            running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await running

    async def _connected(self, socket: SlackConnection) -> SetupProblem:
        def is_open() -> bool:
            return not socket.status.trouble and socket.connections > 0

        # What Slack refuses it goes on refusing; only silence is worth waiting for.
        if (
            await _within(CONNECT_TIMEOUT_S, lambda: is_open() or REFUSED in socket.status.trouble)
            and is_open()
        ):
            others = socket.connections - 1
            shared = (
                f"; {others} more connected (a running service?), which may get the press" if others else ""
            )
            return SetupProblem("socket", True, f"connected{shared}")
        return SetupProblem(
            "socket",
            False,
            socket.status.trouble,
            f"Create an app-level token (xapp-...) with {APP_TOKEN_SCOPE} under Basic Information, "
            "and switch Socket Mode on.",
        )

    async def _post_probe(self) -> SetupProblem:
        button = {
            "type": "button",
            "text": {"type": "plain_text", "text": "It works"},
            "style": "primary",
            "action_id": ButtonKind.RIGHT.value,
            "value": Button(ButtonKind.RIGHT, f"check-{uuid.uuid4().hex[:12]}").target,
        }
        blocks: list[dict[str, Any]] = [
            {"type": "section", "text": {"type": "plain_text", "text": PROBE_TEXT}},
            {"type": "actions", "elements": [button]},
        ]
        answer, refused = await self._ask(
            self._client.chat_postMessage(channel=self._settings.channel, text=PROBE_TEXT, blocks=blocks)
        )
        if refused:
            return SetupProblem(f"channel {self._settings.channel}", False, refused.sentence, _mend(refused))
        self._probe, channel = str(answer["ts"]), str(answer["channel"])
        _, refused = await self._ask(
            self._client.conversations_replies(channel=channel, ts=self._probe, limit=1)
        )
        if refused:
            return SetupProblem(f"channel {self._settings.channel}", False, refused.sentence, _mend(refused))
        return SetupProblem(f"channel {self._settings.channel}", True, "can be written to and read back")

    async def _echo(self, socket: SlackConnection) -> SetupProblem:
        if await _within(self._settings.echo_within_s, lambda: socket.hearing.echo_is_known):
            return SetupProblem("events", True, "our own messages come back")
        return SetupProblem(
            "events",
            False,
            "our own message did not come back",
            "Subscribe the bot to message.channels and message.groups under Event Subscriptions.",
        )

    async def _press(self) -> AsyncIterator[SetupProblem]:
        if self._settings.press_within_s <= 0:
            yield SetupProblem("button", True, "posted; not waited for")
            await self._clean_up("babysit's set-up was checked.")
            return
        self._waiting(f"Press the button in {self._settings.channel} now.")
        press = await self._our_press()
        if press is None:
            await self._edit_probe("babysit's set-up was checked; nobody pressed the button.")
            yield SetupProblem(
                "button",
                False,
                f"nobody pressed it within {self._settings.press_within_s:.0f} s",
                "If you did press: switch Interactivity on in the app's settings.",
            )
            return
        yield SetupProblem("button", True, f"pressed by {press.user}, heard and acknowledged")
        yield await self._edit_probe(f"It works: pressed by <@{press.user}>.")

    async def _our_press(self) -> Click | None:
        """The press of our probe. Whoever presses another card meanwhile is told to do it again."""
        try:
            async with asyncio.timeout(self._settings.press_within_s):
                while True:
                    press = parse_click(await self._presses.get())
                    if press is not None and press.message_ts == self._probe:
                        return press
                    if press is not None:
                        await self._ask(
                            self._client.chat_postEphemeral(
                                channel=press.channel,
                                user=press.user,
                                text=_CHECKING,
                            )
                        )
        except TimeoutError:
            return None

    async def _edit_probe(self, text: str) -> SetupProblem:
        _, refused = await self._ask(
            self._client.chat_update(channel=self._settings.channel, ts=self._probe, text=text, blocks=[])
        )
        if refused:
            return SetupProblem("edit", False, refused.sentence, _mend(refused))
        return SetupProblem("edit", True, "the message was changed after the press")

    async def _clean_up(self, text: str) -> None:
        """Leave no button behind that nobody listens to."""
        if self._probe:
            await self._edit_probe(text or "babysit can write here.")

    @staticmethod
    async def _ask(call: Awaitable[Any]) -> tuple[Any, SlackRefused | None]:
        import aiohttp
        from slack_sdk.errors import SlackClientError

        try:
            return await call, None
        except (SlackClientError, aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
            return None, translate(error)

    async def _take(self, payload: object, acknowledge: Acknowledge) -> None:
        await acknowledge()
        self._presses.put_nowait(payload)

    @staticmethod
    async def _no_poke() -> bool:
        return False


def _mend(refused: SlackRefused) -> str:
    if refused.code in MENDABLE_ERRORS:
        return 'See docs/slack.md, "When something does not work".'
    return "Try again in a moment; if it stays, look at Slack's own status page."


async def _within(seconds: float, holds: Callable[[], bool]) -> bool:
    """Whether this comes to hold within so many of the world's seconds."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            while not holds():  # noqa: ASYNC110  the Slack client offers no event to wait for
                await asyncio.sleep(0.02)
    return holds()
