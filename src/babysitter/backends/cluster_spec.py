"""Which cluster, and how to reach it."""

import re
from dataclasses import dataclass, field
from urllib.parse import urlparse

from babysitter.errors import BadConfig

DEFAULT_IRIS = ("iris",)
DEFAULT_BACKEND = "iris"


@dataclass(frozen=True, slots=True)
class ClusterSpec:
    """Which cluster, and how to ask it. Exactly one of `url`, `config`, `cluster`.

    `url`: the controller's address. `config`: a cluster file. `cluster`: a name to look up. `transport`:
    "rpc" asks over HTTP, "cli" through the user's `iris` command, which both use for submitting.
    """

    name: str
    url: str = ""
    config: str = ""
    cluster: str = ""
    transport: str = "rpc"
    iris_command: tuple[str, ...] = DEFAULT_IRIS  # e.g. ("uv", "run", "iris")
    token: str = field(default="", repr=False)
    service_account: str = ""  # to impersonate before an identity-aware proxy
    client_revision_date: str = ""  # YYYY-MM-DD: launch over HTTP where no command is known
    backend: str = DEFAULT_BACKEND
    ssh: tuple[str, ...] = ()  # how another machine of a run is reached: ("ssh", "{host}")
    dashboard_url: str = ""  # where people open the dashboard, where it is another address

    def __post_init__(self) -> None:
        given = [option for option in (self.url, self.config, self.cluster) if option]
        if len(given) != 1:
            raise BadConfig(
                f"The cluster '{self.name}' needs exactly one of an address, a file and a name, "
                f"and has {len(given) or 'none'}.",
                next_step="Give --controller-url URL, --config FILE or --cluster NAME.",
            )
        if self.backend != DEFAULT_BACKEND:
            return  # its address is read when it is opened
        if self.transport not in ("rpc", "cli"):
            raise BadConfig(f"The transport of '{self.name}' is rpc or cli, not '{self.transport}'.")
        if self.url and not _is_address(self.url):
            raise BadConfig(
                f"'{self.url}' is not an address of a controller.",
                next_step="Write it as http://HOST:PORT.",
            )

    @property
    def options(self) -> tuple[str, ...]:
        """What tells the `iris` command this cluster; stands before any subcommand."""
        if self.url:
            return ("--controller-url", self.url)
        return ("--config", self.config) if self.config else ("--cluster", self.cluster)


def _is_address(url: str) -> bool:
    """Whether something could be asked there."""
    try:
        parts = urlparse(url)
        host = parts.hostname if parts.port != 0 else None  # both raise where they cannot be read
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(host) and not re.search(r"[\s\x00-\x1f]", url)
