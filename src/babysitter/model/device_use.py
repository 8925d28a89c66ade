"""What an accelerator does at one moment."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DeviceUse:
    """`name`: as its machine numbers it. `busy_percent` None = not said. `pids`: who holds memory."""

    name: str
    used_bytes: int
    total_bytes: int
    busy_percent: int | None = None
    pids: tuple[int, ...] = ()

    @property
    def text(self) -> str:
        """GPU 0: 97 % busy, 71 of 80 GB"""
        busy = "" if self.busy_percent is None else f"{self.busy_percent} % busy, "
        used, total = self.used_bytes / 2**30, self.total_bytes / 2**30
        return f"{self.name}: {busy}{used:.1f} of {total:.0f} GB"
