"""One scenario of the advisor matrix; `make advised` tries them all."""

from babysitter.sim.iris import scenario as scenarios
from tests.e2e.advisor_matrix import TIMES, compared


async def test_failing_advisors_change_nothing(tmp_path):
    assert await compared("plain-success", tmp_path, for_s=60.0) == ("", 3)


def test_every_scenario_is_compared():
    assert set(TIMES) == set(scenarios.names())
