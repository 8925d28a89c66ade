"""From the description of a cluster to its reader and writer. A new backend is a row in `_BACKENDS`.

Nothing is contacted here: connections, tunnels and probing wait for the first look.
"""

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from babysitter.backends.backend import ClusterReader, ClusterWriter, Overview
from babysitter.backends.batching import BatchingReader
from babysitter.backends.cluster_spec import DEFAULT_IRIS, ClusterSpec
from babysitter.backends.wrappers import CoalescingReader, LimitedReader, RetryingReader
from babysitter.clock import Clock, SystemClock
from babysitter.errors import BadConfig


@dataclass(frozen=True, slots=True)
class OpenCluster:
    """An opened cluster. Hands are given to the saga and to nobody else.

    `overview`: None where the backend cannot look over its whole cluster.
    """

    spec: ClusterSpec
    reader: ClusterReader
    writer: ClusterWriter
    overview: Overview | None = None

    async def close(self) -> None:
        await self.reader.close()


def spec_from_options(
    *,
    controller_url: str = "",
    config: str = "",
    cluster: str = "",
    transport: str = "rpc",
    iris_command: str = "",
    token: str = "",
) -> ClusterSpec:
    """The spec behind the command line's options; the name is the cluster's, the file's or the address's."""
    address = controller_url.partition("://")[2].partition("/")[0].rpartition("@")[2]  # shown: no password
    return ClusterSpec(
        name=cluster or (Path(config).stem if config else "") or address,
        url=controller_url,
        config=config,
        cluster=cluster,
        transport=transport,
        iris_command=tuple(shlex.split(iris_command)) or DEFAULT_IRIS,
        token=token,
    )


def open_cluster(
    spec: ClusterSpec,
    *,
    clock: Clock | None = None,
    home: Path | None = None,
    working_dir: Path | None = None,
    at_once: int = 4,
) -> OpenCluster:
    """Open the reader and the writer of the cluster. Raises BadConfig for a spec or a cluster file that
    cannot work.
    """
    clock = clock or SystemClock()
    if spec.backend not in _BACKENDS:
        raise BadConfig(f"There is no backend '{spec.backend}'; known are {', '.join(_BACKENDS)}.")
    reader, writer = _BACKENDS[spec.backend](spec, clock, home or Path.home(), working_dir or Path.cwd())
    return OpenCluster(
        spec,
        reader=BatchingReader(
            CoalescingReader(LimitedReader(RetryingReader(reader), at_once=at_once), clock=clock), clock
        ),
        writer=writer,
        overview=reader if isinstance(reader, Overview) else None,
    )


def _iris(
    spec: ClusterSpec, clock: Clock, home: Path, working_dir: Path
) -> tuple[ClusterReader, ClusterWriter]:
    from babysitter.backends.iris.connect import connect  # aiohttp takes a while to import

    return connect(spec, clock=clock, home=home, working_dir=working_dir)


_BACKENDS: Mapping[str, Callable[[ClusterSpec, Clock, Path, Path], tuple[ClusterReader, ClusterWriter]]] = {
    "iris": _iris
}
