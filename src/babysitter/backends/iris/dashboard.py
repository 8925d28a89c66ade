"""Where a person sees a job in the controller's dashboard.

The dashboard is one page; what it shows stands behind the `#`. It shows its list for a path that it does
not know.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from babysitter.backends.dashboard_page import DashboardPage
from babysitter.backends.iris.connection.cluster_file import ControllerAccess
from babysitter.backends.iris.connection.connect import cluster_file, endpoint_of
from babysitter.backends.shown_address import without_password
from babysitter.clock import Clock
from babysitter.model.ids import JobId

if TYPE_CHECKING:
    from babysitter.backends.cluster_spec import ClusterSpec

TUNNELS = (ControllerAccess.GCP, ControllerAccess.COREWEAVE)


def page_address(spec: "ClusterSpec", job: JobId, *, home: Path, working_dir: Path) -> str:
    """The page of a job where people can open it by themselves; "" behind a tunnel. Raises BadConfig."""
    base = spec.dashboard_url
    if not base:
        file = cluster_file(spec, home=home, working_dir=working_dir)
        is_tunnel = file is not None and file.reach in TUNNELS
        base = "" if is_tunnel else spec.url or (file.url if file is not None else "")
    return _page(base, job) if base else ""


def _page(base: str, job: JobId) -> str:
    return f"{without_password(base).rstrip('/')}/#/job/{quote(job, safe='')}"


@asynccontextmanager
async def job_page(
    spec: "ClusterSpec", job: JobId, *, clock: Clock, home: Path, working_dir: Path
) -> AsyncIterator[DashboardPage]:
    """The page of a job, with the tunnel to it open. Raises Unreachable if it cannot be opened."""
    if spec.dashboard_url:
        yield DashboardPage(_page(spec.dashboard_url, job))
        return
    file = cluster_file(spec, home=home, working_dir=working_dir)
    endpoint = endpoint_of(spec, file, home, clock)
    try:
        is_tunnel = file is not None and file.reach in TUNNELS
        yield DashboardPage(_page(await endpoint.url(), job), through_tunnel=is_tunnel)
    finally:
        await endpoint.close()
