"""Lines that no good run printed, and how much each of them says."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from babysitter.diagnosis.frame.failure_words import find_failure_words, reports_failure
from babysitter.diagnosis.frame.line import Frame, read_frame
from babysitter.diagnosis.last_good.chance import MAX_CHANCE, chance_of_none
from babysitter.diagnosis.last_good.good_runs import DENSE, ComparedRun, GoodRuns, share_of_stretch
from babysitter.diagnosis.last_good.wording import ANY, WILD
from babysitter.diagnosis.stance.stance import stance_of
from babysitter.diagnosis.stance.vocabulary import Stance
from babysitter.model.finding import Evidence
from babysitter.model.log import LogLevel
from babysitter.model.run_profile import DifferenceKind, LineTemplate, RunDifference

BURST = 8  # times that a line is printed in a burst
BURST_SHARE = 0.02  # of the run's lines
NEAR_END_LINES = 12

# Frames, code and carets: the line that names the exception says more.
_OF_A_TRACEBACK = re.compile(
    r"\s*(?:File \"|Traceback \(|During handling|The above exception|[~^]+\s*$|#\d+ |at [\w$.]+\(|"
    r"(?:raise|return|await|yield|self\.|def|with|for|if|import|from|try:|except|else:|async)\b|"
    r"[\w.]+ = |[\w.]+\(.*\)$)"
)
_WITHOUT_EFFECT = frozenset(
    {Stance.RETRIED, Stance.TOLERATED, Stance.EXPECTED, Stance.NEGATED, Stance.ADVICE}
)


@dataclass(frozen=True, slots=True)
class NewLine:
    """A new wording with its evidence."""

    template: LineTemplate
    difference: RunDifference
    is_severe: bool
    is_warning: bool
    is_burst: bool
    has_no_effect: bool  # it says itself that it is retried, tolerated or expected

    def is_telling(self, *, warnings: bool) -> bool:
        """Whether it is evidence in a run in which nothing else is unusual."""
        if self.has_no_effect:
            return False
        return self.is_severe or self.is_burst or (warnings and self.is_warning)


def read_new_lines(run: ComparedRun, good: GoodRuns) -> tuple[NewLine, ...]:
    """The new wordings of a run, in their order."""
    return tuple(_read(line_template, run, good) for line_template in run.new)


def _read(template: LineTemplate, run: ComparedRun, good: GoodRuns) -> NewLine:
    frame = read_frame(template.example)
    reports = reports_failure(frame)
    stance = stance_of(frame, _reports_still(frame)) if find_failure_words(frame.message) else Stance.REPORTED
    has_no_effect = stance in _WITHOUT_EFFECT
    is_severe = template.level.is_severe
    is_warning = template.level is LogLevel.WARNING
    is_burst = _is_burst(template, run, good)
    weight = 3.0 + 2.0 * _novelty(template, good) + 2.0 * is_severe + 1.0 * is_warning + 1.0 * reports
    weight += 1.5 * is_burst - 2.5 * has_no_effect
    if run.profile.lines - template.last_place <= NEAR_END_LINES:
        weight += 1.5
    if _OF_A_TRACEBACK.match(frame.message):
        weight -= 4.0
    times = f"; {template.count} times" if template.count > 1 else ""
    evidence = Evidence(
        template.example,
        template.source,
        template.first_place + 1,
        at=datetime.fromtimestamp(template.first_at_s, UTC) if template.first_at_s else None,
    )
    runs = "the good run" if len(good) == 1 else f"the last {len(good)} good runs"
    difference = RunDifference(
        DifferenceKind.NEW, template.example, f"not printed in {runs}{times}", evidence, round(weight, 3)
    )
    return NewLine(template, difference, is_severe, is_warning, is_burst, has_no_effect)


def _is_burst(template: LineTemplate, run: ComparedRun, good: GoodRuns) -> bool:
    """Whether a line comes so often that it is not chance: close together, or more often than at random."""
    if template.count < max(BURST, BURST_SHARE * run.profile.lines):
        return False
    quiet_lines = sum(profile.lines for profile in good.profiles)
    return (
        share_of_stretch(template) >= DENSE
        or chance_of_none(template.count, run.profile.lines, quiet_lines) <= MAX_CHANCE
    )


def _novelty(template: LineTemplate, good: GoodRuns) -> float:
    """Share of its words that no good run printed."""
    words = [word.lower() for word in template.words if word not in (WILD, ANY)]
    return sum(word not in good.words for word in words) / len(words) if words else 0.0


def _reports_still(frame: Frame) -> Callable[[str], bool]:
    """Whether a text, in which parts of the line are blanked out, still reports a failure."""
    return lambda text: find_failure_words(text[frame.start :]) is not None
