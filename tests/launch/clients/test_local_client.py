import os
import sys
import threading
from pathlib import Path

import pytest

from babysitter.errors import UserError
from babysitter.launch import (
    Entrypoint,
    EnvironmentConfig,
    JobAlreadyExists,
    JobFailed,
    JobRequest,
    JobStatus,
    LocalClient,
    LocalLimits,
    set_current_client,
)
from babysitter.launch.resource_config import ResourceConfig
from tests.launch.training_script import TrainConfig, run_levanter_train_lm

LIMIT_S = 60.0
BLOCKS = "import signal, sys; print('ready', flush=True); signal.pause()"


def python(code: str, **settings: object) -> JobRequest:
    return JobRequest("job", Entrypoint.from_command(sys.executable, "-c", code), **settings)


@pytest.fixture
def client():
    found = LocalClient()
    yield found
    found.shutdown(wait=False)


def line_seen(word: str) -> tuple[threading.Event, LocalClient]:
    seen = threading.Event()
    return seen, LocalClient(on_line=lambda line: seen.set() if word in line else None)


def test_local_job_succeeds_with_logs(client):
    job = client.submit(python("for n in range(5): print('line', n)"))
    assert job.wait(LIMIT_S) is JobStatus.SUCCEEDED
    assert job.exit_code == 0
    assert list(job.logs(max_lines=2)) == ["line 3", "line 4"]


def test_local_job_fails_with_its_code(client):
    job = client.submit(python("import sys; print('why', file=sys.stderr); sys.exit(3)"))
    with pytest.raises(JobFailed, match="exit code 3"):
        job.wait(LIMIT_S)
    assert job.status() is JobStatus.FAILED
    assert job.exit_code == 3
    assert list(job.logs()) == ["why"]


def test_local_job_killed_by_a_signal(client):
    job = client.submit(python("import os, signal; os.kill(os.getpid(), signal.SIGKILL)"))
    with pytest.raises(JobFailed, match="killed by SIGKILL"):
        job.wait(LIMIT_S)
    assert job.exit_code == -9


def test_local_job_wait_times_out():
    seen, client = line_seen("ready")
    job = client.submit(python(BLOCKS))
    assert seen.wait(LIMIT_S)
    with pytest.raises(TimeoutError):
        job.wait(timeout=0)
    assert job.status() is JobStatus.RUNNING
    job.terminate()
    assert job.wait(raise_on_failure=False) is JobStatus.STOPPED
    job.terminate()


def test_local_job_takes_its_children_along():
    seen, client = line_seen("ready")
    child = f"{sys.executable} -c 'import signal; print(\"ready\", flush=True); signal.pause()'"
    job = client.submit(
        JobRequest("group", Entrypoint.from_command("bash", "-c", f"{child} & echo $!; wait"))
    )
    assert seen.wait(LIMIT_S)
    pid = int(next(line for line in job.logs() if line.isdigit()))
    job.terminate()
    assert not Path(f"/proc/{pid}").exists() or "Z" in Path(f"/proc/{pid}/stat").read_text()


def test_local_job_time_limit():
    client = LocalClient(LocalLimits(timeout_s=0.0))
    with pytest.raises(JobFailed, match="time limit of 0 s"):
        client.submit(python("import signal; signal.pause()")).wait(LIMIT_S)


def test_local_job_memory_limit():
    client = LocalClient(LocalLimits(memory_bytes=80 * 2**20))
    code = "import signal; held = b'x' * (200 * 2**20); print(len(held)); signal.pause()"
    with pytest.raises(JobFailed, match="memory limit is 80 MiB"):
        client.submit(python(code)).wait(LIMIT_S)


def test_local_job_keeps_so_many_lines():
    client = LocalClient(LocalLimits(log_lines=3))
    job = client.submit(python("for n in range(9): print(n)"))
    job.wait(LIMIT_S)
    assert list(job.logs()) == ["6", "7", "8"]


def test_local_job_is_retried(client, tmp_path):
    mark = tmp_path / "mark"
    code = f"import pathlib, sys; p = pathlib.Path({str(mark)!r}); seen = p.exists(); p.touch(); print(seen)"
    job = client.submit(python(f"{code}; sys.exit(not seen)", max_retries_failure=1))
    assert job.wait(LIMIT_S) is JobStatus.SUCCEEDED
    assert list(job.logs()) == ["False", "True"]


def test_local_job_variables_and_folder(client, tmp_path):
    environment = EnvironmentConfig.create(workspace=str(tmp_path), env_vars={"RUN_ID": "7"})
    code = "import os; print(os.environ['RUN_ID'], os.getcwd(), os.environ['JAX_PLATFORMS'])"
    job = client.submit(python(code, environment=environment))
    job.wait(LIMIT_S)
    assert list(job.logs()) == [f"7 {tmp_path} {os.environ.get('JAX_PLATFORMS', 'cpu')}"]


def test_local_client_adopts_a_running_job():
    seen, client = line_seen("ready")
    job = client.submit(python(BLOCKS))
    assert seen.wait(LIMIT_S)
    assert client.submit(python(BLOCKS)) is job
    with pytest.raises(JobAlreadyExists):
        client.submit(python(BLOCKS), adopt_existing=False)
    job.terminate()
    again = client.submit(python("print(1)"))
    assert again.job_id != job.job_id
    again.wait(LIMIT_S)


def test_local_client_refuses_what_cannot_run(client):
    with pytest.raises(UserError, match="cannot be run here: no such file"):
        client.submit(JobRequest("x", Entrypoint.from_command("no-such-program-here")))


def test_local_function_runs_in_a_process(tmp_path):
    pytest.importorskip("cloudpickle")
    marker = tmp_path / "marker"
    with set_current_client(LocalClient()):
        run_levanter_train_lm(TrainConfig(ResourceConfig.with_cpu(), run_id="run-9", marker=str(marker)))
    assert marker.read_text() == "run-9"


def test_local_function_that_raises(client):
    pytest.importorskip("cloudpickle")

    def fails(number: int) -> None:
        raise ValueError(f"number {number} at {os.getpid()}")

    job = client.submit(JobRequest("fails", Entrypoint.from_callable(fails, args=[7])))
    with pytest.raises(JobFailed, match="exit code 1"):
        job.wait(LIMIT_S)
    assert any(line.startswith("ValueError: number 7") for line in job.logs())
    assert not any(line.endswith(f"at {os.getpid()}") for line in job.logs())


def test_local_function_that_cannot_be_pickled(client):
    pytest.importorskip("cloudpickle")
    with pytest.raises(UserError, match="cannot be sent to another process"):
        client.submit(JobRequest("lock", Entrypoint.from_callable(print, args=[threading.Lock()])))
