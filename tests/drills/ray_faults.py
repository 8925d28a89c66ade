"""`python -m tests.drills.ray_faults --ray BIN`: runs like TorchSpec's on a real Ray.

First a sound run: every phase of its start is named. Then runs with one fault each: cause, first advice, and
evidence. Runs that stand still are looked at once a minute on a clock that is put forward by 20 minutes.
"""

import argparse
import asyncio
import sys
import time
from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import partial
from pathlib import Path

from babysitter.model.ids import JobId
from tests.drills.faulty_runs import (
    Fault,
    Story,
    faults_of,
    kill_actor,
    kill_control_service,
    kill_driver,
    kill_second_node,
)
from tests.drills.local_ray import LocalRay, until, with_kill

ROOM_BYTES = 2_000_000_000  # that a run may eat before Ray's memory monitor kills it
AT_ONCE = (
    Fault("import-error", ("missing-dependency",), "Add the missing package", ("torch_spec_kernels",)),
    Fault("nan", ("numerical-divergence",), "max_grad_norm", ("loss=nan",)),
    Fault("actor-killed", ("actor-died",), "Read worker-*-", ("Worker PID:",), kill_actor),
    Fault("driver-killed", ("host-oom", "unknown"), "dmesg", ("exit code -9",), kill_driver),
)
OUT_OF_MEMORY = Fault("oom", ("host-oom",), "dmesg", ("OutOfMemoryError",))
NODE_LOST = Fault("node-removed", ("preemption",), "", ("node",), kill_second_node)
STANDING_STILL = (
    Fault("never-fits", ("unschedulable",), "ray status", ("3 GPU", "INFEASIBLE")),
    Fault("shards-stall", ("stage-stuck",), "iostat", ("62 %",)),
    Fault("shards-quiet", ("stage-stuck",), "nvidia-smi", ("KV cache",)),
    Fault("barrier", ("collective-timeout",), "worker-*-", ("rank 1 (", "next_batch", "ip=", "pid=")),
)
QUIET_MINUTES = 20
MINUTE = timedelta(minutes=1)
NORMAL_MINUTES = 9  # of a start that is quiet; a look before the limit says nothing


async def phases(ray: LocalRay) -> list[str]:
    """A sound run: the phases of its start in order, and nothing wrong at any look."""
    story = Story(ray, JobId("sound"))
    await story.submit("none", 4.0)
    named: dict[int, str] = {}
    wrong = []
    while not (await story.look()).memory.root_state.is_terminal:
        number, sentence = story.phase
        if number not in named:
            print(f"sound: {sentence}", flush=True)
        named.setdefault(number, sentence)
        if story.found.cause not in ("healthy", "capacity-wait"):  # Ray may take seconds to start the driver
            wrong.append(f"{story.found.cause}: {story.found.explanation}")
        await asyncio.sleep(0.5)
    await story.end()
    missing = sorted(set(range(1, 8)) - named.keys())
    return wrong + ([f"phases {missing} were not named"] if missing else [])


async def broken(ray: LocalRay, fault: Fault) -> list[str]:
    """A run that fails: looks until the cause is named."""
    story = Story(ray, JobId(fault.name))
    await story.submit(fault.name)
    if fault.harm is not None:
        if not await until(story.is_training, fault.limit_s):
            return [f"it does not train: {ray.get(f'/api/jobs/{story.job}/logs')['logs'][-600:]}"]
        await story.look()
        fault.harm(ray, story.job)
    began = time.monotonic()
    wrong = ["never looked"]
    while wrong and time.monotonic() - began < fault.limit_s:
        await asyncio.sleep(1.0)
        await story.look()
        wrong = faults_of(story.found, fault)
    _tell(fault.name, story, f"{time.monotonic() - began:.0f} s")
    await story.end()
    return wrong


async def out_of_memory(ray: LocalRay) -> list[str]:
    """On a node of its own, whose limit is a little above what the machine uses now."""
    ray.add_node("small", **_memory_limit())
    try:
        return await broken(ray, OUT_OF_MEMORY)
    finally:
        for pid in ray.processes("raylet/raylet", "small"):
            with_kill(pid)


async def quiet(ray: LocalRay, fault: Fault) -> list[str]:
    """A run that stands still, looked at each minute of a clock that is put forward."""
    story = Story(ray, JobId(fault.name))
    await story.submit(fault.name)
    is_never_placed = "unschedulable" in fault.causes
    sign = {"never-fits": "unified placement group", "barrier": "entering barrier"}.get(
        fault.name, "loading shards"
    )
    await until(lambda: sign in ray.get(f"/api/jobs/{story.job}/logs")["logs"], fault.limit_s)
    await asyncio.sleep(8.0)
    early = []
    for minute in range(QUIET_MINUTES + 1):
        await story.look()
        if minute <= NORMAL_MINUTES and not is_never_placed and story.found.cause not in ("healthy",):
            early.append(f"after {minute} min: {story.found.cause}")
        if minute in (5, NORMAL_MINUTES):
            print(f"{fault.name}, {minute} min: {story.found.cause}; {story.phase[1]}", flush=True)
        story.clock.ahead += MINUTE
    _tell(fault.name, story, f"{QUIET_MINUTES} min")
    await story.end()
    return early + faults_of(story.found, fault)


async def control_service_gone(ray: LocalRay) -> list[str]:
    """Blind, and the job is not called dead; and it says what does not answer."""
    ray.add_node("second")  # again: the first one was lost
    story = Story(ray, JobId("blind"))
    await story.submit("long")
    assert await until(story.is_training, 90)
    await story.look()
    kill_control_service(ray, story.job)
    await asyncio.sleep(3)
    verdict = await story.look()
    told = " ".join(unseen.reason for unseen in verdict.blind)
    print(f"control service gone: blind: {told}; {story.found.cause}", flush=True)
    await story.end()
    is_told = "GCS" in told or "Cannot reach Ray" in told  # `ray start --block` ends the dashboard too
    is_alive = not verdict.memory.root_state.is_terminal
    return [] if verdict.blind and is_told and is_alive else [f"{story.found.cause}, {told!r}"]


def _tell(name: str, story: Story, after: str) -> None:
    found = story.found
    print(
        f"{name}, {after}: {found.cause}, {found.severity}, {found.action}: {found.explanation}", flush=True
    )
    print(f"  to do: {found.advice}", flush=True)
    for line in found.evidence[:2]:
        print(f"  {line.source}: {line.text[:160]}", flush=True)


async def _main(ray: LocalRay, only: str) -> int:
    plan: dict[str, Callable[[], Awaitable[list[str]]]] = {"sound": lambda: phases(ray)}
    plan |= {fault.name: partial(broken, ray, fault) for fault in AT_ONCE}
    plan |= {OUT_OF_MEMORY.name: lambda: out_of_memory(ray)}
    plan |= {fault.name: partial(quiet, ray, fault) for fault in STANDING_STILL}
    plan |= {NODE_LOST.name: lambda: broken(ray, NODE_LOST)}
    plan |= {"control-service-gone": lambda: control_service_gone(ray)}
    wrong = {name: await tried() for name, tried in plan.items() if only in ("", name)}
    for name, faults in wrong.items():
        print(f"{name}: {'; '.join(faults) or 'as it should be'}")
    return 1 if any(wrong.values()) else 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ray", type=Path, required=True, help="folder of `ray` and its python")
    parser.add_argument("--only", default="", help="one of them, such as nan")
    chosen = parser.parse_args()
    ray = LocalRay(chosen.ray)
    try:
        print(f"Ray started in {ray.start():.0f} s", flush=True)
        ray.add_node("second")
        sys.exit(asyncio.run(_main(ray, chosen.only)))
    finally:
        ray.close()


def _memory_limit() -> dict[str, str]:
    """Ray's memory monitor of a node kills from here on."""
    told = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
    total, free = (int(told[name].split()[0]) * 1024 for name in ("MemTotal", "MemAvailable"))
    share = (total - free + ROOM_BYTES) / total
    return {"RAY_memory_usage_threshold": f"{share:.4f}", "RAY_memory_monitor_refresh_ms": "250"}


if __name__ == "__main__":
    main()
