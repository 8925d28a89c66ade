"""Puts a Ray client together: address, token, HTTP client, reader. There is no writer."""

from pathlib import Path
from typing import TYPE_CHECKING

from babysitter.backends.backend import ClusterWriter
from babysitter.backends.ray.dashboard_address import dashboard_address, ray_token
from babysitter.backends.ray.http_client import RayHttpClient
from babysitter.backends.ray.reader import RayReader
from babysitter.backends.read_only_writer import ReadOnlyWriter
from babysitter.clock import Clock

if TYPE_CHECKING:
    from babysitter.backends.cluster_spec import ClusterSpec

READ_ONLY = "Jobs on Ray are watched and diagnosed only: babysit stops and submits nothing there."


def connect_ray(spec: "ClusterSpec", *, clock: Clock, home: Path) -> tuple[RayReader, ClusterWriter]:
    """Reader and a writer that refuses. Raises BadConfig; contacts nobody."""
    return RayReader(open_ray(spec, home=home), clock=clock), ReadOnlyWriter(READ_ONLY)


def open_ray(spec: "ClusterSpec", *, home: Path) -> RayHttpClient:
    """The HTTP client for this cluster."""
    return RayHttpClient(dashboard_address(spec.url).url, token=ray_token(spec.token, home=home))
