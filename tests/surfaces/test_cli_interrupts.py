"""Ctrl+C, second thoughts and late answers: every command ends at once, and says what remains."""

import asyncio
import os
import pty
import signal
import time
from pathlib import Path

import pytest

from tests.support.shell import Shell, shell
from tests.surfaces.test_cli_outcomes import offered

CTRL_C, CTRL_D = "\x03", "\x04"
SILENT_MOST_S = 40.0
ENDS_WITHIN_S = 20.0  # not at once on a busy machine; a hang is for ever


async def typed(run: Shell, command: str, after: str, keys: str) -> tuple[int, str]:
    """Run a command at a terminal of its own, and type once it has shown `after`. It ends soon after that."""
    parent, ours = pty.fork()
    if parent == 0:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # whoever runs the tests may ignore it
        os.chdir(run.home)
        os.execvpe("/bin/sh", ["sh", "-c", command], run.environment)
    shown, pressed_at = b"", 0.0
    loop = asyncio.get_running_loop()
    while True:
        try:
            part = await asyncio.wait_for(loop.run_in_executor(None, os.read, ours, 65_536), SILENT_MOST_S)
        except OSError:  # it has ended
            break
        except TimeoutError:
            os.kill(parent, signal.SIGKILL)  # so that the reading ends too
            raise
        shown += part
        if not pressed_at and after.encode() in shown:
            os.write(ours, keys.encode())
            pressed_at = time.monotonic()
    assert pressed_at, shown.decode()
    assert time.monotonic() - pressed_at < ENDS_WITHIN_S
    _, status = await loop.run_in_executor(None, os.waitpid, parent, 0)
    os.close(ours)
    return os.waitstatus_to_exitcode(status), shown.decode()


@pytest.mark.parametrize(
    ("command", "after", "says"),
    [
        ("start {job} --cluster marin --foreground", "Watching", "To go on: babysit serve"),
        ("start {job} --cluster marin --wait", "Watching", "The watch goes on without you"),
        ("demo --speed 60", "Approve the restart", ""),
    ],
)
async def test_ctrl_c_ends_what_waits(command: str, after: str, says: str, tmp_path: Path):
    async with shell(tmp_path, "long-run") as run:
        code, shown = await typed(run, f"exec babysit {command.format(job=run.job)}", after, CTRL_C)
    assert (code, says in shown) == (130, True), shown
    assert "Traceback" not in shown


async def test_second_thoughts_at_the_question_leave_the_offer_open_and_a_late_answer_hears_at_once(
    tmp_path: Path,
):
    async with shell(tmp_path) as run:
        await run(f"babysit start {run.job} --cluster marin")
        offer = await offered(run)
        for keys in (CTRL_C, CTRL_D):
            code, shown = await typed(run, f"exec babysit approve {offer}", "[y/N]", keys)
            assert (code, "Traceback" in shown) == (130, False), shown
        await run("babysit serve --stop")
        code, shown = await typed(run, f"exec babysit approve {offer}", "[y/N]", "y\n")
        assert (code, "Approved by" in shown) == (0, True), shown
        assert (await run("babysit status --json")).json["service"]["runs"]  # who else would carry it out
        assert "[y/N]" not in (late := (await typed(run, f"exec babysit approve {offer}", "Already", ""))[1])
        assert "Already approved by" in late


async def test_the_service_is_ended_and_begun_and_is_only_one(tmp_path: Path):
    async with shell(tmp_path, "long-run") as run:
        assert "No service of this machine" in (await run("babysit serve --stop")).err
        begun = await run("babysit serve --background")
        assert (begun.code, "runs in the background" in begun.out) == (0, True), begun
        for again in ("serve", "serve --background"):
            refused = await run(f"babysit {again}")
            assert (refused.code, "babysit serve --stop" in refused.err) == (2, True), refused
            assert "babysit serves" not in refused.err
        ended = await run("babysit serve --stop")
        assert (ended.code, "Watches are kept" in ended.out) == (0, True), ended
        assert not (await run("babysit status --json")).json["service"]["runs"]


async def test_a_demo_in_which_somebody_says_no_ends_there(tmp_path: Path):
    async with shell(tmp_path) as run:
        code, shown = await typed(run, "exec babysit demo --speed 60", "Approve the restart", "n\n")
    assert code == 0, shown
    assert "The job is left alone" in shown
    assert "Submitted: nothing." in shown


@pytest.mark.parametrize("command", ["diagnose {job} --cluster marin", "start {job} --cluster marin"])
async def test_hanging_controller_is_named_while_it_is_waited_for(command: str, tmp_path: Path):
    async with shell(tmp_path, "long-run") as run:
        run.sim.mood = "hangs"
        waits = f"Waiting for the controller at {run.sim.url}"
        code, shown = await typed(run, f"exec babysit {command.format(job=run.job)}", waits, CTRL_C)
        assert (code, "Traceback" in shown) == (130, False), shown
        plain = await asyncio.create_subprocess_exec(
            "babysit", *command.format(job=run.job).split(), cwd=run.home, env=run.environment,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        assert plain.stderr is not None
        assert waits in (await plain.stderr.readline()).decode()
        plain.send_signal(signal.SIGINT)
        out, _ = await plain.communicate()
        assert out == b""


async def test_program_that_reads_json_is_shown_no_wait(tmp_path: Path):
    async with shell(tmp_path, "long-run") as run:
        await run(f"babysit start {run.job} --cluster marin")
        waited = await run(f"babysit wait {run.job} --until terminal --for 3 --json")
        assert (waited.code, waited.err) == (6, "")
        plain = await run(f"babysit wait {run.job} --until terminal --for 3")
        assert f"Waiting for the end of {run.job}, 2 s" in plain.err
