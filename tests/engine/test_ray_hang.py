"""A rank of a run on Ray hangs while another one waits for it: thread dumps name it."""

from dataclasses import replace

from babysitter.backends.ray.dashboard.http_client import RayHttpClient
from babysitter.backends.ray.reader import RayReader
from babysitter.diagnosis.causes.rules_in_force import Playbook
from babysitter.diagnosis.pipeline import judge
from babysitter.engine.observe import observe
from babysitter.model.finding import Cause
from babysitter.model.ids import JobId
from tests.support.build import watch as made_watch
from tests.support.clock import FakeClock
from tests.support.ray_dashboard import HANG, RANKS, hanging, served, worker_log

MARKERS = ":job_id:04000000\n:actor_name:Rank\n"
STEPS = "".join(f"step={n} loss={2 / n:.3f}\n" for n in range(1, 20))
LOOP = "    Worker.main_loop (ray/_private/worker.py:1069)\n    <module> (default_worker.py:323)\n"
FRAMES = (
    "    Rank.barrier (run.py:9)\n    Rank.step (run.py:7)\n",
    "    Rank.load (run.py:20)\n    Rank.step (run.py:6)\n",
)


def standing_still():
    dashboard = hanging()
    for rank, (pid, frames) in enumerate(zip(RANKS, FRAMES, strict=True)):
        dashboard.files[worker_log(pid, "out")] = (MARKERS + STEPS).encode()
        dashboard.files[worker_log(pid, "err")] = f"{MARKERS}rank {rank} begins step 20\n".encode()
        head = f'Process {pid}: ray::Rank.step\n\nThread {pid} (idle): "MainThread"\n'
        dashboard.dumps[str(pid)] = head + frames + LOOP
    return dashboard


async def test_the_rank_that_does_not_come_is_named_with_node_pid_and_file():
    clock = FakeClock()
    async with served(standing_still()) as dashboard:
        begun_ms = dashboard.jobs[HANG]["start_time"]
        clock.advance(begun_ms / 1000 + 120 - clock.now().timestamp())
        reader = RayReader(RayHttpClient(dashboard.url), clock=clock)
        watch, cause = made_watch(kind="auto"), None
        watch = replace(watch, root=JobId(HANG), first_root=JobId(HANG))
        for after_s in (0, 1200, 60, 60):
            clock.advance(after_s)
            verdict = judge(watch, await observe(watch, reader, clock), Playbook(()))
            watch, cause = replace(watch, memory=verdict.memory), verdict.cause
        await reader.close()
    assert cause is Cause.COLLECTIVE_TIMEOUT
    who = f"rank 1 (Rank-75dab0f8, pid={RANKS[1]}, ip=10.0.0.1, worker-*-{RANKS[1]}.err)"
    named = f"{who} stands in Rank.load (run.py:20)"
    assert verdict.diagnosis.explanation.startswith(named)
    asked = [query["pid"] for path, query in dashboard.asked if path == "/worker/traceback"]
    assert set(asked) >= {str(pid) for pid in RANKS}
