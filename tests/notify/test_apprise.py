"""Mail and other services through apprise; whatever goes wrong, no word of a URL but its scheme is said."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import pytest

from babysitter.model.ids import MessageId
from babysitter.model.message import Message, MessageContent, MessageKind
from babysitter.notify.apprise import AppriseNotifier, scheme_of, without_mentions
from babysitter.notify.notifier import NotifyError

pytest.importorskip("apprise")

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
PASSWORD = "made-up-password-7391"


def message(sentence: str = "It failed.") -> Message:
    words = MessageContent("Job failed", sentence, severity="fatal", evidence=("KeyError: 'x' <b>",))
    return Message(MessageId("m-1"), "w-1", MessageKind.INCIDENT, words, NOON)


@asynccontextmanager
async def mail_server() -> AsyncIterator[tuple[int, list[str]]]:
    """A mail server that takes everything; gives its port and what it was sent."""
    mails: list[str] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 ready\r\n")
        while line := await reader.readline():
            if line.upper().startswith(b"DATA"):
                writer.write(b"354 go on\r\n")
                mails.append((await reader.readuntil(b"\r\n.\r\n")).decode())
            writer.write(b"221 bye\r\n" if line.upper().startswith(b"QUIT") else b"250 ok\r\n")
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1], mails


async def test_post_sends_mail():
    async with mail_server() as (port, mails):
        url = (
            f"mailto://127.0.0.1:{port}?mode=insecure&from=babysit@example.org&to=ada@example.org&format=text"
        )
        notifier = AppriseNotifier(url, number=2)
        receipt = await notifier.post(message(), thread=None, is_repeat=False)
    assert (notifier.name, notifier.description) == ("apprise-2-mailto", "mail by apprise")
    assert receipt.place == "apprise-2-mailto"
    assert len(mails) == 1
    assert "Subject: Job failed" in mails[0]
    assert "To: ada@example.org" in mails[0]


@pytest.mark.parametrize(
    "url",
    [
        f"mailtos://ada:{PASSWORD}@127.0.0.1:9?to=ada@example.org",
        f"json://ada:{PASSWORD}@127.0.0.1:9/{PASSWORD}",
        f"nonsense://{PASSWORD}@127.0.0.1",
        f"tgram://{PASSWORD}/1",
        f"{PASSWORD}",
    ],
)
async def test_failures_name_the_scheme_only(url: str, caplog: pytest.LogCaptureFixture, capfd):
    caplog.set_level(logging.DEBUG)
    notifier = AppriseNotifier(url, number=1)
    with pytest.raises(NotifyError) as caught:
        await notifier.post(message(), thread=None, is_repeat=False)
    assert not caught.value.is_final
    told = f"{caught.value} {caught.value.__cause__!r} {notifier.name} {notifier.description} {caplog.text}"
    assert PASSWORD not in told + "".join(capfd.readouterr())
    assert scheme_of(url) in str(caught.value)


async def test_post_gives_up_on_a_service_that_hangs():
    gate = asyncio.Event()

    async def never(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:  # noqa: ARG001
        await gate.wait()
        writer.close()

    async with await asyncio.start_server(never, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(NotifyError) as caught:
            await AppriseNotifier(f"json://127.0.0.1:{port}", number=1, timeout_s=0.2).post(
                message(), thread=None, is_repeat=False
            )
        gate.set()
    assert caught.value.is_doubtful


@pytest.mark.parametrize(
    "text", ["@everyone look", "hey @here", "<@U0ADA> <!channel> <#C1>", "@Channel", "@all of you"]
)
def test_without_mentions_calls_nobody(text: str):
    shown = without_mentions(text)
    assert shown != text
    assert not any(
        mention in shown.lower() for mention in ("@everyone", "@here", "<@u", "<!c", "@channel", "@all")
    )
    assert shown.replace("\u200b", "") == text


def test_without_mentions_leaves_addresses():
    assert without_mentions("ada@example.org ran f(x) @ 12:00") == "ada@example.org ran f(x) @ 12:00"


@pytest.mark.parametrize(
    ("url", "scheme"),
    [("mailtos://a:b@c", "mailtos"), ("  NTFY://x", "ntfy"), ("no url", "unknown"), ("", "unknown")],
)
def test_scheme_of(url: str, scheme: str):
    assert scheme_of(url) == scheme
