from dataclasses import replace

import pytest

from babysitter.backends.iris.submission.new_job import NewJob
from babysitter.backends.iris.submission.run_options import options_lacking, run_words

JOB = NewJob(name="tiny", command=("python", "train.py"))
EVERYTHING = replace(
    JOB,
    user="ada",
    tpus=("v6e-4", "v5litepod-4"),
    cpu=2.0,
    memory="8GB",
    disk="64GB",
    replicas=2,
    max_retries=3,
    timeout_s=60,
    zone="us-east5-b",
    priority="batch",
    regions=("us-east5", "us-west4"),
    extras=("tpu",),
    reserve=("2:v4-8",),
    preemptible=False,
)


def words(job: NewJob, variables=()) -> str:
    return " ".join(run_words(("uv", "run", "iris", "--cluster", "marin"), job, variables))


def test_run_words_plain():
    assert words(JOB, [("A", "1"), ("B", "")]) == (
        "uv run iris --cluster marin job run --no-wait --job-name tiny -e A 1 -e B  -- python train.py"
    )


def test_run_words_with_everything():
    assert words(EVERYTHING) == (
        "uv run iris --cluster marin job run --enable-extra-resources --no-wait --job-name tiny --user ada "
        "--tpu v6e-4,v5litepod-4 --cpu 2 --memory 8GB --disk 64GB --replicas 2 --max-retries 3 --timeout 60 "
        "--zone us-east5-b --priority batch --region us-east5 --region us-west4 --extra tpu --reserve 2:v4-8 "
        "--no-preemptible -- python train.py"
    )


@pytest.mark.parametrize(
    ("changes", "is_added"),
    [
        ({"memory": "3GB"}, False),
        ({"memory": "4GB"}, True),
        ({"disk": "9GB"}, False),
        ({"disk": "10GB"}, True),
        ({"tpus": ("v4-8",)}, True),
        ({"gpu": "H100"}, True),
    ],
)
def test_run_words_add_the_flag_where_needed(changes, is_added):
    assert ("--enable-extra-resources" in words(replace(JOB, **changes))) is is_added


@pytest.mark.parametrize(
    ("generation", "lacking"),
    [("april", ("--no-preemptible",)), ("may", ()), ("august", ())],
)
def test_options_lacking_by_generation(generation, lacking):
    assert options_lacking(EVERYTHING, generation) == lacking


def test_options_lacking_everywhere():
    job = replace(JOB, ports=("http",), constraints=(("pool", "x"),), scheduling_timeout_s=5)
    for generation in ("april", "may", "august"):
        assert options_lacking(job, generation) == ("--ports", "--constraint", "--coscheduling-timeout")
