"""What does watching cost a cluster? Requests, bytes on the wire, and how late checks begin.

1. One steady pipeline watch against what people do by hand: every minute the last 5,000 log lines of the
   coordinator, and the list of tasks.
2. Twenty quiet plain watches: requests, and bytes of both directions with headers, as a proxy counts them.
3. Two hundred of them, on a controller that answers four log requests at a time: how late a check begins.

All ask the simulated cluster over real HTTP, but for the third, whose minutes of waiting pass on a clock.

    PYTHONPATH=. python benchmarks/polling.py [--json] [--minutes 30] [--generation may]
"""

import argparse
import asyncio
import contextlib
import json
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import aiohttp

from babysitter.backends.cluster_spec import ClusterSpec
from babysitter.backends.registry import open_cluster
from babysitter.config import Settings
from babysitter.engine.service import Service
from babysitter.sim.iris.controller import Simulator
from babysitter.usecases.watching.manage_watches import start_watch
from babysitter.wiring import open_app
from tests.support.clock import FakeClock
from tests.support.many_watches import many_watches
from tests.support.sim_app import ADA, story

STEP_S = 10.0
SETTLE_S = 300.0  # until the job is in steady state
LINES = 5_000
PLAIN_WATCHES = 20
MAX_REQUESTS_PER_MINUTE = 45
MAX_BYTES_PER_MINUTE = 40_000
MANY_WATCHES = 200
SLOW_LOG_S = 1.2  # a log request on a loaded machine
MAX_LAG_S = 30
# A coordinator prints what its workers pull beside its progress: some fifty lines for one that counts.
BUSY = """
about: A pipeline that works at its pace for many hours.
root:
  pipelines:
    - workers: 16
      stages: [{ops: Map → Scatter, shards: 4000, shard_s: 120, noise: 50}]
"""
QUIET = f"""
about: Plain programs that print one line and then work for hours without another.
copies: {PLAIN_WATCHES - 1}
root:
  argv: [python, quiet.py]
  says: [{{say: quiet job begins}}, {{say: done, every_s: 360000}}]
"""


async def measure_pipeline(generation: str, minutes: int) -> dict[str, float]:
    """Requests and bytes of answers per minute, of a watch and by hand."""
    with tempfile.TemporaryDirectory() as folder:
        scenario = Path(folder) / "busy.yaml"
        scenario.write_text(BUSY, encoding="utf-8")
        async with story(str(scenario), Path(folder), generation=generation) as tale:
            await tale.pass_s(SETTLE_S, STEP_S)
            tale.sim.requests.clear()
            await tale.pass_s(minutes * 60, STEP_S)
            ours = list(tale.sim.requests)
            tale.sim.requests.clear()
            await by_hand(
                tale.sim.url, tale.sim.root_job, (await tale.standing()).watch.memory.newest_attempt
            )
            theirs = list(tale.sim.requests)
    found = {
        "requests_per_minute": len(ours) / minutes,
        "bytes_per_minute": sum(size for _, size in ours) / minutes,
        "polling_requests_per_minute": float(len(theirs)),
        "polling_bytes_per_minute": float(sum(size for _, size in theirs)),
    }
    return found | {"bytes_ratio": found["polling_bytes_per_minute"] / found["bytes_per_minute"]}


async def by_hand(url: str, root: str, coordinator: str | None) -> None:
    """One round of the usual loop: the newest lines, and every task."""
    asked = {
        "iris.logging.LogService/FetchLogs": {
            "source": f"{coordinator}/0:",
            "matchScope": "MATCH_SCOPE_PREFIX",
            "tail": True,
            "maxLines": LINES,
        },
        "iris.cluster.ControllerService/ListTasks": {"jobId": root},
    }
    async with aiohttp.ClientSession() as session:
        for path, body in asked.items():
            async with session.post(f"{url}/{path}", json=body) as answer:
                answer.raise_for_status()
                await answer.read()


@dataclass
class Wire:
    """A proxy on loopback that counts every byte that passes, headers included."""

    port: int = 0
    passed_bytes: int = 0
    tasks: set[asyncio.Task[None]] = field(default_factory=set)

    @contextlib.asynccontextmanager
    async def to(self, port: int) -> AsyncIterator[str]:
        """Pass everything on to this port; gives the address to use instead."""

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            there_reader, there_writer = await asyncio.open_connection("127.0.0.1", port)
            for ends in ((reader, there_writer), (there_reader, writer)):
                task = asyncio.create_task(self._pass(*ends))
                self.tasks.add(task)

        async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
            yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
            for task in self.tasks:
                task.cancel()
            await asyncio.gather(*self.tasks, return_exceptions=True)

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while piece := await reader.read(1 << 16):
            self.passed_bytes += len(piece)
            writer.write(piece)
            await writer.drain()
        writer.close()


async def measure_plain(generation: str, minutes: int) -> dict[str, float]:
    """Requests and bytes per minute of twenty quiet plain watches in steady state."""
    clock, wire = FakeClock(), Wire()
    with tempfile.TemporaryDirectory() as folder:
        scenario = Path(folder) / "quiet.yaml"
        scenario.write_text(QUIET, encoding="utf-8")
        async with (
            Simulator(str(scenario), clock.now, generation=generation) as sim,
            wire.to(int(sim.url.rpartition(":")[2])) as url,
            open_app(
                Settings(state_dir=Path(folder)), clock=clock, opener=partial(open_cluster, clock=clock)
            ) as app,
            Service(app) as service,
        ):

            async def pass_s(seconds: float) -> None:
                for _ in range(int(seconds / STEP_S)):
                    clock.advance(STEP_S)
                    await service.tick()
                    await service.settled()

            for job in (sim.root_job, *sim.copies):
                await start_watch(app, job, ClusterSpec("marin", url=url), by=ADA)
                await pass_s(STEP_S)  # people do not start them all at once
            await pass_s(SETTLE_S)
            sim.requests.clear()
            passed_before = wire.passed_bytes
            await pass_s(minutes * 60)
            requests, passed_bytes = len(sim.requests), wire.passed_bytes - passed_before
    return {
        "plain_requests_per_minute": requests / minutes,
        "plain_wire_bytes_per_minute": passed_bytes / minutes,
    }


async def measure_many() -> dict[str, float]:
    """How late the checks of two hundred watches begin."""
    with tempfile.TemporaryDirectory() as folder:
        many = await many_watches(Path(folder), MANY_WATCHES, SLOW_LOG_S, minutes=5)
    return {
        "many_max_lag_s": max(many.lags_s),
        "many_max_gap_s": many.longest_gap_s,
        "many_checks_per_minute": len(many.lags_s) / 5,
    }


async def measure(generation: str, minutes: int) -> dict[str, float]:
    """Everything, one after another."""
    return {
        **await measure_pipeline(generation, minutes),
        **await measure_plain(generation, minutes),
        **await measure_many(),
    }


def main() -> None:
    options = argparse.ArgumentParser(description="What watching costs a cluster.")
    options.add_argument("--json", action="store_true")
    options.add_argument("--minutes", type=int, default=30)
    options.add_argument("--generation", default="may")
    given = options.parse_args()
    found = asyncio.run(measure(given.generation, given.minutes))
    if given.json:
        print(json.dumps({name: round(value, 2) for name, value in found.items()}))
        return
    for who, prefix in (("a pipeline watch", ""), ("polling by hand", "polling_")):
        requests, size = found[f"{prefix}requests_per_minute"], found[f"{prefix}bytes_per_minute"]
        print(f"{who:<20} {requests:.1f} requests, {size:,.0f} bytes of answers a minute")
    print(f"polling costs {found['bytes_ratio']:.0f} times as many bytes")
    requests, size = found["plain_requests_per_minute"], found["plain_wire_bytes_per_minute"]
    print(
        f"{PLAIN_WATCHES} plain watches     {requests:.1f} requests (at most {MAX_REQUESTS_PER_MINUTE}), "
        f"{size:,.0f} bytes on the wire a minute (at most {MAX_BYTES_PER_MINUTE:,})"
    )
    print(
        f"{MANY_WATCHES} plain watches    {found['many_checks_per_minute']:.0f} checks a minute where a log "
        f"request takes {SLOW_LOG_S} s; a check begins {found['many_max_lag_s']:.0f} s late at most "
        f"(at most {MAX_LAG_S}), the next follows within {found['many_max_gap_s']:.0f} s"
    )


if __name__ == "__main__":
    main()
