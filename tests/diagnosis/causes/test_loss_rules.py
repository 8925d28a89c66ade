"""Divergence is found in the numbers, with the line where it began as evidence."""

import pytest

from babysitter.diagnosis.causes.loss_rules import (
    NOT_FINITE,
    RAN_AWAY,
    measured_findings,
    non_finite_findings,
)
from babysitter.diagnosis.timeline.entries import read_entries
from babysitter.diagnosis.timeline.loss import read_losses
from babysitter.diagnosis.timeline.non_finite import fold_measures


def reports(*losses: float | str) -> list[str]:
    return [f"step: {at}  loss: {loss}" for at, loss in enumerate(losses)]


@pytest.mark.parametrize(
    ("losses", "rule", "first_line"),
    [
        ((3.1, 3.0, 2.9, 2.8, 9.1, 10.2, 10.4), RAN_AWAY, "step: 4  loss: 9.1"),
    ],
)
def test_divergence_is_found_where_it_began(
    losses: tuple[float | str, ...], rule: str, first_line: str
) -> None:
    lines = reports(*losses)
    (finding,) = measured_findings(read_losses(lines), lines)
    assert finding.rule == rule
    assert finding.evidence[0].text == first_line


def test_values_that_are_not_finite_are_found_where_it_began() -> None:
    lines = reports(3.1, 3.0, "nan", "nan")
    notes = fold_measures((), read_entries(lines))
    (finding,) = non_finite_findings(notes, first_position=0, source="log")
    assert (finding.rule, finding.position, finding.last_position) == (NOT_FINITE, 2, 3)
    assert [(each.text, each.line_number) for each in finding.evidence] == [(lines[2], 3), (lines[3], 4)]
    assert non_finite_findings(notes, first_position=4) == ()


@pytest.mark.parametrize("losses", [(3.1, 3.0, 2.9), (3.1, "nan", 3.0), (3.1, 3.0, 2.9, 2.8, 9.1, 3.0), ()])
def test_numbers_that_came_back_are_no_finding(losses: tuple[float | str, ...]) -> None:
    lines = reports(*losses)
    assert measured_findings(read_losses(lines), lines) == ()
