"""Nothing is stopped that cannot come back: no proposal is made, or the act is called off before the stop."""

import os
import shutil
import stat
import sys
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import aiohttp
import pytest

from babysitter.model.proposal import ProposalStatus
from tests.support.clock import NOON
from tests.support.sim_app import SimulatedApp, story

TOKEN = "made-up-token"
SUCCESSOR = "/ada/dedup-r1"
RUN = "job run --no-wait --memory 2GB --user ada"


@dataclass
class Place:
    """What a command of the stand-in needs: its folder, and a program of its own that can go away."""

    folder: Path
    program: Path

    def command(self, options: str = "") -> str:
        return f"{self.program} {RUN} {options} -- python dedup.py"

    def weigh(self, megabytes: int) -> None:
        """Put something into the folder that cannot be packed small."""
        (self.folder / "weights.bin").write_bytes(os.urandom(megabytes * 2**20))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    folder, program = tmp_path / "job", tmp_path / "bin" / "iris"
    folder.mkdir()
    (folder / "dedup.py").write_text("print(1)")
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m babysitter.sim.iris "$@"\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return Place(folder, program)


async def until_offered(tale: SimulatedApp) -> None:
    for _ in range(40):
        if await tale.proposals():
            return
        await tale.pass_s(10, 10.0)
    raise AssertionError("nothing was offered")


def told_after_answer(tale: SimulatedApp) -> str:
    withdrawn = [message for message in tale.ear.heard if message.occasion == "withdrawn"]
    assert withdrawn, tale.ear.occasions
    return withdrawn[-1].words.sentence


async def launch(tale: SimulatedApp, job: str) -> None:
    """Somebody else submits a job of this name."""
    body = {
        "name": job,
        "clientRevisionDate": "2099-01-01",
        "entrypoint": {"runCommand": {"argv": ["sleep", "1"]}},
    }
    url = f"{tale.sim.url}/iris.cluster.ControllerService/LaunchJob"
    async with aiohttp.ClientSession() as session, session.post(url, json=body) as answer:
        assert answer.status == 200


async def called_off(tale: SimulatedApp, words: str) -> None:
    """The approval is followed by a reason, and nothing was touched."""
    await tale.answer()
    await tale.pass_s(60)
    assert words in told_after_answer(tale)
    assert (await tale.standing()).proposals[0].status is ProposalStatus.WITHDRAWN
    assert tale.sim.cluster.jobs["/ada/dedup"].state == "running"
    assert SUCCESSOR not in tale.sim.launched or words.startswith("A job named")


async def test_stored_bundle_gone_after_the_proposal(tmp_path):
    async with story("zombie", tmp_path) as tale:
        await until_offered(tale)
        tale.sim.bundles.forget()
        await called_off(tale, "The controller no longer has the files of this job")
        await tale.pass_s(120)
        assert len(await tale.proposals()) == 1  # not made again while the reason lasts


async def test_name_taken_after_the_proposal(tmp_path):
    async with story("zombie", tmp_path) as tale:
        await until_offered(tale)
        await launch(tale, SUCCESSOR)
        await called_off(tale, f"A job named {SUCCESSOR} exists already")


async def test_client_grows_too_old_after_the_proposal(tmp_path):
    evening = datetime(2026, 11, 20, 23, 54, tzinfo=NOON.tzinfo)
    oldest = (evening - timedelta(days=14)).date().isoformat()
    async with story("zombie", tmp_path, client_date=oldest, at=evening) as tale:
        await until_offered(tale)
        await tale.pass_s((evening + timedelta(minutes=7) - tale.clock.now()).total_seconds(), 30.0)
        await called_off(tale, "The iris client is of 2026-11-06; the controller accepts clients from")


async def test_caller_becomes_another_after_the_proposal(tmp_path):
    async with story("zombie", tmp_path, token=TOKEN) as tale:
        await until_offered(tale)
        tale.sim._calls.user = "bob"
        await called_off(tale, "The cluster would file the job under bob, not under ada")


async def test_folder_gone_after_the_proposal(tmp_path, place):
    async with story("zombie", tmp_path, resubmit=place.command(), workdir=place.folder) as tale:
        await until_offered(tale)
        shutil.rmtree(place.folder)
        await called_off(tale, "is not there")


async def test_folder_changed_after_the_proposal(tmp_path, place):
    async with story("zombie", tmp_path, resubmit=place.command(), workdir=place.folder) as tale:
        await until_offered(tale)
        (place.folder / "dedup.py").write_text("print(2)")
        await called_off(tale, "changed since this was proposed")
        first, second = (await tale.standing()).proposals  # the new one shows the new files
        assert first.submission.folder != second.submission.folder


async def test_command_gone_after_the_proposal(tmp_path, place):
    async with story("zombie", tmp_path, resubmit=place.command(), workdir=place.folder) as tale:
        await until_offered(tale)
        place.program.unlink()
        await called_off(tale, "cannot be run here")


async def test_controller_silent_before_the_act_stops_nothing(tmp_path):
    async with story("zombie", tmp_path) as tale:
        await until_offered(tale)
        tale.sim.mood = "ill"
        await tale.answer()
        await tale.pass_s(60, 10.0)
        tale.sim.mood = "well"
        assert tale.sim.cluster.jobs["/ada/dedup"].state == "running"
        await tale.pass_s(60)
        assert tale.sim.launched == [SUCCESSOR]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--memory 5GB", "Add --enable-extra-resources"),
        ("--tpu v6e-4", "--tpu v6e-4 is refused without --enable-extra-resources"),
        ("--memroy 2GB", "does not know the option --memroy. Did you mean --memory?"),
        ("--cancel-on-exit", "does not know the option --cancel-on-exit. Others do: August."),
        ("--memory 8", "--memory 8 means 8 bytes"),
        ("--max-retries many", "--max-retries takes a whole number"),
        ("-e KEY", "takes `--` as a value"),
        ("--gpu A9000 --enable-extra-resources", "does not know the GPU 'A9000'"),
    ],
)
async def test_faulty_command_is_not_proposed(options, words, tmp_path, place):
    async with story("zombie", tmp_path, resubmit=place.command(options), workdir=place.folder) as tale:
        await tale.pass_s(250, 10.0)
        assert await tale.causes() == ["zombie-coordinator"]
        assert await tale.proposals() == []
        notes = dict(tale.ear.heard[-1].words.notes)
        assert words in notes["No restart is proposed"]
        assert tale.sim.launched == []


async def test_large_bundle_is_proposed_once_it_is_small(tmp_path, place):
    place.weigh(26)
    async with story("zombie", tmp_path, resubmit=place.command(), workdir=place.folder) as tale:
        await tale.pass_s(250, 10.0)
        assert await tale.proposals() == []
        note = dict(tale.ear.heard[-1].words.notes)["No restart is proposed"]
        assert "iris takes at most 25 MB. Largest: weights.bin (26.0 MB)" in note
        (place.folder / "weights.bin").unlink()
        await until_offered(tale)
        await tale.answer()
        await tale.pass_s(60)
        assert tale.sim.launched == [SUCCESSOR]


async def test_name_taken_before_the_proposal(tmp_path):
    async with story("zombie", tmp_path) as tale:
        await launch(tale, SUCCESSOR)
        await tale.pass_s(250, 10.0)
        assert await tale.proposals() == []
        note = dict(tale.ear.heard[-1].words.notes)["No restart is proposed"]
        assert f"A job named {SUCCESSOR} exists already" in note
