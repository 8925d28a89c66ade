"""One suite over every notifier: posts once, tells what an error means, and never takes for ever."""

import hashlib
import hmac
import io
import json
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from babysitter.clock import SystemClock
from babysitter.model.ids import MessageId
from babysitter.model.message import Message, MessageContent, MessageKind
from babysitter.notify.apprise import AppriseNotifier
from babysitter.notify.console import ConsoleNotifier
from babysitter.notify.desktop import Desktop, DesktopCommand, DesktopNotifier
from babysitter.notify.notifier import Notifier, NotifyError, Receipt
from babysitter.notify.webhook import WebhookNotifier
from babysitter.sim.slack import SlackServer
from babysitter.slack.posting import SlackNotifier, open_client
from tests.support.clock import FakeClock

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


@dataclass
class Bench:
    """A notifier, what its receivers saw (distinct message ids, in order), and ways to break the line."""

    notifier: Notifier
    seen: Callable[[], list[str]]
    lose_answer: Callable[[], None]  # the next message arrives, its answer does not
    ask_for_pause: Callable[[int], None]
    break_down: Callable[[], None]


@asynccontextmanager
async def slack() -> AsyncIterator[Bench]:
    async with SlackServer() as server:

        def seen() -> list[str]:
            return [other.metadata["event_payload"]["id"] for other in server.messages]

        yield Bench(
            SlackNotifier(open_client(server.bot_token, base_url=server.base_url), "C0JOBS"),
            seen,
            lambda: server.faults.lose("chat.postMessage", after_effect=True),
            lambda seconds: server.faults.rate_limit(retry_after_s=seconds),
            lambda: server.faults.status(status=503),
        )


@dataclass
class Receiver:
    """A webhook receiver that checks signatures and drops ids that it has seen, as ours asks it to."""

    deliveries: dict[str, dict[str, Any]] = field(default_factory=dict)
    statuses: list[tuple[int, dict[str, str]]] = field(default_factory=list)
    loses_next: bool = False

    async def receive(self, request: web.Request) -> web.StreamResponse:
        if self.statuses:
            status, headers = self.statuses.pop(0)
            return web.Response(status=status, headers=headers)
        body = await request.read()
        at, _, signature = request.headers["X-Babysit-Signature"].partition(",v1=")
        wanted = hmac.new(b"shared", at.removeprefix("t=").encode() + b"." + body, hashlib.sha256).hexdigest()
        assert signature == wanted
        self.deliveries.setdefault(request.headers["X-Babysit-Delivery"], json.loads(body))
        if self.loses_next:
            self.loses_next = False
            assert request.transport is not None
            request.transport.abort()
        return web.Response()


@asynccontextmanager
async def webhook() -> AsyncIterator[Bench]:
    receiver = Receiver()
    app = web.Application()
    app.router.add_post("/hook", receiver.receive)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    notifier = WebhookNotifier(f"http://127.0.0.1:{runner.addresses[0][1]}/hook", "shared", SystemClock())
    yield Bench(
        notifier,
        lambda: list(receiver.deliveries),
        lambda: setattr(receiver, "loses_next", True),
        lambda seconds: receiver.statuses.append((429, {"Retry-After": str(seconds)})),
        lambda: receiver.statuses.append((502, {})),
    )
    await notifier.close()
    await runner.cleanup()


class Terminal(io.StringIO):
    """A stream that can fail."""

    fails = 0

    def write(self, text: str) -> int:
        if self.fails:
            self.fails -= 1
            raise BrokenPipeError("gone")
        return super().write(text)


@asynccontextmanager
async def console() -> AsyncIterator[Bench]:
    stream = Terminal()
    yield Bench(
        ConsoleNotifier(stream),
        lambda: [line.split("#")[1] for line in stream.getvalue().splitlines() if "#" in line],
        lambda: None,
        lambda _seconds: setattr(stream, "fails", 1),
        lambda: setattr(stream, "fails", 1),
    )


# A stand-in for notify-send: writes down the title that it is told to show, and does what a file says.
SHOW = """#!/bin/sh
read -r wish < "{folder}/wish" 2>/dev/null
rm -f "{folder}/wish"
[ "$wish" = fail ] && exit 1
for word; do previous="$title"; title="$word"; done
echo "$previous" >> "{folder}/shown"
[ "$wish" = lose ] && exit 1
exit 0
"""


@asynccontextmanager
async def desktop() -> AsyncIterator[Bench]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "notify-send").write_text(SHOW.format(folder=folder), encoding="utf-8")
        (folder / "notify-send").chmod(0o700)
        (folder / "shown").touch()

        def seen() -> list[str]:
            lines = (folder / "shown").read_text(encoding="utf-8").splitlines()
            return list(dict.fromkeys(line.partition("#")[2] for line in lines))

        def wish(word: str) -> None:
            (folder / "wish").write_text(f"{word}\n", encoding="utf-8")

        way = Desktop(DesktopCommand.NOTIFY_SEND, str(folder / "notify-send"))
        yield Bench(
            DesktopNotifier(way, FakeClock(NOON), timeout_s=60),
            seen,
            lambda: wish("lose"),
            lambda _seconds: wish("fail"),
            lambda: wish("fail"),
        )


@asynccontextmanager
async def apprise() -> AsyncIterator[Bench]:
    pytest.importorskip("apprise")
    deliveries: dict[str, str] = {}  # a person who gets a message twice sees that its id is the same
    statuses: list[int] = []
    aborts: list[bool] = []

    async def receive(request: web.Request) -> web.StreamResponse:
        if statuses:
            return web.Response(status=statuses.pop())
        body = await request.json()
        deliveries.setdefault(body["title"].partition("#")[2], body["message"])
        if aborts:
            aborts.pop()
            assert request.transport is not None
            request.transport.abort()
        return web.Response()

    app = web.Application()
    app.router.add_post("/hook", receive)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield Bench(
        AppriseNotifier(f"json://127.0.0.1:{runner.addresses[0][1]}/hook", number=1),
        lambda: list(deliveries),
        lambda: aborts.append(True),
        lambda _seconds: statuses.append(429),
        lambda: statuses.append(502),
    )
    await runner.cleanup()


BENCHES = [slack, webhook, console, desktop, apprise]


@pytest.fixture(params=BENCHES, ids=lambda candidate: candidate.__name__)
async def bench(request: pytest.FixtureRequest) -> AsyncIterator[Bench]:
    opened: AbstractAsyncContextManager[Bench] = request.param()
    async with opened as bench:
        yield bench


def message(number: int) -> Message:
    return Message(
        MessageId(f"m-{number}"),
        "w-1",
        MessageKind.INCIDENT,
        MessageContent(f"Trouble #m-{number}", "It is stuck.", evidence=("a line",)),
        NOON,
    )


async def test_description_is_one_line_without_addresses(bench: Bench) -> None:
    assert "\n" not in bench.notifier.description
    assert "://" not in bench.notifier.description
    assert bench.notifier.name in {
        async_generator_context_manager.__name__ for async_generator_context_manager in BENCHES
    } | {"apprise-1-json"}


async def test_receipt_is_enough_to_reply(bench: Bench) -> None:
    root = await bench.notifier.post(message(0), thread=None, is_repeat=False)
    reply = await bench.notifier.post(message(1), thread=root, is_repeat=False)
    assert root.place
    assert root.handle
    assert root.thread == ""
    assert reply.thread == root.handle
    assert bench.seen() == ["m-0", "m-1"]


async def test_a_repeat_of_what_arrived_is_not_seen_twice(bench: Bench) -> None:
    root = await bench.notifier.post(message(0), thread=None, is_repeat=False)
    first = await bench.notifier.post(message(1), thread=root, is_repeat=False)
    again = await bench.notifier.post(message(1), thread=root, is_repeat=True)
    assert again == first
    assert await bench.notifier.post(message(0), thread=None, is_repeat=True) == root
    assert bench.seen() == ["m-0", "m-1"]


async def test_a_repeat_of_what_did_not_arrive_is_seen(bench: Bench) -> None:
    await bench.notifier.post(message(0), thread=None, is_repeat=True)
    assert bench.seen() == ["m-0"]


async def test_a_lost_answer_is_a_doubt_and_the_repeat_settles_it(bench: Bench) -> None:
    root = await bench.notifier.post(message(0), thread=None, is_repeat=False)
    bench.lose_answer()
    doubt: NotifyError | None = None
    try:
        await bench.notifier.post(message(1), thread=root, is_repeat=False)
    except NotifyError as error:
        doubt = error
    assert doubt is None or (doubt.is_doubtful and not doubt.is_final)
    await bench.notifier.post(message(1), thread=root, is_repeat=True)
    assert bench.seen() == ["m-0", "m-1"]


async def test_a_pause_asked_for_is_passed_on(bench: Bench) -> None:
    bench.ask_for_pause(7)
    with pytest.raises(NotifyError) as caught:
        await bench.notifier.post(message(0), thread=None, is_repeat=False)
    assert caught.value.retry_after_s is not None
    assert caught.value.retry_after_s >= 7
    assert not caught.value.is_final
    await bench.notifier.post(message(0), thread=None, is_repeat=False)
    assert bench.seen() == ["m-0"]


async def test_a_breakdown_is_never_final(bench: Bench) -> None:
    bench.break_down()
    with pytest.raises(NotifyError) as caught:
        await bench.notifier.post(message(0), thread=None, is_repeat=False)
    assert not caught.value.is_final
    assert caught.value.sentence.endswith(".")
    await bench.notifier.post(message(0), thread=None, is_repeat=True)
    assert bench.seen() == ["m-0"]


async def test_editing_works_or_is_refused_for_good(bench: Bench) -> None:
    root = await bench.notifier.post(message(0), thread=None, is_repeat=False)
    if bench.notifier.edits:
        await bench.notifier.edit(root, message(0))
        await bench.notifier.edit(root, message(0))
        with pytest.raises(NotifyError) as caught:
            await bench.notifier.edit(Receipt(root.place, "1.000001"), message(0))
        assert caught.value.is_final
    else:
        with pytest.raises(NotifyError) as caught:
            await bench.notifier.edit(root, message(0))
        assert caught.value.is_final
    assert bench.seen() == ["m-0"]


async def test_closing_twice_is_harmless(bench: Bench) -> None:
    await bench.notifier.close()
    await bench.notifier.close()
