"""Words such as `memory=5GB`: read, or refused with the one at fault and how to write it."""

import pytest

from babysitter.errors import UserError
from babysitter.usecases.answering.asked_changes import asked_changes


def test_changes_are_read_in_their_order():
    texts = ["memory=5GB", "env.ZEPHYR_NUM_WORKERS=1", "env.EMPTY=", "tpu=v5litepod-8", "flag.priority=BATCH"]
    found = asked_changes([*texts, "flag.preemptible"], asked_by="an agent (a)")
    assert [(change.what, change.after) for change in found] == [
        ("memory", "5GB"),
        ("env.ZEPHYR_NUM_WORKERS", "1"),
        ("env.EMPTY", ""),
        ("tpu", "v5litepod-8"),
        ("flag.priority", "batch"),
        ("flag.preemptible", "on"),
    ]
    assert {change.why for change in found} == {"asked for by an agent (a)"}


@pytest.mark.parametrize(
    ("texts", "sentence", "step"),
    [
        (["code=new"], "it takes no value", "memory=5GB"),
        (["memory=5"], "a size with its unit", "memory=5GB"),
        (["memory"], "a size with its unit", "memory=5GB"),
        (["max-retries=many"], "a number of attempts", "max-retries=3"),
        (["region=US West"], "one region", "region="),
        (["tpu=; rm -rf /"], "a TPU type", "tpu="),
        (["batch-size=4"], "'batch-size' is not a change", "memory=5GB"),
        (["env.1A=2"], "does not set an environment variable", "env.NAME=VALUE"),
        (["env.A"], "does not set an environment variable", "env.NAME=VALUE"),
        (["env.HF_TOKEN=hf_" + "aB3dE6gH9jK2mN5pQ8sT1vW4xY7zA0cD3f"], "looks like a secret", "--env-from"),
        (["env.A=1\n2"], "control characters", "printable"),
        (["env.A=" + "x" * 501], "too long", "500"),
        (["exclude-host=10.0.0.2"], "a slice of TPUs", "exclude-host="),
        (["flag.nothing=1"], "--nothing is not an option", "flag.priority"),
        (["flag.job-name=mine"], "every restart sets it itself", "Leave it out"),
        (["flag.memory=5GB"], "a change of its own name", "memory="),
        (["flag.priority"], "not a valid change of an option", "flag.priority=VALUE"),
        (["flag.preemptible=yes"], "not a valid change of an option", "flag.preemptible"),
        (["flag.priority=urgent"], "does not take 'urgent'", "batch"),
        (["disk=5GB", "disk=6GB"], "disk is changed twice", "once"),
        ([f"env.A{number}=1" for number in range(11)], "at most 10 changes", "--resubmit"),
    ],
)
def test_change_that_is_not_one_is_refused_by_name(texts, sentence, step):
    with pytest.raises(UserError) as refused:
        asked_changes(texts, asked_by="an agent")
    assert sentence in str(refused.value)
    assert step in refused.value.next_step
