"""What a command waits for, as somebody at the terminal and as a log file sees it."""

import io

import pytest

from babysitter.surfaces.cli.terminal.status_line import StatusLine
from babysitter.waits import Waits


class Time:
    def __init__(self) -> None:
        self.s = 0.0

    def __call__(self) -> float:
        return self.s


@pytest.fixture
def time() -> Time:
    return Time()


def line(time: Time, *, is_terminal: bool) -> tuple[StatusLine, Waits, io.StringIO]:
    waits, screen = Waits(time), io.StringIO()
    drawn = StatusLine(screen, is_terminal=is_terminal, waits=waits, columns=lambda: 60)
    waits.when_one_ends = drawn.wipe
    return drawn, waits, screen


def test_short_wait_shows_nothing(time: Time):
    for is_terminal in (True, False):
        drawn, waits, screen = line(time, is_terminal=is_terminal)
        with waits.add("the controller"):
            time.s += 1.9
            drawn.tick()
        drawn.tick()
        assert screen.getvalue() == ""


def test_terminal_shows_innermost_wait_since_outermost(time: Time):
    drawn, waits, screen = line(time, is_terminal=True)
    with waits.add("a look at /ada/dedup"):
        time.s = 9.0
        with waits.add("the controller at http://127.0.0.1:9 (ListJobs)"):
            time.s = 71.4
            drawn.tick()
            shown = screen.getvalue().rpartition("\x1b[K")[2]
            assert shown.startswith("Waiting for the controller at http://127")
            assert shown.endswith(", 1 min 11 s")
            assert len(shown) < 60
        assert screen.getvalue().endswith("\r\x1b[K")  # wiped before anything else is written


def test_plain_lines_come_at_growing_intervals(time: Time):
    drawn, waits, screen = line(time, is_terminal=False)
    with waits.add("the end of /ada/dedup"):
        for _ in range(1_800):
            time.s += 1.0
            drawn.tick()
    spans = [text.rpartition(", ")[2] for text in screen.getvalue().splitlines()]
    assert spans[:5] == ["2 s", "4 s", "8 s", "16 s", "32 s"]
    assert spans[-2:] == ["23 min 32 s", "28 min 32 s"]
    assert "\x1b" not in screen.getvalue()


def test_hidden_wait_is_not_shown(time: Time):
    drawn, waits, screen = line(time, is_terminal=True)
    with waits.add("the service"):
        time.s = 5.0
        drawn.tick()
        with waits.hide():
            assert screen.getvalue().endswith("\r\x1b[K")
            screen.truncate(0)
            drawn.tick()
            assert screen.getvalue() == ""
        drawn.tick()
        assert "the service" in screen.getvalue()


def test_wait_names_what_a_server_says_without_its_escapes_and_secrets(time: Time):
    drawn, waits, screen = line(time, is_terminal=False)
    with waits.add("the controller at http://x\x1b[31m (token=abcdef0123456789abcdef)"):
        time.s = 3.0
        drawn.tick()
    assert "\x1b" not in screen.getvalue()
    assert "abcdef0123456789" not in screen.getvalue()


def test_closed_stream_ends_the_line(time: Time):
    drawn, waits, screen = line(time, is_terminal=False)
    screen.close()
    with waits.add("the controller"):
        time.s = 3.0
        drawn.tick()
