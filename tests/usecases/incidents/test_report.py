"""The story of a watch as a person reads it."""

from dataclasses import replace
from pathlib import Path

from babysitter.model.action import ActionStep, StepState
from babysitter.model.events import Event, IncidentOpened, JobFinished, StepTaken, WatchStarted
from babysitter.model.ids import IncidentId, JobId, ProposalId, WatchId
from babysitter.usecases.incidents.report import render, report
from tests.support.app import ADA, home
from tests.support.build import ROOT, at
from tests.support.jobs import job

W, P = WatchId("w-1"), ProposalId("p-1")
SECRET = "hf_" + "madeup" * 6


async def told(folder: Path, *events: Event) -> list[str]:
    async with home(folder) as house:
        house.cluster.jobs[JobId(ROOT)] = job(ROOT)
        watch = await house.watch()
        return render(watch, events).splitlines()


def step(seconds: float, which: ActionStep, state: StepState, detail: str = "") -> StepTaken:
    return StepTaken(at=at(seconds), watch=W, proposal=P, step=which, state=state, detail=detail)


async def test_a_step_is_one_line_that_says_how_it_ended(tmp_path: Path):
    lines = await told(
        tmp_path,
        step(0, ActionStep.STOP, StepState.INTENDED, ROOT),
        step(1, ActionStep.STOP, StepState.DONE, "asked to stop"),
        step(2, ActionStep.TERMINAL, StepState.INTENDED, ROOT),
        step(3, ActionStep.TERMINAL, StepState.DONE, "killed"),
        step(4, ActionStep.SUBMIT, StepState.INTENDED, "/u/x-r1"),
        step(9, ActionStep.SUBMIT, StepState.FAILED, "the cluster refused it"),
    )
    assert [line.partition("` ")[2] for line in lines if line.startswith("- `")] == [
        "stopping the old job: asked to stop",
        "the old job is killed",
        "step submitted of p-1 failed (the cluster refused it)",
    ]


async def test_a_step_whose_end_nobody_wrote_down_says_so(tmp_path: Path):
    lines = await told(tmp_path, step(0, ActionStep.SUBMIT, StepState.INTENDED, "/u/x-r1"))
    assert "began; how it ended is not known (/u/x-r1)" in lines[-1]


async def test_text_from_the_job_can_neither_leak_nor_break_out(tmp_path: Path):
    nasty = f"token {SECRET}\n# a heading | <script>`x`"
    opened = IncidentOpened(
        at=at(0), watch=W, incident=IncidentId("i-1"), cause="host-oom", severity="fatal",
        explanation=nasty, evidence=(nasty,),
    )  # fmt: skip
    lines = await told(tmp_path, opened)
    text = "\n".join(lines)
    assert SECRET not in text
    assert not any("<script" in line for line in lines[:-1])  # the last one is held by backticks
    assert not any(line.startswith("# a heading") for line in lines)
    assert lines[-1].strip().count("`") == 2  # the quote around it, and none inside


async def test_the_head_sums_up(tmp_path: Path):
    lines = await told(
        tmp_path,
        WatchStarted(at=at(0), watch=W, root=JobId(ROOT), by=ADA),
        JobFinished(at=at(90), watch=W, root=JobId(ROOT), state="failed", cause="host-oom",
                    summary="exit code 137"),
    )  # fmt: skip
    assert "- incidents: 0" in lines
    assert "- ended: failed, exit code 137" in lines


async def test_every_page_of_events_is_read(tmp_path: Path):
    async with home(tmp_path) as house:
        house.cluster.jobs[JobId(ROOT)] = job(ROOT)
        watch = await house.watch()
        async with house.app.store.transaction() as tx:
            for number in range(1_500):
                taken = step(number, ActionStep.STOP, StepState.FAILED, f"try {number}")
                await tx.events.append(replace(taken, watch=watch.id))
                await tx.events.append(taken)  # of another watch: no part of this story
        text = await report(house.app, watch.id)
    assert "began watching" in text
    assert [text.count(f"(try {number})") for number in (0, 999, 1_499)] == [1, 1, 1]
