"""A run that nobody submitted, ended and started again on this machine: exactly that process group, once."""

import os
import shlex
import signal
import subprocess
import sys
from dataclasses import replace

import pytest

from babysitter.backends.ray.sessions.driver_runs import DriverRuns
from babysitter.backends.ray.sessions.local_driver import LocalDriver, find_local_driver
from babysitter.backends.ray.sessions.session_choice import choose_session
from babysitter.backends.ray.sessions.session_reader import SessionReader
from babysitter.backends.ray.sessions.session_writer import SessionWriter, given_program
from babysitter.clock import SystemClock
from babysitter.errors import SubmissionRefused, UserError
from babysitter.model.ids import JobId
from babysitter.model.job import JobState
from babysitter.model.log import LogSource
from babysitter.model.submission import BY_PERSON, Submission, SubmissionOrigin
from babysitter.preflight.facts import Purpose
from tests.support.session_folder import session_in
from tests.support.waiting import until

RUN, NEXT = JobId("kimi25_3node_train_20261120_110005"), JobId("kimi25_3node_train_20261120_110005-r1")
# A driver of Ray: it holds the log open that is named after its process. It has a child in its group.
DRIVER = """
import os, subprocess, sys, time
log = open(os.path.join(sys.argv[1], f"python-core-driver-{'0' * 56}_{os.getpid()}.log"), "w")
child = subprocess.Popen(["sleep", "600"])
os.write(1, f"ready {child.pid}\\n".encode())  # in one piece: two drivers share a pipe
time.sleep(600)
"""


class Place:
    """A session folder with a driver of this machine, and its client."""

    def __init__(self, folder):
        self.folder = folder
        self.session = session_in(folder)
        self.session.write("raylet.out", "x\n", now=SystemClock().now())
        self.log = folder / f"{RUN}.log"
        self.log.write_text("started\n")
        self.children: list[subprocess.Popen[str]] = []

    def begin(self, *words: str) -> subprocess.Popen[str]:
        """A process in a group of its own."""
        self.children.append(
            subprocess.Popen(words, stdout=subprocess.PIPE, text=True, start_new_session=True)
        )
        return self.children[-1]

    def begin_driver(self) -> subprocess.Popen[str]:
        driver = self.begin(sys.executable, "-c", DRIVER, str(self.session.logs))
        assert driver.stdout is not None
        assert driver.stdout.readline().startswith("ready")
        return driver

    def client(self):
        choice = choose_session([self.session.root], self.log, environ={}, uid=1000)
        reader = SessionReader(choice, SystemClock(), DriverRuns(self.folder / "runs"))
        return reader, SessionWriter(reader, SystemClock())

    def submission(self, line="echo again; sleep 600", **changes):
        words = ("/bin/sh", "-c", line)
        given = Submission(words, SubmissionOrigin.RESUBMIT_FLAG, workdir=str(self.folder))
        return replace(given_program(given), job=NEXT, replaces=RUN, proposal="p-1", **changes)


@pytest.fixture
def place(tmp_path):
    made = Place(tmp_path)
    yield made
    for child in made.children:
        if child.poll() is None:
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
    run = made.client()[0].runs.of(NEXT)
    if run is not None:
        run.process.stop(at_once=True)


async def test_driver_is_ended_and_its_program_started_again(place):
    driver, bystander = place.begin_driver(), place.begin("sleep", "600")
    reader, writer = place.client()
    submission = place.submission(changed_variables={"MODE": "debug"})
    assert await writer.preflight(submission, purpose=Purpose.RESUBMIT) == ()
    await writer.stop(RUN)
    assert driver.wait() == -signal.SIGTERM
    assert bystander.poll() is None
    assert (await reader.find(RUN)).state is JobState.KILLED
    await writer.stop(RUN)  # a second process that takes the act up
    assert await reader.find(NEXT) is None
    reader, writer = place.client()
    for _ in range(2):
        assert await writer.submit(replace(submission, request=dict(submission.request))) == NEXT
    job = await reader.find(NEXT)
    assert (job.state, job.proposal) == (JobState.RUNNING, "p-1")
    log = reader.runs.of(NEXT).log
    await until(lambda: "again" in log.read_text())
    lines = await reader.lines(LogSource(NEXT), after=None, at_most=10)
    assert [line.text for line in lines.lines] == ["again"], "once, and nothing of the earlier run"
    await writer.stop(NEXT)
    assert (await reader.find(NEXT)).state is JobState.FAILED


@pytest.mark.parametrize(("line", "state"), [("exit 0", JobState.SUCCEEDED), ("exit 3", JobState.FAILED)])
async def test_run_started_here_is_known_by_its_exit_code(place, line, state):
    reader, writer = place.client()
    await writer.submit(place.submission(line))
    await until(lambda: reader.runs.of(NEXT).process.exit_code is not None)
    assert (await reader.find(NEXT)).state is state


async def test_name_of_an_earlier_restart_is_taken(place):
    _, writer = place.client()
    await writer.submit(place.submission("exit 0"))
    (finding,) = await writer.preflight(replace(place.submission(), proposal="p-2"), purpose=Purpose.RESUBMIT)
    assert (finding.id, finding.blocks) == ("name-taken", True)
    assert "a log of another name" in finding.sentence


async def test_stop_that_another_machine_noted_proves_nothing(place):
    driver = place.begin_driver()
    reader, writer = place.client()
    found = find_local_driver(await reader.logs(RUN))
    reader.runs.note_stop(RUN, replace(found, boot="another"))  # and died before it was carried out
    assert (await reader.find(RUN)).state is JobState.RUNNING
    await writer.stop(RUN)
    assert driver.wait() == -signal.SIGTERM
    assert (await reader.find(RUN)).state is JobState.KILLED


async def test_run_on_another_machine_is_not_ended(place):
    reader, writer = place.client()
    await writer.submit(place.submission())
    pid = reader.runs.of(NEXT).log.with_name("pid")
    await until(pid.exists)
    written = pid.read_text()
    pid.write_text(f"{written.split()[0]} another-boot\n")
    with pytest.raises(SubmissionRefused, match="another machine"):
        await writer.stop(NEXT)
    assert (await reader.find(NEXT)).state is JobState.RUNNING
    pid.write_text(written)
    await writer.stop(NEXT)
    assert (await reader.find(NEXT)).state is JobState.FAILED


async def test_driver_elsewhere_is_a_persons(place):
    place.session.write(f"python-core-driver-{'0' * 56}_{os.getpid()}.log", "x\n", now=SystemClock().now())
    reader, writer = place.client()
    (finding,) = await writer.preflight(place.submission(), purpose=Purpose.RESUBMIT)
    assert (finding.id, finding.blocks) == ("not-submitted", True)
    assert "does not run on this machine" in finding.reason
    assert BY_PERSON in finding.reason
    assert f"kill {os.getpid()}" in finding.sentence
    with pytest.raises(SubmissionRefused, match="cannot be stopped from here"):
        await writer.stop(RUN)
    assert (await reader.find(RUN)).state is JobState.RUNNING


async def test_driver_of_our_own_group_is_never_ended(place):
    name = place.session.write(
        f"python-core-driver-{'0' * 56}_{os.getpid()}.log", "x\n", now=SystemClock().now()
    )
    reader, _ = place.client()
    with name.open("a"):
        found = find_local_driver(await reader.logs(RUN))
    assert found == "babysit was started in the process group of its driver, and would end with it"


async def test_others_of_the_same_shell_are_named_before(place):
    beside = shlex.join((sys.executable, "-c", DRIVER, str(place.session.logs)))
    shell = place.begin("/bin/sh", "-c", f"sleep 600 & {beside} | tee {place.folder / 'printed'}")
    assert shell.stdout is not None
    assert shell.stdout.readline().startswith("ready")
    _, writer = place.client()
    (finding,) = await writer.preflight(place.submission(), purpose=Purpose.RESUBMIT)
    assert (finding.id, finding.blocks) == ("others-end-too", False)
    assert finding.reason.count("`sleep` (pid") == 1, "not the driver's own child"
    assert "tee" not in finding.reason, "a pipe ends with its run"
    await writer.stop(RUN)
    assert shell.wait() == -signal.SIGTERM


async def test_driver_beside_another_run_is_a_persons(place):
    other = session_in(place.folder / "other")
    other.write("raylet.out", "x\n")
    programs = [shlex.join((sys.executable, "-c", DRIVER, str(item.logs))) for item in (place.session, other)]
    shell = place.begin("/bin/sh", "-c", f"{programs[0]} & {programs[1]}")
    assert shell.stdout is not None
    assert all(shell.stdout.readline().startswith("ready") for _ in programs)
    found = find_local_driver(await place.client()[0].logs(RUN))
    assert isinstance(found, str)
    assert found.startswith("the driver of another run is in the process group of its driver")


def test_reused_process_id_is_not_the_driver():
    own = LocalDriver(os.getpid(), os.getpgrp(), "1")
    assert not own.is_alive


async def test_group_is_ours_while_one_of_its_processes_lives(place):
    driver, odd = place.begin_driver(), place.folder / os.fsdecode(b"sl\xe9")
    odd.symlink_to("/bin/sleep")  # a process whose name is not UTF-8
    place.begin(str(odd), "600")
    found = find_local_driver(await place.client()[0].logs(RUN))
    assert isinstance(found, LocalDriver)
    driver.kill()
    driver.wait()
    assert not found.is_alive
    other_machine = replace(found, boot="another")
    other_machine.signal(signal.SIGKILL)
    assert not other_machine.group_is_alive()
    assert found.group_is_alive(), "its child goes on"
    found.signal(signal.SIGKILL)
    await until(lambda: not found.group_is_alive())


async def test_later_run_of_the_same_name_is_ended_itself(place):
    first = place.begin_driver()
    await place.client()[1].stop(RUN)
    assert first.wait() == -signal.SIGTERM
    place.session = session_in(place.folder / "later")
    place.session.write("raylet.out", "x\n", now=SystemClock().now())
    second = place.begin_driver()
    reader, writer = place.client()
    assert (await reader.find(RUN)).state is JobState.RUNNING
    await writer.stop(RUN)
    assert second.wait() == -signal.SIGTERM
    assert (await reader.find(RUN)).state is JobState.KILLED


@pytest.mark.parametrize(
    ("changes", "finding"),
    [
        ({"request": {"command": ["/bin/true"], "folder": "/no/such"}}, "folder-missing"),
        ({"request": {"command": ["no-such-program"], "folder": "/"}}, "nothing-to-submit"),
        ({"request": {"run": RUN}}, "not-submitted"),
    ],
)
async def test_program_that_cannot_be_started_is_found_before(place, changes, finding):
    _, writer = place.client()
    found = await writer.preflight(place.submission(**changes), purpose=Purpose.RESUBMIT)
    assert [item.id for item in found] == [finding]


async def test_program_by_hand_and_its_secrets(place):
    _, writer = place.client()
    line = await writer.by_hand(place.submission("x y", changed_variables={"NCCL_DEBUG": "INFO"}))
    assert line == f"cd {place.folder} && NCCL_DEBUG=INFO /bin/sh -c 'x y'"
    secret = Submission(
        ("train", "--api-key=sk-" + "aB3dE6gH9jK2mN5pQ8sT1vW4"), SubmissionOrigin.RESUBMIT_FLAG
    )
    with pytest.raises(UserError, match="holds a secret"):
        given_program(secret)
