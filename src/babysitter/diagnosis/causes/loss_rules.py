"""Findings from measured values instead of words: a loss that is gone, or that ran away and stays.

A rule sees lines one by one; that a loss of 9.8 is bad shows only beside the 2.3 before it.
"""

from collections.abc import Iterable, Sequence

from babysitter.diagnosis.timeline.measures.loss import find_runaway
from babysitter.diagnosis.timeline.measures.non_finite import find_non_finite
from babysitter.model.finding import ActionKind, Cause, Evidence, Finding, Retry, Severity
from babysitter.model.ids import RuleId
from babysitter.model.progress import LossCourse, MeasureNote

NOT_FINITE = RuleId("measured.loss-not-finite")
RAN_AWAY = RuleId("measured.loss-ran-away")


def runaway_findings(
    courses: Sequence[LossCourse], *, first_position: int, offset: int = 0, source: str = ""
) -> tuple[Finding, ...]:
    """What the newest lines prove of a loss that ran away; as `non_finite_findings`."""
    found = find_runaway(courses)
    if found is None or found.reports[-1].place < first_position:
        return ()
    first, last = found.reports[0], found.reports[-1]
    since = f"As of step {first.step} " if first.step is not None else ""
    text = f"the {found.name} left its level of {found.level:g} and stays near {last.value:g}."
    said = {first.place: first.text, last.place: last.text}
    return (
        Finding(
            rule=RAN_AWAY,
            cause=Cause.NUMERICAL_DIVERGENCE,
            severity=Severity.FATAL,
            action=ActionKind.RESTART_WITH_CHANGE,
            explanation=since + (text if since else text[0].upper() + text[1:]),
            evidence=tuple(_evidence(text, found.speaker, place, source) for place, text in said.items()),
            confidence=0.75,
            retry=Retry.WITH_CHANGE,
            count=len(found.reports),
            position=max(0, first.place - offset),
            last_position=last.place - offset,
            look_at=("last-checkpoint-before-it",),
        ),
    )


def non_finite_findings(
    notes: Sequence[MeasureNote], *, first_position: int, offset: int = 0, source: str = ""
) -> tuple[Finding, ...]:
    """What the newest lines prove of values that are not finite; nothing if they report none.

    `first_position`: of the first of these lines. `offset`: what must be taken from a line's position to make
    it that of a finding. `source`: of the evidence where the lines are a text.
    """
    found = find_non_finite(notes)
    if found is None or found.last.last_place < first_position:
        return ()
    names = _names_of(dict.fromkeys(note.name for note in found.measures))
    are = "are not numbers any more and have" if " and " in names else "is not a number any more and has"
    first, last = found.first, found.last
    said = {
        first.first_place: (first.first_text, first.speaker),
        last.last_place: (last.last_text, last.speaker),
    }
    return (
        Finding(
            rule=NOT_FINITE,
            cause=Cause.NUMERICAL_DIVERGENCE,
            severity=Severity.FATAL,
            action=ActionKind.RESTART_WITH_CHANGE,
            explanation=f"{names} {are} not come back in {_in_words(found.reports)}.",
            evidence=tuple(
                _evidence(text, speaker, place, source) for place, (text, speaker) in said.items()
            ),
            confidence=0.88,
            retry=Retry.WITH_CHANGE,
            count=found.reports,
            position=max(0, first.first_place - offset),
            last_position=last.last_place - offset,
            look_at=("last-checkpoint-before-it",),
        ),
    )


def _in_words(reports: int) -> str:
    return f"{reports} report{'' if reports == 1 else 's'}"


def _names_of(names: Iterable[str]) -> str:
    """ "loss", "loss and grad_norm", "loss, kl and grad_norm"."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def _evidence(text: str, speaker: str, place: int, source: str) -> Evidence:
    if source:
        return Evidence(text, source, place + 1)
    task = speaker.partition(" ")[0]
    return Evidence(text, task if task.startswith("/") else "")
