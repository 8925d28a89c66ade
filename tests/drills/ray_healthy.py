"""`python -m tests.drills.ray_healthy --ray BIN`: a healthy job with eight actors, watched to its end.

Prints what was asked of the cluster in each minute, and what people were told: its start and its end.
"""

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from babysitter.backends.cluster_spec import ClusterSpec
from babysitter.backends.ray.dashboard.http_client import REQUEST_LIMIT_S, Query, RayAnswer, RayHttpClient
from babysitter.backends.ray.reader import RayReader
from babysitter.backends.ray.writer import RayWriter
from babysitter.backends.registry import OpenCluster, ray_spec, wrapped
from babysitter.clock import SystemClock
from babysitter.config import Settings
from babysitter.engine.service import Service
from babysitter.model.phase import Phase
from babysitter.usecases.watching.manage_watches import all_watch_statuses, start_watch
from babysitter.wiring import open_app
from tests.drills.local_ray import local_ray
from tests.drills.ray_life import ADA
from tests.support.app import RecordingNotifier

JOBS = Path(__file__).parent / "jobs"
LOGS = ("/logs/", "/api/v0/logs/file")
MAX_REQUESTS, MAX_BYTES = 6, 10_000  # in a minute of a steady job, beside the lines


class CountedClient(RayHttpClient):
    """Counts requests, and bytes that are not lines of logs, by the minute."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.began = time.monotonic()
        self.requests: dict[int, list[str]] = defaultdict(list)
        self.bytes: dict[int, int] = defaultdict(int)

    async def get(
        self,
        path: str,
        query: Query = (),
        *,
        base: str = "",
        part: str = "",
        limit_s: float = REQUEST_LIMIT_S,
    ) -> RayAnswer:
        answer = await super().get(path, query, base=base, part=part, limit_s=limit_s)
        minute = int((time.monotonic() - self.began) / 60)
        self.requests[minute].append(path)
        self.bytes[minute] += 0 if path.startswith(LOGS) else len(answer.body)
        return answer


async def watch(url: str, python: str, minutes: float) -> int:
    client, told = CountedClient(url), RecordingNotifier()
    job = f"healthy-{int(time.time())}"
    entrypoint = f"{python} -u {JOBS / 'healthy.py'} {minutes * 60:g}"
    body = json.dumps({"entrypoint": entrypoint, "submission_id": job}).encode()
    answer = await client.send("POST", "/api/jobs/", body)
    assert answer.status == 200, answer.text

    def opened(spec: ClusterSpec) -> OpenCluster:
        clock = SystemClock()
        reader = RayReader(client, clock=clock)
        return OpenCluster(spec, reader=wrapped(reader, clock), writer=RayWriter(client, environ={}))

    steady_from = 0
    with tempfile.TemporaryDirectory(prefix="drill-") as folder:
        settings = Settings(state_dir=Path(folder))
        async with open_app(settings, notifiers=(told,), opener=opened) as app, Service(app) as service:
            await start_watch(app, job, ray_spec(url, name="drill")[0], by=ADA)
            phase = Phase.PENDING
            while phase is not Phase.FINISHED and time.monotonic() - client.began < minutes * 60 + 300:
                await service.tick()
                await service.settled()
                phase = (await all_watch_statuses(app, with_stopped=True))[0].watch.memory.phase
                if phase is Phase.STEADY and not steady_from:
                    steady_from = int((time.monotonic() - client.began) / 60) + 1
                await asyncio.sleep(0.5)
            for _ in range(20):
                await service.tick()
                await service.settled()
    last = max(client.requests) - 1
    for minute in sorted(client.requests):
        mark = "steady" if steady_from < minute < last else ""
        print(
            f"minute {minute}: {len(client.requests[minute])} requests, {client.bytes[minute]} bytes {mark}"
        )
    steady = [minute for minute in client.requests if steady_from < minute < last]
    is_cheap = all(
        len(client.requests[item]) <= MAX_REQUESTS and client.bytes[item] <= MAX_BYTES for item in steady
    )
    print(f"told: {', '.join(told.occasions)}; ended {phase}")
    await client.close()
    return 0 if is_cheap and steady and told.occasions == ["started", "finished"] else 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ray", type=Path, required=True, help="folder of `ray` and its python")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--url", default="", help="of a head that runs already")
    chosen = parser.parse_args()
    python = str(chosen.ray / "python")
    if chosen.url:
        sys.exit(asyncio.run(watch(chosen.url, python, chosen.minutes)))
    with local_ray(chosen.ray) as ray:
        sys.exit(asyncio.run(watch(ray.url, python, chosen.minutes)))


if __name__ == "__main__":
    main()
