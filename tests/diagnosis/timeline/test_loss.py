"""What reports say together: advance, finiteness, a loss that leaves its level."""

import pytest

from babysitter.diagnosis.timeline.loss import LossState, read_run


def losses(*values: float | str) -> list[str]:
    return [f"step: {10 * at}  loss: {value}" for at, value in enumerate(values)]


@pytest.mark.parametrize(
    ("values", "state"),
    [
        ((8.1, 6.0, 4.2, 3.9, 3.8, 3.7, 3.7), LossState.FINITE),
        ((3.1, 3.0, "nan", "nan"), LossState.NOT_FINITE),
        ((3.1, 3.0, 2.9, "nan"), LossState.NOT_FINITE),
        ((3.1, "nan", 3.0, 2.9), LossState.RECOVERED),
        ((3.1, 3.0, 2.9, 2.8, 9.1, 10.2, 10.4), LossState.RAN_AWAY),
        ((2.3, 2.2, 7.9, 8.4, 9.1), LossState.RAN_AWAY),
        ((9.9, 9.7, 9.8, 9.6, 9.7), LossState.FINITE),
        ((3.1, 3.0, 2.9, 2.8, 9.1, 4.2, 2.9), LossState.SPIKED),
        ((3.1, 3.0, 2.9, 2.8, 2.7, 9.1), LossState.SPIKED),  # one high report is not yet a level
        ((0.02, 0.05, 0.03, 0.2, 0.4, 0.3), LossState.FINITE),  # small numbers are noisy
        ((-0.1, 0.2, 3.0, 4.0, 5.0, 4.0, 5.0), LossState.FINITE),  # objectives below zero have no factor
        ((), LossState.UNKNOWN),
    ],
)
def test_the_state_of_a_loss(values: tuple[float | str, ...], state: LossState) -> None:
    assert read_run(losses(*values)).loss is state


def test_where_the_loss_left_its_level() -> None:
    run = read_run(losses(3.1, 3.0, 2.9, 2.8, 9.1, 10.2, 10.4))
    assert run.bad_from == 4
    assert run.best_loss == pytest.approx(2.85)


def test_a_gradient_that_is_not_finite_while_the_loss_reads_zero() -> None:
    line = "{'loss': 0.0, 'grad_norm': nan, 'learning_rate': 0.0, 'epoch': 0.5}"
    assert (
        read_run(["{'loss': 2.0, 'grad_norm': 1.0, 'epoch': 0.1}", line, line]).loss is LossState.NOT_FINITE
    )


def test_text_of_the_data_does_not_change_the_verdict() -> None:
    lines = [*losses(3.1, 3.0, 2.9, 2.8), "iteration 7/ 9 | lm loss: nan |", '  "step 9: loss nan"']
    assert read_run(lines).loss is LossState.FINITE


def test_the_newest_proof_of_progress() -> None:
    run = read_run(
        [*losses(3.1, 3.0), "noise", "step: 10  loss: 3.0", "Saved checkpoint to /c for step 10", "noise"]
    )
    assert run.advanced_at == 4
    assert run.checkpoints_saved == 1


def test_repeating_a_step_is_no_progress() -> None:
    run = read_run(["step: 10  loss: 3.0", "step: 20  loss: 3.0", "step: 20  loss: 3.0"])
    assert run.advanced_at == 1


def test_a_run_that_resumes_counts_again() -> None:
    run = read_run(["step: 100  loss: 3.0", "step: 40  loss: 3.0", "step: 50  loss: 3.0"])
    assert run.advanced_at == 2


def test_nothing_read_says_nothing() -> None:
    run = read_run(["hello", "world"])
    assert (run.advanced_at, run.newest, run.loss) == (None, None, LossState.UNKNOWN)
