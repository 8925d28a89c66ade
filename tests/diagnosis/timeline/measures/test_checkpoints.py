"""The lines by which trainers say that they saved a checkpoint, and lines that only look like it."""

import pytest

from babysitter.diagnosis.timeline.measures.checkpoints import newest_checkpoint, read_checkpoint
from babysitter.model.log import LogLine

LEVANTER = "2026-11-22T10:00:01 - 0 - levanter.checkpoint - checkpoint.py:300 - INFO :: "


def line(text: str, at_s: int = 1_795_000_000) -> LogLine:
    return LogLine(text, at_s * 1000)


@pytest.mark.parametrize(
    ("text", "step", "is_done"),
    [
        (LEVANTER + "Saved checkpoint to gs://b/checkpoints/run/step-2000 for step 2000", 2000, True),
        (LEVANTER + "Saving checkpoint at step 2000 to gs://b/checkpoints/run/step-2000", 2000, False),
        ("Saving model checkpoint to out/checkpoint-500", 500, False),
        ("Saving current state to out/step_500", 500, False),
        ("  successfully saved checkpoint from iteration    5000 to /ckpt [ t 1/1, p 1/1 ]", 5000, True),
        ("saving checkpoint at iteration    5000 to /ckpt in torch_dist format", 5000, False),
        (
            "[2026-11-22 10:00:01,123] [INFO] [engine.py:3000] [Torch] "
            "Saved ckpt/global_step500/mp_rank_00_model_states.pt.",
            500,
            True,
        ),
        (
            "Saved checkpoint /x/checkpoint_1_500.pt (epoch 1 @ 500 updates, score 3.1)",
            500,
            True,
        ),
        (
            "Epoch 3, global step 400: 'val_loss' reached 0.1, saving model to '/x/step=400.ckpt'",
            400,
            False,
        ),
        ("Saved a checkpoint at step 1000.", 1000, True),
        ("Finished saving checkpoint to `gs://b/run/checkpoints/1000`.", 1000, True),
        ("Saving checkpoints for 1000 into /x/model.ckpt.", 1000, False),
        ("Finished saving the checkpoint in 5.20 seconds.", None, True),
        ("saving checkpoint to out", None, False),
        ("Checkpoint saved to /x/epoch_2/step_1,500", 1500, True),
    ],
)
def test_line_of_a_trainer_is_read(text, step, is_done):
    found = read_checkpoint(line(text))
    assert found is not None
    assert (found.step, found.is_done) == (step, is_done)
    assert found.at is not None


@pytest.mark.parametrize(
    "text",
    [
        "Loading checkpoint from gs://b/run/step-2000",
        "Resuming from checkpoint out/checkpoint-500",
        "Failed to save checkpoint at step 2000",
        "Checkpoint was not saved: permission denied",
        "Will save a checkpoint every 1000 steps",
        "Deleting old checkpoint out/checkpoint-500",
        "checkpoint_interval: 1000",
        "Saving the tokenizer to out",
        "step 2000 loss 2.31",
    ],
)
def test_line_that_saves_nothing_is_not_one(text):
    assert read_checkpoint(line(text)) is None


def test_certain_line_outranks_one_that_only_begins():
    begun = line("Saving checkpoint at step 2000 to /x/step-2000", 1)
    done = line("Finished saving the checkpoint in 5.20 seconds.", 2)
    later = line("Saving checkpoint at step 3000 to /x/step-3000", 3)
    found = newest_checkpoint([begun, done, later])
    assert found is not None
    assert (found.step, found.is_done, found.at and found.at.timestamp()) == (2000, True, 2)
    assert newest_checkpoint([begun, later]) == read_checkpoint(later)
    assert newest_checkpoint([], found) == found
