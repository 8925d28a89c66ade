"""A loss that leaves its level and stays away."""

import pytest

from babysitter.diagnosis.timeline.loss import read_losses


def losses(*values: float | str) -> list[str]:
    return [f"step: {10 * at}  loss: {value}" for at, value in enumerate(values)]


@pytest.mark.parametrize(
    ("values", "bad_from"),
    [
        ((8.1, 6.0, 4.2, 3.9, 3.8, 3.7, 3.7), None),
        ((3.1, 3.0, 2.9, 2.8, 9.1, 10.2, 10.4), 4),
        ((2.3, 2.2, 7.9, 8.4, 9.1), 2),
        ((9.9, 9.7, 9.8, 9.6, 9.7), None),
        ((3.1, 3.0, 2.9, 2.8, 9.1, 4.2, 2.9), None),
        ((3.1, 3.0, 2.9, 2.8, 2.7, 9.1), None),  # one high report is not yet a level
        ((0.02, 0.05, 0.03, 0.2, 0.4, 0.3), None),  # small numbers are noisy
        ((-0.1, 0.2, 3.0, 4.0, 5.0, 4.0, 5.0), None),  # objectives below zero have no factor
        ((), None),
    ],
)
def test_loss_that_runs_away(values: tuple[float, ...], bad_from: int | None) -> None:
    assert read_losses(losses(*values)).bad_from == bad_from


def test_where_the_loss_left_its_level() -> None:
    run = read_losses(losses(3.1, 3.0, 2.9, 2.8, 9.1, 10.2, 10.4))
    assert run.bad_from == 4
    assert run.best_loss == pytest.approx(2.85)


def test_text_of_the_data_does_not_change_the_verdict() -> None:
    lines = [*losses(3.1, 3.0, 2.9, 2.8), "iteration 7/ 9 | lm loss: nan |", '  "step 9: loss nan"']
    run = read_losses(lines)
    assert (run.bad_from, run.reports) == (None, 4)


def test_a_run_that_begins_again_has_no_level() -> None:
    run = read_losses(["step: 100  loss: 1.0", "step: 110  loss: 1.1", "step: 10  loss: 3.0"], level=1.0)
    assert (run.reports, run.best_loss) == (1, 3.0)


def test_nothing_read_says_nothing() -> None:
    run = read_losses(["hello", "world"])
    assert (run.newest, run.bad_from, run.is_at_its_level) == (None, None, False)


def test_a_level_without_a_finite_loss_says_nothing() -> None:
    run = read_losses(losses("nan", "nan"), level=3.1)
    assert (run.bad_from, run.best_loss, run.is_at_its_level) == (None, 3.1, False)
