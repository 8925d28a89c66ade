"""Ray's recorded answers become jobs, tasks and states."""

import msgspec
import pytest

from babysitter.backends.ray.dashboard import ray_answers
from babysitter.backends.ray.dashboard.dashboard_address import dashboard_address, ray_token
from babysitter.backends.ray.dashboard.placement_groups import PlacementGroup, waiting_text
from babysitter.backends.ray.log_files.log_text import forwarded_pid, split_part, worker_file
from babysitter.backends.ray.submission.submission_id import parse_submission_id
from babysitter.errors import BadConfig, UserError
from babysitter.model.ids import JobId
from babysitter.model.job import JobState, TaskState
from tests.support.ray_dashboard import recorded_bytes

JOB = JobId("actors-1")


def job_of(name, version="2.60.0"):
    return ray_answers.job(msgspec.json.decode(recorded_bytes(name, version), type=ray_answers.RayJob))


def actors_of(name, version="2.60.0"):
    return {row.name: row for row in ray_answers.rows(recorded_bytes(name, version), ray_answers.RayActor)}


@pytest.mark.parametrize(
    ("name", "state", "error"),
    [
        ("jobs/02-get-pending", JobState.PENDING, ""),
        ("hang/01-job", JobState.RUNNING, ""),
        ("jobs/05-get-succeeded", JobState.SUCCEEDED, ""),
        ("jobs/20-get-stopped", JobState.KILLED, ""),
        ("jobs/10-get-failed-exit3", JobState.FAILED, "exit code 3"),
        ("jobs/15-get-failed-renv", JobState.FAILED, "runtime_env setup failed"),
    ],
)
def test_job_states(name, state, error):
    job = job_of(name)
    assert job.state is state
    assert error in job.error
    assert bool(job.error) is bool(error)
    assert bool(job.pending_reason) is (state is JobState.PENDING)
    assert job.submitted_at is not None
    assert (job.finished_at is not None) is state.is_terminal


def test_job_of_the_oldest_ray():
    assert job_of("02-job", "2.49.2").state is not JobState.OTHER
    assert actors_of("12-actors", "2.49.2")


def test_job_state_word_of_the_future():
    assert ray_answers.job(ray_answers.RayJob(submission_id="x", status="SLEEPING")).state is JobState.OTHER


@pytest.mark.parametrize(
    ("name", "state", "words"),
    [
        ("raykill", TaskState.KILLED, ""),
        ("exit_actor", TaskState.SUCCEEDED, ""),
        ("alive", TaskState.KILLED, ""),  # its owner, the driver, ended
        ("scope", TaskState.SUCCEEDED, ""),
        ("impfail", TaskState.FAILED, "no_such_module_xyz"),
        ("initfail", TaskState.FAILED, "Error"),
        ("kill9", TaskState.FAILED, "WORKER_DIED"),
        ("segv", TaskState.FAILED, "WORKER_DIED"),
        ("sigterm", TaskState.FAILED, "SIGTERM"),
        ("crashloop", TaskState.FAILED, "WORKER_DIED"),
    ],
)
def test_actor_deaths(name, state, words):
    task = ray_answers.actor_task(actors_of("actors/02-list-detail-of-the-job")[name], JOB, {})
    assert task.state is state
    assert words in task.error
    assert bool(task.error) is (state is TaskState.FAILED)
    assert "OOM" not in task.error  # Ray guesses it at every death


def test_actor_killed_by_the_memory_monitor():
    (actor,) = actors_of("oom/02-actors").values()
    task = ray_answers.actor_task(actor, JOB, {})
    assert task.state is TaskState.FAILED
    assert "low on memory" in task.error


def test_actor_lost_with_its_node():
    actor = actors_of("node/04-actors")["on-node2"]
    task = ray_answers.actor_task(actor, JOB, {actor.node_id: "10.0.0.2"})
    assert task.state is TaskState.WORKER_FAILED
    assert task.worker == "10.0.0.2"


def test_actor_restarts_are_attempts():
    actor = actors_of("actors/02-list-detail-of-the-job")["crashloop"]
    task = ray_answers.actor_task(actor, JOB, {})
    assert task.current_attempt == 2
    again = msgspec.structs.replace(actor, state="RESTARTING", death_cause=None)
    task = ray_answers.actor_task(again, JOB, {})
    assert task.state is TaskState.PENDING
    assert "restarts" in task.pending_reason
    assert ray_answers.job(ray_answers.RayJob(submission_id="x"), [again]).task_restarts == 2


def test_placement_group_that_never_fits():
    groups = ray_answers.rows(recorded_bytes("state/07-pgs-detail"), PlacementGroup)
    text = waiting_text(groups, "02000000")
    assert text == "placement group 'pg-forever' is PENDING (INFEASIBLE), needs 1 CPU, 8 GPU"
    assert waiting_text(groups, "03000000") == ""


@pytest.mark.parametrize(
    ("given", "url", "has_note"),
    [
        ("http://head:8265", "http://head:8265", False),
        ("https://ray.example.org/", "https://ray.example.org", False),
        ("ray://head:10001", "http://head:8265", True),
        ("ray://head", "http://head:8265", True),
        ("10.0.0.1:6379", "http://10.0.0.1:8265", True),
        ("head:8265", "http://head:8265", False),
        ("[::1]:6379", "http://[::1]:8265", True),
    ],
)
def test_address_of_the_dashboard(given, url, has_note):
    found = dashboard_address(given)
    assert found.url == url
    assert (url in found.note) is has_note


@pytest.mark.parametrize("given", ["", "auto", "ftp://head", "http://", "ray://", "head:x", "a/b"])
def test_address_that_is_none(given):
    with pytest.raises(BadConfig):
        dashboard_address(given)


def test_token_is_looked_for_where_ray_does(tmp_path):
    assert ray_token("", home=tmp_path, environ={}) == ""
    (tmp_path / ".ray").mkdir()
    (tmp_path / ".ray" / "auth_token").write_text("made-up-default\n")
    assert ray_token("", home=tmp_path, environ={}) == "made-up-default"
    named = tmp_path / "token"
    named.write_text("made-up-named")
    environ = {"RAY_AUTH_TOKEN_PATH": str(named)}
    assert ray_token("", home=tmp_path, environ=environ) == "made-up-named"
    assert ray_token("", home=tmp_path, environ=environ | {"RAY_AUTH_TOKEN": "made-up-env"}) == "made-up-env"
    assert ray_token("made-up-given", home=tmp_path, environ=environ) == "made-up-given"
    with pytest.raises(BadConfig, match="RAY_AUTH_TOKEN_PATH"):
        ray_token("", home=tmp_path, environ={"RAY_AUTH_TOKEN_PATH": str(tmp_path / "none")})


@pytest.mark.parametrize("text", ["my run", "a/b", "", " ", "x\x00", "x" * 201])
def test_submission_id_that_ray_refuses(text):
    with pytest.raises(UserError):
        parse_submission_id(text)


def test_submission_id_as_people_choose_it():
    for text in ("raysubmit_t5XgwKMksQVDak98", "kimi.train-3", "02000000", "run_ü"):
        assert parse_submission_id(f" {text}\n") == text


def test_worker_file_names():
    found = worker_file("worker-59e8b6be-03000000-17549.err")
    assert found is not None
    assert (found.job_hex, found.pid, found.stream) == ("03000000", 17549, "err")
    assert worker_file("python-core-worker-59e8b6be_17549.log") is None


@pytest.mark.parametrize(
    ("text", "pid"),
    [
        ("\x1b[36m(A pid=12456)\x1b[0m hello", 12456),
        ("(SglEngine pid=5, ip=10.0.0.2) text", 5),
        ("\x1b[33m(raylet)\x1b[0m text", None),
        ("(raylet, ip=10.0.0.2) text", None),
        ("rank 1 (pid=3)", None),
    ],
)
def test_forwarded_lines(text, pid):
    assert forwarded_pid(text) == pid


def test_split_leaves_an_unfinished_line():
    part = split_part(b":job_id:03000000\none\n  1%|\r  2%|\nthr", is_whole_file=False)
    assert [text for text, _ in part.lines] == ["one", "  2%|"]
    assert part.consumed == len(b":job_id:03000000\none\n  1%|\r  2%|\n")
    whole = split_part(b"one\nthr", is_whole_file=True)
    assert [text for text, _ in whole.lines] == ["one", "thr"]


def test_split_shows_a_running_progress_bar():
    part = split_part(b"Training: 1%\rTraining: 2%\rTrai", is_whole_file=False)
    assert [text for text, _ in part.lines] == ["Training: 2%"]
    assert part.consumed == len(b"Training: 1%\rTraining: 2%\r")
