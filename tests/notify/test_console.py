"""The terminal: it rings for what calls a person, shows a pop-up where it can, and blocks nobody."""

import contextlib
import io
import os
from datetime import UTC, datetime

import pytest

from babysitter.model.ids import MessageId
from babysitter.model.message import Message, MessageContent, MessageKind
from babysitter.notify.console import SILENT, Alert, ConsoleNotifier, alert_of
from babysitter.notify.notifier import NotifyError

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


def message(occasion: MessageKind, title: str = "It failed") -> Message:
    return Message(MessageId(f"m-{occasion}"), "w-1", occasion, MessageContent(title, "See."), NOON)


@pytest.mark.parametrize(
    ("environment", "is_terminal", "expected"),
    [
        ({"TERM": "xterm-256color"}, True, Alert(rings=True)),
        ({"TERM": "xterm-kitty"}, True, Alert(rings=True, pops_up=True)),
        ({"TERM_PROGRAM": "iTerm.app", "TERM": "xterm"}, True, Alert(rings=True, pops_up=True)),
        ({"TERM": "xterm-kitty"}, False, SILENT),
    ],
)
def test_alert_of_a_terminal(environment: dict[str, str], is_terminal: bool, expected: Alert):
    assert alert_of(environment, is_terminal=is_terminal, rings=True, pops_up=True) == expected


def test_alert_of_a_terminal_as_the_settings_wish():
    assert alert_of({"TERM": "xterm-kitty"}, is_terminal=True, rings=False, pops_up=False) == SILENT


async def test_post_rings_for_what_calls_a_person():
    stream = io.StringIO()
    notifier = ConsoleNotifier(stream, Alert(rings=True))
    for occasion in (MessageKind.STARTED, MessageKind.INCIDENT, MessageKind.ACTING, MessageKind.FINISHED):
        await notifier.post(message(occasion), thread=None, is_repeat=False)
    assert stream.getvalue().count("\a") == 2


async def test_post_pops_up_without_foreign_control_characters():
    stream = io.StringIO()
    hostile = message(MessageKind.INCIDENT, "a\x07b\x1b]0;owned\x07 c")
    await ConsoleNotifier(stream, Alert(pops_up=True)).post(hostile, thread=None, is_repeat=False)
    assert stream.getvalue().startswith("\x1b]9;babysit: ab c\a")


async def test_post_into_a_log_has_no_control_characters():
    stream = io.StringIO()
    await ConsoleNotifier(stream).post(message(MessageKind.INCIDENT), thread=None, is_repeat=False)
    assert stream.getvalue().replace("\n", "").isprintable()


async def test_post_to_a_stopped_terminal_blocks_nobody():
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(writing, b"x" * 4096)
    os.set_blocking(writing, True)
    with os.fdopen(writing, "w") as stream, os.fdopen(reading, "rb", buffering=0) as reader:
        notifier = ConsoleNotifier(stream, timeout_s=0.05)
        first = message(MessageKind.INCIDENT)
        with pytest.raises(NotifyError) as caught:
            await notifier.post(first, thread=None, is_repeat=False)
        assert caught.value.is_doubtful
        with pytest.raises(NotifyError, match="takes no text"):
            await notifier.post(message(MessageKind.WORSE), thread=None, is_repeat=False)
        writer = notifier._unfinished
        assert writer is not None
        read = b""
        while b"See." not in read:
            read = reader.read(65536)
        writer.join()
        await notifier.post(first, thread=None, is_repeat=True)  # it arrived after all, and once
        stream.close()
        assert b"It failed" not in reader.read()


def test_description_of_a_log_is_empty():
    assert ConsoleNotifier(io.StringIO()).description == ""
