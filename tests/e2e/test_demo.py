"""The demo, as a newcomer runs it."""

from pathlib import Path

import pytest

from tests.support.shell import OWN_CLOCK, shell


@pytest.mark.parametrize("options", ["", "--slack-sim"])
async def test_the_demo_tells_the_whole_story(options: str, tmp_path: Path):
    async with shell(tmp_path) as run:
        said = await run(f"{OWN_CLOCK} babysit demo --yes --speed 60 {options}")
    assert said.code == 0, said.err
    parts = [
        "steady", "zombie-coordinator", "If you approve, babysit will:", "1. stop exactly /ada/dedup",
        "## Timeline", "submitted as /ada/dedup-r1", "job succeeded",
        "Submitted: /ada/dedup-r1. Left alone:",
    ]  # fmt: skip
    places = [said.out.find(part) for part in parts]
    assert -1 not in places, parts[places.index(-1)]
    assert places == sorted(places)
    assert ("each once" in said.out) is bool(options)
