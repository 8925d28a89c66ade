"""Thread dumps of simulated coordinators and workers, in the form of py-spy."""

_HEAD = "Process 4242: python -u _callable_runner.py\nPython v3.12.1 (/opt/python3.12/bin/python3.12)\n\n"
_POOL = """Thread 4301 (idle): "actor-server-59527"
    Runner.run (asyncio/runners.py:118)
    ManagedThread.__init__.<locals>._safe_target (iris/managed_thread.py:107)
    Thread.run (threading.py:1010)
"""


def running() -> str:
    """A coordinator that waits for its stage."""
    return f"""{_HEAD}Thread 4242 (idle): "MainThread"
    OperationFuture.result (fray/iris_backend.py:317)
    _run_coordinator_job (zephyr/execution.py:1639)
    <module> (_callable_runner.py:36)
{_POOL}Thread 4310 (idle): "actor-method_0"
    Condition.wait (threading.py:359)
    Event.wait (threading.py:655)
    ZephyrCoordinator._wait_for_stage (zephyr/execution.py:1016)
    ZephyrCoordinator.run_pipeline (zephyr/execution.py:1060)
Thread 4311 (idle): "zephyr-coordinator-loop"
    ZephyrCoordinator._coordinator_loop (zephyr/execution.py:720)
    Thread.run (threading.py:1010)
"""


def zombie() -> str:
    """A coordinator whose pipeline is over and whose process does not end."""
    return f"""{_HEAD}Thread 4242 (idle): "MainThread"
    _shutdown (threading.py:1623)
Thread 4350 (idle): "metrics-exporter"
    Condition.wait (threading.py:355)
    Queue.get (queue.py:171)
    _start_exporter.<locals>._drain (dedup.py:96)
    Thread.run (threading.py:1010)
"""


def blocked_worker() -> str:
    """A worker whose shard waits for the network in a process of its own."""
    return f"""{_HEAD}Thread 4242 (idle): "MainThread"
    Event.wait (threading.py:655)
    _host_actor (fray/iris_backend.py:595)
Thread 4320 (idle): "zephyr-poll-worker"
    run (subprocess.py:550)
    SubprocessRunner.execute (zephyr/runners.py:88)
    ZephyrWorker._execute_shard (zephyr/execution.py:1310)
    ZephyrWorker._poll_loop (zephyr/execution.py:1250)
----------------------------------------
Process 4999: python -m zephyr.subprocess_worker
Parent Process 4242
Python v3.12.1 (/opt/python3.12/bin/python3.12)

Thread 4999 (idle): "MainThread"
    accept (socket.py:295)
    fetch_remote_page (dedup.py:51)
    <module> (subprocess_worker.py:20)
"""
