"""What a simulated job will do, as a pure function of the seconds since it started."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml

UP_AFTER_S = 15.0  # coordinator, then workers, then the first stage
BETWEEN_STAGES_S = 4.0
SCENARIOS = Path(__file__).parent / "scenarios"


@dataclass(frozen=True)
class Stage:
    label: str
    shards: int
    shard_s: float

    def lasts_s(self, workers: int) -> float:
        return -(-self.shards // workers) * self.shard_s


@dataclass(frozen=True)
class Script:
    """One job's future. `ends`: succeeds, zombie, sticks, fails, waits (for machines, for ever)."""

    name: str
    what: str = ""
    stages: tuple[Stage, ...] = ()  # none = a plain job
    workers: int = 4
    ends: str = "succeeds"
    runs_s: float = 60.0  # a plain job's length
    stick_at: int = 0  # shards done in the last stage when it sticks
    exit_code: int = 0
    error: str = ""
    lines: tuple[str, ...] = ()  # printed by the root, just before it ends
    noise_per_line: int = 0  # lines of noise for each progress line
    pending_reason: str = ""
    on_relaunch: Mapping[str, Any] = field(default_factory=dict)  # what a resubmitted job does differently

    @property
    def is_pipeline(self) -> bool:
        return bool(self.stages)

    def relaunched(self) -> "Script":
        """The script of a job that is submitted again."""
        return replace(self, on_relaunch={}, **_read(self.on_relaunch)) if self.on_relaunch else self

    def stage_starts_s(self) -> list[float]:
        starts, at = [], UP_AFTER_S
        for stage in self.stages:
            starts.append(at)
            at += stage.lasts_s(self.workers) + BETWEEN_STAGES_S
        return starts

    def work_ends_s(self) -> float | None:
        """When the work is done or breaks; None = never."""
        if self.ends in ("sticks", "waits"):
            return None
        if not self.is_pipeline:
            return self.runs_s
        return self.stage_starts_s()[-1] + self.stages[-1].lasts_s(self.workers)

    def progress(self, elapsed_s: float) -> tuple[Stage, int] | None:
        """The stage under way and its completed shards; None before, between and after stages."""
        for stage, start in zip(self.stages, self.stage_starts_s(), strict=True):
            since = elapsed_s - start
            is_last = stage is self.stages[-1]
            done = int(since // stage.shard_s) * self.workers
            if is_last and self.ends == "sticks":
                done = min(done, self.stick_at)
            if since >= 0 and done < stage.shards:
                return stage, max(0, done)
        return None


def load(name: str) -> Script:
    """The scenario of this name. Raises ValueError that names the known ones."""
    path = SCENARIOS / f"{name}.yaml"
    if not path.is_file():
        known = ", ".join(names())
        raise ValueError(f"There is no scenario '{name}'; known are {known}.")
    return Script(name=name, **_read(yaml.safe_load(path.read_text(encoding="utf-8"))))


def names() -> list[str]:
    return sorted(path.stem for path in SCENARIOS.glob("*.yaml"))


def _read(values: Mapping[str, Any]) -> dict[str, Any]:
    read = dict(values)
    if "stages" in read:
        read["stages"] = tuple(Stage(**each) for each in read["stages"])
    if "lines" in read:
        read["lines"] = tuple(read["lines"])
    return read
