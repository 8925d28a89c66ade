"""A kept launch request: read in both spellings, changed exactly or not at all."""

import pytest

from babysitter.model.launch_request import GIB, LaunchRequest

WIRE = {
    "entrypoint": {"runCommand": {"argv": ["python", "d.py"]}},
    "resources": {"memoryBytes": str(GIB), "cpuMillicores": 100, "device": {"tpu": {"variant": "v4-8"}}},
    "environment": {"envVars": {"A": "b"}},
    "bundleId": "b1",
    "maxRetriesFailure": 2,
    "constraints": [{"key": "preemptible"}, {"key": "region", "value": {"stringValue": "old"}}],
}
SNAKE = {
    "entrypoint": {"run_command": {"argv": ["python", "d.py"]}},
    "resources": {"memory_bytes": str(GIB), "cpu_millicores": 100, "device": {"tpu": {"variant": "v4-8"}}},
    "environment": {"env_vars": {"A": "b"}},
    "bundle_id": "b1",
    "max_retries_failure": 2,
    "constraints": WIRE["constraints"],
}


@pytest.mark.parametrize("raw", [WIRE, SNAKE])
def test_request_is_read_in_both_spellings(raw):
    request = LaunchRequest(raw)
    assert (request.command, request.bundle_id, request.variables) == (("python", "d.py"), "b1", {"A": "b"})
    assert (request.resource("memoryBytes"), request.resource("cpuMillicores")) == (GIB, 100)
    assert (request.number("maxRetriesFailure"), request.devices) == (2, "tpu v4-8")


@pytest.mark.parametrize("raw", [WIRE, SNAKE])
def test_changed_request_keeps_its_spelling(raw):
    changed = LaunchRequest(raw).changed("memory", "3GB")
    assert changed.resource("memoryBytes") == 3 * GIB
    assert changed.raw.keys() == raw.keys()
    assert changed.raw["resources"].keys() == raw["resources"].keys()
    assert LaunchRequest(raw).changed("max-retries", "5").number("maxRetriesFailure") == 5


def test_region_replaces_only_the_region():
    changed = LaunchRequest(WIRE).changed("region", "us-east1")
    assert [constraint["key"] for constraint in changed.raw["constraints"]] == ["preemptible", "region"]
    assert changed.raw["constraints"][1]["value"] == {"stringValue": "us-east1"}


@pytest.mark.parametrize(
    ("what", "after"), [("memory", "3gigs"), ("max-retries", "many"), ("region", "a b"), ("extra", "x")]
)
def test_change_that_cannot_be_written_exactly_is_refused(what, after):
    assert LaunchRequest(WIRE).changed(what, after) is None


@pytest.mark.parametrize("raw", [{}, {"entrypoint": 1, "resources": [], "environment": {"envVars": 3}}])
def test_nonsense_reads_as_absent(raw):
    request = LaunchRequest(raw)
    assert (request.command, request.bundle_id, dict(request.variables), request.devices) == ((), "", {}, "")
    assert request.resource("memoryBytes") is None
