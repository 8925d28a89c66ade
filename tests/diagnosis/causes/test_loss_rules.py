"""Divergence is found in the numbers, with the line where it began as evidence."""

import pytest

from babysitter.diagnosis.causes.loss_rules import (
    NOT_FINITE,
    RAN_AWAY,
    non_finite_findings,
    runaway_findings,
)
from babysitter.diagnosis.timeline.entries import read_entries
from babysitter.diagnosis.timeline.measures.loss import fold_losses
from babysitter.diagnosis.timeline.measures.non_finite import fold_measures


def reports(*losses: float | str) -> list[str]:
    return [f"step: {at}  loss: {loss}" for at, loss in enumerate(losses)]


def test_divergence_is_found_where_it_began() -> None:
    lines = reports(3.1, 3.0, 2.9, 2.8, 9.1, 10.2, 10.4)
    courses = fold_losses((), read_entries(lines))
    (finding,) = runaway_findings(courses, first_position=0)
    assert (finding.rule, finding.position, finding.last_position) == (RAN_AWAY, 4, 6)
    assert [line.text for line in finding.evidence] == [lines[4], lines[6]]
    assert finding.explanation.startswith("As of step 4 the loss left its level of 2.85")
    assert runaway_findings(courses, first_position=7) == ()


def test_values_that_are_not_finite_are_found_where_it_began() -> None:
    lines = reports(3.1, 3.0, "nan", "nan")
    notes = fold_measures((), read_entries(lines))
    (finding,) = non_finite_findings(notes, first_position=0, source="log")
    assert (finding.rule, finding.position, finding.last_position) == (NOT_FINITE, 2, 3)
    assert [(line.text, line.line_number) for line in finding.evidence] == [(lines[2], 3), (lines[3], 4)]
    assert non_finite_findings(notes, first_position=4) == ()


@pytest.mark.parametrize("losses", [(3.1, 3.0, 2.9), (3.1, "nan", 3.0), (3.1, 3.0, 2.9, 2.8, 9.1, 3.0), ()])
def test_numbers_that_came_back_are_no_finding(losses: tuple[float | str, ...]) -> None:
    lines = reports(*losses)
    entries = read_entries(lines)
    assert runaway_findings(fold_losses((), entries), first_position=0) == ()
    assert non_finite_findings(fold_measures((), entries), first_position=0) == ()
