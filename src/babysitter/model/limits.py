"""Every threshold of judgement and cadence, in one validated value. Units at the end of each name."""

from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True)
class Limits:
    """Thresholds; the defaults are the product's. Raises ValueError for a number that makes no sense."""

    pulse_s: float = 30.0
    suspicious_pulse_s: float = 10.0
    pending_pulse_most_s: float = 300.0
    pending_notice_s: float = 1800.0  # told once when a job waits longer than this
    smoke_allowance_s: float = 300.0
    plain_smoke_s: float = 60.0
    assessment_least_s: float = 180.0
    assessment_most_s: float = 1800.0
    suspect_most_s: float = 180.0
    stuck_floor_s: float = 900.0
    stuck_median_factor: float = 8.0
    stuck_gap_factor: float = 2.0
    first_shard_floor_s: float = 2700.0
    first_shard_factor: float = 3.0
    straggler_least_age_s: float = 300.0
    straggler_most_share: float = 0.1  # of a stage's shards that may be in flight
    zombie_dumps_apart_s: float = 20.0
    zombie_silence_s: float = 180.0  # a coordinator in a stage reports every 5 s
    blocked_dumps_apart_s: float = 20.0
    churn_window_s: float = 1800.0
    churn_least_count: int = 4
    quiet_floor_s: float = 1800.0  # silence of a job that reports no progress
    quiet_gap_factor: float = 4.0
    healing_s: float = 600.0  # how long the job's own recovery may take before it is doubted
    blind_incident_s: float = 600.0
    same_error_escalate_count: int = 3
    restarts_per_day: int = 3
    proposal_expires_s: float = 43200.0
    group_within_s: float = 300.0

    def __post_init__(self) -> None:
        for each in fields(self):
            if getattr(self, each.name) <= 0:
                raise ValueError(f"{each.name} must be greater than 0, not {getattr(self, each.name)}")
        if self.assessment_least_s > self.assessment_most_s:
            raise ValueError("assessment_least_s must not exceed assessment_most_s")
