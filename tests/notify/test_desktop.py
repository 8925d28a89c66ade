"""Pop-ups: where there is a screen, as arguments and not as a command line, within a bounded time."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from babysitter.model.ids import MessageId
from babysitter.model.message import Message, MessageContent, MessageKind
from babysitter.notify.desktop import MAX_AGE, Desktop, DesktopCommand, DesktopNotifier, find_desktop
from babysitter.notify.notifier import NotifyError
from tests.support.clock import FakeClock

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


def message(
    occasion: MessageKind = MessageKind.INCIDENT, title: str = "It failed", sentence: str = ""
) -> Message:
    return Message(MessageId("m-1"), "w-1", occasion, MessageContent(title, sentence, severity="fatal"), NOON)


def desktop_of(folder: Path, script: str) -> Desktop:
    path = folder / "notify-send"
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o700)
    return Desktop(DesktopCommand.NOTIFY_SEND, str(path))


@pytest.mark.parametrize(
    ("environment", "platform", "found"),
    [
        ({"DISPLAY": ":0"}, "linux", "notify-send"),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", "notify-send"),
        ({}, "linux", None),
        ({"DISPLAY": "localhost:10.0", "SSH_CONNECTION": "1 2 3 4"}, "linux", None),
        ({}, "darwin", "osascript"),
        ({"SSH_CONNECTION": "1 2 3 4"}, "darwin", None),
    ],
)
def test_find_desktop(environment: dict[str, str], platform: str, found: str | None):
    desktop = find_desktop(environment, platform=platform, which=lambda name: f"/bin/{name}")
    assert (desktop.command.value if desktop else None) == found


def test_find_desktop_without_the_program():
    assert find_desktop({"DISPLAY": ":0"}, platform="linux", which=lambda _name: None) is None


def test_arguments_hold_the_text_and_no_markup():
    title, body = "babysit: '; rm -rf $HOME #", "<b>a & b</b>"
    linux = Desktop(DesktopCommand.NOTIFY_SEND, "/bin/notify-send").arguments(title, body, is_urgent=True)
    assert linux[-3:] == ("--", title, "&lt;b&gt;a &amp; b&lt;/b&gt;")
    assert "--urgency=critical" in linux
    mac = Desktop(DesktopCommand.OSASCRIPT, "/bin/osascript").arguments(title, body, is_urgent=False)
    assert mac[-2:] == (title, body)
    assert title not in " ".join(mac[:-2])


async def test_post_shows_what_calls_a_person(tmp_path: Path):
    desktop = desktop_of(tmp_path, f'printf "%s|" "$@" >> "{tmp_path}/shown"')
    notifier = DesktopNotifier(desktop, FakeClock(NOON), timeout_s=60)
    hostile = message(title="a\x1b[31m\nb\x07", sentence="x" * 1000)
    await notifier.post(hostile, thread=None, is_repeat=False)
    words = (tmp_path / "shown").read_text(encoding="utf-8").split("|")
    assert words[3] == "babysit: a b"
    assert len(words[4]) == 300


@pytest.mark.parametrize(
    "occasion", [MessageKind.STARTED, MessageKind.ACTING, MessageKind.RESOLVED, MessageKind.WAITING]
)
async def test_post_takes_the_rest_in_silence(tmp_path: Path, occasion: MessageKind):
    notifier = DesktopNotifier(desktop_of(tmp_path, f'touch "{tmp_path}/shown"'), FakeClock(NOON))
    receipt = await notifier.post(message(occasion), thread=None, is_repeat=False)
    assert receipt.handle == "m-1"
    assert not (tmp_path / "shown").exists()


async def test_post_kills_a_command_that_hangs(tmp_path: Path):
    os.mkfifo(tmp_path / "never")
    script = f'echo $$ > "{tmp_path}/pid"; read -r word < "{tmp_path}/never"'
    notifier = DesktopNotifier(desktop_of(tmp_path, script), FakeClock(NOON), timeout_s=0.2)
    with pytest.raises(NotifyError, match=r"did not end within 0\.2 s") as caught:
        await notifier.post(message(), thread=None, is_repeat=False)
    assert caught.value.is_doubtful
    pid = (tmp_path / "pid").read_text(encoding="utf-8").strip() if (tmp_path / "pid").exists() else ""
    if pid:  # on a busy machine it may have been killed before it wrote anything
        with pytest.raises(ProcessLookupError):
            os.kill(int(pid), 0)


async def test_post_drops_what_is_old(tmp_path: Path):
    clock = FakeClock(NOON + MAX_AGE + timedelta(seconds=1))
    with pytest.raises(NotifyError) as caught:
        await DesktopNotifier(desktop_of(tmp_path, "exit 0"), clock).post(
            message(), thread=None, is_repeat=False
        )
    assert caught.value.is_final


async def test_post_without_the_program_is_tried_again(tmp_path: Path):
    gone = Desktop(DesktopCommand.NOTIFY_SEND, str(tmp_path / "gone"))
    with pytest.raises(NotifyError, match="notify-send cannot be run") as caught:
        await DesktopNotifier(gone, FakeClock(NOON)).post(message(), thread=None, is_repeat=False)
    assert not caught.value.is_final
    assert caught.value.retry_after_s
