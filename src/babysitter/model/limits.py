"""Every threshold of judgement and cadence, in one validated value. Units at the end of each name."""

from dataclasses import dataclass, field, fields
from typing import Any


def _limit(default: float, about: str) -> Any:
    """A threshold with the words that docs/phases.md has for it."""
    return field(default=default, metadata={"about": about})


@dataclass(frozen=True, slots=True)
class Limits:
    """Thresholds; the defaults are the product's. Raises ValueError for a number that makes no sense."""

    pulse_s: float = _limit(30.0, "between two looks in steady state")
    tree_interval_s: float = _limit(
        600.0,
        "between two lists of the jobs below a steady plain job; its state and log are asked at every look",
    )
    busy_log_interval_s: float = _limit(
        300.0,
        "between two readings of the log of a steady plain job where the cluster's log service is slow",
    )
    suspicious_pulse_s: float = _limit(
        10.0, "between two looks while a signal is open, or something is confirmed"
    )
    pending_pulse_most_s: float = _limit(300.0, "between two looks while it waits for machines, at most")
    pending_notice_s: float = _limit(1800.0, "told once when a job waits longer than this")
    smoke_allowance_s: float = _limit(
        300.0, "within this a pipeline has to come up: coordinator, workers, first progress"
    )
    plain_smoke_s: float = _limit(
        60.0, "a plain job that has run for so long is up, even if it prints nothing"
    )
    assessment_least_s: float = _limit(
        180.0, "a signal that proved nothing is examined again after this, at least"
    )
    assessment_most_s: float = _limit(1800.0, "and after this, at most")
    suspect_most_s: float = _limit(
        180.0, "how long a signal is looked at closely before it is only kept in mind"
    )
    stuck_floor_s: float = _limit(
        900.0, "without a completed shard for so long, a stage is stuck; never sooner"
    )
    stuck_median_factor: float = _limit(
        8.0, "and not before so many times its own usual gap between completions"
    )
    stuck_gap_factor: float = _limit(2.0, "nor so many times the longest gap that it has survived")
    first_shard_floor_s: float = _limit(2700.0, "as stuck_floor_s, before the first completion of a stage")
    first_shard_factor: float = _limit(
        3.0, "nor before so many times the slowest first shard of earlier stages"
    )
    straggler_least_age_s: float = _limit(300.0, "the last shards of a stage are stragglers after this")
    straggler_least_left_s: float = _limit(
        900.0, "or sooner, when the rest of them would take longer than this at the present pace"
    )
    hopeless_s: float = _limit(
        2700.0, "a text that shows no completion for so long: a restart is advised without thread dumps"
    )
    straggler_most_share: float = _limit(
        0.1, "of a stage's shards that may be in flight and still be called stragglers"
    )
    zombie_dumps_apart_s: float = _limit(20.0, "two thread dumps that prove a zombie are so far apart")
    zombie_silence_s: float = _limit(
        180.0, "a coordinator in a stage reports every 5 s; silent for so long, it is looked at"
    )
    blocked_dumps_apart_s: float = _limit(
        20.0, "two thread dumps that prove a blocked worker are so far apart"
    )
    churn_window_s: float = _limit(1800.0, "within this so many lost workers are too many")
    churn_least_count: int = _limit(4, "never fewer than this, however small the pool")
    only_polls_s: float = _limit(
        5400.0,
        "a step of training behind which only polls of a server's health are printed for so long hangs",
    )
    only_waits_s: float = _limit(
        1500.0,
        "a job that only says that processes are waited for, or that work waits and nothing runs, for so long"
        " stands still",
    )
    work_stopped_s: float = _limit(
        900.0, "without the lines of its usual work for so long, work has stopped though others print on"
    )
    work_reported_s: float = _limit(300.0, "the same where a failure was reported as they stopped")
    work_announced_s: float = _limit(1800.0, "the same where other work began then, or the job tries again")
    nothing_new_s: float = _limit(
        1200.0, "a job that prints nothing but lines that it has printed before for so long stands still"
    )
    worthless_s: float = _limit(
        600.0, "a value of a job's work that was never 0, no number or ten times as slow, and is for so long"
    )
    member_fails_s: float = _limit(
        300.0,
        "a worker that prints something else than its work for so long, while others work, is broken",
    )
    only_failures_s: float = _limit(
        900.0, "a job that reports the same failure again and again, and nothing new, for so long only fails"
    )
    patience_most_s: float = _limit(
        1800.0, "a failure that nothing followed is told after so long, however slow the job's pace is"
    )
    quiet_floor_s: float = _limit(1800.0, "silence of a job that reports no progress, unusual from here on")
    quiet_gap_factor: float = _limit(4.0, "and not before so many times its longest silence so far")
    silent_floor_s: float = _limit(7200.0, "silence of such a job that people are told of")
    silent_gap_factor: float = _limit(10.0, "and not before so many times its longest silence so far")
    # Measured on real pipelines: with a floor of 300 s a healthy one counts as quiet.
    pace_floor_s: float = _limit(600.0, "silence of a job that counts its work, unusual from here on")
    pace_median_factor: float = _limit(20.0, "and not before so many times its usual gap between two counts")
    pace_gap_factor: float = _limit(6.0, "nor so many times the longest gap that it has survived")
    pace_told_factor: float = _limit(3.0, "so many times what is unusual, people are told of it")
    told_quiet_s: float = _limit(
        3600.0, "a line that tells of so long without work is as good as a count that stands still"
    )
    healing_s: float = _limit(600.0, "how long the job's own recovery may take before it is doubted")
    blind_incident_s: float = _limit(600.0, "how long the cluster cannot be seen before people are told")
    damping_s: float = _limit(
        300.0, "a message and its opposite (an alarm, and that it is over) are at least so far apart"
    )
    same_error_escalate_count: int = _limit(3, "the same error in so many tries is the program's own")
    restarts_per_day: int = _limit(3, "restarts that may be proposed within 24 h; real progress refills them")
    proposal_expires_s: float = _limit(
        43200.0, "a proposal nobody answers expires after this, or goes to the next approvers"
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
