"""Puts a Ray client together: address, token, HTTP client, reader and writer."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from babysitter.backends.backend import ClusterWriter
from babysitter.backends.ray.dashboard.dashboard_address import dashboard_address, ray_token
from babysitter.backends.ray.dashboard.http_client import RayHttpClient
from babysitter.backends.ray.reader import RayReader
from babysitter.backends.ray.writer import RayWriter
from babysitter.clock import Clock
from babysitter.errors import BadConfig

if TYPE_CHECKING:
    from babysitter.backends.cluster_spec import ClusterSpec


def connect_ray(spec: "ClusterSpec", *, clock: Clock, home: Path) -> tuple[RayReader, ClusterWriter]:
    """Reader and writer over one HTTP client. Raises BadConfig; contacts nobody."""
    client = open_ray(spec, home=home)
    return RayReader(client, clock=clock), RayWriter(client, environ=os.environ)


def open_ray(spec: "ClusterSpec", *, home: Path) -> RayHttpClient:
    """The HTTP client for this cluster. Raises BadConfig."""
    if not spec.url:
        raise BadConfig(
            f"The Ray cluster '{spec.name}' needs the address of its dashboard.",
            next_step=f"Set clusters.{spec.name}.url to http://HOST:8265.",
        )
    return RayHttpClient(dashboard_address(spec.url).url, token=ray_token(spec.token, home=home))
