"""A second look at what is kept: why a cause was not found, and a rule begun from an incident."""

from pathlib import Path

import pytest

from babysitter.errors import UserError
from babysitter.model.ids import JobId, TaskId
from babysitter.model.job import JobState
from babysitter.model.log import LogLine
from babysitter.model.watch import Watch
from babysitter.usecases.incidents.explain import as_lines, explain
from babysitter.usecases.looking.stored_evidence import incident_log
from tests.support.app import AppHarness, home
from tests.support.build import ROOT
from tests.support.jobs import job

TASK = TaskId(f"{ROOT}/0")
SECRET = "hf_" + "madeup" * 6


async def begin(house: AppHarness) -> Watch:
    house.cluster.jobs[JobId(ROOT)] = job(ROOT)
    return await house.watch()


async def fail(house: AppHarness, *texts: str) -> None:
    """The job prints these lines, and ends as FAILED."""
    at_ms = int(house.clock.now().timestamp() * 1000)
    house.cluster.log += [LogLine(text, at_ms + n, TASK) for n, text in enumerate(texts)]
    house.cluster.jobs[JobId(ROOT)] = job(ROOT, JobState.FAILED)
    await house.pass_s(60)


async def test_why_not_takes_the_rules_of_a_cause_apart(tmp_path: Path):
    async with home(tmp_path) as house:
        watch = await begin(house)
        await fail(house, "E1120 the valve left its seat")
        shown = list(as_lines(await explain(house.app, watch.id, why_not="host-oom")))
    assert any(line.startswith("no ") and "exit code" in line for line in shown)


async def test_a_word_that_means_nothing_is_refused_with_those_that_do(tmp_path: Path):
    async with home(tmp_path) as house:
        watch = await begin(house)
        await house.pass_s(60)
        with pytest.raises(UserError, match="says nothing about 'gremlins'"):
            await explain(house.app, watch.id, why_not="gremlins")


async def test_the_log_of_an_incident_is_given_back_redacted(tmp_path: Path):
    async with home(tmp_path) as house:
        await begin(house)
        await fail(house, "E1120 the valve left its seat", f"token {SECRET}")
        lines, state = await incident_log(house.app, ROOT, JobState.RUNNING)
    assert state is JobState.FAILED
    assert "E1120 the valve left its seat" in lines
    assert SECRET not in "".join(lines)


async def test_what_is_no_incident_is_said_so(tmp_path: Path):
    async with home(tmp_path) as house:
        await begin(house)
        await house.pass_s(30)
        with pytest.raises(UserError, match="has had no incident"):
            await incident_log(house.app, ROOT, JobState.FAILED)
        with pytest.raises(UserError, match="No incident has the id 'i-nothing'"):
            await incident_log(house.app, "i-nothing", JobState.FAILED)
