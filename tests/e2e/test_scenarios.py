"""Every scenario of the simulator, told by the whole program: phases, incidents, messages, offers, end."""

from dataclasses import dataclass

import pytest

from babysitter.sim.iris import scenario as scenarios
from babysitter.sim.iris.controller import ROOT
from tests.e2e.failing_advisors import (
    FAILURES,
    SETTINGS,
    everything_told,
    failing_advisors,
    pass_asking,
)
from tests.support.sim_app import story

UP = ["smoke", "steady"]
WELL = [*UP, "finished"]
SILENT = ["started", "finished"]  # all that is said of a healthy run
SUCCEEDED = ("succeeded", "healthy")


@dataclass(frozen=True)
class Told:
    """What is told of one scenario. `phases`: those entered, in order; `proposals`: how many are offered."""

    scenario: str
    for_s: float
    phases: list[str]
    said: list[str]
    causes: tuple[str, ...] = ()
    endings: tuple[str, ...] = ()
    proposals: int = 0
    outcome: tuple[str, str] | None = SUCCEEDED
    step_s: float = 10.0
    suspicion: str = ""  # part of why the watch looked closer

    def __str__(self) -> str:
        return self.scenario


TELLINGS = [
    Told("healthy", 200, WELL, SILENT),
    Told("plain-success", 200, WELL, SILENT),
    Told("two-pipelines", 250, WELL, SILENT),
    Told("log-flood", 180, WELL, SILENT),
    Told("worker-killed", 250, WELL, SILENT),
    Told("workers-wait", 900, ["smoke", "pending", *WELL], SILENT, step_s=5.0),
    Told("second-waits", 1000, [*UP, "pending", *WELL], SILENT),
    Told("workers-preempted", 1000, [*UP, "pending", *WELL], ["started", "waiting", "finished"], step_s=20.0),
    Told("coordinator-killed", 350, WELL, SILENT, suspicion="killed with SIGKILL"),
    Told("straggler", 1400, WELL, SILENT, step_s=20.0, suspicion="waits for its last 1 of 24 shards"),
    Told("stopped-by-person", 180, WELL, SILENT, outcome=("killed", "user-cancel")),
    Told("pending-capacity", 3600, [], ["started", "waiting"], outcome=None, step_s=60.0),
    Told(
        "never-placed",
        3600,
        [],
        ["started", "incident"],
        causes=("unschedulable",),
        outcome=None,
        step_s=60.0,
    ),
    Told(
        "controller-forgets",
        5200,
        WELL,
        ["started", "incident", "resolved", "finished"],
        causes=("job-gone",),
        endings=("self-resolved",),
        step_s=60.0,
    ),
    Told(
        "import-error",
        100,
        ["smoke", "finished"],
        ["started", "incident"],
        causes=("missing-dependency",),
        endings=("failed",),
        outcome=("failed", "missing-dependency"),
    ),
    Told(
        "bundle-error",
        60,
        ["smoke", "finished"],
        ["started", "incident"],
        causes=("build-or-bundle-failure",),
        endings=("failed",),
        outcome=("failed", "build-or-bundle-failure"),
        step_s=5.0,
    ),
    Told(
        "oom-137",
        150,
        WELL,
        ["started", "incident"],
        causes=("host-oom",),
        proposals=1,
        outcome=("failed", "host-oom"),
    ),
    Told(
        "shard-error",
        150,
        WELL,
        ["started", "incident"],
        causes=("code-error",),
        endings=("failed",),
        outcome=("failed", "code-error"),
    ),
    Told(
        "shard-killed",
        150,
        WELL,
        ["started", "incident"],
        causes=("host-oom",),
        endings=("failed",),
        outcome=("failed", "host-oom"),
    ),
    Told(
        "worker-churn",
        1400,
        [*UP, "failing", "steady", "finished"],
        ["started", "incident", "resolved", "finished"],
        causes=("worker-churn",),
        endings=("self-resolved",),
        step_s=30.0,
    ),
    Told(
        "parent-retried",
        600,
        WELL,
        ["started", "incident", "resolved", "finished"],
        causes=("zombie-coordinator",),
        endings=("self-resolved",),
    ),
    Told(
        "stuck-stage",
        1500,
        [*UP, "failing"],
        ["started", "incident", "proposal"],
        causes=("stage-stuck",),
        proposals=1,
        outcome=None,
        step_s=30.0,
    ),
    Told(
        "zombie",
        250,
        [*UP, "suspect", "failing"],
        ["started", "incident"],
        causes=("zombie-coordinator",),
        proposals=1,
        outcome=None,
    ),
    Told(
        "controller-outage",
        4900,
        WELL,
        ["started", "blind", "resolved", "finished"],
        causes=("controller-unreachable",),
        endings=("self-resolved",),
        step_s=60.0,
    ),
    Told(
        "controller-hang",
        1500,
        WELL,
        ["started", "blind", "resolved", "finished"],
        causes=("controller-unreachable",),
        endings=("self-resolved",),
        step_s=60.0,
    ),
]


ASKED_ABOUT = {  # with an incident of the job, or a report that nothing explains
    "bundle-error",
    "controller-forgets",
    "import-error",
    "never-placed",
    "oom-137",
    "parent-retried",
    "shard-error",
    "shard-killed",
    "stuck-stage",
    "worker-churn",
    "zombie",
}


def test_every_scenario_is_told():
    assert {telling.scenario for telling in TELLINGS} | {"long-run", "zombie-again"} == set(scenarios.names())


@pytest.mark.parametrize("told", TELLINGS, ids=str)
async def test_a_scenario_is_told_as_it_is(told, tmp_path, monkeypatch):
    """Promise: an advisor that fails changes nothing, whatever the failure.

    Where it was asked, everything is compared byte by byte with the story without an advisor. `make advised`
    asks in every scenario.
    """
    monkeypatch.setattr("secrets.token_hex", lambda _: "5eed5eed")  # ids, and what is drawn from them
    folder = tmp_path / "asked"
    async with failing_advisors() as advisors, story(told.scenario, folder, advisor=SETTINGS) as tale:
        course = await pass_asking(tale, folder, told.for_s, told.step_s, advisors)
        assert await tale.phases() == told.phases
        assert tale.ear.occasions == told.said
        assert await tale.causes() == list(told.causes)
        assert await tale.endings() == list(told.endings)
        assert len(await tale.proposals()) == told.proposals
        assert await tale.outcome() == told.outcome
        assert told.suspicion in " ".join(await tale.suspicions())
        # Promise 1: whatever happened, nothing was done without an answer.
        asked = {method for method, _ in tale.sim.requests}
        assert not asked & {"TerminateJob", "LaunchJob"}
        assert all(tale.sim.cluster.runs[neighbour].state == "running" for neighbour in tale.sim.neighbours)
    if advisors.reasons:
        alone = tmp_path / "alone"
        async with story(told.scenario, alone) as tale:
            expected = await pass_asking(tale, alone, told.for_s, told.step_s, None)
        assert len(set(advisors.reasons)) == len(FAILURES), "each failure once"
        assert course == expected
        assert everything_told(folder) == everything_told(alone)
    assert bool(advisors.reasons) == (told.scenario in ASKED_ABOUT)


@pytest.mark.parametrize(("scenario", "after_s"), [("zombie", 250), ("oom-137", 150)])
async def test_an_approved_restart_is_carried_out_once_and_ends_well(scenario, after_s, tmp_path):
    async with story(scenario, tmp_path) as tale:
        await tale.pass_s(after_s, 10.0)
        assert tale.sim.launched == []
        assert "Approved by U-ada" in await tale.answer()
        assert "Already approved by U-ada" in await tale.answer()
        await tale.pass_s(350, 10.0)
        assert tale.sim.launched == [f"{ROOT}-r1"]
        assert tale.sim.cluster.runs[f"{ROOT}-r1"].state == "succeeded"
        assert all(tale.sim.cluster.runs[neighbour].state == "running" for neighbour in tale.sim.neighbours)
        standing = await tale.standing()
        assert (standing.watch.root, standing.watch.phase) == (f"{ROOT}-r1", "finished")
        assert all(incident.status.is_over for incident in standing.incidents)
        assert len(await tale.proposals()) == 1
        assert await tale.outcome() == SUCCEEDED
