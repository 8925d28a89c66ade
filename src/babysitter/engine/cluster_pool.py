"""Reader and writer of each cluster, opened once and shared by all its watches.

Sharing is what makes an outage cheap and quiet: the same question of many watches is asked once, and the
incident of a cluster that cannot be seen is kept under the cluster's name (policy/incident_lifecycle.py:
`cluster_key`), so that however many watches go blind, one incident is opened and one message said.
"""

import json
import shlex
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from pathlib import Path

from babysitter.backends.backend import ClusterReader, ClusterWriter, Overview
from babysitter.backends.cluster_spec import DEFAULT_IRIS, ClusterSpec
from babysitter.backends.redacting import RedactingReader
from babysitter.backends.registry import (
    OpenCluster,
    folder_run,
    parse_job_id,
    ray_spec,
    runs_programs,
    spec_from_options,
)
from babysitter.config import ClusterSettings, Settings, secret
from babysitter.errors import UserError
from babysitter.store.store import Store

Opener = Callable[[ClusterSpec], OpenCluster]
MAX_OUTDATED = 4  # replaced clusters that stay open for the checks that still use them


class ClusterPool:
    """Opens clusters by name: as configured, as once given on a command line, else as iris knows them."""

    def __init__(self, configured: Mapping[str, ClusterSpec], store: Store, opener: Opener) -> None:
        self._configured = configured
        self._store = store
        self._opener = opener
        self._given: dict[str, ClusterSpec] = {}
        self._open: dict[tuple[str, tuple[str, ...]], tuple[ClusterSpec, OpenCluster]] = {}
        self._outdated: list[OpenCluster] = []

    async def reader(self, name: str, client: tuple[str, ...] = ()) -> ClusterReader:
        """What looks at the jobs of this cluster. Raises BadConfig for one that cannot be opened.

        `client`: the client command of one watch, for how its job was submitted; () = the cluster's.
        """
        return (await self._cluster(name, client)).reader

    async def writer(self, name: str, client: tuple[str, ...] = ()) -> ClusterWriter:
        """What acts on the jobs of this cluster: for the saga and nobody else. `client`: as above."""
        return (await self._cluster(name, client)).writer

    async def overview(self, name: str) -> Overview:
        """What looks over a whole cluster. Raises UserError where its backend cannot."""
        found = (await self._cluster(name)).overview
        if found is None:
            raise UserError(
                f"The cluster '{name}' cannot be looked over as a whole.",
                next_step="Name one job; its tree, tasks and logs can be read.",
            )
        return found

    async def spec(self, name: str) -> ClusterSpec:
        """The description of a cluster."""
        if name not in self._configured and name not in self._given:
            await self._read_given()
        known = self._configured.get(name) or self._given.get(name)
        return known or ClusterSpec(name=name, cluster=name)

    async def own_client(self, spec: ClusterSpec) -> tuple[str, ...]:
        """The client command of this description, where it is not the one that the cluster has anyway."""
        configured = self._configured.get(spec.name)
        usual = configured.iris_command if configured is not None else DEFAULT_IRIS
        return () if spec.iris_command == usual else spec.iris_command

    async def remember(self, spec: ClusterSpec, *, keeps_client: bool = False) -> None:
        """Keep a description given on a command line, so that the service can open the cluster too.

        Its client command is that of one watch and not kept, unless the cluster is read through it, or
        `keeps_client`. Raises UserError when the configuration means another cluster by this name.
        """
        if not keeps_client and spec.transport != "cli":
            spec = replace(spec, iris_command=(await self.spec(spec.name)).iris_command)
        configured = self._configured.get(spec.name)
        if configured == spec or spec == ClusterSpec(name=spec.name, cluster=spec.name):
            return
        if configured is not None:
            raise UserError(
                f"The settings mean another cluster by '{spec.name}'.",
                next_step=f"Leave the other options out, or change clusters.{spec.name} in the settings.",
            )
        if self._given.get(spec.name) == spec:
            return
        async with self._store.transaction() as tx:
            await tx.clusters.put(spec.name, json.dumps(asdict(spec)))
        self._given[spec.name] = spec

    async def close(self) -> None:
        for cluster in [*self._outdated, *(open_cluster for _, open_cluster in self._open.values())]:
            await cluster.close()
        self._outdated.clear()
        self._open.clear()

    async def _cluster(self, name: str, client: tuple[str, ...] = ()) -> OpenCluster:
        """Open the cluster; again, if another process has stored a new description of it."""
        if name not in self._configured:
            await self._read_given()
        spec = await self.spec(name)
        if client:
            spec = replace(spec, iris_command=client)
        known = self._open.get((name, client))  # another watch may have opened it meanwhile
        if known is not None and known[0] == spec:
            return known[1]
        opened = self._opener(spec)
        opened = replace(opened, reader=RedactingReader(opened.reader))
        self._open[name, client] = spec, opened
        if known is not None:
            await self._retire(known[1])
        return opened

    async def _retire(self, outdated: OpenCluster) -> None:
        """Close it later: a check may be reading from it at this moment."""
        self._outdated.append(outdated)
        while len(self._outdated) > MAX_OUTDATED:
            await self._outdated.pop(0).close()

    async def _read_given(self) -> None:
        async with self._store.reading() as tx:
            self._given = {word: _read(text) for word, text in (await tx.clusters.all()).items()}


def configured_clusters(settings: Settings) -> Mapping[str, ClusterSpec]:
    """The clusters of the settings. Raises BadConfig for one that cannot work."""
    return {name: _spec(name, cluster) for name, cluster in settings.clusters.items()}


def _spec(name: str, settings: ClusterSettings) -> ClusterSpec:
    is_looked_up = not (settings.url or settings.config or settings.cluster)
    return ClusterSpec(
        name=name,
        url=settings.url,
        config=str(Path(settings.config).expanduser()) if settings.config else "",
        cluster=name if is_looked_up else settings.cluster,
        transport=settings.transport,
        iris_command=settings.iris_command,
        token=secret(settings.token, settings.token_file, what=f"token of '{name}'"),
        service_account=settings.service_account,
        client_revision_date=settings.client_revision_date,
        backend=settings.backend,
        ssh=tuple(shlex.split(settings.ssh)),
        dashboard_url=settings.dashboard_url.rstrip("/"),
    )


def _read(description: str) -> ClusterSpec:
    values = json.loads(description)
    return ClusterSpec(
        **{**values, "iris_command": tuple(values["iris_command"]), "ssh": tuple(values.get("ssh", ()))}
    )


__all__ = [
    "ClusterPool",
    "ClusterSpec",
    "Opener",
    "configured_clusters",
    "folder_run",
    "parse_job_id",
    "ray_spec",
    "runs_programs",
    "spec_from_options",
]
