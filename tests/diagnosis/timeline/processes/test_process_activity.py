import pytest

from babysitter.diagnosis.frame.thread_dump_text import read_dump
from babysitter.diagnosis.timeline.processes.process_activity import summarise_dump
from babysitter.model.log import Role
from babysitter.model.thread_dump import ProcessActivity
from tests.support import jobs
from tests.support.jobs import dump

USER_SHUTDOWN = jobs.IN_STAGE.replace("_wait_for_stage", "_x").replace(
    "OperationFuture.result (fray/iris_backend.py:320)", "_shutdown (my_program.py:4)"
)

BUSY_IN_ACCEPT = jobs.BLOCKED.replace("Thread 30 (idle)", "Thread 30 (active)")


@pytest.mark.parametrize(
    ("text", "doing"),
    [
        (jobs.IN_STAGE, ProcessActivity.IN_STAGE),
        (jobs.WAITING, ProcessActivity.WAITING_FOR_WORKERS),  # all pool threads idle: no zombie
        (jobs.OVER, ProcessActivity.SHUT_DOWN),  # the coordinator loop still there: no life
        (jobs.HOSTED, ProcessActivity.UNCLEAR),  # August: its dumps cannot tell
        (
            USER_SHUTDOWN,
            ProcessActivity.IN_STAGE,
        ),  # a program's own _shutdown is no end; a pool thread is busy
        ("", ProcessActivity.UNCLEAR),
        ("no dump at all", ProcessActivity.UNCLEAR),
    ],
)
def test_what_a_coordinator_does(text, doing):
    assert summarise_dump(dump(text, 0), Role.COORDINATOR).doing is doing


@pytest.mark.parametrize(
    "frames",
    [
        ("Popen.wait (multiprocessing/popen_fork.py:43)", "_exit_function (multiprocessing/util.py:360)"),
        ("Condition.wait (threading.py:355)", "_python_exit (concurrent/futures/thread.py:31)"),
        ("flush (run.py:90)",),  # registered with atexit: there is no module below it
    ],
    ids=["children", "pool", "atexit"],
)
def test_a_coordinator_that_hangs_at_its_exit_is_over(frames):
    text = 'Process 7: python run.py\nThread 7 (idle): "MainThread"\n' + "".join(
        f"    {frame}\n" for frame in frames
    )
    assert summarise_dump(dump(text, 0), Role.COORDINATOR).doing is ProcessActivity.SHUT_DOWN


def test_a_stage_under_way_outweighs_a_main_thread_in_shutdown():
    both = jobs.OVER + 'Thread 9 (idle): "actor-method_0"\n    _wait_for_stage (zephyr/execution.py:800)\n'
    assert summarise_dump(dump(both, 0), Role.COORDINATOR).doing is ProcessActivity.IN_STAGE


@pytest.mark.parametrize(
    ("text", "doing", "place"),
    [
        (jobs.BLOCKED, ProcessActivity.BLOCKED, "socket.accept < fetch_page < _map_gen"),
        (jobs.AT_WORK, ProcessActivity.WORKING, "tokenize < fetch_page < _map_gen"),
        (BUSY_IN_ACCEPT, ProcessActivity.WORKING, None),
        (jobs.NO_SHARD, ProcessActivity.IDLE, None),
        (jobs.OVER, ProcessActivity.SHUT_DOWN, None),
    ],
)
def test_what_a_worker_does_is_in_its_child(text, doing, place):
    note = summarise_dump(dump(text, 0), Role.WORKER)
    assert note.doing is doing
    assert place is None or note.place == place


FAULT = """Thread 0x00007f01 (most recent call first):
  File "/usr/lib/python3.12/threading.py", line 359 in wait
  File "/usr/lib/python3.12/threading.py", line 1030 in _bootstrap

Current thread 0x00007f02 (most recent call first):
  File "/venv/jax/_src/api.py", line 2711 in try_to_block
  File "/app/train.py", line 3 in <module>
"""


def test_the_main_thread_of_a_dump_without_names_is_the_one_nobody_started() -> None:
    names = [thread.name for thread in read_dump(FAULT).processes[0].threads]
    assert names == ["", "MainThread"]


def test_of_two_threads_that_nobody_started_the_one_from_a_module_is_the_main_one() -> None:
    text = FAULT.replace("_bootstrap", "callback")
    assert [thread.name for thread in read_dump(text).processes[0].threads] == ["", "MainThread"]
    both = text.replace("<module>", "run")
    assert [thread.name for thread in read_dump(both).processes[0].threads] == ["", ""]


RAY = """\
Process 12: ray::Trainer.step
Python v3.11.7 (x)

Thread 12 (idle): "MainThread"
{frames}    actor_method_executor (ray/_private/function_manager.py:740)
    Worker.main_loop (ray/_private/worker.py:1069)
"""
GET = "    Worker.get_objects (ray/_private/worker.py:1007)\n    get (ray/_private/worker.py:3009)\n"


def test_an_actor_that_waits_for_others_names_the_call_and_its_own_frames():
    text = RAY.format(frames=f"{GET}    Rank.barrier (run.py:9)\n    Rank.step (run.py:7)\n")
    note = summarise_dump(dump(text, 0), Role.PARENT)
    assert (note.doing, note.pid, note.collective) == (ProcessActivity.BLOCKED, 12, "Rank.barrier (run.py:9)")
    assert note.place == "Worker.get_objects < Rank.barrier < Rank.step"


def test_an_actor_without_a_task_is_idle():
    text = RAY.format(frames="").replace(
        "    actor_method_executor (ray/_private/function_manager.py:740)\n", ""
    )
    assert summarise_dump(dump(text, 0), Role.PARENT).doing is ProcessActivity.IDLE
