"""A loss that leaves its level and stays away, in formats of no program in particular."""

import pytest

from babysitter.diagnosis.timeline.entries import read_entries
from babysitter.diagnosis.timeline.measures.loss import (
    MAX_REPORTS,
    find_runaway,
    fold_losses,
    is_at_its_level,
    read_values,
)


def reports(*values: float | str) -> list[str]:
    return [f"step: {10 * at}  loss: {value}" for at, value in enumerate(values)]


def _left_at(lines: list[str]) -> int | None:
    found = find_runaway(fold_losses((), read_entries(lines)))
    return found.reports[0].place if found else None


@pytest.mark.parametrize(
    ("values", "left_at"),
    [
        ((8.1, 6.0, 4.2, 3.9, 3.8, 3.7, 3.7), None),
        ((3.1, 3.0, 2.9, 2.8, 9.1, 10.2, 10.4), 4),
        ((2.3, 2.2, 7.9, 8.4, 9.1), 2),
        ((7.2, 6.1, 812.0, 1400.0), 2),  # so far that two reports are enough
        ((2.2, 2.1, 11.0, 8.0, 7.6, 7.5, 7.5), 2),  # settles far above
        ((9.9, 9.7, 9.8, 9.6, 9.7), None),
        ((3.1, 3.0, 2.9, 2.8, 9.1, 4.2, 2.9), None),
        ((3.1, 3.0, 2.9, 2.8, 9.8, 8.4, 6.9), None),  # on its way back
        ((3.1, 3.0, 2.9, 2.8, 2.7, 9.1), None),  # one high report is not yet a level
        ((2.2, 9.1, 9.2, 9.3), None),  # nor is one low report
        ((0.02, 0.05, 0.03, 0.2, 0.4, 0.3), None),  # small numbers are noisy
        ((2.1, 0.5, 0.6, 3.0, 1.9, 2.2), None),  # so are single samples
        ((-0.1, 0.2, 3.0, 4.0, 5.0, 4.0, 5.0), None),  # objectives below zero have no factor
        ((), None),
    ],
)
def test_loss_that_runs_away(values: tuple[float, ...], left_at: int | None) -> None:
    assert _left_at(reports(*values)) == left_at


_RAN_AWAY = [
    [
        f"up {n} | loss {v} | gnorm {g}"
        for n, (v, g) in enumerate(((2, 0.2), (3.5, 9), (7, 80), (9, 70), (9.1, 8)))
    ],
    ["up 10 | loss 2.2 | gnorm 0.3", *(f"up {n} | loss 6.{n} | gnorm 4.1" for n in (11, 12, 13))],
    ["epoch 4 valid loss 1.9", "epoch 5 valid loss 1.8", "epoch 6 valid loss 9.7"],
    ["Epoch 4: mean loss 0.21", "Epoch 5: mean loss 0.20", "Epoch 6: mean loss 1.3"],
    ["Test loss 400: 0.31", "Test loss 800: 0.29", "Test loss 1200: 1.9"],
    ["eval ppl=8.1", "eval ppl=7.9", "eval ppl=21000"],
    [f"it {n} | lm loss: {v} | skipped iterations: 0 |" for n, v in enumerate((2.1, 2.0, 7.1, 7.0, 7.2))],
]


@pytest.mark.parametrize("lines", _RAN_AWAY)
def test_loss_that_ran_away_in_any_format(lines: list[str]) -> None:
    assert _left_at(lines) is not None


_HIGH = [f"step: {n}  loss: 9.{n}" for n in (41, 42, 43)]
_LOW = ["step: 39  loss: 2.1", "step: 40  loss: 2.2"]
_STANDS = [
    [*_LOW, "Starting stage 2: long documents", *_HIGH],
    [*_LOW, "switching to the data set of code", *_HIGH],
    [*_LOW, "Loading checkpoint /ckpt/step-20", *_HIGH],
    [*_LOW, *(f"step: {n}  loss: 9.{n}" for n in (1, 2, 3))],  # another try
    [
        "fold 1 step 8 loss 2.1",
        "fold 1 step 9 loss 2.0",
        *(f"fold 2 step {n} loss 9.{n}" for n in (10, 11, 12)),
    ],
    [*_LOW, *(f"step: {n}  aux loss: 9.{n}" for n in (41, 42, 43))],  # of another head
    ["eval on 'a1' loss 1.1", "eval on 'a1' loss 1.0", "eval on 'b2' loss 5.9"],
    ["valid loss 1.9", "valid loss 1.8", "valid loss 3.1"],  # overfits
    ["valid ppl 3.0", "valid ppl 2.9", "valid ppl 14.0"],  # an exponential
    ["[rank0]: loss 2.1", "[rank0]: loss 2.0", *(f"[rank{n}]: loss 9.1" for n in (1, 2, 3))],
    [*_LOW, *(["step: 41  loss: 9.1"] * 3)],  # ranks that say the same
    [*_LOW, *(f"step: 41  loss: 9.{n}" for n in range(3))],
    [f"step {n} policy_loss {v} reward 0.{n}" for n, v in enumerate((0.1, 0.1, 4.0, 5.0, 6.0))],
    [f"step {n} critic loss {v}" for n, v in enumerate((0.1, 0.1, 4.0, 5.0, 6.0))],
    [f"it {n} D_loss 0.4 G_loss {v}" for n, v in enumerate((0.9, 0.9, 6.0, 7.0, 8.0))],
    [f"step {n} grad_norm {v} loss 2.1" for n, v in enumerate((0.1, 0.1, 4.0, 5.0, 6.0))],
    [f"step {n} best loss {v}" for n, v in enumerate((1.0, 1.0, 5.0, 5.5, 6.0))],
    [f'sample 3: "step {n} loss {v}"' for n, v in enumerate((1.0, 1.0, 5.0, 5.5, 6.0))],
    [f"overflow, step {n} skipped, loss {v}" for n, v in enumerate((1.0, 1.0, 5.0, 5.5, 6.0))],
]


@pytest.mark.parametrize("lines", _STANDS)
def test_loss_that_did_not_run_away(lines: list[str]) -> None:
    assert _left_at(lines) is None


def test_runaway_says_what_was_left() -> None:
    found = find_runaway(fold_losses((), read_entries(reports(3.1, 3.0, 2.9, 2.8, 9.1, 10.2, 10.4))))
    assert found is not None
    assert (found.name, found.reports[0].step, found.reports[-1].value) == ("loss", 40, 10.4)
    assert found.level == pytest.approx(2.85)


def test_loss_goes_on_from_look_to_look() -> None:
    entries = read_entries(reports(3.1, 3.0, 2.9, 9.1, 10.2, 10.4))
    assert fold_losses(fold_losses((), entries[:4]), entries[4:]) == fold_losses((), entries)


def test_level_of_a_loss_that_stays_high_is_kept() -> None:
    high = [9 + n % 3 for n in range(3 * MAX_REPORTS)]
    assert _left_at(reports(3.1, 3.0, 2.9, *high)) == 3


@pytest.mark.parametrize(
    ("values", "first_place", "is_back"),
    [((2.1, 2.0, 9.0, 2.1), 3, True), ((2.1, 2.0, 9.0), 2, False), ((2.1, 2.0), 2, False), ((), 0, False)],
)
def test_loss_at_its_level(values: tuple[float, ...], first_place: int, is_back: bool) -> None:
    assert is_at_its_level(fold_losses((), read_entries(reports(*values))), first_place) is is_back


def test_values_of_a_message() -> None:
    assert [value for _, value in read_values("it 3 loss=1,204.5 grad_norm: 2e-1 lr 0.1")] == [1204.5, 0.2]
    assert read_values("loss nan") == ()
