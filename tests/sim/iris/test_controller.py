"""The door of the simulator: moods, names that are held, and the command that opens it."""

import asyncio
import signal
import sys

import aiohttp
import pytest

from babysitter.sim.iris.controller import MOODS, ROOT, Simulator
from babysitter.surfaces.cli.commands import run
from tests.contract.test_simulator_wire import CONTROLLER, simulated
from tests.support.clock import FakeClock
from tests.support.processes import started

LAUNCH = {"clientRevisionDate": "2026-11-20", "entrypoint": {"runCommand": {"argv": ["python", "x.py"]}}}


@pytest.mark.parametrize("mood", [word for word in MOODS if word not in ("well", "hangs")])
async def test_a_mood_spares_no_question(mood):
    async with simulated("healthy", "may") as (simulator, asker):
        simulator.mood = mood
        for path in (f"{CONTROLLER}/ListJobs", "health"):
            try:
                status, text = await asker.send(path, {})
                assert (status, text[:6]) == {"ill": (500, "<html>"), "busy": (503, '{"code')}[mood]
            except aiohttp.ClientConnectionError:
                assert mood == "down"
        simulator.mood = "well"
        assert (await asker.send(f"{CONTROLLER}/ListJobs", {}))[0] == 200


async def test_a_hanging_controller_does_not_answer_and_lets_its_test_end():
    async with simulated("healthy", "may") as (simulator, asker):
        simulator.mood = "hangs"
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await asker.send(f"{CONTROLLER}/ListJobs", {})


async def test_answers_are_packed_for_those_who_take_it_and_counted_as_sent():
    async with simulated("healthy", "may", at_s=100) as (simulator, asker):
        plain = await asker.send(f"{CONTROLLER}/ListJobs", {}, {"accept-encoding": "identity"})
        packed = await asker.send(f"{CONTROLLER}/ListJobs", {}, {"accept-encoding": "gzip"})
        assert plain == packed
        (_, whole), (_, sent) = simulator.requests
        assert whole == len(plain[1].encode())
        assert sent < whole / 3


@pytest.mark.parametrize(
    ("generation", "status", "code"), [("april", 200, ""), ("may", 504, "deadline_exceeded")]
)
async def test_a_stopped_jobs_name_is_held_for_a_while(generation, status, code):
    body = LAUNCH if generation == "may" else {"entrypoint": LAUNCH["entrypoint"]}
    async with simulated("healthy", generation, at_s=30) as (_, asker):
        assert (await asker.send(f"{CONTROLLER}/LaunchJob", body | {"name": ROOT}))[0] == 409
        await asker.ask("TerminateJob", {"jobId": ROOT})
        answered, text = await asker.send(f"{CONTROLLER}/LaunchJob", body | {"name": ROOT})
        assert answered == status
        assert code in text
        assert (await asker.send(f"{CONTROLLER}/LaunchJob", body | {"name": f"{ROOT}-r1"}))[0] == 200


async def test_what_no_machine_has_is_refused_at_once():
    async with simulated("healthy", "may") as (_, asker):
        wanted = {"resources": {"device": {"tpu": {"variant": "v5litepod-16"}}}}
        status, text = await asker.send(f"{CONTROLLER}/LaunchJob", LAUNCH | wanted | {"name": "/ada/tpu"})
        assert status == 400
        assert "unschedulable: no scaling group provides device tpu:v5litepod-16" in text


def test_a_generation_that_never_was_is_refused():
    with pytest.raises(ValueError, match="known are april, may, august"):
        Simulator("healthy", FakeClock().now, generation="june")


def test_the_command_lists_the_scenarios(capsys):
    assert run(["sim", "--list"]) == 0
    printed = capsys.readouterr().out
    assert "healthy" in printed
    assert "zombie" in printed


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["sim", "helthy"], "There is no scenario 'helthy'"),
        (["sim", "/nowhere/mine.yaml"], "cannot be read"),
        (["sim", "healthy", "--generation", "june"], "There is no generation 'june'"),
    ],
)
def test_the_command_refuses_in_one_sentence(words, said, capsys):
    assert run(words) == 2
    told = capsys.readouterr().err
    assert said in told
    assert "Traceback" not in told


async def test_the_command_serves_until_it_is_interrupted():
    words = (sys.executable, "-m", "babysitter", "sim", "healthy", "--speed", "100", "--generation", "april")
    async with started(*words) as process:
        url = (await process.until("http://")).split()[-1]
        async with aiohttp.ClientSession() as session, session.get(f"{url}/health") as answer:
            assert await answer.json() == {"status": "ok"}
        assert await process.ended(signal.SIGINT) == 130
