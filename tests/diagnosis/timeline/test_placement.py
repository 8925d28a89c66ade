"""What a pending reason says: will the job be placed, and if never, which setting is in the way?"""

import json

import pytest

from babysitter.diagnosis.timeline.placement import Placement, read_placement
from tests.support.recordings import FIXTURES

SCHEDULER = "Scheduler: Insufficient memory (need 3000.0GB, available 991.0GB) - 1 worker(s)"
UNMET = "Autoscaler: Unsatisfied autoscaler demand: "


def reason(autoscaler: str) -> str:
    return f"{SCHEDULER}\n(with constraints=['reservation-job'])\n\n{autoscaler}"


@pytest.mark.parametrize("era", ["iris-2026-04", "iris-2026-05"])
def test_a_recorded_reason_names_the_setting(era):
    wire = FIXTURES / era / "05b-pending-memory" / "wire"
    answer = json.loads((wire / "s01-ListJobs.response.json").read_text())
    (job,) = answer["jobs"]
    found = read_placement(job["pendingReason"])
    assert found.placement is Placement.NEVER
    assert (found.setting, found.asked, found.offered) == ("--memory", "3000 GB", "64 GB")


@pytest.mark.parametrize(
    ("autoscaler", "setting", "asked", "offered"),
    [
        ("insufficient_resources: cpu: need 200000, available 96000", "--cpu", "200 cores", "96 cores"),
        ("insufficient_resources: disk: need 21474836480, available 10737418240", "--disk", "20 GB", "10 GB"),
        ("insufficient_resources: gpu: need 16, available 8", "--gpu", "16", "8"),
        (
            "insufficient_resources: memory: need 3221225472000, available 68719476736; "
            "memory: need 3221225472000, available 137438953472",
            "--memory",
            "3000 GB",
            "128 GB",
        ),
        (
            "no_matching_group: no scaling group provides device tpu:v9-8 (available: cpu, v5p-64)",
            "--tpu",
            "v9-8",
            "cpu, v5p-64",
        ),
        ("no_matching_group: no scaling group provides device gpu:h9 (available: cpu)", "--gpu", "h9", "cpu"),
        ("no_matching_group: no preemptible group provides device tpu:v5p-8", "preemptible", "true", ""),
        ("no_matching_group: no non-preemptible group provides device tpu:v5p-8", "preemptible", "false", ""),
        (
            "no_matching_group: no groups in zone moon1-a; did you mean mars1-a?",
            "--zone",
            "moon1-a",
            "mars1-a",
        ),
        (
            "no_matching_group: no groups in region moon1-a; 'moon1-a' looks like a zone, not a region; "
            "use a zone constraint instead",
            "--region",
            "moon1-a",
            "",
        ),
        (
            "coschedule_mismatch: job needs 6 tasks coscheduled but no matching group has num_vms=6 "
            "(a=4, b=8)",
            "--replicas",
            "6",
            "a=4, b=8",
        ),
        (
            "no_matching_group: no scaling group matches constraints (available: cpu, v5p-64)",
            "constraints",
            "",
            "cpu, v5p-64",
        ),
    ],
)
def test_a_demand_that_no_group_satisfies(autoscaler, setting, asked, offered):
    found = read_placement(reason(UNMET + autoscaler))
    assert found.placement is Placement.NEVER
    assert (found.setting, found.asked, found.offered) == (setting, asked, offered)


@pytest.mark.parametrize(
    "autoscaler",
    [
        "Autoscaler: (scaling up) Waiting for worker scale-up in scale group 'v5p-64' (2 slice(s) requested)",
        "Autoscaler: Waiting for workers in scale group 'v5p-64' to become ready (at max_slices)",
        UNMET + "tier_blocked: 3 matching group(s) blocked by quota-pool tier monotonicity",
        UNMET + "no_capacity: v5p-64=quota_exceeded, v5p-128=backoff",
    ],
)
def test_a_demand_that_waits_for_machines(autoscaler):
    assert read_placement(reason(autoscaler)).placement is Placement.WAITS


@pytest.mark.parametrize("text", ["", "Pending scheduler feedback"])
def test_nothing_is_known_before_the_first_cycle(text):
    assert read_placement(text).placement is Placement.UNKNOWN


@pytest.mark.parametrize(
    "text",
    [
        SCHEDULER,
        "Insufficient memory (need 120.0GB, available 110.0GB) - 3 worker(s)",
        "Coscheduling: need 8 workers in same 'tpu-name' group, largest group has 4",
        "No worker matches constraints and has sufficient resources (need cpu=8)",
    ],
)
def test_the_scheduler_speaks_only_of_machines_that_run(text):
    assert read_placement(text).placement is Placement.WAITS


def test_words_of_other_schedulers_are_for_the_rules():
    text = "0/8 nodes are available: 8 node(s) didn't match Pod's node affinity/selector."
    assert read_placement(text).placement is Placement.UNSAID


def test_what_a_job_is_called_changes_nothing():
    found = read_placement(f"{SCHEDULER}\n(with constraints=['insufficient_resources: memory'])")
    assert found.placement is Placement.WAITS


def test_the_advice_names_the_setting_and_what_is_offered():
    found = read_placement(reason(UNMET + "insufficient_resources: cpu: need 200000, available 96000"))
    assert found.advice("dedup", is_root=True) == (
        "dedup asks for 200 cores, and no group of machines offers more than 96 cores. "
        "Set --cpu to at most 96 cores, or ask the operator for larger machines."
    )
    assert found.advice("workers", is_root=False) == (
        "workers asks for 200 cores, and no group of machines offers more than 96 cores. "
        "Let the program ask for at most 96 cores, or ask the operator for larger machines."
    )
    found = read_placement(
        reason(UNMET + "no_matching_group: no groups in zone moon1-a; did you mean mars1-a?")
    )
    assert found.advice("dedup", is_root=True) == (
        "dedup asks for --zone moon1-a, which no group of machines offers. Change --zone (offered: mars1-a)."
    )
    found = read_placement(
        reason(UNMET + "no_matching_group: no scaling group matches constraints (available: )")
    )
    assert found.advice("dedup", is_root=True) == (
        "No group of machines matches the constraints of dedup. Change its constraints."
    )
