import asyncio
from datetime import datetime

from babysitter.errors import Unreachable
from babysitter.launch.clients.follow_logs import LineFormat, follow_lines, printed_lines, short_task
from babysitter.model.ids import JobId, TaskId
from babysitter.model.log import Cursor, LogBatch, LogLine, LogSource
from tests.support.clock import NOON, FakeClock

ROOT = JobId("/ada/train")
STYLE = LineFormat(ROOT)


def line(text: str, task: str = "/ada/train/0", *, attempt: int = 0) -> LogLine:
    return LogLine(text, at_ms=int(NOON.timestamp() * 1000), task=TaskId(task), attempt=attempt)


class Reader:
    """Answers what it is given, one after the other; then nothing new."""

    def __init__(self, *answers: LogBatch | Exception) -> None:
        self.answers = list(answers)
        self.asked: list[Cursor | None] = []

    async def lines(self, source, *, after, at_most, newest):  # noqa: ARG002
        self.asked.append(after)
        answer = self.answers.pop(0) if self.answers else LogBatch((), after)
        if isinstance(answer, Exception):
            raise answer
        return answer


def test_printed_lines_say_where_they_come_from():
    child = "/ada/train/zephyr-x-p0-a0/zephyr-x-p0-workers-a0/2"
    assert printed_lines([line("one"), line("two", child, attempt=1)], STYLE) == [
        "12:00:00 train/0 | one",
        "12:00:00 zephyr-x-p0-workers-a0/2 (attempt 1) | two",
    ]


def test_printed_lines_leave_poll_noise_out():
    noise = line("I20261120 19:44:39 iris.actor.client Resolving name x")
    assert printed_lines([noise, line("step 1")], STYLE) == ["12:00:00 train/0 | step 1"]
    assert len(printed_lines([noise, line("step 1")], LineFormat(ROOT, is_raw=True))) == 2


def test_printed_lines_are_redacted_and_safe():
    (shown,) = printed_lines([line("\x1b[31mHF_TOKEN=hf_madeupmadeupmadeupmadeupmadeupmade")], STYLE)
    assert "\x1b" not in shown
    assert "hf_madeup" not in shown


def test_short_task_of_a_line_without_one():
    assert short_task("", ROOT) == "train"


class JumpingClock(FakeClock):
    """Time passes at once where somebody waits for it."""

    async def sleep_until(self, at: datetime) -> None:
        self._now = max(at, self._now)


async def test_follow_lines_until_the_end():
    clock, ended = JumpingClock(), asyncio.Event()
    reader = Reader(
        LogBatch((line("a"),), Cursor("1")),
        Unreachable("gone for a moment"),
        LogBatch((line("b"),), Cursor("2")),
    )
    found: list[str] = []
    async for lines in follow_lines(reader, LogSource(ROOT), STYLE, clock, has_ended=ended):
        found += lines
        if lines[-1].endswith("b"):
            ended.set()
    assert [text.rpartition(" ")[2] for text in found] == ["a", "b"]
    assert reader.asked == [None, Cursor("1"), Cursor("1"), Cursor("2")]
