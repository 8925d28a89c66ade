import pytest

from babysitter.model.dump import Doing
from babysitter.model.log import Role
from babysitter.read.dumps import note_of
from tests.support import jobs
from tests.support.jobs import dump

USER_SHUTDOWN = jobs.IN_STAGE.replace("_wait_for_stage", "_x").replace(
    "OperationFuture.result (fray/iris_backend.py:320)", "_shutdown (my_program.py:4)"
)

BUSY_IN_ACCEPT = jobs.BLOCKED.replace("Thread 30 (idle)", "Thread 30 (active)")


@pytest.mark.parametrize(
    ("text", "doing"),
    [
        (jobs.IN_STAGE, Doing.IN_STAGE),
        (jobs.WAITING, Doing.WAITING_FOR_WORKERS),  # all pool threads idle: no zombie
        (jobs.OVER, Doing.SHUT_DOWN),  # the coordinator loop still there: no life
        (jobs.HOSTED, Doing.UNCLEAR),  # August: its dumps cannot tell
        (USER_SHUTDOWN, Doing.IN_STAGE),  # a program's own _shutdown is no end; a pool thread is busy
        ("", Doing.UNCLEAR),
        ("no dump at all", Doing.UNCLEAR),
    ],
)
def test_what_a_coordinator_does(text, doing):
    assert note_of(dump(text, 0), Role.COORDINATOR).doing is doing


def test_a_stage_under_way_outweighs_a_main_thread_in_shutdown():
    both = jobs.OVER + 'Thread 9 (idle): "actor-method_0"\n    _wait_for_stage (zephyr/execution.py:800)\n'
    assert note_of(dump(both, 0), Role.COORDINATOR).doing is Doing.IN_STAGE


@pytest.mark.parametrize(
    ("text", "doing", "place"),
    [
        (jobs.BLOCKED, Doing.BLOCKED, "socket.accept < fetch_page < _map_gen"),
        (jobs.AT_WORK, Doing.WORKING, "tokenize < fetch_page < _map_gen"),
        (BUSY_IN_ACCEPT, Doing.WORKING, None),
        (jobs.NO_SHARD, Doing.IDLE, None),
        (jobs.OVER, Doing.SHUT_DOWN, None),
    ],
)
def test_what_a_worker_does_is_in_its_child(text, doing, place):
    note = note_of(dump(text, 0), Role.WORKER)
    assert note.doing is doing
    assert place is None or note.place == place
