"""What quiet plain watches cost a cluster, through everything that stands between a watch and the wire."""

from collections import Counter
from functools import partial
from pathlib import Path

from babysitter.backends.cluster_spec import ClusterSpec
from babysitter.backends.registry import open_cluster
from babysitter.config import Settings
from babysitter.engine.service import Service
from babysitter.model.ids import Person
from babysitter.sim.iris.controller import Simulator
from babysitter.usecases.watching.manage_watches import start_watch
from babysitter.wiring import open_app
from tests.support.clock import FakeClock

QUIET = """
about: Plain programs that print one line and then work for hours without another.
copies: 4
root:
  argv: [python, quiet.py]
  says: [{say: quiet job begins}, {say: done, every_s: 360000}]
"""


async def test_five_quiet_watches_cost_24_requests_in_two_minutes(tmp_path: Path):
    scenario = tmp_path / "quiet.yaml"
    scenario.write_text(QUIET, encoding="utf-8")
    clock = FakeClock()
    async with (
        Simulator(str(scenario), clock.now) as sim,
        open_app(
            Settings(state_dir=tmp_path / "state"), clock=clock, opener=partial(open_cluster, clock=clock)
        ) as app,
        Service(app) as service,
    ):

        async def pass_s(seconds: float) -> None:
            for _ in range(int(seconds / 10)):
                clock.advance(10)
                await service.tick()
                await service.settled()

        for job in (sim.root_job, *sim.copies):
            await start_watch(app, job, ClusterSpec("marin", url=sim.url), by=Person("ada"))
        await pass_s(180)
        sim.requests.clear()
        await pass_s(120)
        assert Counter(method for method, _ in sim.requests) == {"FetchLogs": 20, "GetJobState": 4}
