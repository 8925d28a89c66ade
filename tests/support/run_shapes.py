"""Twelve shapes of programs, and the lines that one run of each prints."""
# ruff: noqa: E501  the lines of the programs stand as they are printed

import random
from collections.abc import Callable
from dataclasses import dataclass

NAMES = [
    "amber",
    "birch",
    "cedar",
    "delta",
    "ember",
    "fjord",
    "grove",
    "heron",
    "iris",
    "jade",
    "koala",
    "lotus",
    "maple",
    "north",
    "olive",
    "pearl",
]
TABLES = [
    "orders",
    "customers",
    "events",
    "invoices",
    "sessions",
    "clicks",
    "refunds",
    "carts",
    "payments",
    "visits",
]


@dataclass(frozen=True, slots=True)
class Printed:
    """One line of a run. `stage`: the stage that it belongs to; `mark`: heartbeat, core, chance or ""."""

    at_s: float
    text: str
    level: str = "INFO"
    who: str = ""
    stage: str = ""
    mark: str = ""


class Script:
    """Collects the lines of one run on its own clock."""

    def __init__(self, draw: random.Random) -> None:
        self.draw, self.now_s, self.lines = draw, 0.0, list[Printed]()
        self.stage = ""
        self.name = f"{draw.choice(NAMES)}-{draw.choice(NAMES)}"
        self.run_id = f"{draw.getrandbits(40):010x}"
        self.hosts = [f"node-{draw.randint(1, 400)}" for _ in range(6)]

    def say(
        self, text: str, *, level: str = "INFO", who: str = "", mark: str = "", after_s: float = 1.0
    ) -> None:
        self.now_s += after_s * self.draw.uniform(0.7, 1.3)
        self.lines.append(Printed(self.now_s, text, level, who, self.stage, mark))

    def perhaps(self, chance: float, text: str, *, level: str = "INFO", who: str = "") -> None:
        if self.draw.random() < chance:
            self.say(text, level=level, who=who, mark="chance")

    def number(self, low: float, high: float, digits: int = 0) -> str:
        value = self.draw.uniform(low, high)
        return f"{value:.{digits}f}"

    def host(self) -> str:
        return self.draw.choice(self.hosts)

    def address(self) -> str:
        return f"10.{self.draw.randint(0, 255)}.{self.draw.randint(0, 255)}.{self.draw.randint(1, 254)}"

    def token(self) -> str:
        return f"{self.draw.getrandbits(32):08x}"

    def retried(self, what: str, chance: float = 0.15, *, who: str = "") -> None:
        """An attempt that fails and is repeated, as often as chance wants."""
        for attempt in range(1, 4):
            if self.draw.random() >= chance:
                return
            self.say(
                f"{what} to {self.address()} timed out, retrying in {attempt * 2}s (attempt {attempt}/5)",
                level="WARNING",
                who=who,
                mark="chance",
            )

    def beat(self, text: str, every_s: float) -> None:
        """Put a heartbeat every so many seconds between all lines so far."""
        at_s = every_s
        while at_s < self.now_s:
            self.lines.append(Printed(at_s, text, "INFO", "", "", "heartbeat"))
            at_s += every_s * self.draw.uniform(0.95, 1.05)


def trainer(s: Script) -> None:
    s.say(f"Run {s.name} ({s.run_id}) on {s.draw.choice((8, 16, 32))} devices")
    s.say(f"Loading config from /data/{s.name}/config_{s.draw.randint(1, 99)}.yaml")
    s.perhaps(0.4, "Using cached tokenizer")
    s.say(f"Dataset {s.draw.choice(TABLES)}: {s.number(1e5, 9e6)} examples", after_s=20)
    s.perhaps(0.3, f"Reusing compilation cache entry {s.token()}")
    s.say("Model compiled", after_s=60)
    step = 0
    for epoch in range(s.draw.randint(2, 4)):
        s.stage = f"epoch {epoch}"
        s.say(f"Epoch {epoch} begins")
        for _ in range(s.draw.randint(25, 40)):
            step += 10
            s.say(
                f"step {step} loss {s.number(1, 4, 4)} lr {s.number(1e-5, 1e-3, 6)} tok/s {s.number(900, 4000)}",
                mark="core",
                after_s=6,
            )
            s.perhaps(0.02, f"Data loader waited {s.number(1, 4, 1)}s for shard {s.draw.randint(0, 99)}")
            s.retried("Upload of metrics", 0.01)
        s.stage = f"evaluation {epoch}"
        s.say(f"Evaluation: perplexity {s.number(10, 40, 2)} over {s.number(1e3, 1e4)} batches", after_s=40)
        s.stage = f"checkpoint {epoch}"
        s.say(f"Checkpoint written to gs://runs/{s.name}/step-{step} in {s.number(8, 14, 1)}s", after_s=10)
    s.stage = ""
    s.say("Exporting weights", after_s=10)
    s.say(f"Training complete after {step} steps")
    s.say("Goodbye")


def etl(s: Script) -> None:
    s.say(f"etl run {s.run_id} started by scheduler")
    tables = s.draw.sample(TABLES, 6)
    for table in tables:
        s.stage = f"extract {table}"
        s.say(f"extracting table {table}", after_s=2)
        s.retried("query", 0.1)
        s.say(f"extracted {s.number(1e3, 9e5)} rows from {table} in {s.number(10, 16, 1)}s", after_s=12)
    s.stage = "transform"
    s.say("transform: joining dimensions", after_s=3)
    s.perhaps(0.35, f"spilled {s.number(1, 30)} MB to disk while sorting")
    s.say(f"transform: {s.number(1e5, 9e6)} rows after join", after_s=60)
    s.stage = "dedupe"
    s.say("dedupe: building signatures", after_s=2)
    s.say(f"dedupe: dropped {s.number(100, 9000)} duplicates", after_s=50)
    s.stage = "load"
    for part in range(s.draw.randint(15, 25)):
        s.say(f"load: wrote part-{part:05d}.parquet ({s.number(10, 200)} MB)", mark="core", after_s=4)
    s.stage = "publish"
    s.say("publish: swapping partitions", after_s=2)
    s.perhaps(0.5, "publish: statistics refreshed")
    s.stage = ""
    s.say(f"etl run {s.run_id} finished")


def web_server(s: Script) -> None:
    s.say(f"Listening on {s.address()}:8080 (pid {s.draw.randint(100, 60000)})")
    s.say("Connection pool ready")
    paths = ("/api/items", "/api/users", "/health", "/static/app.js", "/login")
    for _ in range(s.draw.randint(180, 260)):
        path = s.draw.choice(paths)
        extra = f"/{s.draw.randint(1, 9999)}" if path in ("/api/items", "/api/users") else ""
        status = s.draw.choice((200, 200, 200, 200, 304, 404))
        s.say(
            f'{s.address()} "GET {path}{extra} HTTP/1.1" {status} {s.draw.randint(100, 9000)} {s.number(1, 80)}ms',
            mark="core",
            after_s=2,
        )
        s.perhaps(0.01, f"session {s.token()} expired")
        s.perhaps(0.006, f"slow query: {s.number(1, 4, 2)}s", level="WARNING")
    s.beat("pool: 8 connections, 0 waiting", 30)


def scheduler(s: Script) -> None:
    s.say("scheduler loop started")
    jobs = [f"{s.draw.choice(TABLES)}-{kind}" for kind in ("hourly", "daily", "sync", "report")]
    for _ in range(s.draw.randint(40, 60)):
        job, run = s.draw.choice(jobs), s.draw.randint(1000, 99999)
        s.say(f"dispatching {job} as run {run} to {s.host()}", after_s=6, mark="core")
        s.perhaps(0.08, f"run {run} queued behind {s.draw.randint(1, 4)} others")
        s.say(f"run {run} of {job} exited with 0 after {s.number(2, 40, 1)}s", after_s=8, mark="core")
    s.beat("lease renewed", 45)


def crawler(s: Script) -> None:
    s.say(f"Frontier loaded: {s.number(1e3, 9e4)} urls from s3://crawl/{s.run_id}/frontier")
    for _ in range(s.draw.randint(150, 220)):
        who = f"fetcher-{s.draw.randint(0, 7)}"
        s.say(
            f"fetched https://{s.draw.choice(NAMES)}.example/{s.token()} {s.draw.choice((200, 200, 200, 301, 404))} {s.number(1, 90)} kB",
            who=who,
            mark="core",
        )
        s.retried("connect", 0.02, who=who)
        s.perhaps(0.01, f"robots.txt of {s.draw.choice(NAMES)}.example disallows /private", who=who)
    s.say("Frontier empty, flushing writers")
    s.say(f"Wrote {s.draw.randint(5, 20)} segments")
    s.say("Crawl finished")


def map_reduce(s: Script) -> None:
    s.say(f"plan {s.run_id}: 3 stages")
    for number, kind in enumerate(("map", "shuffle", "reduce")):
        s.stage = kind
        total = s.draw.randint(24, 40)
        s.say(f"stage {kind} starting with {total} shards", after_s=3)
        order = list(range(total))
        s.draw.shuffle(order)
        for done, shard in enumerate(order, 1):
            s.say(
                f"shard {shard} of {kind} done on {s.host()} ({done}/{total})",
                who=f"worker-{s.draw.randint(0, 9)}",
                mark="core",
                after_s=2,
            )
            s.perhaps(
                0.02,
                f"worker-{s.draw.randint(0, 9)} was preempted, shard {s.draw.choice(order)} goes to another",
                level="WARNING",
            )
        s.say(f"stage {kind} complete in {s.number(60, 90, 1)}s, {number + 1}/3", after_s=1)
    s.stage = ""
    s.say("plan complete, manifest written")
    s.beat("heartbeat: 10 workers alive", 15)


def build_system(s: Script) -> None:
    s.say(f"Building target //app:{s.draw.choice(NAMES)} at commit {s.token()}")
    for number in range(s.draw.randint(60, 90)):
        s.say(
            f"[{number}] Compiling src/{s.draw.choice(NAMES)}/{s.draw.choice(NAMES)}_{s.draw.randint(1, 30)}.cc",
            mark="core",
        )
        s.perhaps(0.05, "note: some arguments were deduced")
        s.perhaps(
            0.02,
            f"src/{s.draw.choice(NAMES)}.cc:{s.draw.randint(1, 900)}: warning: unused variable",
            level="WARNING",
        )
    s.stage = "link"
    s.say("Linking", after_s=5)
    s.stage = "test"
    for number in range(s.draw.randint(20, 30)):
        s.say(f"test {number} passed ({s.number(1, 900)} ms)", mark="core")
    s.stage = "package"
    s.say("Packaging artifact", after_s=4)
    s.say(f"sha256 {s.draw.getrandbits(128):032x}")
    s.stage = ""
    s.say(f"Build finished in {s.number(100, 130)}s")


def database(s: Script) -> None:
    s.say(
        f"database system is ready to accept connections, version 1{s.draw.randint(3, 7)}.{s.draw.randint(0, 9)}"
    )
    for _ in range(s.draw.randint(90, 140)):
        kind = s.draw.random()
        if kind < 0.5:
            s.say(
                f"connection received: host={s.address()} port={s.draw.randint(1024, 65000)}",
                mark="core",
                after_s=3,
            )
        elif kind < 0.8:
            s.say(
                f"duration: {s.number(1, 300, 3)} ms  statement: SELECT * FROM {s.draw.choice(TABLES)} WHERE id = {s.draw.randint(1, 99999)}",
                mark="core",
                after_s=3,
            )
        else:
            s.say(
                f"disconnection: session time: 0:00:{s.number(10, 59, 3)} user=app database=shop",
                mark="core",
                after_s=3,
            )
        s.perhaps(
            0.015, f"automatic vacuum of table {s.draw.choice(TABLES)}: {s.draw.randint(1, 90)} pages removed"
        )
        s.perhaps(0.01, "deadlock detected, transaction repeated by the client", level="WARNING")
    s.beat("checkpoint complete: wrote buffers", 40)


def simulation(s: Script) -> None:
    s.say(f"grid {s.draw.choice((128, 256, 512))}^3, {s.draw.choice((4, 8))} ranks")
    s.stage = "relaxation"
    s.say("relaxing initial field", after_s=2)
    s.say(f"relaxed, residual {s.number(1e-7, 9e-7, 9)}", after_s=50)
    s.stage = "integration"
    for step in range(1, s.draw.randint(120, 160)):
        s.say(
            f"t={step * 0.05:.2f} energy {s.number(0.9, 1.1, 6)} cfl {s.number(0.2, 0.4, 3)}",
            who=f"rank {s.draw.randint(0, 3)}",
            mark="core",
            after_s=2,
        )
        s.perhaps(0.03, "adaptive mesh regridded")
    s.stage = "output"
    s.say("writing snapshot", after_s=3)
    s.say(f"snapshot of {s.number(1, 9, 2)} GB written", after_s=30)
    s.stage = ""
    s.say("simulation ended normally")


def consumer(s: Script) -> None:
    s.say(f"joined group {s.name} with {s.draw.randint(2, 9)} partitions")
    offset = s.draw.randint(1000, 9_000_000)
    for _ in range(s.draw.randint(110, 160)):
        offset += s.draw.randint(50, 900)
        s.say(
            f"partition={s.draw.randint(0, 8)} offset={offset} lag={s.draw.randint(0, 300)}",
            mark="core",
            after_s=3,
        )
        s.perhaps(0.02, "rebalance: partitions revoked")
        s.perhaps(0.02, f"batch of {s.draw.randint(100, 999)} messages flushed early")
        s.retried("produce", 0.02)
    s.beat("metrics reported", 20)


def backup(s: Script) -> None:
    s.say(f"Backup of {s.host()} to vault {s.name} begins")
    s.stage = "snapshot"
    s.say("Freezing file system", after_s=2)
    s.say(f"Snapshot {s.token()} taken", after_s=15)
    s.stage = "copy"
    for _ in range(s.draw.randint(50, 80)):
        s.say(
            f"copied /srv/{s.draw.choice(NAMES)}/{s.token()} {s.number(1, 900)} MiB at {s.number(50, 200)} MiB/s",
            mark="core",
            after_s=4,
        )
        s.perhaps(0.05, f"skipped unchanged /srv/{s.draw.choice(NAMES)}")
        s.retried("put object", 0.03)
    s.stage = "verify"
    s.say("Verifying digests", after_s=3)
    s.say(f"{s.draw.randint(900, 9999)} digests verified in {s.number(30, 45, 1)}s", after_s=40)
    s.stage = "prune"
    s.perhaps(0.5, f"Pruned {s.draw.randint(1, 5)} old generations")
    s.stage = ""
    s.say("Backup complete")


def rl_rollouts(s: Script) -> None:
    s.say(f"actors: {s.draw.randint(8, 32)}, learner on {s.host()}")
    for iteration in range(s.draw.randint(18, 26)):
        s.stage = f"iteration {iteration}"
        for _ in range(s.draw.randint(4, 8)):
            s.say(
                f"episode return {s.number(-20, 90, 2)} length {s.draw.randint(20, 400)}",
                who=f"actor-{s.draw.randint(0, 31)}",
                mark="core",
                after_s=3,
            )
            s.perhaps(0.02, "environment was reset after a crash of the emulator", level="WARNING")
        s.say(
            f"iteration {iteration}: policy loss {s.number(-1, 1, 4)} kl {s.number(0, 0.1, 4)}",
            after_s=8,
            mark="core",
        )
        s.say(f"weights {iteration} broadcast in {s.number(1, 3, 2)}s", after_s=2, mark="core")
        s.perhaps(0.1, f"replay buffer compacted to {s.number(1e4, 9e5)} transitions")
    s.stage = ""
    s.say(f"best policy stored as {s.name}")
    s.say("rollouts stopped, learner done")


SHAPES: tuple[Callable[[Script], None], ...] = (
    trainer, etl, web_server, scheduler, crawler, map_reduce, build_system, database, simulation, consumer,
    backup, rl_rollouts,
)  # fmt: skip
