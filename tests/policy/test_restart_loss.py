"""What a restart loses: run id and output path of two submissions, and the sentences on the card."""

from dataclasses import replace
from datetime import timedelta

import pytest

from babysitter.messages.restart_loss_text import loss_of
from babysitter.model.memory import Memory
from babysitter.model.progress import CheckpointNote, Progress
from babysitter.model.submission import Submission, SubmissionOrigin
from babysitter.policy.restart_loss import restart_loss
from tests.messages.test_compose import proposal
from tests.support.build import NOON, submission

SAVED = CheckpointNote("Saved checkpoint to /x/step-2000", NOON - timedelta(minutes=34), 2000)
MEMORY = Memory(kind="training", checkpoint=SAVED, progress=Progress("train", 2412, 5000, NOON))
IRIS = ("iris", "job", "run")


def stored(*program: str, **variables: str) -> Submission:
    request = {
        "entrypoint": {"runCommand": {"argv": list(program)}},
        "environment": {"envVars": variables},
    }
    return Submission((), SubmissionOrigin.CONTROLLER, request=request)


def words(memory: Memory, before: Submission | None, after: Submission) -> str:
    loss = restart_loss(memory, before, after)
    return loss_of(replace(proposal(), loss=loss, created_at=NOON))


def test_checkpoint_its_age_and_the_steps_after_it_are_said():
    text = words(MEMORY, None, stored("python", "train.py"))
    assert text.startswith(
        "Last checkpoint at step 2,000, 34 min before this was proposed: `Saved checkpoint to /x/step-2000`. "
        "The run is at step 2,412: 412 steps are lost."
    )
    begun = replace(MEMORY, checkpoint=replace(SAVED, is_done=False))
    assert "does not say that it was completed" in words(begun, None, stored("x"))
    assert "No checkpoint was seen" in words(Memory(kind="training"), None, stored("x"))
    assert words(Memory(kind="zephyr"), None, stored("x")) == ""


@pytest.mark.parametrize(
    ("before", "after", "run_id", "output"),
    [
        (
            stored("python", "t.py", "--run_id", "r7", "--output_dir=/x"),
            submission(*IRIS, "--", "python", "t.py", "--run-id=r7", "--output-dir", "/x"),
            "Run id: the same, r7 (--run-id).",
            "Output path: the same, /x (--output-dir).",
        ),
        (
            stored("python", "t.py", WANDB_RUN_ID="r7", MARIN_PREFIX="gs://b"),
            submission(*IRIS, "-e", "WANDB_RUN_ID", "r8", "--", "python", "t.py"),
            "Run id: changes from r7 to r8 (WANDB_RUN_ID).",
            "Output path: changes from gs://b to not set (MARIN_PREFIX).",
        ),
        (
            None,
            stored("python", "t.py", "trainer.id=r7"),
            "Run id: set, r7 (--trainer.id).",
            "Output path: not set by the submission, so the program chooses it.",
        ),
    ],
)
def test_run_id_and_output_path_are_compared(before, after, run_id, output):
    text = words(MEMORY, before, after)
    assert run_id in text
    assert output in text
