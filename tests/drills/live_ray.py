"""The worlds of the contract suites on a real Ray, whose dashboard BABYSIT_LIVE_RAY names."""

import asyncio
import itertools
import json
import os
import time
import urllib.request
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from babysitter.backends.ray.dashboard.http_client import JSON, SEND_LIMIT_S, RayAnswer, RayHttpClient
from babysitter.backends.ray.reader import RayReader
from babysitter.backends.ray.writer import RayWriter
from babysitter.backends.registry import ray_spec, read_command
from babysitter.model.ids import JobId
from babysitter.model.submission import Submission, SubmissionOrigin
from tests.contract.backends_under_test import RAY_COMMAND, BackendUnderTest

LIVE = os.environ.get("BABYSIT_LIVE_RAY", "")
PYTHON = os.environ.get("BABYSIT_LIVE_RAY_PYTHON", "python")
TOKEN = os.environ.get("RAY_AUTH_TOKEN", "")
DEADLOCK = Path(__file__).parent / "jobs" / "deadlock.py"
QUIET_AFTER_S = 12.0  # Ray repeats lines of workers up to five seconds later
START_LIMIT_S = 120.0
_NUMBERS = itertools.count(1)
_STATES = {"STOPPED": "KILLED"}


class CountingClient(RayHttpClient):
    """Counts what changes something; answers 503 from when it is told to."""

    def __init__(self, url: str) -> None:
        super().__init__(url, token=TOKEN)
        self.sent: list[str] = []
        self.broken = ""

    async def send(
        self, method: str, path: str, body: bytes = b"", *, kind: str = JSON, limit_s: float = SEND_LIMIT_S
    ) -> RayAnswer:
        self.sent.append(path)
        if self.broken:
            return RayAnswer(503, self.broken.encode())
        return await super().send(method, path, body, kind=kind, limit_s=limit_s)


@asynccontextmanager
async def live_eyes() -> AsyncIterator[BackendUnderTest]:
    """A job whose ranks block each other, the same for all tests."""
    client = CountingClient(LIVE)
    root = JobId("live-1")
    if (await client.get(f"/api/jobs/{root}")).status == 404:
        await _submit(client, root, f"{PYTHON} -u {DEADLOCK}")
        await _submit(client, JobId("live-10"), "sleep 100000")
        await _until_running(client, root, has_driver=True)
        await asyncio.sleep(QUIET_AFTER_S)
    try:
        yield BackendUnderTest(
            RayReader(client), None, root, root, root, neighbours=(JobId("live-10"),), progress="deadlock"
        )
    finally:
        await client.close()


@asynccontextmanager
async def live_hands() -> AsyncIterator[BackendUnderTest]:
    """Fresh jobs for each test, which are stopped behind it."""
    client = CountingClient(LIVE)
    stem = f"hands{os.getpid()}-{next(_NUMBERS)}"
    jobs = [JobId(f"{stem}-1"), JobId(f"{stem}-10"), JobId(f"{stem}-11")]
    for job in jobs:
        await _submit(client, job, "sleep 100000")
    for job in jobs:
        await _until_running(client, job)
    client.sent.clear()
    root, new = jobs[0], JobId(f"{stem}-1-r1")
    spec, _ = ray_spec(LIVE)
    given = read_command(spec, Submission(tuple(RAY_COMMAND.split()), SubmissionOrigin.RESUBMIT_FLAG))

    def states() -> dict[str, str]:
        """As of now; what was asked to stop has a moment for it."""
        asked = {path.split("/")[3] for path in client.sent if path.endswith("/stop")}
        for _ in range(60):
            found = _states(stem)
            if all(found[job] != "RUNNING" for job in asked & found.keys()):
                return found
            time.sleep(0.5)
        return found

    called = {"LaunchJob": "/api/jobs/", "TerminateJob": f"/api/jobs/{root}/stop"}

    def breaks(code: str) -> None:
        client.broken = code

    try:
        yield BackendUnderTest(
            RayReader(client),
            RayWriter(client, environ={}),
            root,
            root,
            root,
            neighbours=tuple(jobs[1:]),
            url=LIVE,
            states=states,
            asked=lambda method: client.sent.count(called[method]),
            new=new,
            given=replace(given, job=new),
            set_by_us=frozenset({"babysit_record"}),
            breaks=breaks,
            until_up=lambda job: _until_running(client, job),
        )
    finally:
        client.broken = ""
        for job in (*jobs, new):
            await client.send("POST", f"/api/jobs/{job}/stop")
        await client.close()


def _states(stem: str) -> dict[str, str]:
    headers = {"user-agent": "babysit", "authorization": f"Bearer {TOKEN}"}
    request = urllib.request.Request(f"{LIVE}/api/jobs/", headers=headers)
    with urllib.request.urlopen(request, timeout=10) as answer:
        jobs = {str(told["submission_id"]): told["status"] for told in json.loads(answer.read())}
    return {name: _STATES.get(state, state) for name, state in jobs.items() if name.startswith(f"{stem}-")}


async def _submit(client: RayHttpClient, job: JobId, entrypoint: str) -> None:
    body = json.dumps({"entrypoint": entrypoint, "submission_id": job}).encode()
    answer = await client.send("POST", "/api/jobs/", body)
    assert answer.status == 200, answer.text


async def _until_running(client: RayHttpClient, job: JobId, *, has_driver: bool = False) -> None:
    async with asyncio.timeout(START_LIMIT_S):
        while True:
            told = json.loads((await client.get(f"/api/jobs/{job}")).body)
            if told["status"] == "RUNNING" and (told["job_id"] or not has_driver):
                return
            await asyncio.sleep(0.3)
