from datetime import UTC, datetime

import pytest

from babysitter.launch.job_name import command_stem, generated_job_name

TABLE = [
    ("python experiments/train.py --lr 1", "train"),
    ("uv run python experiments/tutorials/train_tiny_model_cpu.py", "train_tiny_model_cpu"),
    ("bash run.sh", "run"),
    ("python -m experiments.train", "train"),
    ("torchrun --nproc 4 my.script.py", "my-script"),
    ("env A=1 dedup --input x", "dedup"),
    ("python -c print(1)", "job"),
    ("bash -lc ./x", "job"),
    ("python", "job"),
    ("./bin/tokenise!", "tokenise"),
]


@pytest.mark.parametrize(("command", "stem"), TABLE)
def test_command_stem(command, stem):
    assert command_stem(command.split()) == stem


def test_generated_name_tells_submissions_of_one_second_apart():
    at = datetime(2026, 11, 22, 6, 1, 2, tzinfo=UTC)
    names = {generated_job_name(["python", "train.py"], at, token) for token in ("1a2b", "3c4d")}
    assert names == {"babysit-train-20261122-060102-1a2b", "babysit-train-20261122-060102-3c4d"}
