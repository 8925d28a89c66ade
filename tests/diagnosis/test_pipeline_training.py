"""A loss that left is told of a watched run; one that came back, or that starts again, is not."""

from dataclasses import replace

import pytest

from babysitter.diagnosis.pipeline import judge
from babysitter.model.finding import Cause
from babysitter.model.memory import Memory
from babysitter.model.verdict import Verdict
from tests.support.build import watch as made_watch
from tests.support.jobs import look, raw, tree
from tests.support.recordings import rules

WELL = [(100 + at, 3.0 - at / 20) for at in range(10)]


def told(*looks: list[tuple[int, float | str]], noise: int = 0) -> Verdict:
    """The verdict after looks of a minute each; `noise`: other lines before the reports of a look."""
    watch, verdict = made_watch(), None
    for number, reports in enumerate(looks, start=1):
        lines = [raw(number * 60, f"shuffled window {n} of the buffer") for n in range(noise)]
        lines += [raw(number * 60 + 1, f"step: {step}  loss: {loss}") for step, loss in reports]
        verdict = judge(watch, look(number * 60 + 5, tree(), *lines), rules())
        watch = replace(watch, memory=verdict.memory)
    assert verdict is not None
    return verdict


def causes(memory: Memory) -> set[Cause]:
    return {finding.cause for finding in memory.findings}


@pytest.mark.parametrize("noise", [0, 60])
def test_a_loss_that_ran_away_is_found_over_several_looks(noise: int) -> None:
    away = [[(step, 8.0 + step / 1000)] for step in range(111, 118)]
    verdict = told(WELL, *away, noise=noise)
    assert causes(verdict.memory) == {Cause.NUMERICAL_DIVERGENCE}
    assert verdict.memory.findings[0].evidence[0].text == "step: 111  loss: 8.111"
    assert verdict.cause is Cause.NUMERICAL_DIVERGENCE


def test_it_stays_found_while_the_loss_stays_away() -> None:
    away = [(step, 8.5) for step in range(111, 140)]
    assert causes(told(WELL, away, [(140, 8.4)]).memory) == {Cause.NUMERICAL_DIVERGENCE}


@pytest.mark.parametrize(
    "later",
    [
        [[(111, 7.9)], [(112, 8.4)], [(113, 2.6)]],  # a spike
        [[(111, "nan"), (112, "nan")], [(113, 2.6)]],  # it came back
        [[(0, 10.9), (1, 9.8), (2, 9.1), (3, 8.8)]],  # another try from the start
    ],
)
def test_nothing_is_held_against_a_loss_that_is_where_it_belongs(
    later: list[list[tuple[int, float | str]]],
) -> None:
    verdict = told(WELL, *later)
    assert causes(verdict.memory) == set()
    assert verdict.diagnosis is None


def test_a_loss_that_is_no_number_is_found_though_the_reports_come_one_by_one() -> None:
    verdict = told(WELL, [(111, "nan")], [(112, "nan")], noise=60)
    assert Cause.NUMERICAL_DIVERGENCE in causes(verdict.memory)
