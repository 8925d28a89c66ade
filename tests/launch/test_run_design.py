"""Every row of the design of `iris job run`'s options and environment rules, by command and over HTTP.

The words are read by the simulator's parser, which has the options of each generation's client; the bodies
by its reader of requests, which knows each generation's fields. Options of the command line itself (--config,
--cluster, --controller-url, --no-wait, --include-children-logs, --auto) are in test_cli_submit.py,
test_cluster_names.py and test_submit_options.py.
"""

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from babysitter.backends.iris.submission.launch_body import LaunchContext, launch_body
from babysitter.backends.iris.submission.run_options import options_lacking, run_words
from babysitter.launch.environment_rules import job_variables
from babysitter.launch.submit_options import SubmitOptions, job_of
from babysitter.sim.iris import request_fields
from babysitter.sim.iris.run_options import read_run
from babysitter.surfaces.cli.submitting.variable_words import SPELLINGS, joined_variables, split_variable

AT = datetime(2026, 11, 22, 6, 0, tzinfo=UTC)
GENERATIONS = ("april", "may", "august")
DEVICE = "resources.device"

ROWS = {
    # name: (options, words of the command, path in the request, value there)
    "cpu": ({"cpu": 2.0}, {"--cpu": "2"}, "resources.cpuMillicores", 2000),
    "memory": ({"memory": "2GB"}, {"--memory": "2GB"}, "resources.memoryBytes", str(2 * 2**30)),
    "disk": ({"disk": "9GB"}, {"--disk": "9GB"}, "resources.diskBytes", str(9 * 2**30)),
    "tpu": ({"tpu": ("v4-8",)}, {"--tpu": "v4-8"}, f"{DEVICE}.tpu.variant", "v4-8"),
    "variants": ({"tpu": ("v6e-4,v5litepod-4",)}, {"--tpu": "v6e-4,v5litepod-4"}, f"{DEVICE}.tpu.count", 4),
    "gpu": ({"gpu": "H100x8"}, {"--gpu": "H100x8"}, f"{DEVICE}.gpu.count", 8),
    "replicas": ({"replicas": 3}, {"--replicas": "3"}, "replicas", 3),
    "max-retries": ({"max_retries": 2}, {"--max-retries": "2"}, "maxRetriesFailure", 2),
    "timeout": ({"timeout_s": 60}, {"--timeout": "60"}, "timeout.milliseconds", "60000"),
    "job-name": ({"job_name": "tiny"}, {"--job-name": "tiny"}, "name", "/ada/tiny"),
    "generated name": ({}, {"--job-name": "babysit-train-20261122-060000-1a2b"}, "replicas", 1),
    "user": ({"user": "bob"}, {"--user": "bob"}, "name", "/bob/babysit-train-20261122-060000-1a2b"),
    "region": ({"region": ("us-east5",)}, {"--region": "us-east5"}, "constraints.region", "us-east5"),
    "zone": ({"zone": "us-east5-b"}, {"--zone": "us-east5-b"}, "constraints.zone", "us-east5-b"),
    "priority": ({"priority": "batch"}, {"--priority": "batch"}, "priorityBand", "PRIORITY_BAND_BATCH"),
    "ports": ({"ports": ("http", "grpc")}, {}, "ports", ["http", "grpc"]),
    "constraint": ({"constraints": ("pool=large",)}, {}, "constraints.pool", "large"),
    "coscheduling-timeout": ({"scheduling_timeout_s": 600}, {}, "schedulingTimeout.milliseconds", "600000"),
}  # fmt: skip


def job(**options):
    made = job_of(SubmitOptions(("python", "train.py", "--steps", "3"), **options), now=AT, token="1a2b")
    return replace(made, user=made.user or "ada")


def asked(words, generation):
    """What the client of this generation understands of a command."""
    return read_run(words[words.index("run") + 1 :], generation)


def at_path(body, path):
    head, _, rest = path.partition(".")
    if head == "constraints":
        found = next(constraint for constraint in body["constraints"] if constraint["key"] == rest)
        return (found.get("values") or [found["value"]])[0]["stringValue"]
    return at_path(body[head], rest) if rest else body[head]


@pytest.mark.parametrize("generation", GENERATIONS)
@pytest.mark.parametrize("row", [name for name, row in ROWS.items() if row[1]])
def test_option_by_the_command(row, generation):
    options, words, _, _ = ROWS[row]
    made = job(**options)
    assert options_lacking(made, generation) == ()
    found = asked(run_words(("iris",), made, ()), generation)
    assert found.values.items() >= words.items()
    assert found.program == ["python", "train.py", "--steps", "3"]
    assert "--no-wait" in found.flags


@pytest.mark.parametrize("generation", GENERATIONS)
@pytest.mark.parametrize("row", ROWS)
def test_option_over_http(row, generation):
    options, _, path, value = ROWS[row]
    body = launch_body(job(**options), LaunchContext(generation, client_date="2026-11-20"))
    assert at_path(body, path) == value
    read = request_fields.read(generation, "LaunchJob", json.dumps(body).encode())
    assert read["entrypoint"]["runCommand"]["argv"] == ["python", "train.py", "--steps", "3"]


@pytest.mark.parametrize("row", [name for name, row in ROWS.items() if not row[1]])
def test_option_that_no_command_has_is_named(row):
    for generation in GENERATIONS:
        (lacking,) = options_lacking(job(**ROWS[row][0]), generation)
        assert lacking.removeprefix("--") == row


@pytest.mark.parametrize(
    ("options", "generation", "is_lacking"),
    [
        ({"preemptible": True}, "april", True),
        ({"preemptible": True}, "may", False),
        ({"preemptible": False}, "august", False),
        ({"extra": ("tpu",)}, "april", False),
        ({"reserve": ("2:v4-8",)}, "april", False),
        ({"reserve": ("2:v4-8",)}, "may", False),
    ],
)
def test_flag_and_repeated_options_by_the_command(options, generation, is_lacking):
    made = job(**options)
    assert bool(options_lacking(made, generation)) is is_lacking
    if not is_lacking:
        found = asked(run_words(("iris",), made, ()), generation)
        names = {*found.flags, *found.values}
        assert names & {"--preemptible", "--no-preemptible", "--extra", "--reserve"}


@pytest.mark.parametrize("generation", GENERATIONS)
@pytest.mark.parametrize(
    ("typed", "variables"),
    [
        (["-e", "A", "1"], {"A": "1"}),
        (["-e", "A"], {"A": ""}),
        (["--env_vars", "A", "1", "--env-vars", "B", "x y"], {"A": "1", "B": "x y"}),
        (["-e", "A", "1", "-e", "A", "2"], {"A": "2"}),
        (["-e", "N", "-3"], {"N": "-3"}),
        (["-e", "A", "-e", "B", "2"], {"A": "", "B": "2"}),
        (["-e", "URL", "a=b"], {"URL": "a=b"}),
    ],
)
def test_variables_by_both_ways(typed, variables, generation):
    joined = joined_variables([*typed, "--", "python", "train.py"])
    given = [split_variable(joined[at + 1]) for at, word in enumerate(joined) if word in SPELLINGS]
    flags = [(words[0], words[1] if len(words) == 2 else "") for words in given]
    assert asked(run_words(("iris",), job(), flags), generation).env == variables
    body = launch_body(replace(job(), variables=job_variables(None, given, {})), LaunchContext(generation))
    assert body["environment"]["envVars"] == variables
