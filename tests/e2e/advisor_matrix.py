"""`python -m tests.e2e.advisor_matrix`: every scenario with an advisor that fails, and without one.

In each scenario a server that is down, one that hangs and one that lies are asked about the watch, and about
its incidents where it has some. Held: every row of the watch, every event, incident, proposal and message is
the same, byte by byte, as in the story without an advisor.
"""

import argparse
import asyncio
import sys
import tempfile
from pathlib import Path
from unittest.mock import patch

from babysitter.sim.iris import scenario as scenarios
from tests.e2e.failing_advisors import (
    FAILURES,
    SETTINGS,
    everything_told,
    failing_advisors,
    pass_asking,
)
from tests.e2e.test_scenarios import TELLINGS
from tests.support.sim_app import story

TIMES = {telling.scenario: (telling.for_s, telling.step_s) for telling in TELLINGS}
TIMES |= {"long-run": (1200, 20.0), "zombie-again": (300, 10.0)}


async def compared(scenario: str, folder: Path, for_s: float = 0.0) -> tuple[str, int]:
    """What differs with failing advisors ("" = nothing), and how often they were asked.

    `for_s`: of the story; 0 = to its end.
    """
    whole_s, step_s = TIMES[scenario]
    for_s = for_s or whole_s
    asked, alone = folder / "asked", folder / "alone"
    with patch("secrets.token_hex", lambda _: "5eed5eed"):  # ids, and what is drawn from them
        async with failing_advisors() as advisors, story(scenario, asked, advisor=SETTINGS) as tale:
            course = await pass_asking(tale, asked, for_s, step_s, advisors, about_watch=True)
        async with story(scenario, alone) as tale:
            expected = await pass_asking(tale, alone, for_s, step_s, None)
    if len(set(advisors.reasons)) < len(FAILURES):
        return f"only {len(set(advisors.reasons))} failures were met", len(advisors.reasons)
    pairs = [*_pairs(course, expected), *_pairs(everything_told(asked), everything_told(alone))]
    different = next((f"{one!r} instead of {other!r}" for one, other in pairs if one != other), "")
    return different, len(advisors.reasons)


def _pairs(found: list[str], expected: list[str]) -> list[tuple[str, str]]:
    longest = max(len(found), len(expected))
    return list(
        zip(
            [*found, *[""] * (longest - len(found))],
            [*expected, *[""] * (longest - len(expected))],
            strict=True,
        )
    )


def main() -> int:
    """Print one line for each scenario; 1 if any differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenarios", nargs="*", default=scenarios.names())
    different = 0
    for scenario in parser.parse_args().scenarios:
        with tempfile.TemporaryDirectory() as folder:
            difference, asked = asyncio.run(compared(scenario, Path(folder)))
        different += bool(difference)
        print(f"{scenario:<20} asked {asked} times: {difference or 'the same'}", flush=True)  # noqa: T201
    print(f"{different} different")  # noqa: T201
    return int(bool(different))


if __name__ == "__main__":
    sys.exit(main())
