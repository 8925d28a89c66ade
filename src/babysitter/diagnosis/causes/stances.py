"""Which lines count for a rule: those that report what its patterns find, or of a stance that it asks for."""

import re

from babysitter.diagnosis.causes.line_buffer import LineBuffer
from babysitter.diagnosis.causes.rule import LogMatch, Rule
from babysitter.diagnosis.frame.line import Frame, read_frame
from babysitter.diagnosis.signatures.pattern import Pattern
from babysitter.diagnosis.stance.stance import (
    is_late_attempt,
    stance_from_next,
    stance_of_introduction,
    stance_of_wording,
)
from babysitter.diagnosis.stance.vocabulary import Stance
from babysitter.model.cause_info import about
from babysitter.model.finding import Severity

_REPORTS = frozenset({Stance.REPORTED})
# In a job that failed, and of a cause that outlasts progress, what was tried again or tolerated happened.
_REPORTS_OF_THE_PAST = _REPORTS | {Stance.RETRIED, Stance.TOLERATED}
DOUBTFUL = frozenset({Stance.HYPOTHETICAL, Stance.ADVICE, Stance.EXPECTED, Stance.NEGATED})
# Lines of one wording have one stance, whatever their numbers are; only "0 failed" is not "1 failed".
_SAME_DIGITS = bytes.maketrans(b"023456789", b"111111111")
_ALONE_ZERO = re.compile(rb"(?<![\d.:])0(?![\d.:])|(?<=[=:])0(?!\d)")
MAX_WORDINGS = 20_000
MAX_ANSWER_BYTES = 400
# A line without these answers none before it; most lines end here.
_ANSWERS = (
    *(b"retr", b"again", b"skip", b"ignor", b"continu", b"proceed", b"carry", b"fall", b"fell", b"back"),
    *(b"harmless", b"default", b"using", b"recover", b"effect", b"optional"),
)


class StanceFilter:
    """The lines that do not count for one rule; `skipped` says which were asked about and why not."""

    def __init__(self, rule: Rule, reading: LineBuffer) -> None:
        self.skipped: dict[int, Stance] = {}
        self._reading = reading
        self._accepted = accepted_stances(rule, reading)

    def skips(self, line: int, pattern: Pattern | None, asked: LogMatch | None = None) -> bool:
        """Whether this line does not count for what a pattern found in it (None: for an exception in it)."""
        if self._accepted is None or line >= self._reading.log_count:
            return False
        stance = line_stance(self._reading, line, pattern)
        if stance in self._accepted or (asked is not None and _is_asked_for(stance, asked)):
            return False
        self.skipped.setdefault(line, stance)
        return True


def accepted_stances(rule: Rule, reading: LineBuffer) -> frozenset[Stance] | None:
    """The stances whose lines count for a rule; None when it is about harmless things, so all of them."""
    if rule.severity <= Severity.INFO or about(rule.cause).is_benign:
        return None
    return _REPORTS_OF_THE_PAST if has_failed(reading) or about(rule.cause).outlasts_progress else _REPORTS


def has_failed(reading: LineBuffer) -> bool:
    """Whether the job is known to have ended badly."""
    return any(state.ended_badly for state in reading.fields.states)


def _is_asked_for(stance: Stance, asked: LogMatch) -> bool:
    """Whether a matcher asks for such lines: by name, or because it counts tries."""
    return stance in asked.stance or (stance is Stance.RETRIED and asked.min_count > 1)


def line_stance(reading: LineBuffer, line: int, pattern: Pattern | None) -> Stance:
    """How a line stands to what a pattern found in it; the line that introduces a traceback speaks for it."""
    stance = _own_stance(reading, line, pattern)
    if stance is not Stance.REPORTED:
        return stance
    unit = reading.unit_of_line.get(line)
    if unit is not None and unit.announced_by not in (None, line) and len(unit.lines) > 1:
        stance = stance_of_introduction(_frame(reading, unit.announced_by))
    if stance is not Stance.REPORTED:
        return stance
    answer = _stance_of_answer(reading, line, line + 1)
    if answer is Stance.REPORTED and unit is not None and unit.lines[-1] > line:
        return _stance_of_answer(reading, line, unit.lines[-1] + 1)
    return answer


def _stance_of_answer(reading: LineBuffer, line: int, following: int) -> Stance:
    """What the next line of the same task says of this one."""
    if following >= reading.log_count:
        return Stance.REPORTED
    words = reading.raw(following)[:MAX_ANSWER_BYTES].lower()
    if not any(word in words for word in _ANSWERS) or reading.task(line) != reading.task(following):
        return Stance.REPORTED
    return stance_from_next(_frame(reading, line), _frame(reading, following))


def _own_stance(reading: LineBuffer, line: int, pattern: Pattern | None) -> Stance:
    raw = reading.raw(line)
    wording = (pattern, raw.translate(_SAME_DIGITS))
    known = reading.stances.get(wording)
    if known is None:
        frame = _frame(reading, line)
        known = stance_of_wording(
            frame, lambda text: _finds(pattern, text, frame), job_lives=not has_failed(reading)
        )
        if len(reading.stances) < MAX_WORDINGS and not _ALONE_ZERO.search(raw):
            reading.stances[wording] = known
    if known is Stance.RETRIED and is_late_attempt(_frame(reading, line).message):
        return Stance.REPORTED
    return known


def _frame(reading: LineBuffer, line: int) -> Frame:
    return read_frame(reading.text(line))


def _finds(pattern: Pattern | None, text: str, frame: Frame) -> bool:
    if pattern is None:
        return any(character.isalpha() for character in text[frame.start :])
    return pattern.matches(text.encode("utf-8", "replace"))
