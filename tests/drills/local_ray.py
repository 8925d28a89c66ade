"""A real Ray on free loopback ports, in a temporary folder; everything of it ends with it."""

import asyncio
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

START_LIMIT_S = 120.0
END_LIMIT_S = 20.0


class LocalRay:
    """One head. `bin_folder`: where `ray` and its `python` are."""

    def __init__(self, bin_folder: Path, *, token: str = "", **environ: str) -> None:
        self.bin_folder = bin_folder
        self.token = token
        self.folder = Path(tempfile.mkdtemp(prefix="br-", dir="/tmp"))  # short: paths of sockets have a limit
        self._environ = environ
        self._ports = free_ports(4)
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._ports[1]}"

    @property
    def python(self) -> Path:
        return self.bin_folder / "python"

    def start(self) -> float:
        """Start the head and wait until it takes jobs. The seconds that it took."""
        began = time.monotonic()
        gcs, dashboard, agent, client = map(str, self._ports)
        options = {
            "--num-cpus": "8",
            "--port": gcs,
            "--dashboard-host": "127.0.0.1",
            "--dashboard-port": dashboard,
            "--dashboard-agent-listen-port": agent,
            "--ray-client-server-port": client,
            "--temp-dir": str(self.folder / "ray"),
            "--object-store-memory": "100000000",
        }
        begin = (str(self.bin_folder / "ray"), "start", "--head", "--block", "--disable-usage-stats")
        command = [*begin, *(word for option in options.items() for word in option)]
        quiet = {
            "RAY_USAGE_STATS_ENABLED": "0",
            "RAY_AUTH_MODE": "token" if self.token else "disabled",
            "RAY_DASHBOARD_ENABLE_PROFILING": "1",
            "PATH": f"{self.bin_folder}:{os.environ['PATH']}",  # py-spy is found there
        }
        with (self.folder / "ray.log").open("ab") as output:
            self._process = subprocess.Popen(
                command,
                env={**os.environ, **quiet, **self._environ, **with_token(self.token)},
                stdout=output,
                stderr=output,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )
        while time.monotonic() - began < START_LIMIT_S:
            if self._is_ready():
                return time.monotonic() - began
            if self._process.poll() is not None:
                break
            time.sleep(0.5)
        raise RuntimeError(f"Ray did not start: {(self.folder / 'ray.log').read_text()[-2000:]}")

    def add_node(self, resource: str, **environ: str) -> None:
        """Start a second node on this machine, which has a resource of this name."""
        command = [
            *(str(self.bin_folder / "ray"), "start", "--block", "--disable-usage-stats"),
            *("--address", f"127.0.0.1:{self._ports[0]}", "--num-cpus", "4"),
            *("--resources", json.dumps({resource: 8}), "--object-store-memory", "80000000"),
            *("--dashboard-agent-listen-port", str(free_ports(1)[0])),
        ]
        own = {
            "RAY_AUTH_MODE": "token" if self.token else "disabled",
            "RAY_USAGE_STATS_ENABLED": "0",
            "PATH": f"{self.bin_folder}:{os.environ['PATH']}",  # py-spy is found there
        }
        with (self.folder / f"{resource}.log").open("ab") as output:
            subprocess.Popen(
                command,
                env={**os.environ, **own, **environ, **with_token(self.token)},
                stdout=output,
                stderr=output,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )
        began = time.monotonic()
        while time.monotonic() - began < START_LIMIT_S:
            nodes = self.get("/api/v0/nodes?detail=true")["data"]["result"]["result"]
            if any(resource in node["resources_total"] and node["state"] == "ALIVE" for node in nodes):
                return
            time.sleep(0.5)
        raise RuntimeError(f"A node did not join: {(self.folder / f'{resource}.log').read_text()[-2000:]}")

    def stop(self) -> None:
        """End the head and every process of its folder."""
        if self._process is not None:
            self._process.terminate()
            with_limit(self._process)
            self._process = None
        for pid in self.processes():
            with_kill(pid)

    def close(self) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def processes(self, *words: str) -> list[int]:
        """Processes whose command names our folder, and these words."""
        found = []
        wanted = [part.encode() for part in (str(self.folder), *words)]
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                if all(item in (command := path.read_bytes()) for item in wanted) and command:
                    found.append(int(path.parent.name))
            except OSError:
                continue
        return [pid for pid in found if pid != os.getpid()]

    def memory_mb(self) -> float:
        """Resident memory of all processes of the head."""
        total_kb = 0
        for pid in self.processes():
            try:
                status = Path(f"/proc/{pid}/status").read_text()
            except OSError:
                continue
            total_kb += sum(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))
        return total_kb / 1024

    def get(self, path: str) -> Any:
        headers = {
            "user-agent": "babysit",
            **({"authorization": f"Bearer {self.token}"} if self.token else {}),
        }
        request = urllib.request.Request(self.url + path, headers=headers)
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.loads(answer.read())

    def _is_ready(self) -> bool:
        try:
            nodes = self.get("/api/v0/nodes")["data"]["result"]["result"]
        except (OSError, ValueError, KeyError, TypeError):
            return False
        return any(node["state"] == "ALIVE" for node in nodes)


def with_token(token: str) -> dict[str, str]:
    return {"RAY_AUTH_TOKEN": token} if token else {}


@contextmanager
def local_ray(bin_folder: Path, *, token: str = "") -> Iterator[LocalRay]:
    """A head that runs. `token`: wanted from every request."""
    ray = LocalRay(bin_folder, token=token)
    try:
        ray.start()
        yield ray
    finally:
        ray.close()


def free_ports(count: int) -> list[int]:
    """Ports of loopback that nobody has now."""
    held = [socket.socket() for _ in range(count)]
    try:
        for item in held:
            item.bind(("127.0.0.1", 0))
        return [item.getsockname()[1] for item in held]
    finally:
        for item in held:
            item.close()


def with_limit(process: subprocess.Popen[bytes]) -> None:
    try:
        process.wait(END_LIMIT_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def with_kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


async def until(is_true: Any, limit_s: float, *, every_s: float = 0.5) -> bool:
    """Whether it became true within the limit."""
    deadline = time.monotonic() + limit_s
    while time.monotonic() < deadline:
        if await is_true() if asyncio.iscoroutinefunction(is_true) else is_true():
            return True
        await asyncio.sleep(every_s)
    return False
