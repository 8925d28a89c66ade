"""What does watching cost a cluster? One steady watch against what people do by hand.

By hand: every minute the last 5,000 log lines of the coordinator, and the list of tasks. Both ask the same
simulated cluster over real HTTP; what is counted is what goes over the wire, packed as the server packs it.

    PYTHONPATH=. python benchmarks/polling.py [--json] [--minutes 30] [--generation may]
"""

import argparse
import asyncio
import json
import tempfile
from pathlib import Path

import aiohttp

from tests.support.story import story

STEP_S = 10.0
SETTLE_S = 300.0  # until the job is in steady state
LINES = 5_000
# A coordinator prints what its workers pull beside its progress: some fifty lines for one that counts.
BUSY = """
about: A pipeline that works at its pace for many hours.
root:
  pipelines:
    - workers: 16
      stages: [{ops: Map → Scatter, shards: 4000, shard_s: 120, noise: 50}]
"""


async def measure(generation: str, minutes: int) -> dict[str, float]:
    """Requests and bytes per minute of both."""
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
    return {
        "requests_per_minute": len(ours) / minutes,
        "bytes_per_minute": sum(size for _, size in ours) / minutes,
        "polling_requests_per_minute": float(len(theirs)),
        "polling_bytes_per_minute": float(sum(size for _, size in theirs)),
    }


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


def main() -> None:
    options = argparse.ArgumentParser(description="What watching costs a cluster.")
    options.add_argument("--json", action="store_true")
    options.add_argument("--minutes", type=int, default=30)
    options.add_argument("--generation", default="may")
    given = options.parse_args()
    found = asyncio.run(measure(given.generation, given.minutes))
    found["bytes_ratio"] = found["polling_bytes_per_minute"] / found["bytes_per_minute"]
    if given.json:
        print(json.dumps({name: round(value, 2) for name, value in found.items()}))
        return
    for who, prefix in (("a steady watch", ""), ("polling by hand", "polling_")):
        requests, size = found[f"{prefix}requests_per_minute"], found[f"{prefix}bytes_per_minute"]
        print(f"{who:<16} {requests:.1f} requests, {size:,.0f} bytes a minute")
    print(f"polling costs {found['bytes_ratio']:.0f} times as many bytes")


if __name__ == "__main__":
    main()
