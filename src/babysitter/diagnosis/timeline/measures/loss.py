"""A loss that ran away: it rose far above the level that it held and beyond its own spread, and stays there.

Any format is read, by the name of the value. Reports are compared within one course: one speaker, one name,
one wording before it. A new stage, data set or try begins every course anew. A loss that is not a number is
found by `non_finite.py`.
"""

import itertools
import math
import re
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from babysitter.diagnosis.frame.quotes import find_quoted_spans
from babysitter.diagnosis.frame.skeleton import without_digits
from babysitter.diagnosis.timeline.entries import Entry
from babysitter.diagnosis.timeline.measures.non_finite import MEASURE, tells_of_skipping
from babysitter.diagnosis.timeline.measures.training_lines import read_step
from babysitter.lazy_regex import lazy_regex
from babysitter.model.progress import LossCourse, LossReport

MAX_CHARACTERS = 1000
MAX_TEXT_CHARACTERS = 200
MAX_REPORTS = 12
MAX_COURSES = 8
FACTOR = 2.0
LEAST_RISE = 1.0  # nats; a small loss that doubles is noise
SPREAD = 4.0  # so many times what it changed from report to report; any where the gradient rises too
TAIL = 3  # so many reports in a row must be high, the newest among them
LEAST_LEVEL = 2  # reports at the level that it left; one where the gradient rises on the same lines
SHORT_TAIL_FACTOR = 10.0  # so far, two are enough
EVALUATED_FACTOR = 4.0  # a loss over a whole data set: one is enough
LEAST_EVALUATED_RISE = 0.5
GRADIENT_FACTOR = 4.0
STAYS = 0.5  # of its highest rise: the least that the newest report must still show
FALLING = 0.9  # of the loss two reports before: it comes back


@dataclass(frozen=True, slots=True)
class Runaway:
    """A loss that left its level for good, at the first of these reports."""

    name: str
    speaker: str
    level: float
    reports: tuple[LossReport, ...]


def fold_losses(before: Sequence[LossCourse], entries: Iterable[Entry]) -> tuple[LossCourse, ...]:
    """Return the courses of losses and gradient norms after these lines, those reported last at the end."""
    courses = {(loss_course.speaker, loss_course.series): loss_course for loss_course in before}
    for entry in entries:
        values = read_values(entry.message) if len(entry.message) <= MAX_CHARACTERS else ()
        if not values and courses and _begins_anew(without_digits(entry.message)):
            courses = {key: course for key, course in courses.items() if key[0] != entry.speaker}
        for series, value in values:
            key = entry.speaker, series
            known = courses.pop(key) if key in courses else LossCourse(series, entry.speaker)
            courses[key] = _folded(known, entry, value)
    return tuple(courses.values())[-MAX_COURSES:]


def find_runaway(courses: Sequence[LossCourse]) -> Runaway | None:
    """Return the loss that left its level for good; None where none did."""
    risen = {place for course in courses if _is_gradient(course.series) for place in _places_risen(course)}
    for course in courses:
        if not _is_gradient(course.series) and (at := _left_at(course, risen)) is not None:
            reports = course.reports
            return Runaway(_name(course.series), course.speaker, _level(_values(reports[:at])), reports[at:])
    return None


def is_at_its_level(courses: Sequence[LossCourse], first_place: int) -> bool:
    """Whether a loss was reported from this place on, none has run away, and the newest is at its level."""
    losses = [course for course in courses if not _is_gradient(course.series) and course.reports]
    newest = max(losses, key=lambda loss_course: loss_course.reports[-1].place, default=None)
    if newest is None or newest.reports[-1].place < first_place or find_runaway(courses) is not None:
        return False
    level = _level(_values(newest.reports))
    return newest.reports[-1].value < max(level * FACTOR, level + LEAST_RISE)


def read_values(message: str) -> tuple[tuple[str, float], ...]:
    """Return the finite losses and gradient norms in a message as (series, value)."""
    spans = _spans(without_digits(message))
    if not spans or tells_of_skipping(message):
        return ()
    stage = " ".join(_STAGE.findall(message))
    found = []
    for series, start, end in spans:
        value = float(message[start:end].replace(",", ""))
        if _PERPLEXITY.search(_name(series)):  # of which a loss is the logarithm
            value = math.log(value) if value >= 1 else math.nan
        if math.isfinite(value):
            found.append((f"{stage.lower()} {series}".strip(), value))
    return tuple(found)


@lru_cache(maxsize=4096)
def _begins_anew(skeleton: str) -> bool:
    return _ANEW.search(skeleton) is not None


@lru_cache(maxsize=4096)
def _spans(message: str) -> tuple[tuple[str, int, int], ...]:
    """The series and place of each value in a message whose digits are all zeros."""
    if not _HINT.search(message) or _OTHER_KIND.search(message):
        return ()
    found: dict[str, tuple[str, int, int]] = {}
    quoted = find_quoted_spans(message)
    for match in MEASURE.finditer(message):
        words = re.findall(r"[a-z]+", match["name"].lower())
        if not _NAMES.intersection(words[-2:]) or _OTHER_NAMES.intersection(words):
            continue
        if "norm" in words and not _is_gradient(" ".join(words)):
            continue
        start, end = match.span("last")
        if (label := _LABELLED.match(message, end)) is not None:  # "loss 7364: 0.1"
            start, end = label.span("value")
        if any(first <= start < last for first, last in quoted) or not message[end - 1].isdigit():
            continue
        wording = " ".join(_WORD.findall(message[: match.start()]))
        series = f"{wording}|{' '.join(words)}"
        found.setdefault(series, (series, start, end))
    return tuple(found.values())


def _folded(course: LossCourse, entry: Entry, value: float) -> LossCourse:
    step = read_step(entry.text)
    number = step.step if step is not None else None
    reports, last = course.reports, course.reports[-1] if course.reports else None
    text = entry.text[:MAX_TEXT_CHARACTERS]
    if last is not None and (text == last.text or (number is not None and number == last.step)):
        return course  # another rank says the same
    if last is not None and None not in (number, last.step) and (number or 0) < (last.step or 0) / 2:
        reports = ()  # before it was another try
    if len(reports) == MAX_REPORTS:  # of a loss that is high, the level and where it left it are kept
        at = None if _is_gradient(course.series) else _left_at(course, set())
        drop = 0 if at is None else at + 1
        reports = reports[:drop] + reports[drop + 1 :]
    return replace(course, reports=(*reports, LossReport(entry.place, value, text, number)))


def _left_at(course: LossCourse, risen: set[int]) -> int | None:
    """The report at which a loss left its level for good. `risen`: places of gradients that rose too."""
    values = _values(course.reports)
    if not values or min(values) <= 0 or _comes_back(values):
        return None  # rewards and policy objectives go below zero; a factor says nothing there
    if values[-1] < FACTOR * min(values):
        return None  # a quick answer for most runs: the loss is not above twice its lowest value
    for at in range(1, len(values)):
        head, tail = values[:at], values[at:]
        level, low = _level(head), min(tail)
        changes = [abs(after - before) for before, after in itertools.pairwise(head)]
        rise = low - level
        if not all(report.place in risen for report in course.reports[at : at + TAIL]):
            is_noise = rise <= SPREAD * statistics.median(changes or [0.0])
            if len(head) < LEAST_LEVEL or is_noise:
                continue
        stays = tail[-1] - level >= STAYS * (max(tail) - level)
        if stays and _is_enough(low / level, rise, len(tail), _is_evaluated(course.series)):
            return at
    return None


def _is_enough(factor: float, rise: float, reports: int, is_evaluated: bool) -> bool:
    if is_evaluated and factor >= EVALUATED_FACTOR and rise >= LEAST_EVALUATED_RISE:
        return True
    needed = 2 if factor >= SHORT_TAIL_FACTOR else TAIL
    return factor >= FACTOR and rise >= LEAST_RISE and reports >= needed


def _comes_back(values: Sequence[float]) -> bool:
    """Whether the newest reports fall, and have fallen far."""
    newest = values[-TAIL:]
    falls = all(after < before for before, after in itertools.pairwise(newest))
    return len(newest) == TAIL and falls and newest[-1] < FALLING * newest[0]


def _places_risen(course: LossCourse) -> set[int]:
    """The places from which on a gradient norm is far above all that it was before."""
    values = _values(course.reports)
    for at in range(1, len(values)):
        if min(values[at:]) >= GRADIENT_FACTOR * max(values[:at]):
            return {report.place for report in course.reports[at:]}
    return set()


def _values(reports: Sequence[LossReport]) -> list[float]:
    return [report.value for report in reports]


def _level(values: Sequence[float]) -> float:
    """The lowest mean of two neighbouring reports: a level that was held, not a lucky value."""
    return min([statistics.fmean(pair) for pair in itertools.pairwise(values)] or values)


def _name(series: str) -> str:
    return series.rpartition("|")[2]


def _is_gradient(series: str) -> bool:
    return _GRADIENT.search(_name(series)) is not None


def _is_evaluated(series: str) -> bool:
    """Whether it is over a whole data set: an evaluation, or once an epoch."""
    words = set(re.findall(r"[a-z]+", series.lower()))
    return bool(words & _EVALUATED) or ("epoch" in words and not words & _BY_STEP)


_NAME_WORDS = "loss gnorm norm ppl perplexity nll"
_OTHER_NAME_WORDS = """
    best min lowest initial threshold max clip clipped patience limit scale target baseline previous
    parameter param params weight weights d g adv disc gen value vf policy pg actor critic q
"""
_EVALUATED_WORDS = "val valid validation eval evaluation test dev"
_STEP_WORDS = "step steps it s iter iteration batch update updates kit"
_NAMES = frozenset(_NAME_WORDS.split())
_OTHER_NAMES = frozenset(_OTHER_NAME_WORDS.split())
_EVALUATED = frozenset(_EVALUATED_WORDS.split())
_BY_STEP = frozenset(_STEP_WORDS.split())
_HINT = lazy_regex(r"(?i)loss|gnorm|grad|ppl|perplex|nll")
_PERPLEXITY = lazy_regex("ppl|perplexity")
_GRADIENT = lazy_regex(r"\b(?:grad|gradient|gnorm)")
# Runs whose losses have no level: of two players, or of a policy.
_OTHER_KIND = lazy_regex(
    r"(?i)(?<![a-z])(?:rewards?|actor|critic|advantages?|[gp]rpo|ppo|dqn|rollouts?|episodes?|policy|kl"
    r"|entropy|discriminator|generator|gan|adversarial|[dg][_ ]?loss|loss[_ ]?[dg])(?![a-z])"
)
_LABELLED = lazy_regex(r"\s*:\s+(?P<value>\d+\.\d+(?:[eE][-+]?\d+)?)")
_WORD = lazy_regex(r"[A-Za-z]\w*")
_PARTS = (
    r"(?:stage|phase|curriculum|data ?set|mixture|corpus|domain|fold|trial|split|lesson|task|objective|run)"
)
_STAGE = lazy_regex(rf"(?i)\b{_PARTS}s?[ _=:#]*\d+")
# A line by which something else begins, whose losses have another level.
_ANEW = lazy_regex(
    rf"(?i)\b(?:switch\w*|start\w*|begin\w*|enter\w*|next|new|chang\w+|unfreez\w+|add\w+)\b.{{0,40}}\b{_PARTS}\b"
    rf"|\b{_PARTS}s?[ _=:#]*\d+|\b{_PARTS}\b.{{0,30}}\b(?:starts?|begins?|started|change[sd]?|switched)\b"
    r"|\bfrom scratch\b|\b(?:resum|restor|restart|load|roll)\w*\b.{0,40}\b(?:check-?point|ckpt|weights|model"
    r"|training|back)\b"
)
