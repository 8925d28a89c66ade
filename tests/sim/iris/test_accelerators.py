"""Types of accelerators: the simulator's table against the one that preflight reads."""

from babysitter.preflight.client.client_tables import tpu_types
from babysitter.sim.iris.accelerators import machines_of


def test_machines_of_every_type():
    known = tpu_types()
    assert {name: machines_of(name) for name in known} == {name: tpu.machines for name, tpu in known.items()}


def test_machines_of_unknown_types():
    for name in ("v5p-9", "v5p-24", "v4-8192", "v6e-512", "V5P-8", "v7-8", "v6e-", "", "v5p-16384"):
        assert machines_of(name) is None, name
