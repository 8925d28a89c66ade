"""Values that are not a number, in formats of no program in particular."""

import pytest

from babysitter.diagnosis.timeline.entries import read_entries
from babysitter.diagnosis.timeline.measures.non_finite import (
    came_back,
    find_non_finite,
    fold_measures,
    read_measures,
)


def _found(texts):
    return find_non_finite(fold_measures((), read_entries(texts)))


_BAD = [
    ["step 1 loss 2.1", "step 2 loss nan"],
    ["loss=nan", "loss=nan"],
    ["train_loss_step: 398 → nan", "grad_norm: 438 → nan"],
    ["loss: 2.99 -> 3.4 -> NaN", "norm: 1.0 -> NaN"],
    ["{'loss': 2.1, 'grad_norm': 1.0}", "{'loss': nan, 'grad_norm': nan}"],
    ['{"step": 1, "loss": 2.0}', '{"step": 2, "loss": NaN}'],
    ["| step 3 | loss | 2.1 |", "| step 4 | loss | nan |"],
    ["epoch 3 ppl=12.1", "epoch 4 ppl=inf"],
    ["mean nll is 3.2", "mean nll is nan"],
    ["policy loss 0.1, kl 0.02", "policy loss nan, kl nan"],
    ["[it 40] objective/reward: 0.4", "[it 41] objective/reward: nan"],
    ["gnorm 1.3 lr 3e-4", "gnorm inf lr 3e-4", "gnorm inf lr 3e-4"],
    ["cross_entropy -> 1.2", "cross_entropy -> nan"],
    ["total_loss := 4.1", "total_loss := -inf"],
    ["iter 100: loss is now 2.2", "iter 101: loss is now nan"],
    ["train/loss 2.1 val/loss 2.3", "train/loss nan val/loss nan"],
    ["energy_score=1.1", "energy_score=nan"],
    ["loss   nan", "grad_norm   nan"],
    ["loss: tensor(2.1)", "loss: tensor(nan)"],
    ["step 7 | Loss: 3.1e+00", "step 8 | Loss: NaN"],
    [
        "it 7/90 | loss scale: 1.0 | grad norm: nan | number of skipped iterations:   0 |",
        "it 8/90 | loss scale: 1.0 | grad norm: nan | number of skipped iterations:   0 |",
    ],
    ["step 3 skipped=0 grad_norm=nan", "step 4 skipped=0 grad_norm=nan"],
    ["it 4 loss=nan, mean_loss=3.1, grad_norm=nan", "it 5 loss=nan, mean_loss=3.0, grad_norm=nan"],
    ["it 4 loss=nan, mean_loss=3.1", "it 5 loss=nan, mean_loss=3.0"],  # no gradient says otherwise
    ["it 4 loss=2.9, z_loss=3.1, grad_norm=0.9", "it 5 loss=nan, z_loss=3.0, grad_norm=0.8"],
]


@pytest.mark.parametrize("texts", _BAD)
def test_value_that_stays_bad_is_found(texts):
    assert _found(texts) is not None


_FINE = [
    ["loss 2.1", "loss 2.0"],
    ["loss nan", "loss 2.0"],  # came back
    ["loss nan"],  # one bad value
    ["best_loss=inf loss=2.1", "best_loss=inf loss=2.0"],
    ["max_grad_norm: inf"] * 3,
    ["Gradient overflow. Skipping step, grad_norm inf"] * 3,
    ["val_loss=nan, train_loss=2.1", "val_loss=nan, train_loss=2.0"],
    ["column price: nan", "column price: nan"],
    ["rows with nan: 12", "rows with nan: 14"],
    ["NaN is not a number; the loss of a game is no disaster"] * 3,
    ["assert loss is nan"] * 3,
    ["banana 3", "nanoseconds 5", "info 3"],
    ["loss_scale=inf"] * 2,
    ["if loss is nan, the run stops"] * 3,
    ["it 7/90 | loss scale: 32768.0 | grad norm: inf | number of skipped iterations:   1 |"] * 2,
    ["it 7/90 | loss scale: 1.0 | grad norm: nan | number of skipped iterations:  10 |"] * 2,
    ["step 3 skipped=1 grad_norm=nan"] * 2,
    ["min_reward=-inf"] * 4,
    ["score        NaN", "reward       NaN"],  # rows of a table of data
    ["missing value: nan", "missing value: nan"],
    ['sample 7: "step 40 loss: nan, then nothing"'] * 3,
    ["it 4 loss=nan, mean_loss=3.1, grad_norm=0.9", "it 5 loss=nan, mean_loss=3.0, grad_norm=0.8"],
]


@pytest.mark.parametrize("texts", _FINE)
def test_value_that_is_fine_is_not_found(texts):
    assert _found(texts) is None


@pytest.mark.parametrize(
    ("message", "measures"),
    [
        ("loss 2.1", [("loss", True)]),
        ("train/loss: nan", [("train/loss", False)]),
        ("grad_norm: 438  → nan", [("grad_norm", False)]),
        ("loss: nan → 3.1", [("loss", True)]),
        ("step 3", []),
    ],
)
def test_measures_of_a_message(message, measures):
    assert read_measures(message) == tuple(measures)


def test_non_finite_names_first_bad_place():
    found = _found(["loss 2.1", "loss nan", "x", "loss nan"])
    assert found is not None
    assert (found.first.first_place, found.last.last_place, found.reports) == (1, 3, 2)
    assert found.was_finite


def test_measures_go_on_from_look_to_look():
    entries = read_entries(["loss 2.1", "loss nan", "loss 2.0", "loss nan", "grad nan", "loss nan"])
    at_once = fold_measures((), entries)
    assert fold_measures(fold_measures((), entries[:4]), entries[4:]) == at_once


def test_measures_are_of_their_speaker():
    found = _found(["[rank0]: loss 2.1", "[rank1]: loss nan", "[rank0]: loss 2.0", "[rank1]: loss nan"])
    assert found is not None
    assert found.first.speaker == "rank1"


@pytest.mark.parametrize(
    ("texts", "places"),
    [
        (["grad_norm: nan", "grad_norm: nan", "grad_norm: 40.1"], {1}),
        (["grad_norm: nan, loss: 4.1", "grad_norm: 3.0, loss: nan"], set()),  # another is bad now
        (["grad_norm: 1.0", "grad_norm: 2.0"], set()),
        (["grad_norm: nan", "grad_norm: nan"], set()),
        (["loss=nan, mean_loss=3.1, grad_norm=0.9", "loss=nan, mean_loss=3.0, grad_norm=0.8"], {1}),
    ],
)
def test_values_that_are_finite_again(texts, places):
    assert came_back(fold_measures((), read_entries(texts))) == places
