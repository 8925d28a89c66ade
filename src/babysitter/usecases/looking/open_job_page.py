"""Where a job is seen in its cluster's dashboard."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from babysitter.backends.cluster_spec import ClusterSpec
from babysitter.backends.dashboard_page import DashboardPage
from babysitter.backends.registry import open_job_page, parse_job_id
from babysitter.clock import Clock


@asynccontextmanager
async def opened_job_page(spec: ClusterSpec, job: str, clock: Clock) -> AsyncIterator[DashboardPage]:
    """The page, reachable while the block lasts. Raises UserError for an id that is none."""
    async with open_job_page(spec, parse_job_id(spec, job), clock) as page:
        yield page
