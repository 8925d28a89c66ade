"""A session folder as Ray leaves it, small, with files of any size and age."""

import json
import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
WORKER = "0bd8e5f0f871b5dd45403580d02a2097425a71b014d97659bab0ca2c"


@dataclass(frozen=True)
class SessionOnDisk:
    """Writes files of one session of one node."""

    root: Path
    node: str = "10.0.0.2"

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    def write(self, name: str, text: str, *, age_s: float = 0.0, now: datetime = NOW) -> Path:
        """Write a file, last written so long before `now`."""
        self.logs.mkdir(parents=True, exist_ok=True)
        (self.root / "node_ip_address.json").write_text(json.dumps({"node_ip_address": self.node}))
        path = self.logs / name
        path.write_text(text)
        os.utime(path, (now.timestamp() - age_s,) * 2)
        return path

    def worker(self, actor: str, pid: int, text: str, *, age_s: float = 0.0, stream: str = "err") -> Path:
        """The file of a worker that runs this actor."""
        head = f":job_id:02000000\n:actor_name:{actor}\n"
        return self.write(f"worker-{WORKER}-02000000-{pid}.{stream}", head + text, age_s=age_s)


def session_in(folder: Path, *, node: str = "10.0.0.2") -> SessionOnDisk:
    return SessionOnDisk(folder / "session_2026-11-20_11-00-00_304543_11695", node)
