"""An approved stop that dies at every write of its journal: one end, and never a submission."""

from dataclasses import replace

import pytest

from babysitter.model.action import ActionCancelled, ActionStep, ActionStopped, NotSubmitted
from babysitter.model.proposal import ApprovedAct
from babysitter.policy.stop_proposal import NOTHING
from tests.engine.restarting.test_restart_saga import LOST, Restart, Written
from tests.engine.test_safety import approved
from tests.support.build import ROOT
from tests.support.jobs import R, S, job

WRITES = 6  # evidence, stop and terminal, each before and after


class Killed(BaseException):
    """The process is gone."""


class Dying(Written):
    """Dies before its n-th write from now on (1-based); `None`: lives."""

    dies_at: int | None = None

    async def _write(self, step, state, detail) -> None:
        if self.dies_at is not None:
            self.dies_at -= 1
            if self.dies_at == 0:
                self.dies_at = None
                raise Killed
        await super()._write(step, state, detail)


def stop_of(state=R) -> Restart:
    """One approved stop of a job in this state."""
    given = approved()
    stop = replace(given.proposal, act=ApprovedAct.STOP, submission=NOTHING, successor=given.proposal.job)
    story = Restart(replace(given, proposal=stop))
    story.cluster.jobs[ROOT] = job(ROOT, state)
    story.journal = Dying(story.clock)
    return story


@pytest.mark.parametrize("dies_at", range(1, WRITES + 1))
async def test_stop_that_is_killed_at_a_write_ends_once(dies_at):
    story = stop_of()
    story.journal.dies_at = dies_at
    with pytest.raises(Killed):
        await story.run()
    assert isinstance(await story.run(), ActionStopped)
    assert set(story.writer.stopped) == {ROOT}
    assert story.writer.submitted == []
    assert ActionStep.SUBMIT not in story.journal.records


async def test_job_that_succeeded_is_not_stopped():
    story = stop_of(S)
    assert isinstance(await story.run(), ActionCancelled)
    assert story.writer.stopped == []


async def test_stop_whose_answer_is_lost_is_tried_again():
    story = stop_of()
    story.writer.stop_faults = [LOST] * 3
    assert isinstance(await story.run(), NotSubmitted)
    assert isinstance(await story.run(), ActionStopped)
    assert story.writer.submitted == []
