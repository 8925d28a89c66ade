"""Findings from measured values instead of words: a loss that is gone, or that ran away and stays.

A rule sees lines one by one; that a loss of 9.8 is bad shows only beside the 2.3 before it.
"""

from collections.abc import Sequence
from dataclasses import replace

from babysitter.diagnosis.timeline.loss import LossSeries
from babysitter.diagnosis.timeline.loss_history import LossHistory
from babysitter.diagnosis.timeline.non_finite import find_non_finite
from babysitter.model.finding import ActionKind, Cause, Evidence, Finding, Retry, Severity
from babysitter.model.ids import RuleId
from babysitter.model.log import LogLine
from babysitter.model.progress import MeasureNote

NOT_FINITE = RuleId("measured.loss-not-finite")
RAN_AWAY = RuleId("measured.loss-ran-away")


def measured_findings(run: LossSeries, lines: Sequence[str], *, source: str = "") -> tuple[Finding, ...]:
    """What the folded reports of a run prove; `lines` are those that `run` was read from."""
    if run.bad_from is None or run.newest is None:
        return ()
    text = f"{_since(run)}the loss left its level of {run.best_loss:g} and stays near {run.newest.loss:g}."
    return (_diverged(RAN_AWAY, text, 0.75, run, lines, source),)


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
    names = ", ".join(dict.fromkeys(note.name for note in found.measures))
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
            explanation=f"{names} is not a number any more and has not come back in {found.reports} reports.",
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


def _evidence(text: str, speaker: str, place: int, source: str) -> Evidence:
    if source:
        return Evidence(text, source, place + 1)
    task = speaker.partition(" ")[0]
    return Evidence(text, task if task.startswith("/") else "")


def findings_of_course(course: LossHistory) -> tuple[Finding, ...]:
    """As `measured_findings`, for a watch; positions count from the first new line."""
    found = measured_findings(course.run, [line.text for line in course.lines])
    return tuple(_placed(each, course.lines, course.places) for each in found)


def _placed(finding: Finding, lines: Sequence[LogLine], places: Sequence[int]) -> Finding:
    first, last = finding.position, finding.last_position
    said = [lines[place] for place in dict.fromkeys((first, last))]
    return replace(
        finding,
        evidence=tuple(Evidence(line.text, line.task, attempt=line.attempt) for line in said),
        position=max(0, places[first]),
        last_position=places[last],
    )


def _since(run: LossSeries) -> str:
    step = run.newest.step if run.newest else None
    return f"As of step {step} " if step is not None else "As of the newest report "


def _diverged(
    rule: RuleId, text: str, confidence: float, run: LossSeries, lines: Sequence[str], source: str
) -> Finding:
    places = sorted({place for place in (run.bad_from, run.newest_place) if place is not None})
    return Finding(
        rule=rule,
        cause=Cause.NUMERICAL_DIVERGENCE,
        severity=Severity.FATAL,
        action=ActionKind.RESTART_WITH_CHANGE,
        explanation=text,
        evidence=tuple(Evidence(lines[place], source, place + 1) for place in places),
        confidence=confidence,
        retry=Retry.WITH_CHANGE,
        position=places[0],
        last_position=places[-1],
        look_at=("last-checkpoint-before-it",),
    )
