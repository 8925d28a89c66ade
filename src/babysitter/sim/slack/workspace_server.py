"""The server: one loopback port for Web API, sockets and uploads, and the controls for tests and demos."""

import asyncio
import contextlib
import json
import time
from collections.abc import Callable
from typing import Any, Self
from urllib.parse import quote

import aiohttp
from aiohttp import web

from babysitter.sim.slack import interactions, page
from babysitter.sim.slack.faults import Fault, Faults, InjectedFault
from babysitter.sim.slack.sockets import HANG_S, Ack, Sockets
from babysitter.sim.slack.webapi import WebApi
from babysitter.sim.slack.workspace import (
    BOT_SCOPES,
    Edit,
    Ephemeral,
    File,
    Grant,
    Message,
    SlackFault,
    User,
    Workspace,
)


class SlackServer:
    """A Slack on loopback. `async with SlackServer() as slack: AsyncWebClient(base_url=slack.base_url)`.

    It begins with one channel `C0JOBS` that the bot is in, the people `U0ADA` and `U0BOB`, and one
    bot token and one app token with the scopes of our manifest.
    """

    def __init__(self, *, now: Callable[[], float] = time.time) -> None:
        self.workspace = Workspace(now)
        self.faults = Faults()
        self.sockets = Sockets(self.workspace.app_id, self.workspace.next_id)
        self.bot_token, self.app_token = "xoxb-made-up", "xapp-made-up"
        self.signing_secret = "made-up-signing-secret"
        self.interactivity_url = ""  # when set, presses are sent there instead of over the socket
        self.subscriptions = {"message.channels", "message.groups"}
        self.calls: list[tuple[str, dict[str, Any]]] = []  # method and parameters, as they came
        self.channel = self.workspace.add_channel("C0JOBS")
        self.workspace.person("U0ADA", "ada")
        self.workspace.person("U0BOB", "bob")
        self.workspace.tokens[self.bot_token] = Grant("bot", BOT_SCOPES)
        self.workspace.tokens[self.app_token] = Grant("app", frozenset({"connections:write"}))
        self._api = WebApi(self.workspace, self._said)
        self._runner: web.AppRunner | None = None
        self._pushes: set[asyncio.Task[None]] = set()
        self._last_request: tuple[bytes, dict[str, str]] | None = None
        self._changed = asyncio.Event()
        self.address = ""

    @property
    def base_url(self) -> str:
        """What to hand to the real client."""
        return f"{self.address}/api/"

    @property
    def messages(self) -> list[Message]:
        """Everything posted, as it looks now, oldest first."""
        return sorted(self.workspace.everything(), key=lambda message: float(message.ts))

    @property
    def edits(self) -> list[Edit]:
        return self.workspace.edits

    @property
    def ephemerals(self) -> list[Ephemeral]:
        return self.workspace.ephemerals

    @property
    def files(self) -> list[File]:
        return [file for file in self.workspace.files.values() if file.shared]

    async def start(self, *, host: str = "127.0.0.1", port: int = 0) -> Self:
        app = web.Application(client_max_size=64 * 1024**2)
        app.router.add_route("*", "/api/{method}", self._on_call)
        app.router.add_get("/link/", self._on_link)
        app.router.add_post("/upload/v1/{file}", self._on_upload)
        app.router.add_get("/", self._on_page)
        app.router.add_post("/press", self._on_press)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
        await self._runner.setup()
        site = web.TCPSite(self._runner, host, port)
        await site.start()
        bound = self._runner.addresses[0][1]
        self.address = f"http://{host}:{bound}"
        self._api.upload_base = f"{self.address}/upload/v1/"
        self._api.link_base = f"ws://{host}:{bound}/link/"
        return self

    async def stop(self) -> None:
        for push in self._pushes:
            push.cancel()
        await self.sockets.close()
        if self._runner is not None:
            await self._runner.cleanup()

    async def __aenter__(self) -> Self:
        return await self.start()

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def until(self, holds: Callable[[], object], *, within_s: float = HANG_S) -> None:
        """Return once this holds; looked at after everything that is said here."""
        async with asyncio.timeout(within_s):
            while not holds():
                self._changed.clear()
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._changed.wait(), 0.05)

    async def click(
        self,
        user: str,
        action_id: str,
        value: str | None = None,
        message_ts: str | None = None,
        *,
        team: str | None = None,
        is_bot: bool = False,
        deliveries: int = 1,
        wait_s: float = HANG_S,
        secret: str | None = None,
        at: int | None = None,
    ) -> Ack:
        """Press a button. Returns when the press was acknowledged; Slack would show a warning after 3 s.

        `value`, `message_ts`: taken from the newest message that shows the button unless given (a stale
        client can press what is gone). `deliveries`: how often Slack delivers the same press. `secret`,
        `at`: forge the signature or its time, for the HTTP way.
        """
        message = self._message_with(action_id, value, message_ts)
        if value is None:
            value = next(button["value"] for button in message.buttons if button["action_id"] == action_id)
        team = team or self.workspace.team
        person = self.workspace.users.get(user) or User(user, user.lower(), team, is_bot=is_bot)
        if is_bot:
            person = self.workspace.person(user, is_bot=True)
        payload = interactions.block_actions(self.workspace, person, message, action_id, value, team=team)
        payload["user"]["team_id"] = team
        deliver = self._press_over_http if self.interactivity_url else self._press_over_socket
        first = int(self.workspace.now()) if at is None else at
        acks = [await deliver(payload, wait_s, secret, first + number) for number in range(deliveries)]
        return acks[-1]

    async def replay(self) -> Ack:
        """Send the last HTTP interaction once more, byte for byte."""
        assert self._last_request is not None, "nothing was sent over HTTP yet"
        return await self._send_http(*self._last_request, HANG_S)

    async def send_raw(self, body: bytes, headers: dict[str, str]) -> Ack:
        """Send anything to the app's interactivity endpoint."""
        return await self._send_http(body, headers, HANG_S)

    def _message_with(self, action_id: str, value: str | None, ts: str | None) -> Message:
        if ts is not None:
            found = self.workspace.find(ts)
            assert found is not None, f"no message {ts}"
            return found
        for message in reversed(self.messages):
            for button in message.buttons:
                if button.get("action_id") == action_id and value in (None, button.get("value")):
                    return message
            for menu in message.menus:
                if menu["action_id"] == action_id and value in [
                    option["value"] for option in menu["options"]
                ]:
                    return message
        raise AssertionError(f"no message shows a button {action_id}")

    async def _press_over_socket(
        self, payload: dict[str, Any], wait_s: float, _secret: str | None, _at: int
    ) -> Ack:
        return await self.sockets.deliver(
            "interactive", payload, wait_s=wait_s, accepts_response_payload=False
        )

    async def _press_over_http(
        self, payload: dict[str, Any], wait_s: float, secret: str | None, at: int
    ) -> Ack:
        body = interactions.as_form(payload)
        headers = interactions.signed(body, secret or self.signing_secret, at=at)
        self._last_request = (body, headers)
        return await self._send_http(body, headers, wait_s)

    async def _send_http(self, body: bytes, headers: dict[str, str], wait_s: float) -> Ack:
        began = time.monotonic()
        try:
            async with (
                aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=wait_s)) as session,
                session.post(self.interactivity_url, data=body, headers=headers) as answer,
            ):
                await answer.read()
                return Ack(answer.status == 200, time.monotonic() - began, status=answer.status)
        except (TimeoutError, aiohttp.ClientError):
            return Ack(False, time.monotonic() - began)

    async def _on_call(self, request: web.Request) -> web.StreamResponse:
        method = request.match_info["method"]
        token, params = await _read(request)
        self.calls.append((method, params))
        fault = self.faults.next_for(method)
        if self.faults.is_down or (fault and fault.trouble is InjectedFault.LOST_BEFORE):
            return _broken(request)
        if fault is not None:
            refusal = await _suffer(fault)
            if refusal is not None:
                return refusal
        answer = self._answer(method, token, params)
        if fault and fault.trouble is InjectedFault.LOST_AFTER:
            return _broken(request)
        grant = self.workspace.tokens.get(token)
        headers = {"x-oauth-scopes": ",".join(sorted(grant.scopes))} if grant else {}
        return web.json_response(answer, headers=headers)

    def _answer(self, method: str, token: str, params: dict[str, Any]) -> dict[str, Any]:
        try:
            return self._api.call(method, token, params)
        except SlackFault as fault:
            return {"ok": False, "error": fault.code, **fault.more}

    async def _on_link(self, request: web.Request) -> web.StreamResponse:
        ticket = request.query.get("ticket", "")
        if self.faults.is_down:
            return _broken(request)
        if ticket not in self._api.tickets:
            return web.Response(status=408)
        self._api.tickets.discard(ticket)  # a link serves once
        return await self.sockets.serve(request)

    async def _on_upload(self, request: web.Request) -> web.StreamResponse:
        file = self.workspace.files.get(request.match_info["file"])
        if file is None:
            return web.Response(status=404)
        if request.content_type == "multipart/form-data":
            form = await request.post()
            part = next(
                (file_field for file_field in form.values() if isinstance(file_field, web.FileField)), None
            )
            file.content = part.file.read() if part else b""
        else:
            file.content = await request.read()
        return web.Response(text=f"OK - {len(file.content)}")

    async def _on_page(self, request: web.Request) -> web.Response:
        html = page.page(self.workspace, user=request.query.get("user", "U0ADA"))
        return web.Response(text=html, content_type="text/html")

    async def _on_press(self, request: web.Request) -> web.Response:
        """A press on the page. Only from the page itself: another site must not press for a person."""
        form = {name: str(value) for name, value in (await request.post()).items()}
        if request.headers.get("Origin", self.address) != self.address:
            return web.Response(status=403)
        await self.click(form["user"], form["action_id"], form["value"], form["ts"])
        raise web.HTTPSeeOther(f"/?user={quote(form['user'])}")

    def _said(self, subtype: str, message: Message) -> None:
        """Tell the app what was said in its channels, its own messages included, as Slack does."""
        self._changed.set()
        channel = self.workspace.channels[message.channel]
        if f"message.{'groups' if channel.is_private else 'channels'}" not in self.subscriptions:
            return
        wire = self.workspace.as_wire(message)
        event: dict[str, Any] = {"type": "message", "channel": channel.id, "event_ts": message.ts}
        if subtype == "message_changed":
            event |= {"subtype": subtype, "message": wire, "hidden": True, "ts": self.workspace.next_ts()}
        elif subtype == "message_deleted":
            event |= {"subtype": subtype, "deleted_ts": message.ts, "hidden": True}
        else:
            event |= {**wire, **({"subtype": subtype} if subtype else {})}
        payload = {
            "type": "event_callback",
            "team_id": self.workspace.team,
            "api_app_id": self.workspace.app_id,
            "event_id": self.workspace.next_id("Ev"),
            "event_time": int(self.workspace.now()),
            "event": event,
        }
        push = asyncio.get_running_loop().create_task(
            self.sockets.push(
                "events_api", payload, accepts_response_payload=False, retry_attempt=0, retry_reason=""
            )
        )
        self._pushes.add(push)
        push.add_done_callback(self._pushes.discard)


async def _read(request: web.Request) -> tuple[str, dict[str, Any]]:
    """Token and parameters of a call, from wherever the client put them."""
    params: dict[str, Any] = dict(request.query)
    if request.content_type == "application/json":
        params |= json.loads(await request.read() or b"{}")
    elif request.can_read_body:
        params |= {key: value for key, value in (await request.post()).items() if isinstance(value, str)}
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    return (token if scheme == "Bearer" else str(params.pop("token", ""))), params


async def _suffer(fault: Fault) -> web.Response | None:
    """Carry out a fault that answers by itself, or that only takes time."""
    match fault.trouble:
        case InjectedFault.RATE_LIMIT:
            return web.json_response(
                {"ok": False, "error": "ratelimited"},
                status=429,
                headers={"Retry-After": str(int(fault.amount))},
            )
        case InjectedFault.STATUS:
            return web.Response(status=int(fault.amount), text="upstream connect error")
        case InjectedFault.ERROR:
            return web.json_response({"ok": False, "error": fault.code})
        case InjectedFault.NONSENSE:
            return web.Response(text="<html>maintenance</html>", content_type="text/html")
        case InjectedFault.DELAY:
            await asyncio.sleep(fault.amount)
    return None


def _broken(request: web.Request) -> web.StreamResponse:
    """The connection breaks without an answer."""
    if request.transport is not None:
        request.transport.abort()
    return web.Response(status=599)
