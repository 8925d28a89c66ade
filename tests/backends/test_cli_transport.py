"""The user's `iris` command: its limits, its refusals, its logs without a log call."""

import os
import sys
import time

import pytest

from babysitter.backends import run_process
from babysitter.backends.iris.connection import cli_logs
from babysitter.backends.iris.connection.cli_transport import CliTransport
from babysitter.backends.iris.connection.transport import BadRequest, NoSuchMethod
from babysitter.backends.iris.reader import IrisReader
from babysitter.backends.iris.submit_syntax import command_failure
from babysitter.backends.run_process import Finished, run
from babysitter.errors import (
    BadConfig,
    InvalidResponse,
    NoSuchJob,
    NotAuthorised,
    SubmissionRefused,
    Unreachable,
)
from babysitter.model.ids import JobId, TaskId
from babysitter.model.log import LogSource
from tests.backends.recorded import printed
from tests.support.clock import NOON, FakeClock
from tests.support.controller import MAY_CALLS, controller
from tests.support.processes import has_ended
from tests.support.waiting import HANG_S, until

STAND_IN = (sys.executable, "-m", "tests.support.iris_command")


def line_to(url, **options):
    given = {"call_limit_s": HANG_S} | options
    return CliTransport((*STAND_IN, "--controller-url", url), place="iris", clock=FakeClock(), **given)


async def test_at_the_limit_the_command_ends_with_everything_it_started(tmp_path, monkeypatch):
    limit_s = 2.0
    pids = tmp_path / "pids"
    monkeypatch.setenv("STAND_IN_HANGS", str(pids))
    while not pids.exists():  # on a busy machine the command may not have come so far within its limit
        with pytest.raises(Unreachable, match=f"did not end within {limit_s:g} s"):
            await line_to("http://127.0.0.1:1", call_limit_s=limit_s).ask("ListJobs", {})
        limit_s *= 2
    started = [int(pid) for pid in pids.read_text().split()]
    assert len(started) == 2  # the command and its child, both deaf to SIGTERM
    await until(lambda: all(has_ended(pid) for pid in started))


async def test_an_unreachable_controller_is_unreachable():
    with pytest.raises(Unreachable) as caught:
        await line_to("http://127.0.0.1:1").ask("ListJobs", {})
    assert caught.value.repeatable


async def test_a_command_that_is_not_there_is_named():
    with pytest.raises(BadConfig, match="no-such-iris"):
        await CliTransport(("no-such-iris",), place="no-such-iris").ask("ListJobs", {})


async def test_a_command_without_a_call_is_of_another_generation(monkeypatch):
    monkeypatch.setenv("STAND_IN_LACKS", "get-task-logs")
    with pytest.raises(NoSuchMethod):
        await line_to("http://127.0.0.1:1").ask("GetTaskLogs", {})


async def test_wrong_options_are_a_usage_error():
    with pytest.raises(BadRequest, match="no controller specified"):
        await CliTransport(STAND_IN, place="iris").ask("ListJobs", {})


async def test_output_that_is_no_json_is_nonsense(monkeypatch):
    monkeypatch.setenv("STAND_IN_SAYS", "Welcome to iris!")
    with pytest.raises(InvalidResponse, match="no JSON"):
        await line_to("http://127.0.0.1:1").ask("ListJobs", {})


async def test_output_without_end_is_cut_off():
    with pytest.raises(InvalidResponse, match="printed more than"):
        await run(("yes", "x" * 4000), limit_s=HANG_S)


async def test_nothing_may_prompt():
    done = await run((sys.executable, "-c", "input('Passphrase: ')"), limit_s=HANG_S)
    assert done.exit_code == 1
    assert "EOFError" in done.last_error_line


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("connectrpc.errors.ConnectError: Job /u/j not found", NoSuchJob),
        ("connectrpc.errors.ConnectError: Not Found", NoSuchMethod),
        ("connectrpc.errors.ConnectError: Missing authentication", NotAuthorised),
        ("connectrpc.errors.ConnectError: Job /u/j already exists and is still running", SubmissionRefused),
        (
            "connectrpc.errors.ConnectError: marin-iris client is too old (build 2026-05-11; ...)",
            SubmissionRefused,
        ),
        ("connectrpc.errors.ConnectError: Job is unschedulable: no scaling group matches", SubmissionRefused),
        ("connectrpc.errors.ConnectError: Request timed out", Unreachable),
        (
            "W20261120 20:12:52 1 rigging.timing Operation launch_job(/u/j) failed (attempt 1/240), "
            "retrying in 0.51s: Request timed out",
            Unreachable,
        ),
        (
            "connectrpc.errors.ConnectError: Request failed: error sending request for url (http://x): "
            "client error (Connect): tcp connect error: Connection refused (os error 111)",
            Unreachable,
        ),
        ("ValueError: something else", InvalidResponse),
        ("", InvalidResponse),
    ],
)
def test_the_last_words_of_a_failed_command(said, expected):
    fault = command_failure("iris", "LaunchJob", Finished("", f"Traceback ...\n{said}\n", 1))
    assert type(fault) is expected


@pytest.mark.parametrize("generation", ["april", "may"])
def test_recorded_job_logs_are_read(generation):
    text = printed(generation, "07-zephyr-healthy", "s06-job-logs")
    source = {"source": "/root/nightly-wordcount-r2/", "maxLines": 300}
    said = cli_logs.answer(text, source, now=NOON.replace(hour=23))
    entries = said["entries"]
    assert len(entries) == len(text.splitlines())
    assert any("zephyr.execution Starting zephyr pipeline" in entry["data"] for entry in entries)
    assert all(entry["key"].startswith("/root/nightly-wordcount-r2/") for entry in entries)
    assert entries[0]["timestamp"]["epochMs"].endswith("000")


class PrintedLog:
    """A job's log as `job logs` prints it: by second, with --since-ms, --max-lines, --tail."""

    def __init__(self):
        self.lines = []

    def add(self, second, text):
        self.lines.append((int(NOON.timestamp()) - 100 + second, text))

    def __call__(self, body):
        words = body["words"]
        since_ms = int(words[words.index("--since-ms") + 1]) if "--since-ms" in words else 0
        count = int(words[words.index("--max-lines") + 1])
        after = [line for line in self.lines if line[0] * 1000 > since_ms]
        chosen = after[-count:] if "--tail" in words else after[:count]
        clock = [time.strftime("%H:%M:%S", time.gmtime(at)) for at, _ in chosen]
        text = "".join(f"[{at}] task=/u/j/0 | {line}\n" for at, (_, line) in zip(clock, chosen, strict=True))
        return 200, {"printed": text}


async def test_without_a_log_call_every_line_comes_exactly_once(monkeypatch):
    monkeypatch.setenv("STAND_IN_LACKS", "get-task-logs,fetch-logs")
    monkeypatch.setenv("STAND_IN_LOGS", "1")
    log = PrintedLog()
    async with controller(MAY_CALLS | {"JobLogs": log}) as server:
        reader = IrisReader(line_to(server.url), clock=FakeClock())
        source = LogSource(JobId("/u/j"))
        seen, cursor = [], None
        for second, texts in ((0, ["a", "b"]), (0, ["c"]), (1, []), (1, ["d", "e"]), (2, ["f"])):
            for text in texts:
                log.add(second, text)
            batch = await reader.lines(source, after=cursor, at_most=3)
            seen += [line.text for line in batch.lines]
            cursor = batch.cursor
        assert seen == ["a", "b", "c", "d", "e", "f"]
        newest = await reader.lines(source, after=None, at_most=2, newest=True)
        assert [line.text for line in newest.lines] == ["e", "f"]
        assert newest.is_full
        assert newest.lines[0].at_ms == log.lines[-2][0] * 1000


async def test_without_a_log_call_pages_do_not_stall_within_one_second(monkeypatch):
    monkeypatch.setenv("STAND_IN_LACKS", "get-task-logs,fetch-logs")
    monkeypatch.setenv("STAND_IN_LOGS", "1")
    log = PrintedLog()
    for number in range(7):
        log.add(0, str(number))
    async with controller(MAY_CALLS | {"JobLogs": log}) as server:
        reader = IrisReader(line_to(server.url), clock=FakeClock())
        seen, cursor = [], None
        for _ in range(4):
            batch = await reader.lines(LogSource(JobId("/u/j")), after=cursor, at_most=2)
            seen += [line.text for line in batch.lines]
            cursor = batch.cursor
        assert seen == [str(number) for number in range(7)]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"source": "/u/j/"}, "job logs --max-lines 1000 --no-tail /u/j"),
        ({"source": "/u/j/0:", "tail": True}, "job logs --max-lines 1000 --tail /u/j"),
        ({"source": r"/u/j/[0-9]+:.*"}, "job logs --max-lines 1000 --no-tail /u/j"),
        (
            {"source": "/u/j/", "minLevel": "WARNING", "sinceMs": "17", "maxLines": 5},
            "job logs --max-lines 5 --no-tail --since-ms 17 --level warning /u/j",
        ),
        (
            {"source": "/u/j/", "cursor": "60000002", "maxLines": 5},
            "job logs --max-lines 7 --no-tail --since-ms 59999 /u/j",
        ),
    ],
)
def test_what_job_logs_is_asked(body, expected):
    assert " ".join(cli_logs.command(body)) == expected


def test_printed_lines_without_a_head_belong_to_the_line_above():
    text = "[11:59:58] task=/u/j/0 attempt=2 | Traceback (most recent call last):\n  File x\n"
    said = cli_logs.answer(text, {"source": "/u/j/0:"}, now=NOON)
    assert [entry["data"] for entry in said["entries"]] == [
        "Traceback (most recent call last):",
        "  File x",
    ]
    assert {entry["key"] for entry in said["entries"]} == {"/u/j/0:2"}


def test_a_time_of_day_is_the_last_one_that_was():
    before_midnight = "[23:59:59] task=/u/j/0 | late\n"
    said = cli_logs.answer(before_midnight, {"source": "/u/j/"}, now=NOON.replace(hour=0, minute=1))
    assert int(said["entries"][0]["timestamp"]["epochMs"]) < NOON.replace(hour=0).timestamp() * 1000


def test_only_the_task_asked_for():
    text = "[11:59:58] task=/u/j/0 | mine\n[11:59:58] task=/u/j/10 | theirs\n"
    said = cli_logs.answer(text, {"source": str(TaskId("/u/j/0")) + ":", "substring": ""}, now=NOON)
    assert [entry["data"] for entry in said["entries"]] == ["mine"]


async def test_exit_signals_no_group_that_has_ended(monkeypatch):
    signalled = []
    ended = await run_process.start(("true",))
    await ended.wait()  # from now on its number may be given to somebody else's group
    monkeypatch.setattr(os, "killpg", lambda *group_and_signal: signalled.append(group_and_signal))
    run_process._end_all()
    assert signalled == []
