"""Which cluster a command asks about a job that is watched already."""

import asyncio
from pathlib import Path

import pytest

from babysitter.backends.cluster_spec import ClusterSpec
from babysitter.config import Settings, load_settings
from babysitter.errors import UserError
from babysitter.surfaces.cli.terminal.options import ClusterOptions
from babysitter.surfaces.cli.watching.watched_cluster import cluster_of_job
from babysitter.wiring import open_app
from tests.support import build

SPEC = ClusterSpec(name="127.0.0.1:1", url="http://127.0.0.1:1")


async def _watch(settings: Settings) -> None:
    async with open_app(settings) as app:
        await app.clusters.remember(SPEC)
        async with app.store.transaction() as tx:
            await tx.watches.add(build.watch(cluster=SPEC.name))


def test_cluster_of_a_watched_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("RAY_API_SERVER_ADDRESS", raising=False)
    settings = load_settings(None, environment={"HOME": str(tmp_path)}, flags={"state_dir": str(tmp_path)})
    asyncio.run(_watch(settings))
    assert cluster_of_job(settings, build.ROOT, ClusterOptions()) == SPEC
    assert cluster_of_job(settings, build.ROOT, ClusterOptions("marin")).name == "marin"
    with pytest.raises(UserError, match="Which cluster"):
        cluster_of_job(settings, "/ada/other", ClusterOptions())
