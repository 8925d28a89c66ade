"""Where a watch can be, where it can go from there, and how often it looks.

Whatever decides about phases lives in this file: TRANSITIONS holds every allowed move and the code refuses
any other; the picture in the manual is drawn from it. What makes a watch move is in the six files beside this
one, one phase and one function each; ACTING belongs to the saga, which moves the watch on when it is done.

    PENDING    the job waits for machines             looks every 30 s, slowing down to every 5 min
    SMOKE      just (re)started: does it come up?     5, 15, 30, 60, 120 s, then every 30 s
    STEADY     healthy                                every 30 s
    SUSPECT    a signal that might be a failure       every 10 s, for 3 min at most
    FAILING    confirmed, an incident is open         every 30 s
    ACTING     an approved action runs                every 30 s; the saga has its own steps
    FINISHED   terminal and understood                never
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from statistics import median

from babysitter.model.limits import Limits
from babysitter.model.memory import Memory
from babysitter.model.phase import Phase

TRANSITIONS: Mapping[Phase, frozenset[Phase]] = {
    Phase.PENDING: frozenset({Phase.SMOKE, Phase.FINISHED}),
    Phase.SMOKE: frozenset({Phase.PENDING, Phase.STEADY, Phase.FAILING, Phase.FINISHED}),
    Phase.STEADY: frozenset({Phase.PENDING, Phase.SUSPECT, Phase.FAILING, Phase.FINISHED}),
    Phase.SUSPECT: frozenset({Phase.PENDING, Phase.STEADY, Phase.FAILING, Phase.FINISHED}),
    Phase.FAILING: frozenset({Phase.PENDING, Phase.STEADY, Phase.ACTING, Phase.FINISHED}),
    Phase.ACTING: frozenset({Phase.PENDING, Phase.SMOKE, Phase.FAILING}),
    Phase.FINISHED: frozenset({Phase.ACTING}),
}

SMOKE_STEPS_S = (5.0, 10.0, 15.0, 30.0, 60.0)  # looks at 5, 15, 30, 60 and 120 s after the start
PENDING_GROWTH = 1.5
NEVER_S = float("inf")


def may_move(before: Phase, after: Phase) -> bool:
    """Whether the table holds this move; staying is no move."""
    return before is after or after in TRANSITIONS[before]


def enter(memory: Memory, phase: Phase, at: datetime) -> Memory:
    """The memory in another phase. A move that the table does not hold is a bug of ours, and refused."""
    if memory.phase is phase:
        return memory
    if not may_move(memory.phase, phase):
        raise ValueError(f"a watch cannot move from {memory.phase} to {phase}")
    return replace(memory, phase=phase, phase_since_at=at, checks_in_phase=0, seen_in_phase_s=0.0)


def next_check_s(phase: Phase, checks_in_phase: int, limits: Limits) -> float:
    """Seconds until the next look. `checks_in_phase`: looks since the phase was entered."""
    match phase:
        case Phase.PENDING:
            # A watch begins here, so its first look is counted already.
            grown = limits.pulse_s * PENDING_GROWTH ** min(max(0, checks_in_phase - 1), 20)
            return min(grown, limits.pending_pulse_most_s)
        case Phase.SMOKE:
            at_start = checks_in_phase < len(SMOKE_STEPS_S)
            return SMOKE_STEPS_S[checks_in_phase] if at_start else limits.pulse_s
        case Phase.SUSPECT:
            return limits.suspicious_pulse_s
        case Phase.FINISHED:
            return NEVER_S
        case _:
            return limits.pulse_s


def assessment_every_s(memory: Memory, limits: Limits) -> float:
    """The rhythm in which progress is judged: about one stage transition falls between two assessments.

    Measured on the stages of this job; 3 to 30 minutes.
    """
    lengths = [
        (stage.ended_at - stage.started_at).total_seconds()
        for stage in memory.stages
        if stage.started_at is not None and stage.ended_at is not None
    ]
    usual_s = median(lengths) if lengths else limits.assessment_least_s
    return min(max(usual_s, limits.assessment_least_s), limits.assessment_most_s)
