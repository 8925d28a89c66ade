"""What jobs print: the lines of coordinators, workers and parents, as each generation words them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

_LABEL_WIDTH = 40
_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB")


def own_line(level: str, at: float, logger: str, text: str) -> str:
    """A line of a process that logs in the cluster's own format: coordinators and workers."""
    return f"{level}{datetime.fromtimestamp(at, UTC):%Y%m%d %H:%M:%S} {logger} {text}"


def program_line(level: str, at: float, logger: str, text: str) -> str:
    """A line of a process that logs in Python's usual format: the user's parent program."""
    moment = datetime.fromtimestamp(at, UTC)
    return f"{moment:%Y-%m-%d %H:%M:%S},{moment.microsecond // 1000:03d} {level} {logger} {text}"


def stage_label(number: int, operations: str) -> str:
    """`stage0-Map → Scatter`, cut to forty characters."""
    label = f"stage{number}-{operations}"
    return label if len(label) <= _LABEL_WIDTH else f"{label[: _LABEL_WIDTH - 3]}..."


def amount(count: float) -> str:
    """552 bytes, 1.08 KiB, 1.8 KiB."""
    size, unit = float(count), 0
    while size >= 1024 and unit < len(_UNITS) - 1:
        size, unit = size / 1024, unit + 1
    return f"{size:.2f}".rstrip("0").rstrip(".") + f" {_UNITS[unit]}"


@dataclass(frozen=True, slots=True)
class Count:
    """How far a stage is, as its coordinator counts it."""

    label: str
    done: int
    total: int
    in_flight: int
    queued: int
    alive: int
    workers: int
    dead: int
    items: int = 0
    size: int = 0
    seconds: float = 1.0

    @property
    def item_rate(self) -> str:
        return f"{self.items / max(self.seconds, 1e-9):.1f}"

    @property
    def byte_rate(self) -> str:
        return amount(round(self.size / max(self.seconds, 1e-9)))


@dataclass(frozen=True, slots=True)
class LogWriter:
    """The wording of one generation."""

    generation: str

    @property
    def coordinator_logger(self) -> str:
        return "zephyr.coordinator" if self.generation == "august" else "zephyr.execution"

    @property
    def worker_logger(self) -> str:
        return "zephyr.worker" if self.generation == "august" else "zephyr.execution"

    @property
    def backend_logger(self) -> str:
        return "fray.v2.iris_backend" if self.generation == "april" else "fray.iris_backend"

    @property
    def client_logger(self) -> str:
        return "fray.v2.client" if self.generation == "april" else "fray.current_client"

    def progress(self, execution: str, count: Count) -> str:
        """The line of which everything else is read. It never shows a finished stage."""
        text = (
            f"[{execution}] [{count.label}] {count.done}/{count.total} complete, "
            f"{count.in_flight} in-flight, {count.queued} queued, "
            f"{count.alive}/{count.workers} workers alive, {count.dead} dead"
        )
        if not count.items or self.generation == "april":
            return text
        size = f"bytes_processed={amount(count.size)} ({count.byte_rate}/s)"
        tail = f"items={count.items} ({count.item_rate}/s), {size}"
        return f"{text}. {tail}" if self.generation == "august" else f"{text}; {tail}"

    def stage_start(self, execution: str, label: str, shards: int) -> str:
        kind = " (Map)" if self.generation == "august" else ""
        return f"[{execution}] Starting stage {label}{kind} with {shards} tasks"

    def completed(self, execution: str, label: str, done: int, total: int) -> str:
        prefix = f"[{execution}] " if self.generation == "august" else ""
        return f"{prefix}[{label}] {done}/{total} tasks completed"

    def executing(self, worker: str, label: str, shard: int, attempt: int) -> str:
        stage = "" if self.generation == "april" else f"stage {label} "
        return f"[{worker}] Executing task for {stage}shard {shard} (attempt {attempt})"

    def shard_starts(self, execution: str, label: str, shard: int, total: int) -> str:
        name = label.replace(" → ", "-") if self.generation == "april" else label
        return f"[{execution}] [shard {shard}/{total}] Starting stage={name}, 1 ops"

    def shard_failed(self, shard: int, worker: str, errors: int) -> str:
        counted = "attempt" if self.generation == "april" else "task error"
        return f"Shard {shard} failed on worker {worker} ({counted} {errors}/3), re-queuing."

    def shard_lost(self, shard: int, worker: str, generation: int, errors: int, losses: int) -> str:
        """April counts a lost worker like a failed shard; later ones keep two counters."""
        if self.generation == "april":
            return self.shard_failed(shard, worker, generation)
        return (
            f"Shard {shard} requeued from worker {worker} due to infra failure (preemption/heartbeat). "
            f"Total generation: {generation}, task errors so far: {errors}/3, "
            f"infra-while-in-flight: {losses}/20."
        )

    def aborting(self, shard: int, worker: str) -> str:
        where = "" if self.generation == "april" else f" last failure on worker {worker},"
        return f"Shard {shard} has failed 3 times (max 3),{where} aborting pipeline."

    def retried(self, execution: str, attempts: Mapping[int, int]) -> str:
        """`attempts`: shard -> how often it was started again. The two eras print it the other way round."""
        if self.generation == "april":
            return f"[{execution}] Shards retried (shard: attempts): {dict(sorted(attempts.items()))}"
        counts: dict[int, int] = {}
        for times in sorted(attempts.values()):
            counts[times] = counts.get(times, 0) + 1
        return f"[{execution}] Shards retried (attempts: shard count): {counts}"

    def summary(self, label: str, position: int, stages: int, count: Count) -> str:
        """The coordinator's status text (May): stage name without its number, place, shards, rates."""
        operations = label.partition("-")[2]
        percent = 100 * count.done // max(1, count.total)
        text = f"**{operations}** ({position}/{stages})  \n{count.done}/{count.total} shards ({percent}%)"
        return f"{text}  \n{count.item_rate} items/s  \n{count.byte_rate}/s" if count.items else text

    def detail(self, operations: tuple[str, ...], current: int, count: Count) -> str:
        stages = "\n".join(
            f"- **{name}**" if at == current else f"- {name}" for at, name in enumerate(operations)
        )
        percent = 100 * count.done // max(1, count.total)
        text = (
            f"**Stages**\n\n{stages}\n\n**Shards** — {count.done}/{count.total} complete ({percent}%), "
            f"{count.in_flight} in-flight, {count.queued} queued"
        )
        if not count.items:
            return text
        items = f"{count.items} items ({count.item_rate}/s), {amount(count.size)} ({count.byte_rate}/s)"
        return f"{text}\n\n**Throughput** — {items}"[:1000]
