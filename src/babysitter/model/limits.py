"""Every threshold of judgement and cadence, in one validated value. Units at the end of each name."""

from dataclasses import dataclass, field, fields
from typing import Any


def _limit(default: float, about: str) -> Any:
    """A threshold with the words that docs/phases.md has for it."""
    return field(default=default, metadata={"about": about})


@dataclass(frozen=True, slots=True)
class Limits:
    """Thresholds; the defaults are the product's. Raises ValueError for a number that makes no sense."""

    pulse_s: float = _limit(30.0, "time between two looks at a job in phase steady")
    tree_interval_s: float = _limit(
        600.0,
        "time between two lists of the jobs below a steady plain job; its state and log are read at"
        " every look",
    )
    busy_log_interval_s: float = _limit(
        300.0,
        "time between two readings of the log of a steady plain job, where the cluster's log service is slow",
    )
    suspicious_pulse_s: float = _limit(
        10.0, "time between two looks while a signal is open or an incident is confirmed"
    )
    pending_pulse_most_s: float = _limit(
        300.0, "longest time between two looks at a job that waits for machines"
    )
    pending_notice_s: float = _limit(1800.0, "a job that waits for machines for longer is reported once")
    smoke_allowance_s: float = _limit(
        300.0, "a pipeline must come up within this time: coordinator, workers, first progress"
    )
    plain_smoke_s: float = _limit(
        60.0, "a plain job that has run for this long is up, even if it prints nothing"
    )
    assessment_least_s: float = _limit(
        180.0, "shortest time before a signal that proved nothing is examined again"
    )
    assessment_most_s: float = _limit(
        1800.0, "longest time before a signal that proved nothing is examined again"
    )
    suspect_most_s: float = _limit(
        180.0,
        "longest time that a signal is looked at closely; then the job counts as steady until it is"
        " examined again",
    )
    stuck_floor_s: float = _limit(
        900.0, "shortest time without a completed shard after which a stage is stuck"
    )
    stuck_median_factor: float = _limit(
        8.0, "a stage is stuck only after this many times its usual gap between two completions"
    )
    stuck_gap_factor: float = _limit(
        2.0, "a stage is stuck only after this many times the longest gap that it has survived"
    )
    first_shard_floor_s: float = _limit(
        2700.0, "same as stuck_floor_s, for a stage that has not completed any shard yet"
    )
    first_shard_factor: float = _limit(
        3.0, "such a stage is stuck only after this many times the slowest first shard of earlier stages"
    )
    straggler_least_age_s: float = _limit(
        300.0, "age from which the last shards of a stage count as stragglers"
    )
    straggler_least_left_s: float = _limit(
        900.0, "they count sooner where the rest of them would take longer than this at the present pace"
    )
    hopeless_s: float = _limit(
        2700.0, "a log without a completion for this long: a restart is advised without thread dumps"
    )
    straggler_most_share: float = _limit(
        0.1, "largest share of a stage's shards that may be in flight and still be called stragglers"
    )
    zombie_dumps_apart_s: float = _limit(
        20.0, "time between the two thread dumps that prove a zombie coordinator"
    )
    zombie_silence_s: float = _limit(
        180.0, "a coordinator prints every 5 s during a stage; one that is quiet for this long is examined"
    )
    blocked_dumps_apart_s: float = _limit(
        20.0, "time between the two thread dumps that prove a blocked worker"
    )
    churn_window_s: float = _limit(1800.0, "lost workers are counted within this time")
    churn_least_count: int = _limit(
        4, "fewer lost workers than this are never worker churn, however small the pool"
    )
    only_polls_s: float = _limit(
        5400.0,
        "a training step hangs when only health polls of a server are printed for this long after its start",
    )
    only_waits_s: float = _limit(
        1500.0,
        "a job stands still when it only says for this long that it waits, or that work waits and"
        " nothing runs",
    )
    work_stopped_s: float = _limit(
        900.0,
        "work has stopped when the usual lines of work are missing for this long, though other lines go on",
    )
    work_reported_s: float = _limit(
        300.0, "same as work_stopped_s, where a failure was reported as the lines stopped"
    )
    work_announced_s: float = _limit(
        1800.0, "same as work_stopped_s, where other work began then, or the job tries again"
    )
    nothing_new_s: float = _limit(
        1200.0, "a job that only repeats lines that it has printed before stands still after this"
    )
    worthless_s: float = _limit(
        600.0,
        "work goes on for nothing when a value is 0, not a number or ten times as slow for this long,"
        " and never was before",
    )
    member_fails_s: float = _limit(
        300.0,
        "a worker that prints something else than its work for so long, while others work, is broken",
    )
    only_failures_s: float = _limit(
        900.0, "a job only fails when it reports the same failure, and nothing new, for this long"
    )
    patience_most_s: float = _limit(
        1800.0,
        "a failure that no line followed is reported after this at the latest, however slow the job is",
    )
    quiet_floor_s: float = _limit(
        1800.0, "a job that reports no progress is unusually quiet after this at the earliest"
    )
    quiet_gap_factor: float = _limit(
        4.0, "such a job is unusually quiet only after this many times its longest silence so far"
    )
    silent_floor_s: float = _limit(7200.0, "the silence of such a job is reported after this at the earliest")
    silent_gap_factor: float = _limit(
        10.0, "it is reported only after this many times the job's longest silence so far"
    )
    # Measured on real pipelines: with a floor of 300 s a healthy one counts as quiet.
    pace_floor_s: float = _limit(
        600.0, "a job that counts its work is unusually quiet after this at the earliest"
    )
    pace_median_factor: float = _limit(
        20.0, "such a job is unusually quiet only after this many times its usual gap between two counts"
    )
    pace_gap_factor: float = _limit(
        6.0, "it is unusually quiet only after this many times the longest gap that it has survived"
    )
    pace_told_factor: float = _limit(
        3.0, "its silence is reported after this many times the time after which it is unusual"
    )
    told_quiet_s: float = _limit(
        3600.0, "a line that speaks of this much time without work counts like a count that stands still"
    )
    healing_s: float = _limit(600.0, "time that the job's own recovery may take before babysit doubts it")
    blind_incident_s: float = _limit(600.0, "a cluster that cannot be read for this long is reported")
    damping_s: float = _limit(
        300.0, "shortest time between an alarm and the message that it is over, or the reverse"
    )
    same_error_escalate_count: int = _limit(
        3, "the same error in this many tries counts as the program's own"
    )
    restarts_per_day: int = _limit(
        3, "restarts that may be proposed within 24 h; real progress restores them"
    )
    proposal_expires_s: float = _limit(
        43200.0, "a proposal that nobody answers expires after this, or goes to the next approvers"
    )

    def __post_init__(self) -> None:
        faults = [
            f"{limit.name} must be greater than 0, not {getattr(self, limit.name):g}"
            for limit in fields(self)
            if not getattr(self, limit.name) > 0
        ]
        if self.assessment_least_s > self.assessment_most_s:
            faults.append("assessment_least_s must not exceed assessment_most_s")
        if faults:
            raise ValueError("; ".join(faults))
