"""Every option of a submission, through the command and over HTTP, in three generations."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from babysitter.backends.cluster_spec import ClusterSpec
from babysitter.errors import SubmissionRefused, Unreachable, UserError
from babysitter.sim.iris.controller import Simulator
from babysitter.usecases.submitting.submit_job import (
    LocalContext,
    SubmitOptions,
    SubmitPlan,
    plan_submit,
    submit_job,
)
from tests.launch.test_submit_options import CLUSTER
from tests.support.clock import FakeClock
from tests.support.fork_server import command_line

SWEEP = Path(__file__).parents[2] / "support" / "sweep.yaml"
BUILT_ON = "2026-11-20"
COMMAND = ("python", "train.py", "--steps", "3")
BOTH_WAYS = [
    ("april", "command"),
    ("april", "http"),
    ("may", "command"),
    ("may", "http"),
    ("august", "command"),
]


@dataclass
class Place:
    simulator: Simulator
    cluster: ClusterSpec
    here: LocalContext
    clock: FakeClock
    wants_http: bool

    async def plan(self, **options: Any) -> SubmitPlan:
        given = SubmitOptions(COMMAND, job_name="tiny", user="ada", **options)
        return await plan_submit(given, self.cluster, self.here, self.clock, wants_http=self.wants_http)

    async def stored(self, **options: Any) -> dict[str, Any]:
        """The request that the cluster has after the submission."""
        plan = await self.plan(**options)
        assert plan.is_http is self.wants_http
        assert not [finding for finding in plan.findings if finding.blocks]
        job = await submit_job(plan, self.here, self.clock)
        assert job == "/ada/tiny"
        return self.simulator.cluster.jobs[job].request


@asynccontextmanager
async def opened(folder: Path, generation: str, way: str) -> AsyncIterator[Place]:
    clock = FakeClock()
    (folder / "train.py").write_text("print(1)\n")
    async with Simulator(str(SWEEP), clock.now, generation=generation) as simulator:
        spec = ClusterSpec(
            "sim",
            url=simulator.url,
            iris_command=command_line("simulated-iris", "--as", generation),
            client_revision_date=BUILT_ON,
        )
        here = LocalContext(folder, {"HF_TOKEN": "hf-made-up", "PATH": "/usr/bin:/bin"}, folder / "home")
        yield Place(simulator, spec, here, clock, way == "http")


@pytest.fixture(params=BOTH_WAYS, ids=["-".join(way) for way in BOTH_WAYS])
async def place(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Place]:
    async with opened(tmp_path, *request.param) as found:
        yield found


async def test_submit_with_resources_and_limits(place: Place):
    request = await place.stored(
        cpu=2.0, memory="8GB", disk="20GB", replicas=2, max_retries=3, timeout_s=90, extra=("cpu",)
    )
    assert request["entrypoint"]["runCommand"]["argv"] == list(COMMAND)
    resources = request["resources"]
    assert int(resources["cpuMillicores"]) == 2000
    assert (resources["memoryBytes"], resources["diskBytes"]) == (str(8 * 2**30), str(20 * 2**30))
    assert (request["replicas"], request["maxRetriesFailure"]) == (2, 3)


async def test_submit_variables(place: Place, monkeypatch: pytest.MonkeyPatch):
    for name in ("HF_TOKEN", "WANDB_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    request = await place.stored(variables=(("LR", "0.1"), ("EMPTY",), ("LR", "0.2")))
    variables = request["environment"]["envVars"]
    assert (variables["LR"], variables["EMPTY"]) == ("0.2", "")
    if place.wants_http:
        assert variables["HF_TOKEN"] == "hf-made-up"


async def test_submit_bad_variable_is_refused(place: Place):
    with pytest.raises(UserError, match="cannot contain '='"):
        await place.plan(variables=(("A=1",),))


async def test_submit_places_over_http(tmp_path: Path):
    async with opened(tmp_path, "april", "http") as place:
        request = await place.stored(
            region=("us-east5,us-west4",),
            zone="us-east5-b",
            priority="batch",
            preemptible=True,
            extra=("tpu",),
            tpu=("v6e-4",),
        )
        modes = {constraint["key"]: constraint["mode"] for constraint in request["constraints"]}
        assert set(modes) == {"region", "zone", "preemptible"}
        assert request["priorityBand"] == "PRIORITY_BAND_BATCH"
        assert request["resources"]["device"] == {"tpu": {"variant": "v6e-4", "count": 4}}


async def test_submit_name_in_use_is_blocked(place: Place):
    await place.stored()
    plan = await place.plan()
    assert "name-taken" in [finding.id for finding in plan.findings if finding.blocks]
    if place.wants_http:
        with pytest.raises(SubmissionRefused, match="already exists"):
            await submit_job(plan, place.here, place.clock)


async def test_submit_scale_group_and_auto(tmp_path: Path):
    async with opened(tmp_path, "april", "command") as place:
        (tmp_path / "tiny.yaml").write_text(CLUSTER)
        options = SubmitOptions(
            COMMAND, job_name="tiny", user="ada", scale_group="tpu_v5e_16", extra=("tpu",)
        )
        with pytest.raises(UserError, match="--config"):
            await plan_submit(options, place.cluster, place.here, place.clock)


@pytest.mark.parametrize("generation", ["april", "may", "august"])
async def test_submit_unreachable_cluster(tmp_path: Path, generation: str):
    async with opened(tmp_path, generation, "command") as place:
        nowhere = replace(place.cluster, url="http://127.0.0.1:9")
        with pytest.raises(Unreachable):
            await plan_submit(SubmitOptions(COMMAND), nowhere, place.here, place.clock)


async def test_submit_lost_answer_finds_the_job(tmp_path: Path):
    async with opened(tmp_path, "may", "command") as place:
        plan = await place.plan()
        # The command prints nothing and hangs up after the cluster took the job.
        script = tmp_path / "lossy"
        words = " ".join(place.cluster.iris_command)
        script.write_text(f'#!/bin/sh\n{words} "$@" >/dev/null 2>&1\necho "connection refused" >&2\nexit 1\n')
        script.chmod(0o755)
        lossy = replace(plan, argv=(str(script), *plan.argv[len(place.cluster.iris_command) :]))
        assert await submit_job(lossy, place.here, place.clock) == "/ada/tiny"


async def test_submit_without_the_command_goes_over_http(tmp_path: Path):
    async with opened(tmp_path, "may", "command") as place:
        place.cluster = replace(place.cluster, iris_command=("no-such-iris",))
        plan = await place.plan()
        assert plan.is_http
        assert plan.notes == ("Over HTTP: `no-such-iris` cannot be run here.",)
        assert await submit_job(plan, place.here, place.clock) == "/ada/tiny"
