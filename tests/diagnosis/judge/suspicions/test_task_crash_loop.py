"""Processes of a job that die and are started again inside it: told when that leads nowhere."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from babysitter.backends.ray.dashboard.http_client import RayHttpClient
from babysitter.backends.ray.reader import RayReader
from babysitter.backends.registry import ray_spec
from babysitter.diagnosis.pipeline import judge
from babysitter.model.finding import ActionKind, Cause, Severity
from babysitter.model.ids import JobId
from babysitter.model.limits import Limits
from babysitter.usecases.looking.diagnose_job import OneLook, look_with
from tests.support.build import watch as made_watch
from tests.support.clock import NOON, FakeClock
from tests.support.jobs import look, raw, tree
from tests.support.ray_dashboard import crash_looping, served, with_dead_actor
from tests.support.recordings import rules


def verdict_of(restarts: list[int], *, steps: bool = False, minutes: float = 1.0):
    """The verdict after looks at a job whose processes were restarted so often, up to each look."""
    watch, verdict = made_watch(kind="auto"), None
    for number, count in enumerate(restarts):
        now = number * minutes * 60
        seen = tree()
        seen = replace(seen, root=replace(seen.root, task_restarts=count, started_at=NOON))
        line = f"step={number if steps else 1} loss=0.1"
        verdict = judge(watch, look(now, seen, raw(now, line)), rules())
        watch = replace(watch, memory=verdict.memory)
    assert verdict is not None
    return verdict


@pytest.mark.parametrize(
    ("restarts", "steps", "is_told"),
    [
        ([0, 1, 2, 2], False, False),
        ([0, 1, 2, 3], False, True),
        ([0, 1, 2, 3, 3, 3], True, False),  # the work goes on
        ([3], False, True),  # one look, at a young job
    ],
)
def test_crash_loop_is_told_from_three_restarts_on(restarts, steps, is_told):
    verdict = verdict_of(restarts, steps=steps)
    assert (verdict.diagnosis is not None) is is_told
    if verdict.diagnosis is not None:
        assert verdict.diagnosis.cause is Cause.ACTOR_DIED
        assert verdict.diagnosis.action is ActionKind.RESTART


def test_restarts_of_long_ago_are_forgotten():
    assert verdict_of([0, 1, 2, 3], minutes=20).cause is not Cause.ACTOR_DIED


async def real_verdict(made):
    """The verdict on a recorded job, 20 s after its start."""
    async with served(made) as dashboard:
        ((job, told),) = dashboard.jobs.items()
        clock = FakeClock(datetime.fromtimestamp(told["start_time"] / 1000 + 20, UTC))
        reader = RayReader(RayHttpClient(dashboard.url), clock=clock)
        spec, _ = ray_spec(dashboard.url)
        looked = await look_with(reader, JobId(job), spec, OneLook(rules(), Limits(), clock))
        await reader.close()
    assert looked.verdict.diagnosis is not None
    return job, looked.verdict.diagnosis


async def test_a_real_crash_loop_on_ray_is_an_actor_that_died():
    made = crash_looping()
    job, diagnosis = await real_verdict(made)
    assert (diagnosis.cause, diagnosis.severity) == (Cause.ACTOR_DIED, Severity.FATAL)
    assert diagnosis.action is ActionKind.RESTART
    first = diagnosis.evidence[0]
    assert first.source == f"{job}/TrainerActor-{made.actors[0]['actor_id'][:8]}"
    assert "started again 4 times" in first.text
    assert f"pid {made.actors[0]['pid']}" in first.text


async def test_a_real_death_of_an_actor_is_not_churn():
    _, diagnosis = await real_verdict(with_dead_actor())
    assert (diagnosis.cause, diagnosis.action) == (Cause.ACTOR_DIED, ActionKind.RESTART)
