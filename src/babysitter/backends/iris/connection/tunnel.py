"""One tunnel per cluster: opened when needed, looked after, reopened with growing pauses, closed at exit.

The tunnel's command (`gcloud compute ssh`, `kubectl port-forward`) runs in a process group of its own and
may not prompt. A closed tunnel says nothing about jobs: it is Unreachable, like any other blindness.
"""

import asyncio
import contextlib
import socket
import tempfile
from asyncio.subprocess import Process
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import IO

from babysitter.backends.iris.answers.json_fields import JsonNode, UnexpectedField
from babysitter.backends.iris.connection.cluster_file import ClusterFile
from babysitter.backends.run_process import end, run, start
from babysitter.clock import Clock, SystemClock
from babysitter.errors import BadConfig, InvalidResponse, NotAuthorised, Unreachable
from babysitter.waits import waiting_for

OPEN_LIMIT_S = 60.0
FIND_LIMIT_S = 45.0
FIRST_PAUSE_S = 2.0
MAX_PAUSE_S = 120.0
_POLL_S = 0.1
_SSH_KEY = ".ssh/google_compute_engine"

MakeCommand = Callable[[int], Awaitable[Sequence[str]]]
"""The command that makes the controller answer on this local port, found out anew for every opening."""


@dataclass(slots=True)
class _Pause:
    """Until when not to try again after a failure; doubles with every failure in a row."""

    length_s: float = FIRST_PAUSE_S
    until: datetime | None = None

    def failed(self, now: datetime) -> None:
        self.until = now + timedelta(seconds=self.length_s)
        self.length_s = min(self.length_s * 2, MAX_PAUSE_S)

    def worked(self) -> None:
        self.length_s, self.until = FIRST_PAUSE_S, None


class Tunnel:
    """A way to a controller through a command that forwards a local port. Implements rpc.Way."""

    def __init__(self, command: MakeCommand, *, name: str, clock: Clock | None = None) -> None:
        self._command = command
        self._name = name
        self._clock = clock or SystemClock()
        self._opening = asyncio.Lock()
        self._process: Process | None = None
        self._port = 0
        self._pause = _Pause()
        self._is_suspect = False

    async def url(self) -> str:
        async with self._opening:
            if not await self._is_healthy():
                await self._open()
        return f"http://127.0.0.1:{self._port}"

    def suspect(self) -> None:
        self._is_suspect = True

    async def close(self) -> None:
        if self._process is not None:
            await end(self._process)
            self._process = None

    async def _is_healthy(self) -> bool:
        """Whether the command still runs and, after a failed connection, its port still accepts."""
        if self._process is None or self._process.returncode is not None:
            return False
        if self._is_suspect and not await _accepts(self._port):
            return False
        self._is_suspect = False
        return True

    async def _open(self) -> None:
        await self.close()
        now = self._clock.now()
        if self._pause.until is not None and now < self._pause.until:
            wait_s = (self._pause.until - now).total_seconds()
            raise Unreachable(f"The tunnel to {self._name} is down; it is opened again in {wait_s:.0f} s.")
        try:
            self._port = _free_port()
            command = await self._command(self._port)
            # A file, not a pipe: nobody reads while the tunnel lives, and a full pipe would stop it.
            with tempfile.TemporaryFile() as said, waiting_for(f"the tunnel to {self._name}"):
                self._process = await start(command, output=said)
                await self._until_open(self._process, said)
        except BaseException:
            self._pause.failed(self._clock.now())
            await self.close()
            raise
        self._pause.worked()
        self._is_suspect = False

    async def _until_open(self, process: Process, said: IO[bytes]) -> None:
        try:
            async with asyncio.timeout(OPEN_LIMIT_S):
                while not await _accepts(self._port):
                    if process.returncode is not None:
                        raise Unreachable(
                            f"The tunnel to {self._name} did not open: {_last_words(said)}.",
                            next_step="Try the command by hand; the jobs themselves are probably fine.",
                        )
                    await asyncio.sleep(_POLL_S)
        except TimeoutError as fault:
            raise Unreachable(
                f"The tunnel to {self._name} did not open within {OPEN_LIMIT_S:g} s.",
                next_step="Check your network and `gcloud auth list`; the jobs themselves are probably fine.",
            ) from fault


def gcloud_tunnel(cluster: ClusterFile, *, home: Path, gcloud: Sequence[str] = ("gcloud",)) -> MakeCommand:
    """Finds the controller's machine by its label and forwards its port over `gcloud compute ssh`."""

    async def command(local_port: int) -> Sequence[str]:
        _require_ssh_key(cluster, home)
        machine, zone = await _find_controller(cluster, gcloud)
        options = ["-N", "-L", f"127.0.0.1:{local_port}:localhost:{cluster.port}"]
        settings = {
            "BatchMode": "yes",  # never ask
            "ExitOnForwardFailure": "yes",
            "StrictHostKeyChecking": "no",
            "UserKnownHostsFile": "/dev/null",
            "LogLevel": "ERROR",
            "ServerAliveInterval": "30",
            "ServerAliveCountMax": "3",
        }
        for name, value in settings.items():
            options += ["-o", f"{name}={value}"]
        account = cluster.impersonate
        return (
            *gcloud,
            "compute",
            "ssh",
            machine,
            f"--project={cluster.project}",
            f"--zone={zone}",
            "--quiet",
            *([f"--impersonate-service-account={account}"] if account else []),
            "--",
            *options,
        )

    return command


def kubectl_forward(cluster: ClusterFile, *, kubectl: Sequence[str] = ("kubectl",)) -> MakeCommand:
    """Forwards the controller's service with kubectl; fragile when idle, so it is reopened often."""

    async def command(local_port: int) -> Sequence[str]:
        namespace = ["--namespace", cluster.namespace] if cluster.namespace else []
        ports = f"{local_port}:{cluster.port}"
        return (
            *kubectl,
            *namespace,
            "port-forward",
            "--address",
            "127.0.0.1",
            f"svc/{cluster.service}",
            ports,
        )

    return command


def controller_label(label_prefix: str) -> str:
    """The label that the cluster's own tools put on the controller's machine, with the value `true`."""
    return f"iris-{label_prefix}-controller"


async def _find_controller(cluster: ClusterFile, gcloud: Sequence[str]) -> tuple[str, str]:
    """(name, zone) of the running machine with the controller's label."""
    label = controller_label(cluster.label_prefix)
    done = await run(
        (
            *gcloud,
            "compute",
            "instances",
            "list",
            f"--project={cluster.project}",
            f"--filter=labels.{label}=true AND status=RUNNING",
            "--format=json(name,zone)",
            "--quiet",
        ),
        limit_s=FIND_LIMIT_S,
    )
    if done.exit_code != 0:
        said = done.last_error_line or "no reason given"
        is_about_us = any(word in said.lower() for word in ("auth", "credential", "permission", "login"))
        raise (NotAuthorised if is_about_us else Unreachable)(
            f"gcloud cannot list the machines of {cluster.project}: {said}.",
            next_step="Run `gcloud auth login` and check the project.",
        )
    machines = _machines(done.stdout)
    if not machines:
        raise Unreachable(
            f"No running machine in {cluster.project} has the label {label}=true.",
            next_step="The controller may be down, or `platform.label_prefix` in its file is not right.",
        )
    return machines[0]


def _machines(printed: str) -> list[tuple[str, str]]:
    import msgspec

    try:
        listed = JsonNode.of({"machines": msgspec.json.decode(printed or "[]")})
        return [
            (node.text("name"), node.text("zone").rpartition("/")[2]) for node in listed.nodes("machines")
        ]
    except (msgspec.DecodeError, UnexpectedField) as fault:
        raise InvalidResponse("gcloud's list of machines cannot be read.") from fault


def _require_ssh_key(cluster: ClusterFile, home: Path) -> None:
    """Without its key gcloud makes one, asking for a passphrase: a person should do that once."""
    key = Path(cluster.ssh_key.replace("~", str(home), 1)) if cluster.ssh_key else home / _SSH_KEY
    if not key.exists():
        raise BadConfig(
            f"There is no SSH key for gcloud at {key}.",
            next_step="Run `gcloud compute config-ssh` once by hand.",
        )


async def _accepts(port: int) -> bool:
    try:
        async with asyncio.timeout(2.0):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
    except (OSError, TimeoutError):
        return False
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()
    return True


def _last_words(said: IO[bytes]) -> str:
    said.seek(0)
    lines = said.read(64 * 1024).decode(errors="replace").strip().splitlines()
    return lines[-1].strip().rstrip(".") if lines else "no reason given"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
