"""What is read about a submission before it is judged: from the machine, the folder and the controller."""

from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from babysitter.backends.iris.connection.auth import Credentials
from babysitter.backends.iris.connection.http_transport import DirectEndpoint, HttpTransport
from babysitter.backends.iris.reader import IrisReader
from babysitter.backends.iris.submission.bundle import folder_state
from babysitter.backends.iris.submission.prepare import SubmissionPreparer
from babysitter.backends.iris.submission.submission_facts import LocalMachine, SubmissionFactsReader
from babysitter.model.ids import JobId
from babysitter.model.submission import Submission, SubmissionOrigin, ValueSource
from babysitter.preflight.facts import Known, Login, NotKnown, Purpose
from babysitter.sim.iris.bundles import FIRST_ID
from babysitter.sim.iris.controller import ROOT
from tests.contract.test_simulator_wire import simulated

JOB = JobId("/ada/dedup-r1")
TOKEN = "made-up-token"
ARGV = ("sh", "job", "run", "--no-wait", "--memory", "2GB", "--", "python", "x.py")
COMMAND = Submission(ARGV, SubmissionOrigin.RESUBMIT_FLAG, job=JOB)
REQUEST = Submission(
    (), SubmissionOrigin.CONTROLLER, job=JOB, request={"name": ROOT, "bundleId": FIRST_ID, "environment": {}}
)


@asynccontextmanager
async def facts_reader(home: Path, *, generation="may", token="", sent="", environ=None, date="2026-11-20"):
    """A reader over a simulated cluster that wants `token`, and is sent `sent`."""
    async with simulated("healthy", generation, identity=token) as (simulator, asker):
        line = HttpTransport(
            DirectEndpoint(simulator.url), place="sim", credentials=Credentials(sent), ask_limit_s=2.0
        )
        reader = IrisReader(line, clock=asker.clock)
        machine = LocalMachine(environ=environ or {"USER": "ada", "PATH": "/usr/bin:/bin"}, home=home)
        preparer = SubmissionPreparer(
            reader, iris=("iris",), client_revision_date=date, environ=machine.environ, clock=asker.clock
        )
        try:
            yield (
                simulator,
                SubmissionFactsReader(line, reader, preparer=preparer, machine=machine, clock=asker.clock),
            )
        finally:
            await line.close()


async def read(facts, submission):
    return await facts.read(submission, purpose=Purpose.RESUBMIT)


async def test_command_facts(tmp_path):
    (tmp_path / "x.py").write_text("print(1)")
    inside = replace(COMMAND, workdir=str(tmp_path), folder=folder_state(tmp_path))
    async with facts_reader(tmp_path) as (_, facts):
        found = await read(facts, inside)
        assert found.request is None
        assert found.command.program_found == Known(True)
        assert found.command.folder.value.now == inside.folder
        assert 8 < found.command.bundle.value.packed_bytes < 1000
        assert (found.generation, found.user) == (Known("may"), Known("ada"))
        assert (found.login, found.name_is_taken) == (Known(Login.NOT_NEEDED), Known(False))
        assert "--job-name" in found.submission.argv  # judged as it is run


async def test_request_facts(tmp_path):
    async with facts_reader(tmp_path) as (simulator, facts):
        found = await read(facts, REQUEST)
        assert found.command is None
        assert found.request.bundle_exists == Known(True)
        assert str(found.request.client_revision.value) == "2026-11-20"
        assert found.user == Known("ada")
        simulator.bundles.forget()
        assert (await read(facts, REQUEST)).request.bundle_exists == Known(False)
        taken = replace(REQUEST, job=JobId(ROOT))
        assert (await read(facts, taken)).name_is_taken == Known(True)


async def test_variable_to_be_taken_along_is_not_set(tmp_path):
    wanting = replace(REQUEST, fills={"HF_TOKEN": ValueSource.ENVIRONMENT})
    async with facts_reader(tmp_path) as (_, facts):
        assert (await read(facts, wanting)).missing_variables == ("HF_TOKEN",)
    async with facts_reader(tmp_path, environ={"HF_TOKEN": "made-up"}) as (_, facts):
        assert (await read(facts, wanting)).missing_variables == ()


@pytest.mark.parametrize(
    ("argv", "environ", "user"),
    [
        (COMMAND.argv, {"USER": "bob"}, "bob"),
        (("iris", "job", "run", "--user", "eve", "--", "x"), {"USER": "bob"}, "eve"),
    ],
)
async def test_client_names_the_user_of_an_open_cluster(tmp_path, argv, environ, user):
    async with facts_reader(tmp_path, environ=environ) as (_, facts):
        assert (await read(facts, replace(COMMAND, argv=argv))).user == Known(user)


async def test_controller_names_the_user_of_a_closed_cluster(tmp_path):
    async with facts_reader(tmp_path, token=TOKEN, sent=TOKEN, environ={"USER": "bob"}) as (_, facts):
        found = await read(facts, REQUEST)
        assert (found.user, found.login) == (Known("ada"), Known(Login.ACCEPTED))
        found = await read(facts, COMMAND)
        assert found.user == Known("ada")
        assert isinstance(found.login, NotKnown)  # whether the command has a token of its own
        assert not found.login.may_pass


async def test_login_refused(tmp_path):
    async with facts_reader(tmp_path, token=TOKEN, sent="another") as (_, facts):
        assert (await read(facts, REQUEST)).login == Known(Login.REFUSED)


async def test_silent_controller_is_not_known(tmp_path):
    async with facts_reader(tmp_path) as (simulator, facts):
        simulator.mood = "ill"
        found = await read(facts, REQUEST)
        assert all(
            isinstance(fact, NotKnown) and fact.may_pass
            for fact in (found.generation, found.name_is_taken, found.login, found.user)
        )
        assert isinstance(found.request.bundle_exists, NotKnown)


async def test_installed_client_without_a_date(tmp_path):
    async with facts_reader(tmp_path, date="yesterday") as (_, facts):
        assert isinstance((await read(facts, REQUEST)).request.client_revision, NotKnown)
