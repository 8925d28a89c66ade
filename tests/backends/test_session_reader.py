"""A run known by its session folder: its state, its lines from byte to byte, and what a person may do."""

import asyncio
import os
from datetime import timedelta

import pytest

from babysitter.backends.ray.sessions.session_choice import choose_session
from babysitter.backends.ray.sessions.session_end import refuse_ended, run_end
from babysitter.backends.ray.sessions.session_folder import list_session, read_part
from babysitter.backends.ray.sessions.session_reader import SessionReader
from babysitter.backends.ray.sessions.session_writer import SessionWriter
from babysitter.errors import NoSuchJob, SubmissionRefused, Unreachable, UserError
from babysitter.model.ids import JobId
from babysitter.model.job import JobState
from babysitter.model.log import LogSource
from babysitter.preflight.facts import Purpose
from tests.support.clock import FakeClock
from tests.support.session_folder import NOW, SessionOnDisk, session_in

LOG = "kimi25_3node_train_20261120_110005.log"
RUN = JobId("kimi25_3node_train_20261120_110005")
DRIVER = "python-core-driver-02000000ffffffffffffffffffffffffffffffffffffffffffffffff_4711.log"


def run_in(tmp_path, log="started\n") -> SessionOnDisk:
    session = session_in(tmp_path)
    session.write("raylet.out", "x\n", age_s=10)
    session.write(DRIVER, "x\n")
    session.worker("SglEngine", 514428, "one\n", age_s=30)
    (tmp_path / LOG).write_text(log)
    os.utime(tmp_path / LOG, (NOW.timestamp() - 30,) * 2)
    return session


def reader_of(session: SessionOnDisk, tmp_path) -> SessionReader:
    choice = choose_session([session.root], tmp_path / LOG, environ={}, uid=1000)
    return SessionReader(choice, FakeClock(NOW))


def texts(batch) -> list[str]:
    return [line.text for line in batch.lines]


def test_session_job_runs(tmp_path):
    reader = reader_of(run_in(tmp_path), tmp_path)
    job = asyncio.run(reader.tree(RUN, tasks_of=(RUN,))).root
    assert job.state is JobState.RUNNING
    assert {(task.id, task.worker) for task in job.tasks or ()} == {
        (f"{RUN}/0", ""),
        (f"{RUN}/SglEngine-514428", "10.0.0.2"),
    }
    assert asyncio.run(reader.find(JobId("other"))) is None
    with pytest.raises(NoSuchJob):
        asyncio.run(reader.tree(JobId("other")))


GONE = "[2026-11-20 11:30:22,740 I 1 1] (raylet) node_manager.cc:1652: Driver (pid=4711) is disconnected. x\n"


@pytest.mark.parametrize(
    ("raylet", "log", "late_s", "state"),
    [
        ("x\n", "started\n", 0, JobState.RUNNING),
        (GONE, "Traceback (most recent call last):\n", 0, JobState.FAILED),
        (GONE, "Training completed: 900 steps in 7 s\n", 0, JobState.SUCCEEDED),
        (GONE.replace("4711", "9"), "started\n", 0, JobState.RUNNING),  # another run of the same session
        ("x\n", "started\n", 400, JobState.FAILED),
        ("x\n", "Training completed: 900 steps in 7 s\n", 400, JobState.SUCCEEDED),
    ],
)
def test_session_end(raylet, log, late_s, state, tmp_path):
    session = run_in(tmp_path, log)
    session.write("raylet.out", raylet, age_s=5)
    logs = list_session([session.logs], [tmp_path / LOG])
    assert run_end(logs, NOW + timedelta(seconds=late_s)).state is state


def test_session_lines_go_on_from_the_cursor(tmp_path):
    session = run_in(tmp_path)
    reader, source = reader_of(session, tmp_path), LogSource(RUN)
    first = asyncio.run(reader.lines(source, after=None, at_most=100, newest=True))
    assert texts(first) == ["started", "(SglEngine pid=514428, ip=10.0.0.2) one"]
    with (tmp_path / LOG).open("a") as log:
        log.write("two\nhalf of a li")
    second = asyncio.run(reader.lines(source, after=first.cursor, at_most=100))
    assert texts(second) == ["two"]
    with (tmp_path / LOG).open("a") as log:
        log.write("ne\n")
    third = asyncio.run(reader.lines(source, after=second.cursor, at_most=100))
    assert texts(third) == ["half of a line"]
    assert texts(asyncio.run(reader.lines(source, after=third.cursor, at_most=100))) == []


def test_session_lines_are_never_skipped(tmp_path):
    session = run_in(tmp_path)
    reader, source = reader_of(session, tmp_path), LogSource(RUN)
    batch = asyncio.run(reader.lines(source, after=None, at_most=100, newest=True))
    with (tmp_path / LOG).open("a") as log:
        log.writelines(f"line {number}\n" for number in range(50))
    found = []
    for _ in range(10):
        batch = asyncio.run(reader.lines(source, after=batch.cursor, at_most=7))
        found += texts(batch)
        if not batch.is_full:
            break
    assert found == [f"line {number}" for number in range(50)]


def test_session_flood_costs_less_than_1_mb(tmp_path, monkeypatch):
    """A look at a flood: three pages by cursor, then the newest lines."""
    session = run_in(tmp_path)
    reader, source = reader_of(session, tmp_path), LogSource(RUN)
    batch = asyncio.run(reader.lines(source, after=None, at_most=100, newest=True))
    os.truncate(tmp_path / LOG, 2 << 30)
    sizes = []

    def noted(file, begin, at_most):
        sizes.append(len(part := read_part(file, begin, at_most)))
        return part

    for module in ("session_pages", "session_folder", "session_end"):
        monkeypatch.setattr(f"babysitter.backends.ray.sessions.{module}.read_part", noted)
    asyncio.run(reader.tree(RUN))
    for newest in (False, False, False, True):
        batch = asyncio.run(reader.lines(source, after=batch.cursor, at_most=500, newest=newest))
    assert 500_000 < sum(sizes) < 1_000_000


def test_session_folder_away_is_blind(tmp_path):
    session = run_in(tmp_path)
    reader = reader_of(session, tmp_path)
    session.root.rename(tmp_path / "away")
    with pytest.raises(Unreachable, match="cannot be read"):
        asyncio.run(reader.tree(RUN))


def test_session_restart_is_for_a_person(tmp_path):
    reader = reader_of(run_in(tmp_path), tmp_path)
    writer = SessionWriter(reader, FakeClock(NOW))
    submission = asyncio.run(reader.submission(RUN))
    assert submission is not None
    (finding,) = asyncio.run(writer.preflight(submission, purpose=Purpose.RESUBMIT))
    assert finding.blocks
    assert "nobody but you runs these commands" in finding.sentence
    assert "`kill 4711`, then start the recipe kimi25_3node_train again" in finding.sentence
    with pytest.raises(SubmissionRefused):
        asyncio.run(writer.stop(RUN))
    with pytest.raises(SubmissionRefused):
        asyncio.run(writer.submit(submission))


def test_session_of_a_dead_run_refused(tmp_path):
    session = run_in(tmp_path)
    choice = choose_session([session.root], tmp_path / LOG, environ={}, uid=1000)
    with pytest.raises(
        UserError, match="has ended: Nothing was written in the session folder since"
    ) as error:
        refuse_ended(choice, NOW + timedelta(hours=3))
    assert "babysit classify" in error.value.next_step


def test_session_found_by_the_recipe(tmp_path):
    session = run_in(tmp_path)
    (tmp_path / "session_latest").symlink_to(session.root)
    choice = choose_session((), tmp_path, environ={"RAY_TEMP_DIR": str(tmp_path)}, uid=1000)
    assert (choice.run, choice.recipe) == (RUN, "kimi25_3node_train")
    assert choice.folders == (session.logs.resolve(),)
    with pytest.raises(UserError, match="No session of Ray was found in /tmp/ray_torchspec_kimi25_987654"):
        choose_session((), tmp_path / LOG, environ={}, uid=987654)


def test_session_of_another_run_than_the_log(tmp_path):
    session = run_in(tmp_path)
    old = tmp_path / "kimi25_3node_train_20261101_110005.log"
    old.write_text("x\n")
    with pytest.raises(UserError, match="belong to different runs"):
        choose_session([session.root], old, environ={}, uid=1000)


def test_session_tasks_say_what_the_gpus_do(tmp_path, monkeypatch):
    (tmp_path / "bin").mkdir()
    smi = tmp_path / "bin" / "nvidia-smi"
    smi.write_text("#!/bin/sh\necho '0, 0, 73000, 81920'\n")
    smi.chmod(0o755)
    monkeypatch.setenv("PATH", f"{smi.parent}:{os.environ['PATH']}")
    session = run_in(tmp_path)
    (session.root / "node_ip_address.json").write_text('{"node_ip_address": "127.0.0.1"}')
    driver, engine = asyncio.run(reader_of(session, tmp_path).tasks(RUN))
    assert driver.devices == ()
    assert [device.text for device in engine.devices] == ["GPU 0: 0 % busy, 71.3 of 80 GB"]
    smi.write_text("#!/bin/sh\necho 'NVIDIA-SMI has failed'; exit 9\n")
    assert asyncio.run(reader_of(session, tmp_path).tasks(RUN))[1].devices == ()
