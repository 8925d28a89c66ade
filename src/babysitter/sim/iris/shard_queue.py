"""The state that a coordinator and its workers share: stages, shards, who holds what, what was lost."""

from collections import Counter, deque
from dataclasses import dataclass, field

from babysitter.sim.iris.job_output import Count, stage_label
from babysitter.sim.iris.scenario import Pipeline, Stage

MAX_ERRORS = 3
MAX_LOSSES = 20
BYTES_PER_ITEM = 184


@dataclass(slots=True)
class Shard:
    """One piece of a stage, and how often it was started, failed and lost."""

    number: int
    starts: int = 0
    errors: int = 0
    losses: int = 0


@dataclass(slots=True)
class ShardLease:
    """One registered worker: at work, gone for good, or out of contact since a moment."""

    shard: Shard | None = None
    gone: bool = False
    lost_at: float | None = None


@dataclass(slots=True)
class Work:
    """A pipeline at work. The coordinator opens stages and reads counts; workers pull and report."""

    execution: str
    plan: Pipeline
    last_pipeline: bool = True
    hands: dict[str, ShardLease] = field(default_factory=dict)
    stage: Stage | None = None
    label: str = ""
    stage_number: int = -1
    began_at: float = 0.0
    queue: deque[Shard] = field(default_factory=deque)
    done: int = 0
    again: dict[int, int] = field(default_factory=dict)
    totals: Counter[str] = field(default_factory=Counter)
    fatal: str = ""  # the user's exception that ended the pipeline
    is_lost: bool = False  # it was no exception but the loss of too many workers
    blame: tuple[int, str] = (0, "")  # the shard and the worker that it ended with
    over: bool = False
    warnings: list[tuple[str, str, Shard]] = field(
        default_factory=list
    )  # (kind, worker, shard) to be printed

    def open_stage(self, number: int, now: float) -> None:
        self.stage_number = number
        self.stage = self.plan.stages[number]
        self.label = stage_label(number, self.stage.ops)
        self.queue = deque(Shard(index) for index in range(self.stage.shards))
        self.done, self.began_at, self.again = 0, now, {}

    @property
    def stage_done(self) -> bool:
        return self.stage is not None and self.done >= self.stage.shards

    @property
    def in_last_stage(self) -> bool:
        rest = self.plan.stages[self.stage_number + 1 :]
        return self.last_pipeline and self.stage is not None and all(stage.skip for stage in rest)

    def count(self, now: float) -> Count:
        hands = list(self.hands.values())
        in_flight = sum(hand.shard is not None for hand in hands)
        dead = sum(hand.gone for hand in hands)
        items = self.done * (self.stage.items if self.stage else 0)
        return Count(
            label=self.label,
            done=self.done,
            total=self.stage.shards if self.stage else 0,
            in_flight=in_flight,
            queued=len(self.queue),
            alive=len(hands) - dead,
            workers=len(hands),
            dead=dead,
            items=items,
            size=items * BYTES_PER_ITEM,
            seconds=now - self.began_at,
        )

    def pull(self, worker: str) -> Shard | None:
        """The next shard for a worker, or None while there is nothing to do."""
        if self.stage is None or self.over or not self.queue or self.hands[worker].lost_at is not None:
            return None
        shard = self.queue.popleft()
        self.hands[worker].shard = shard
        return shard

    def dismisses(self, worker: str) -> bool:
        """Whether an idle worker may leave: nothing is queued, and no stage will follow."""
        hand = self.hands[worker]
        if hand.lost_at is not None:
            return False
        return self.over or (self.in_last_stage and not self.queue and hand.shard is None)

    def complete(self, worker: str) -> None:
        self.hands[worker].shard = None
        self.done += 1
        if self.stage is not None:
            name = f"zephyr/stage/{self.label}"
            self.totals[f"{name}/item_count"] += self.stage.items
            self.totals[f"{name}/bytes_processed"] += self.stage.items * BYTES_PER_ITEM

    def fail(self, worker: str, error: str, *, one_counter: bool) -> None:
        """A user function raised. The third time is the last."""
        shard = self._give_back(worker)
        if shard is None:
            return
        shard.errors += 1
        if shard.errors + (shard.losses if one_counter else 0) >= MAX_ERRORS:
            self.fatal, self.blame = error, (shard.number, worker)
            self.warnings.append(("aborting", worker, shard))
        else:
            self._queue_again(shard)
            self.warnings.append(("failed", worker, shard))

    def lose(self, worker: str, *, one_counter: bool) -> None:
        """The worker's shard goes back to the queue because the worker itself went away."""
        shard = self._give_back(worker)
        if shard is None:
            return
        shard.losses += 1
        if shard.losses + shard.errors >= MAX_ERRORS if one_counter else shard.losses > MAX_LOSSES:
            self.fatal = f"Shard {shard.number} has been in flight during {shard.losses} infra failures"
            self.is_lost, self.blame = True, (shard.number, worker)
            self.warnings.append(("aborting", worker, shard))
        else:
            self._queue_again(shard)
            self.warnings.append(("lost", worker, shard))

    def _give_back(self, worker: str) -> Shard | None:
        hand = self.hands[worker]
        shard, hand.shard = hand.shard, None
        return shard

    def _queue_again(self, shard: Shard) -> None:
        shard.starts += 1
        self.again[shard.number] = shard.starts
        self.queue.append(shard)
