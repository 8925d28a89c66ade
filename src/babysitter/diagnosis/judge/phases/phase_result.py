"""What one phase's function answers: where the watch is now, and what is to be said about it."""

from dataclasses import dataclass

from babysitter.model.observation import Want
from babysitter.model.phase import Phase
from babysitter.model.verdict import Diagnosis, Reason, Signal


@dataclass(frozen=True, slots=True)
class PhaseResult:
    """`phase` other than the present one = move there; that phase's function is asked next."""

    phase: Phase
    diagnosis: Diagnosis | None = None
    signals: tuple[Signal, ...] = ()
    wants: frozenset[Want] = frozenset()
    reasons: tuple[Reason, ...] = ()
    recovered: bool = False
    check_again_s: float | None = None  # sooner than the phase's own pace; None = at that pace
