"""Ctrl+C, second thoughts and late answers: every command ends at once, and says what remains."""

import signal
from pathlib import Path

import pytest

from tests.support.processes import started
from tests.support.shell import OWN_CLOCK, shell
from tests.support.terminal import CTRL_C, CTRL_D, at_terminal
from tests.surfaces.test_cli_outcomes import offered


@pytest.mark.parametrize(
    ("command", "after", "says"),
    [
        ("babysit start {job} --cluster marin --foreground", "Watching", "To go on: babysit serve"),
        ("babysit start {job} --cluster marin --wait", "Watching", "The watch goes on without you"),
        (f"{OWN_CLOCK} babysit demo --speed 60", "Approve the restart", ""),
    ],
)
async def test_ctrl_c_ends_what_waits(command: str, after: str, says: str, tmp_path: Path):
    async with shell(tmp_path, "long-run") as run:
        code, shown = await at_terminal(run, command.format(job=run.job), CTRL_C, after=after)
    assert (code, says in shown) == (130, True), shown
    assert "Traceback" not in shown


async def test_second_thoughts_at_the_question_leave_the_offer_open_and_a_late_answer_hears_at_once(
    tmp_path: Path,
):
    async with shell(tmp_path) as run:
        await run(f"babysit start {run.job} --cluster marin")
        approve = f"babysit approve {await offered(run)}"
        for keys in (CTRL_C, CTRL_D):
            code, shown = await at_terminal(run, approve, keys, after="[y/N]", asks=True)
            assert (code, "Traceback" in shown) == (130, False), shown
        await run("babysit serve --stop")
        code, shown = await at_terminal(run, approve, "y\n", after="[y/N]")
        assert (code, "Approved by" in shown) == (0, True), shown
        assert (await run("babysit status --json")).json["service"]["runs"]  # who else would carry it out
        _, late = await at_terminal(run, approve)
        assert "[y/N]" not in late
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
        demo = f"{OWN_CLOCK} babysit demo --speed 60"
        code, shown = await at_terminal(run, demo, "n\n", after="Approve the restart")
    assert code == 0, shown
    assert "The job is left alone" in shown
    assert "Submitted: nothing." in shown


@pytest.mark.parametrize("command", ["diagnose {job} --cluster marin", "start {job} --cluster marin"])
async def test_hanging_controller_is_named_while_it_is_waited_for(command: str, tmp_path: Path):
    async with shell(tmp_path, "long-run") as run:
        run.sim.mood = "hangs"
        waits = f"Waiting for the controller at {run.sim.url}"
        babysit = f"{OWN_CLOCK} babysit {command.format(job=run.job)}"
        code, shown = await at_terminal(run, babysit, CTRL_C, after=waits)
        assert (code, "Traceback" in shown) == (130, False), shown
        async with started("/bin/sh", "-c", f"exec {babysit}", cwd=run.home, env=run.environment) as plain:
            await plain.until(waits)
            assert await plain.ended(signal.SIGINT) == 130
            assert all(line.startswith("Waiting for ") for line in plain.said.splitlines())


async def test_program_that_reads_json_is_shown_no_wait(tmp_path: Path):
    async with shell(tmp_path, "long-run") as run:
        await run(f"babysit start {run.job} --cluster marin")
        waits = f"{OWN_CLOCK} babysit wait {run.job} --until terminal"
        waited = await run(f"{waits} --for 3 --json")
        assert (waited.code, waited.err) == (6, "")
        async with started("/bin/sh", "-c", f"exec {waits}", cwd=run.home, env=run.environment) as plain:
            await plain.until(f"Waiting for the end of {run.job}, ")
