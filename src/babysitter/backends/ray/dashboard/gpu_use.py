"""What the GPUs of a node do: from the dashboard's node summary, and from `nvidia-smi`."""

import socket
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from babysitter.backends.run_process import is_runnable, run
from babysitter.errors import BabysitError
from babysitter.model.device_use import DeviceUse

MIB = 2**20
QUERY = (
    "nvidia-smi",
    "--query-gpu=index,utilization.gpu,memory.used,memory.total",
    "--format=csv,noheader,nounits",
)
MAX_GPUS = 64  # of one node
LIMIT_S = 10.0  # of nvidia-smi, which hangs with its driver


def of_summary(rows: Sequence[Any]) -> tuple[DeviceUse, ...]:
    """The `gpus` of a node in the dashboard's summary; what is not of its shape is left out."""
    found = []
    for row in rows[:MAX_GPUS]:
        if not isinstance(row, Mapping):
            continue
        used, total = _number(row.get("memoryUsed")), _number(row.get("memoryTotal"))
        if used is None or not total:
            continue
        found.append(
            DeviceUse(
                f"GPU {_number(row.get('index')) or 0}",
                used_bytes=used * MIB,
                total_bytes=total * MIB,
                busy_percent=_number(row.get("utilizationGpu")),
                pids=tuple(sorted(_pids(row.get("processesPids")))),
            )
        )
    return tuple(found)


def of_nvidia_smi(text: str) -> tuple[DeviceUse, ...]:
    """What `QUERY` prints: a line for each GPU. Amounts that it does not know are `[N/A]`."""
    found = []
    for line in text.splitlines()[:MAX_GPUS]:
        cells = [cell.strip() for cell in line.split(",")]
        if len(cells) != 4:
            continue
        index, busy, used, total = (int(cell) if cell.isdigit() else None for cell in cells)
        if index is None or used is None or not total:
            continue
        found.append(
            DeviceUse(f"GPU {index}", used_bytes=used * MIB, total_bytes=total * MIB, busy_percent=busy)
        )
    return tuple(found)


def of_process(devices: Sequence[DeviceUse], pid: int | None) -> tuple[DeviceUse, ...]:
    """The devices on which the process holds memory; all of its node where no process is known there."""
    own = tuple(device for device in devices if pid in device.pids)
    return own or (() if any(device.pids for device in devices) else tuple(devices))


async def own_gpus() -> tuple[DeviceUse, ...]:
    """What the GPUs of this machine do; () where it has none, or does not say."""
    if not is_runnable(QUERY):
        return ()
    try:
        return of_nvidia_smi((await run(QUERY, limit_s=LIMIT_S)).stdout)
    except BabysitError:
        return ()


def is_own_address(address: str) -> bool:
    """Whether this machine has the IP address."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.bind((address, 0))
    except OSError:
        return False
    return bool(address)


def _pids(table: object) -> Iterator[int]:
    """A list of processes; inside Ray it is a table by pid, which is read as well."""
    rows = table.values() if isinstance(table, Mapping) else table if isinstance(table, list) else ()
    for row in rows:
        pid = _number(row.get("pid")) if isinstance(row, Mapping) else None
        if pid is not None:
            yield pid


def _number(value: object) -> int | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return int(value) if is_number and 0 <= value < 2**40 else None  # type: ignore[operator, call-overload]
