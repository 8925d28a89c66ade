"""Our LaunchJob bodies against what the real client of May makes of the same options, field by field.

`may_requests.json` was taken from that client (29c1e4749) just before it sends; of the setup commands only
the SHA-256 is kept, and neither the bundle nor the client's own command line.
"""

import argparse
import hashlib
import json
import shlex
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from babysitter.backends.iris.submission.launch_body import LaunchContext, launch_body
from babysitter.backends.iris.submission.new_job import ExistingJobPolicy
from babysitter.launch.environment_rules import job_variables, with_standard_variables
from babysitter.launch.submit_options import SubmitOptions, job_of

ROWS = json.loads((Path(__file__).parent / "may_requests.json").read_text())
# What a proto message says where nothing was said.
UNSAID = ("", "0", 0, {}, "CONSTRAINT_OP_EQ", "CONSTRAINT_MODE_REQUIRED")


def options_of(line: str) -> SubmitOptions:
    words = shlex.split(line)
    parser = argparse.ArgumentParser()
    for name in ("job-name", "user", "gpu", "memory", "disk", "zone", "priority"):
        parser.add_argument(f"--{name}", default="")
    for name in ("tpu", "region", "extra", "reserve"):
        parser.add_argument(f"--{name}", action="append", default=[])
    for name, kind in (("cpu", float), ("replicas", int), ("timeout", int), ("max-retries", int)):
        parser.add_argument(f"--{name}", type=kind, default=0 if kind is int and name != "replicas" else None)
    parser.add_argument("-e", nargs=2, action="append", default=[])
    parser.add_argument("--enable-extra-resources", action="store_true")
    parser.add_argument("--preemptible", action=argparse.BooleanOptionalAction, default=None)
    given = vars(parser.parse_args(words[: words.index("--")]))
    given.pop("enable_extra_resources")
    lists = {name: tuple(given.pop(name)) for name in ("tpu", "region", "extra", "reserve")}
    variables = tuple(tuple(pair) for pair in given.pop("e"))
    timeout_s = given.pop("timeout")
    command = tuple(words[words.index("--") + 1 :])
    given["user"] = given["user"] or "ada"
    return SubmitOptions(command, variables=variables, timeout_s=timeout_s, **lists, **given)


def said(value: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], object]]:
    if isinstance(value, dict) and value:
        for name, inner in value.items():
            yield from said(inner, (*path, name))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from said(inner, (*path, index))
    elif value not in UNSAID and not str(value).endswith("_UNSPECIFIED"):
        yield path, value


@pytest.mark.parametrize("row", ROWS, ids=[row["options"] for row in ROWS])
def test_body_equals_that_of_the_client(row):
    options = options_of(row["options"])
    variables = job_variables({"env": {"OF_FILE": 1}}, options.variables, {})
    job = replace(
        job_of(options, now=datetime(2026, 11, 22, tzinfo=UTC), token=""),
        existing_job_policy=ExistingJobPolicy.REPLACE_ENDED,
        variables=with_standard_variables(variables, {}),
    )
    body = launch_body(job, LaunchContext("may", client_date="2026-11-20", python_version="3.11"))
    commands = "\n".join(body["entrypoint"]["setupCommands"])
    body["entrypoint"]["setupCommands"] = hashlib.sha256(commands.encode()).hexdigest()
    assert dict(said(body)) == dict(said(row["request"]))
