"""`babysit sim`: what it suggests to try."""

import shlex
import sys
from pathlib import Path

from babysitter.surfaces.cli.serving.sim import commands_to_try

MANUAL = Path(__file__).parents[2] / "docs" / "simulator.md"


def test_sim_suggests_a_start_that_can_restart():
    diagnose, start = map(shlex.split, commands_to_try("/ada/dedup", "http://127.0.0.1:1"))
    assert diagnose[:3] == ["babysit", "diagnose", "/ada/dedup"]
    given = dict(zip(start[3::2], start[4::2], strict=True))
    assert given == {
        "--controller-url": "http://127.0.0.1:1",
        "--iris-command": f"{sys.executable} -m babysitter.sim.iris",
        "--workdir": ".",
    }
    assert '--iris-command "python -m babysitter.sim.iris" --workdir' in MANUAL.read_text(encoding="utf-8")
