"""The laws of reporting, over random sequences of what a cluster may answer.

Within the damping time no message says the opposite of the one before it, nothing is said twice, and every
incident that was opened is closed by the end.
"""

import random
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from babysitter.errors import Unreachable
from babysitter.model.ids import JobId
from babysitter.model.job import Job, JobState
from babysitter.usecases.watching.manage_watches import stop_watch
from tests.support.app import ADA, AppHarness, home
from tests.support.build import NOON, ROOT
from tests.support.jobs import job, raw

JOBS = (ROOT, JobId("/ada/other"), JobId("/bob/third"))
STEPS = 14
ALARMS = {"incident", "worse", "changed", "proposal", "blind"}
NEVER = (
    "Scheduler: Insufficient memory (need 9.0GB, available 1.0GB) - 1 worker(s)\n\nAutoscaler: Unsatisfied "
    "autoscaler demand: insufficient_resources: memory: need 9663676416, available 1073741824"
)


def act(place: AppHarness, chance: random.Random, kept: dict[JobId, Job]) -> str:
    """Let one thing happen to one job, or to the cluster."""
    cluster, seconds = place.cluster, (place.clock.now() - NOON).total_seconds()
    target = chance.choice(JOBS)
    deed = chance.choice(
        ("blind", "seen", "gone", "all-gone", "back", "nan", "well", "pending", "runs", "fails")
    )
    match deed:
        case "blind":
            cluster.broken = Unreachable("The controller refused the connection.")
        case "seen":
            cluster.broken = None
        case "gone":
            cluster.jobs.pop(target, None)
        case "all-gone":
            cluster.jobs.clear()
        case "back":
            cluster.jobs.update(kept)
        case "nan" | "well":
            loss = "nan" if deed == "nan" else "2.5"
            said = [
                raw(seconds + n, f"step {seconds + n:.0f}: loss={loss}", f"{target}/0") for n in range(20)
            ]
            cluster.log.extend(said)
        case "pending":
            kept[target] = replace(kept[target], state=JobState.PENDING, pending_reason=NEVER)
        case "runs":
            kept[target] = replace(kept[target], state=JobState.RUNNING, pending_reason="")
        case "fails":
            error = "Exit code: 1. stderr: ValueError: 7"
            kept[target] = replace(kept[target], failure_count=kept[target].failure_count + 1, error=error)
    cluster.jobs.update({job_id: kept[job_id] for job_id in cluster.jobs})
    return deed


@pytest.mark.parametrize("seed", range(4))
async def test_law_no_message_repeats_its_opposite(seed: int, tmp_path: Path):
    chance = random.Random(seed)
    async with home(tmp_path) as place:
        kept = {job_id: job(job_id) for job_id in JOBS}
        place.cluster.jobs.update(kept)
        watches = [await place.watch(job_id) for job_id in JOBS]
        await place.pass_s(120, step_s=30)
        steps = []
        for _ in range(STEPS):
            steps.append(act(place, chance, kept))
            await place.pass_s(chance.choice((60, 300, 900)), step_s=60)
        place.cluster.broken = None
        ended = place.clock.now()
        done = {job_id: replace(kept[job_id], state=JobState.SUCCEEDED, finished_at=ended) for job_id in JOBS}
        place.cluster.jobs.update(done)
        await place.pass_s(900, step_s=60)
        for watch in watches:
            await stop_watch(place.app, watch.id, by=ADA)
        await obeys_the_laws(place, steps)


async def obeys_the_laws(place: AppHarness, steps: list[str]) -> None:
    heard = place.ear.heard
    assert len({message.id for message in heard}) == len(heard), steps
    async with place.app.store.reading() as tx:
        assert await tx.incidents.open_incidents() == (), steps
        about = {
            message.id: message.incident and await tx.incidents.incident(message.incident)
            for message in heard
        }
    last: dict[tuple[str, str], tuple[bool, object]] = {}
    damping = timedelta(seconds=300)
    for message in heard:
        incident, occasion = about[message.id], message.occasion.value
        if not incident or occasion not in ALARMS | {"resolved"}:
            continue
        topic = (str(incident.key.watch), str(incident.key.cause))
        before = last.get(topic)
        is_alarm = occasion in ALARMS
        if before is not None and before[0] != is_alarm:
            assert message.created_at - before[1] >= damping, (steps, topic)  # type: ignore[operator]
        last[topic] = (is_alarm, message.created_at)
