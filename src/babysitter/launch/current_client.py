"""Which client is meant where a program names none."""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

from babysitter.backends.cluster_spec import ClusterSpec
from babysitter.errors import UserError
from babysitter.launch.iris_client import IrisClient, parent_job
from babysitter.launch.job_handle import Client
from babysitter.launch.local_client import LocalClient

_chosen: ContextVar[Client | None] = ContextVar("babysitter_launch_client", default=None)


def current_client(environ: Mapping[str, str] | None = None) -> Client:
    """The client for this process, the first that fits:

    1. the one of `set_current_client`;
    2. inside a task of an Iris job: that cluster; jobs become children of it;
    3. where Ray is initialised: refused with a UserError, there is not a client for Ray yet;
    4. this machine.
    """
    chosen = _chosen.get()
    if chosen is not None:
        return chosen
    parent = parent_job(os.environ if environ is None else environ)
    if parent is not None:
        return IrisClient(ClusterSpec(name="parent", url=parent.controller_url), parent=parent)
    if _is_ray_initialised():
        raise UserError(
            "Ray is initialised in this process, and babysitter.launch cannot start jobs on Ray yet.",
            next_step="Choose a client yourself: with set_current_client(LocalClient()): ...",
        )
    return LocalClient()


@contextmanager
def set_current_client(client: Client) -> Iterator[Client]:
    """Within this, `current_client()` is this client."""
    token = _chosen.set(client)
    try:
        yield client
    finally:
        _chosen.reset(token)


def _is_ray_initialised() -> bool:
    """Whether this process uses Ray; it is not imported to find out."""
    ray = sys.modules.get("ray")
    is_initialised = getattr(ray, "is_initialized", None)
    return bool(is_initialised and is_initialised())
