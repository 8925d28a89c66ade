"""What Ray's autoscaler tells every driver: only the job that asked for it is blamed. Lines of Ray 2.60."""

import pytest

from babysitter.backends.ray.dashboard.http_client import RayHttpClient
from babysitter.backends.ray.log_files.autoscaler_lines import is_of_others, unmet_request
from babysitter.backends.ray.reader import RayReader
from babysitter.model.ids import JobId
from babysitter.model.log import LogSource
from tests.support.clock import NOON, FakeClock
from tests.support.ray_dashboard import HANG, hanging, served

UNMET = (
    "\x1b[33m(autoscaler +14s)\x1b[0m Error: No available node types can fulfill resource request "
    "{'CPU': 1.0, 'GPU': 1.0}. Add suitable node types to this cluster to resolve this issue."
)
ASKED = (("CPU", 1.0), ("GPU", 1.0))
OUR_HEX = "04000000"


def group(job: str) -> dict[str, object]:
    return {
        "placement_group_id": "ab12",
        "creator_job_id": job,
        "state": "PENDING",
        "bundles": [{"unit_resources": {"GPU": 1.0, "CPU": 1.0}}],
    }


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        (UNMET, ASKED),
        ("(autoscaler +1m3s) Tip: use `ray status`", None),
        (UNMET.replace("1.0", "1..0"), ASKED),  # a job printed it, and not Ray
        ("no available node types can fulfill resource request {'GPU': 1.0}", None),
    ],
)
def test_unmet_request_is_read(text, asked):
    assert unmet_request(text) == asked


def test_request_of_nobody_known_stays():
    assert not is_of_others(ASKED, (), ())
    assert not is_of_others(ASKED, (ASKED,), (ASKED,))
    assert is_of_others(ASKED, (), (ASKED,))


@pytest.mark.parametrize(("owner", "is_shown"), [(OUR_HEX, True), ("0a000000", False)])
async def test_unmet_request_is_told_to_its_job(owner, is_shown):
    log = f"job-driver-{HANG}.log"
    files = {log: f"step=1\n{UNMET}\n".encode()}
    async with served(hanging(files=files, groups=[group(owner)])) as dashboard:
        reader = RayReader(RayHttpClient(dashboard.url), clock=FakeClock(NOON))
        first = await reader.lines(LogSource(JobId(HANG)), after=None, at_most=10)
        dashboard.files[log] += f"{UNMET}\nstep=2\n".encode()
        before = len(dashboard.asked)
        again = await reader.lines(LogSource(JobId(HANG)), after=first.cursor, at_most=10)
        asked = [path for path, _ in dashboard.asked[before:] if "placement" in path]
        await reader.close()
    assert [line.text for line in first.lines] == ["step=1", *([UNMET] if is_shown else [])]
    assert [line.text for line in again.lines] == [*([UNMET] if is_shown else []), "step=2"]
    assert bool(asked) == is_shown, "whose it is, is remembered where it is another's"
