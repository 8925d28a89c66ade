"""Thread dumps as py-spy prints them: one function per situation a process can be in."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_THREAD_START = (
    "Thread.run (threading.py:1010)",
    "Thread._bootstrap_inner (threading.py:1073)",
    "Thread._bootstrap (threading.py:1030)",
)
_SHUTDOWN = ("_shutdown (threading.py:1623)",)
_WAIT = ("Condition.wait (threading.py:359)", "Event.wait (threading.py:655)")


@dataclass(frozen=True, slots=True)
class Frames:
    """Where the frames of one generation live, in file and line."""

    python: str
    backend: str
    server: tuple[int, int]  # iris/actor/server.py: _run_operation, its closure
    container: int  # iris/managed_thread.py: where it serves
    coordinator: str
    wait_for_stage: tuple[str, ...]
    loop: str
    main_result: tuple[str, ...]
    main_ready: tuple[str, ...]
    host: str
    worker: str
    shard: tuple[str, ...]
    poll: tuple[str, str]
    heartbeat: str
    subprocess: str
    user_code_below: tuple[str, ...]


_APRIL = Frames(
    python="/srv/iris-apr-venv/bin/python",
    backend="fray/v2/iris_backend.py",
    server=(238, 262),
    container=198,
    coordinator="zephyr/execution.py",
    wait_for_stage=(
        "ZephyrCoordinator._wait_for_stage (zephyr/execution.py:818)",
        "ZephyrCoordinator.run_pipeline (zephyr/execution.py:869)",
    ),
    loop="ZephyrCoordinator._coordinator_loop (zephyr/execution.py:478)",
    main_result=(
        "OperationFuture.result (fray/v2/iris_backend.py:330)",
        "_run_coordinator_job (zephyr/execution.py:1442)",
    ),
    main_ready=(
        "IrisActorGroup.wait_ready (fray/v2/iris_backend.py:483)",
        "_run_coordinator_job (zephyr/execution.py:1436)",
    ),
    host="_host_actor (fray/v2/iris_backend.py:257)",
    worker="zephyr/execution.py",
    shard=("ZephyrWorker._execute_shard (zephyr/execution.py:1242)",),
    poll=(
        "ZephyrWorker._poll_loop (zephyr/execution.py:1172)",
        "ZephyrWorker._run_polling (zephyr/execution.py:1073)",
    ),
    heartbeat="ZephyrWorker._heartbeat_loop (zephyr/execution.py:1118)",
    subprocess="zephyr.subprocess_worker",
    user_code_below=(
        "_map_gen (zephyr/plan.py:166)",
        "run_stage (zephyr/plan.py:844)",
        "_write_pickle_chunks (zephyr/execution.py:200)",
        "_write_stage_output (zephyr/execution.py:275)",
        "execute_shard (zephyr/subprocess_worker.py:170)",
        "main (zephyr/subprocess_worker.py:217)",
        "<module> (zephyr/subprocess_worker.py:230)",
        "_run_code (<frozen runpy>:88)",
        "_run_module_as_main (<frozen runpy>:198)",
    ),
)

_MAY = Frames(
    python="/srv/iris-may-venv/bin/python",
    backend="fray/iris_backend.py",
    server=(239, 263),
    container=205,
    coordinator="zephyr/execution.py",
    wait_for_stage=(
        "ZephyrCoordinator._wait_for_stage (zephyr/execution.py:1016)",
        "ZephyrCoordinator._run_worker_stage (zephyr/execution.py:1105)",
        "ZephyrCoordinator.run_pipeline (zephyr/execution.py:1060)",
    ),
    loop="ZephyrCoordinator._coordinator_loop (zephyr/execution.py:542)",
    main_result=(
        "OperationFuture.result (fray/iris_backend.py:317)",
        "_run_coordinator_job (zephyr/execution.py:1639)",
    ),
    main_ready=(
        "IrisActorGroup.wait_ready (fray/iris_backend.py:492)",
        "_run_coordinator_job (zephyr/execution.py:1633)",
    ),
    host="_host_actor (fray/iris_backend.py:246)",
    worker="zephyr/execution.py",
    shard=(
        "SubprocessRunner.execute (zephyr/runners.py:289)",
        "ZephyrWorker._execute_shard (zephyr/execution.py:1472)",
    ),
    poll=(
        "ZephyrWorker._poll_loop (zephyr/execution.py:1421)",
        "ZephyrWorker._run_polling (zephyr/execution.py:1314)",
    ),
    heartbeat="ZephyrWorker._heartbeat_loop (zephyr/execution.py:1360)",
    subprocess="zephyr.runners",
    user_code_below=(
        "_map_gen (zephyr/plan.py:162)",
        "run_stage (zephyr/plan.py:858)",
        "_StageStatsGenerator.wrap (zephyr/runners.py:125)",
        "batchify (zephyr/writers.py:164)",
        "_write_pickle_chunks (zephyr/execution.py:243)",
        "_write_stage_output (zephyr/execution.py:298)",
        "_run_stage_with_ctx (zephyr/runners.py:154)",
        "_execute_shard_subprocess (zephyr/runners.py:398)",
        "<module> (zephyr/runners.py:461)",
        "_run_code (<frozen runpy>:88)",
        "_run_module_as_main (<frozen runpy>:198)",
    ),
)

# Read, not measured: the coordinator became an actor; its main thread waits the same way in every situation.
_AUGUST = Frames(
    python="/srv/iris-aug-venv/bin/python",
    backend="fray/iris_backend.py",
    server=(241, 265),
    container=205,
    coordinator="zephyr/coordinator.py",
    wait_for_stage=(
        "ZephyrCoordinator._wait_for_stage (zephyr/coordinator.py:702)",
        "ZephyrCoordinator.run_pipeline (zephyr/coordinator.py:748)",
    ),
    loop="ZephyrCoordinator._coordinator_loop (zephyr/coordinator.py:388)",
    main_result=(*_WAIT, "_host_actor (fray/iris_backend.py:251)"),
    main_ready=(*_WAIT, "_host_actor (fray/iris_backend.py:251)"),
    host="_host_actor (fray/iris_backend.py:251)",
    worker="zephyr/worker.py",
    shard=(
        "SubprocessRunner.execute (zephyr/runners.py:301)",
        "ZephyrWorker._execute_shard (zephyr/worker.py:388)",
    ),
    poll=(
        "ZephyrWorker._poll_loop (zephyr/worker.py:310)",
        "ZephyrWorker._run_polling (zephyr/worker.py:214)",
    ),
    heartbeat="ZephyrWorker._heartbeat_loop (zephyr/worker.py:262)",
    subprocess="zephyr.runners",
    user_code_below=_MAY.user_code_below,
)

FRAMES = {"april": _APRIL, "may": _MAY, "august": _AUGUST}


@dataclass(frozen=True, slots=True)
class Thread:
    name: str
    frames: Sequence[str]
    state: str = "idle"


def process(pid: int, command: str, threads: Iterable[Thread], parent: str = "") -> str:
    """One process: header, then its threads in the order of their ids."""
    lines = [f"Process {pid}: {command}", "Python v3.12.1 (/opt/python3.12/bin/python3.12)"]
    if parent:
        lines.append(parent)
    lines.append("")
    for offset, thread in enumerate(threads):
        title = f': "{thread.name}"' if thread.name else ""
        lines.append(f"Thread {pid + offset} ({thread.state}){title}")
        lines += [f"    {frame}" for frame in thread.frames]
    return "\n".join(lines) + "\n"


def plain(pid: int, command: str, frames: Sequence[str]) -> str:
    """A user's own single-threaded program."""
    return process(pid, command, [Thread("", frames)])


def parent(generation: str, pid: int, command: str) -> str:
    """The user's program while it waits for its coordinator job."""
    backend = FRAMES[generation].backend
    frames = [
        f"IrisJobHandle.wait ({backend}:171)",
        "ZephyrContext.execute (zephyr/execution.py:1290)",
        "<module> (pipeline.py:58)",
    ]
    return process(pid, command, [Thread("MainThread", frames)])


def coordinator(generation: str, pid: int, workdir: str, situation: str, pool_threads: int = 3) -> str:
    """A coordinator that is starting, waiting (for workers), in a stage, or a zombie of one of two kinds."""
    frames = FRAMES[generation]
    threads = [Thread("MainThread", _main_frames(frames, generation, situation))]
    if situation == "leaked-thread":
        drain = ("Condition.wait (threading.py:355)", "Queue.get (queue.py:171)", "_drain (metrics.py:96)")
        threads.append(Thread("metrics-exporter", [*drain, *_THREAD_START]))
        if generation != "august":
            return process(pid, _callable_runner(frames, workdir), threads)
    threads += _actor_server(frames, 49152 + pid % 10_000)
    if situation in {"waiting", "stage"}:
        threads += _pool(frames, busy=situation == "stage", size=pool_threads)
    if situation != "starting":
        threads.append(Thread("zephyr-coordinator-loop", [*_WAIT, frames.loop, *_THREAD_START]))
    return process(pid, _callable_runner(frames, workdir), threads)


def worker(generation: str, pid: int, workdir: str, name: str, user_frames: Sequence[str], state: str) -> str:
    """A worker; with `user_frames` one that holds a shard, whose user code runs in a process of its own."""
    frames = FRAMES[generation]
    popen = (
        "Popen._try_wait (subprocess.py:2004)",
        "Popen._wait (subprocess.py:2046)",
        "Popen.wait (subprocess.py:1264)",
        "Popen.communicate (subprocess.py:1201)",
        "run (subprocess.py:550)",
        *frames.shard,
    )
    busy = popen if user_frames else _WAIT
    command = _callable_runner(frames, workdir)
    port = 30_000 + pid % 1000
    threads = [
        Thread("MainThread", [*_WAIT, frames.host, "<module> (_callable_runner.py:36)"]),
        Thread(f"zephyr-poll-{name}", [*busy, *frames.poll, *_THREAD_START]),
        *_actor_server(frames, port),
        Thread(f"zephyr-hb-{name}", [*_WAIT, frames.heartbeat, *_THREAD_START]),
    ]
    text = process(pid, command, threads)
    if not user_frames:
        return text
    shard_command = (
        f"{frames.python} -u -m {frames.subprocess} /tmp/iris/{workdir}/in.pkl /tmp/iris/{workdir}/out.pkl"
    )
    flusher = [
        *_WAIT,
        f"_periodic_counter_writer ({frames.subprocess.replace('.', '/')}.py:101)",
        *_THREAD_START,
    ]
    shard_threads = [
        Thread("MainThread", [*user_frames, *frames.user_code_below], state),
        Thread("zephyr-subprocess-counter-flusher", flusher),
    ]
    child = process(pid + 500, shard_command, shard_threads, f"Parent Process {pid}: {command}")
    return f"{text}\n{'-' * 80}\n{child}"


def controller(pid: int) -> str:
    """The controller's own process."""
    serve = ("Runner.run (asyncio/runners.py:118)", "Server.run (uvicorn/server.py:86)")
    loops = [
        Thread("controller-server", [*serve, *_THREAD_START]),
        Thread("scheduler", [*_WAIT, *_THREAD_START]),
    ]
    return process(pid, "iris-controller", [Thread("MainThread", _WAIT), *loops])


def _main_frames(frames: Frames, generation: str, situation: str) -> Sequence[str]:
    runner = "<module> (_callable_runner.py:36)"
    if generation == "august":
        return [*frames.main_result, runner]
    match situation:
        case "starting":
            return [
                f"FrayIrisClient.host_actor ({frames.backend}:595)",
                f"_run_coordinator_job ({frames.coordinator}:1596)",
                runner,
            ]
        case "waiting":
            return [*frames.main_ready, runner]
        case "stage":
            return [*frames.main_result, runner]
        case _:
            return _SHUTDOWN


def _actor_server(frames: Frames, port: int) -> list[Thread]:
    managed = "ManagedThread.__init__.<locals>._safe_target"
    serve = [
        "Runner.run (asyncio/runners.py:118)",
        "run (asyncio/runners.py:194)",
        "Server.run (uvicorn/server.py:86)",
        f"ThreadContainer.spawn_server.<locals>._run (iris/managed_thread.py:{frames.container})",
        f"{managed} (iris/managed_thread.py:107)",
        *_THREAD_START,
    ]
    watch = [
        "Condition.wait (threading.py:355)",
        "Event.wait (threading.py:655)",
        f"{managed}.<locals>._watch_stop (iris/managed_thread.py:92)",
        *_THREAD_START,
    ]
    return [Thread(f"actor-server-{port}", serve), Thread(f"actor-server-{port}-on-stop", watch)]


def _pool(frames: Frames, *, busy: bool, size: int) -> list[Thread]:
    idle = ["_worker (concurrent/futures/thread.py:89)", *_THREAD_START]
    working = [
        *_WAIT,
        *frames.wait_for_stage,
        f"ActorServer._run_operation (iris/actor/server.py:{frames.server[0]})",
        f"ActorServer.start_operation.<locals>.run (iris/actor/server.py:{frames.server[1]})",
        "_WorkItem.run (concurrent/futures/thread.py:58)",
        "_worker (concurrent/futures/thread.py:92)",
        *_THREAD_START,
    ]
    pool = [working if busy and index == 0 else idle for index in range(size if busy else 1)]
    return [Thread(f"actor-method_{index}", stack) for index, stack in enumerate(pool)]


def _callable_runner(frames: Frames, workdir: str) -> str:
    return f"{frames.python} -u /tmp/iris/cache/workdirs/{workdir}_attempt_0/_callable_runner.py"
