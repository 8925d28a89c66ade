"""Values of options that clients or controllers refuse, by generation."""

import pytest

from babysitter.preflight.preflight_finding import blocking
from babysitter.preflight.resources.offer import ClusterOffer, Device, ScaleGroup
from babysitter.preflight.run import check_submission
from tests.engine.test_preflight_act import folder_with
from tests.support.submissions import command_facts

RUN = "iris job run --no-wait"
HEAVY = "--enable-extra-resources --extra tpu"
CPU = ScaleGroup("cpu", region="us-central1", is_preemptible=False, cpu=64)
SPOT = ScaleGroup("spot", region="us-west4", is_preemptible=True, cpu=64)
TPU = ScaleGroup("tpu", Device.TPU, "v6e-4", device_count=4, region="us-west4", cpu=180)


def ids(line: str, *, generation: str = "may", **changes) -> set[str]:
    facts = command_facts(f"{RUN} {line}", generation=generation, **changes)
    return {finding.id for finding in blocking(check_submission(facts))}


@pytest.mark.parametrize(
    ("options", "generations"),
    [
        ("--replicas -2", "april may august"),
        ("-e '' x", "april may august"),
        ("--job-name ' '", "april may august"),
        ("--user a/b", "april may august"),
        (f"--container-profile CONTAINER_PROFILE_GVISOR --tpu v6e-4 {HEAVY}", "august"),
        ("--exclude '['", "august"),
    ],
)
def test_bad_value_blocks(options, generations):
    for generation in generations.split():
        assert ids(f"{options} -- x", generation=generation) == {"bad-value"}


@pytest.mark.parametrize(
    ("options", "blocks"),
    [("-e KEY --no-wait", True), ("--job-name --memory", True), ("-e XLA_FLAGS --xla_dump_to=/tmp", False)],
)
def test_option_taken_as_a_value(options, blocks):
    assert ids(f"{options} -- x") == ({"swallowed-word"} if blocks else set())


@pytest.mark.parametrize(
    "options", ["--replicas 0", "--replicas 1", "--job-name ''", "--job-name 'a b'", "--user a.b"]
)
@pytest.mark.parametrize("generation", ["april", "may", "august"])
def test_odd_value_that_clients_accept_passes(options, generation):
    assert ids(f"{options} -- x", generation=generation) == set()


@pytest.mark.parametrize(
    ("spec", "refused_by"),
    [
        ("v5litepod-16", ""),
        ("4:H100x8", ""),
        ("8", "august"),
        ("0:v5p-8", "april may"),
        ("x:v5p-8", "april may"),
        ("v5p-9", "april may august"),
        ("V5P-8", "april may august"),
        ("", "april may august"),
    ],
)
def test_reserve_spec(spec, refused_by):
    for generation in ("april", "may", "august"):
        expected = {"bad-reserve"} if generation in refused_by.split() else set()
        assert ids(f"--reserve '{spec}' -- x", generation=generation) == expected


@pytest.mark.parametrize(("generation", "blocks"), [("april", False), ("may", True), ("august", True)])
def test_alternatives_with_other_chips(generation, blocks):
    found = ids(f"--tpu v6e-4,v6e-8 {HEAVY} -- x", generation=generation)
    assert found == ({"replicas-of-slice"} if blocks else set())


@pytest.mark.parametrize(
    ("generation", "options", "blocks"),
    [
        ("may", "--priority production", True),
        ("may", "--priority PRODUCTION", True),
        ("may", "--priority interactive", False),
        ("may", "", False),
        ("april", "--priority production", False),
    ],
)
def test_priority_of_a_user_who_is_not_listed(generation, options, blocks):
    offer = ClusterOffer("reef", ())
    expected = {"priority-not-allowed"} if blocks else set()
    assert ids(f"{options} -- x", generation=generation, offer=offer) == expected


def test_priority_of_a_listed_user():
    listed = ClusterOffer("reef", (), priorities={"ada": "production"})
    assert ids("--priority production -- x", offer=listed) == set()
    low = ClusterOffer("reef", (), priorities={"ada": "batch"})
    assert ids("-- x", offer=low) == {"priority-not-allowed"}
    by_login = ClusterOffer("reef", (), has_logins=True)
    assert ids("--priority production -- x", offer=by_login) == set()


@pytest.mark.parametrize(("cpu", "blocks"), [("0.5", True), ("1", True), ("1.5", False)])
def test_small_tasks_are_kept_off_preemptible_machines(cpu, blocks):
    found = ids(f"--cpu {cpu} --region us-west4 -- x", offer=ClusterOffer("reef", (CPU, SPOT)))
    assert found == ({"not-offered"} if blocks else set())


@pytest.mark.parametrize(
    ("peers", "blocks"),
    [({}, True), ({"far": (TPU,)}, False), ({"far": (CPU,)}, True), ({"far": None}, False)],
)
def test_machines_of_peers_count(peers, blocks):
    offer = ClusterOffer("reef", (CPU,), peers=peers)
    found = ids(f"--tpu v6e-4 {HEAVY} -- x", generation="august", offer=offer)
    assert found == ({"not-offered"} if blocks else set())


@pytest.mark.parametrize(("target", "blocks"), [("far", False), ("near", True)])
def test_target_cluster_is_a_peer(target, blocks):
    offer = ClusterOffer("reef", (CPU,), peers={"far": None})
    found = ids(f"--target-cluster {target} -- x", generation="august", offer=offer)
    assert found == ({"unknown-peer"} if blocks else set())


@pytest.mark.parametrize(
    ("words", "blocks"),
    [
        ("--extra flash-attn -- x", False),
        ("--extra pkg:Flash.Attn -- x", False),
        ("--extra flash -- x", True),
        ("-- uv run --extra flash x", True),
        ("-- uv run --group eval x", False),
        ("-- uv run --group no x", True),
        ("-- uv sync --package no", True),
        ("-- bash -c 'uv run --extra flash x'", True),
        ("-- bash -c 'uv run --extra flash x || true'", False),
        ("--no-sync --extra flash -- x", False),
        ("--sync-package Reef-Core -- x", False),
        ("--sync-package no -- x", True),
    ],
)
def test_names_that_uv_is_asked_for(words, blocks):
    declared = {
        "extras": frozenset({"flash-attn"}),
        "groups": frozenset({"eval"}),
        "projects": frozenset({"reef-core"}),
    }
    workspace = folder_with("-- x", **declared).command
    found = ids(words, generation="august", command=workspace)
    assert found == ({"unknown-extra"} if blocks else set())


@pytest.mark.parametrize(
    ("words", "id_"),
    [
        ("-- bash -c", "line-for-shell"),
        ("-- timeout 9 bash -lc python x.py", "line-for-shell"),
        ("-- bash -c 'python x.py' name", ""),
        ("-- bash -c 'x' y", ""),
        ("-- sudo x", "program-not-found"),
        ("-- time x", "program-not-found"),
        ("-- bash -c 'time x'", ""),
        ("-- Python x.py", "program-not-found"),
        ("-- python -m", "program-not-found"),
        ("-- '$PYTHON' x.py", "program-not-found"),
        ("-- '&&' x.py", "program-not-found"),
        ("-- ''", "no-program"),
        ("--region a b --cpu 1 -- python x.py", "program-not-found"),
        ("-- uv rum x.py", "program-not-found"),
        ("-- uv pip list", ""),
        ("-- bash python x.py", "program-not-found"),
        ("-- /home/ada/x.py", "program-not-found"),
        ("-- timeout 9 pyhton x.py", "program-not-found"),
        ("-- bash -c 'pyhton x.py'", "program-not-found"),
        ("-- bash -c 'pyhton x.py || true'", ""),
        ("-e A 1 2 -- python x.py", "program-not-found"),
        ("timeout 9 -- python x.py", ""),
        ("env -- python x.py", ""),
    ],
)
def test_program_that_cannot_start(words, id_):
    assert ids(words) == ({id_} if id_ else set())


def test_programs_of_another_image_or_machine_are_not_known():
    assert ids("--task-image x -- conda run x", generation="august") == set()
    assert ids("-- sudo x", offer=ClusterOffer("here", (), is_local=True)) == {"local-cluster-ends"}


def test_unreadable_line_blocks():
    facts = folder_with("-- bash -c 'echo (' ", shell_fault="unexpected end of file")
    (finding,) = blocking(check_submission(facts))
    assert (finding.id, "unexpected end" in finding.reason) == ("line-for-shell", True)
