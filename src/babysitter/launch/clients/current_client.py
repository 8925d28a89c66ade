"""Which client is meant where a program names none."""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

from babysitter.backends.cluster_spec import ClusterSpec
from babysitter.errors import UserError
from babysitter.launch.clients.iris_client import IrisClient, parent_job
from babysitter.launch.clients.job_handle import Client
from babysitter.launch.clients.local_client import LocalClient
from babysitter.launch.clients.ray_client import RayClient

_chosen: ContextVar[Client | None] = ContextVar("babysitter_launch_client", default=None)


def current_client(environ: Mapping[str, str] | None = None) -> Client:
    """The client for this process, the first that fits:

    1. the one of `set_current_client`;
    2. inside a task of an Iris job: that cluster; jobs become children of it;
    3. where Ray is initialised: that cluster;
    4. this machine.
    """
    chosen = _chosen.get()
    if chosen is not None:
        return chosen
    environ = os.environ if environ is None else environ
    parent = parent_job(environ)
    if parent is not None:
        return IrisClient(ClusterSpec(name="parent", url=parent.controller_url), parent=parent)
    if (address := ray_dashboard(environ)) is not None:
        return RayClient(address)
    return LocalClient()


@contextmanager
def set_current_client(client: Client) -> Iterator[Client]:
    """Within this, `current_client()` is this client."""
    token = _chosen.set(client)
    try:
        yield client
    finally:
        _chosen.reset(token)


def ray_dashboard(environ: Mapping[str, str]) -> str | None:
    """The dashboard of the cluster that this process uses; None where Ray is not initialised.

    Ray is not imported to find out. Raises UserError where its dashboard is not known.
    """
    ray = sys.modules.get("ray")
    is_initialised = getattr(ray, "is_initialized", None)
    if not is_initialised or not is_initialised():
        return None
    if given := environ.get("RAY_API_SERVER_ADDRESS"):
        return given
    worker = getattr(getattr(ray, "_private", None), "worker", None)
    ask = getattr(worker, "get_dashboard_url", None)
    if found := (ask() if ask else ""):
        return f"http://{found}"
    raise UserError(
        "Ray is initialised in this process, and the address of its dashboard is not known.",
        next_step="Set RAY_API_SERVER_ADDRESS to http://HOST:8265, or choose a client: set_current_client.",
    )
