"""Runs of ladders and their attempts, as they are stored."""

from dataclasses import replace
from datetime import timedelta

import pytest

from babysitter.errors import FactsChanged
from babysitter.model.ladder_run import (
    AttemptState,
    CheckStatus,
    LadderRun,
    StepAttempt,
    StepOutcome,
    StepResult,
    SuccessCheckResult,
)
from babysitter.store.store import Store
from tests.support.clock import NOON

RUN = LadderRun("3f2a", "tiny", "tiny.yaml", NOON, steps=("smoke", "cpu"), variables=(("cpu", "A", "1"),))
INTENDED = StepAttempt(1, "smoke", "d", "/ada/tiny-smoke-3f2a-1", "cluster", "python x.py", NOON)
RESULT = StepResult(
    StepOutcome.CHECK_FAILED,
    "It ended.",
    cause="config-error",
    checks=(SuccessCheckResult("a line", CheckStatus.NOT_CHECKED, "no log", "look"),),
)


async def test_ladder_run_comes_back_as_it_was(store: Store):
    async with store.transaction() as tx:
        await tx.ladders.begin(RUN)
        await tx.ladders.begin(replace(RUN, id="9b01", begun_at=NOON + timedelta(hours=1)))
        await tx.ladders.begin(replace(RUN, id="77aa", ladder="other"))
        await tx.ladders.save(replace(RUN, id="9b01", ended_at=NOON))
    async with store.reading() as tx:
        newest = await tx.ladders.newest("tiny")
        assert newest is not None
        assert (newest.id, newest.ended_at, newest.variables) == ("9b01", NOON, RUN.variables)
        assert [ladder.id for ladder in await tx.ladders.all()] == ["3f2a", "9b01", "77aa"]
        assert await tx.ladders.newest("none") is None


async def test_ladder_attempt_is_added_once_and_changed(store: Store):
    ended = replace(INTENDED, state=AttemptState.ENDED, ended_at=NOON, result=RESULT)
    async with store.transaction() as tx:
        await tx.ladders.begin(RUN)
        await tx.ladders.add(RUN.id, INTENDED)
    with pytest.raises(FactsChanged, match="Another process"):
        async with store.transaction() as tx:
            await tx.ladders.add(RUN.id, INTENDED)
    async with store.transaction() as tx:
        await tx.ladders.change(RUN.id, ended)
    async with store.reading() as tx:
        assert await tx.ladders.attempts(RUN.id) == (ended,)
