"""Measured values that are not a number: NaN or infinity by the name of the value, in any format."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from babysitter.diagnosis.frame.data_text import TEXT_NAMES
from babysitter.diagnosis.frame.quotes import find_quoted_spans
from babysitter.diagnosis.frame.skeleton import without_digits
from babysitter.diagnosis.timeline.entries import Entry
from babysitter.model.progress import MeasureNote

MIN_REPORTS = 2
MAX_CHARACTERS = 1000
MAX_TEXT_CHARACTERS = 300
MAX_NOTES = 24


@dataclass(frozen=True, slots=True)
class NonFinite:
    """Values that are NaN or infinite to the end, the first of them first."""

    measures: tuple[MeasureNote, ...]

    @property
    def reports(self) -> int:
        """How often the value that was reported most was bad: one line may report several."""
        return max((note.bad_reports for note in self.measures), default=0)

    @property
    def values(self) -> int:
        """How many bad values were reported."""
        return sum(note.bad_reports for note in self.measures)

    @property
    def first(self) -> MeasureNote:
        """The value that was bad first."""
        return min(self.measures, key=lambda note: note.first_place)

    @property
    def last(self) -> MeasureNote:
        """The value that was reported bad last."""
        return max(self.measures, key=lambda note: note.last_place)

    @property
    def was_finite(self) -> bool:
        """Whether any of them was finite before."""
        return any(note.finite_reports > 0 for note in self.measures)


def fold_measures(before: Sequence[MeasureNote], entries: Iterable[Entry]) -> tuple[MeasureNote, ...]:
    """Return the measured values after these lines, those reported last at the end."""
    notes = {(note.speaker, note.name): note for note in before}
    for entry in entries:
        if len(entry.message) > MAX_CHARACTERS or _TEXT_AND_NUMBER.match(entry.message):
            continue
        for name, is_finite in read_measures(entry.message):
            key = entry.speaker, name
            known = notes.pop(key) if key in notes else MeasureNote(name, entry.speaker)
            notes[key] = _folded(known, entry, is_finite)
    return tuple(notes.values())[-MAX_NOTES:]


def find_non_finite(notes: Sequence[MeasureNote]) -> NonFinite | None:
    """Return the values that are not finite any more and have not come back; None when there are none.

    One bad report is enough after finite ones of the same name, or when two values are bad at once: a single
    one may be a skipped step or a value that is not measured yet.
    """
    has_finite = any(note.bad_reports == 0 and note.finite_reports > 0 for note in notes)
    bad = tuple(
        note
        for note in notes
        if note.bad_reports
        and (note.finite_reports or not has_finite or _is_training(note.name))
        and not _is_not_measured(note, notes)
    )
    found = NonFinite(bad)
    names = {note.name for note in bad}
    if not bad or not (len(names) >= 2 or found.was_finite or found.values >= MIN_REPORTS):
        return None
    return found


def _is_not_measured(bad: MeasureNote, notes: Sequence[MeasureNote]) -> bool:
    """Whether it never was a number, while a loss and the gradient on its very lines are.

    A gradient of a loss that is not a number would not be one either.
    """
    beside = [
        set(re.findall(r"[a-z]+", note.name))
        for note in notes
        if note.speaker == bad.speaker
        and note.finite_place == bad.last_place
        and note.finite_reports >= MIN_REPORTS
        and _is_training(note.name)
    ]
    has_loss = any("loss" in words for words in beside)
    has_gradient = any(words & _GRADIENTS for words in beside)
    return not bad.finite_reports and has_loss and has_gradient


def came_back(notes: Sequence[MeasureNote]) -> frozenset[int]:
    """Return the places of the last bad reports that hold nothing against the run; none while any does.

    The value is finite again, or is not measured.
    """
    if any(note.bad_reports and not _is_not_measured(note, notes) for note in notes):
        return frozenset()
    return frozenset(note.last_place for note in notes if note.last_place >= 0)


def read_measures(message: str) -> tuple[tuple[str, bool], ...]:
    """Return the measured values in a message as (name, is finite), the newest value after arrows."""
    return _measures(_without_nothing_skipped(message))


def tells_of_skipping(message: str) -> bool:
    """Whether its values are of a step that did not count."""
    return _SKIPPED.search(_without_nothing_skipped(message)) is not None


def _without_nothing_skipped(message: str) -> str:
    """The skeleton of a message without the words by which nothing was skipped."""
    skeleton = without_digits(message)
    if _may_skip_nothing(skeleton):
        return without_digits(_NOTHING_SKIPPED.sub("", message))
    return skeleton


@lru_cache(maxsize=4096)
def _may_skip_nothing(skeleton: str) -> bool:
    return _SKIPS.search(skeleton) is not None


@lru_cache(maxsize=4096)
def _measures(message: str) -> tuple[tuple[str, bool], ...]:
    """The measured values of a message whose digits are all zeros: what they are does not matter here."""
    if not _HINT.search(message) or _SKIPPED.search(message):
        return ()
    found = []
    quoted = find_quoted_spans(message)
    for match in MEASURE.finditer(message):
        name = _NAME_END.sub("", match["name"].lower()).strip(" _./-")
        words = [word for word in re.split(r"[^a-z]+", name) if word]
        if not words or not _MEASURED.intersection(words[-2:]) or _NOT_MEASURED.intersection(words):
            continue
        if match["sign"].isspace() and not _LOSSES.intersection(words[-2:]):
            continue  # a column of a table of data
        if not any(start <= match.start("last") < end for start, end in quoted):
            found.append((name, _BAD.fullmatch(match["last"]) is None))
    return tuple(found)


def _folded(note: MeasureNote, entry: Entry, is_finite: bool) -> MeasureNote:
    if is_finite:
        return replace(note, finite_reports=note.finite_reports + 1, finite_place=entry.place, bad_reports=0)
    place, text = entry.place, entry.text[:MAX_TEXT_CHARACTERS]
    again = replace(note, bad_reports=note.bad_reports + 1, last_place=place, last_text=text)
    return again if note.bad_reports else replace(again, first_place=place, first_text=text)


def _is_training(name: str) -> bool:
    return not re.search(r"\b(?:eval|val|valid|validation|test|dev)(?:\b|_)", name)


# A piece of text by its number, and behind it that text: `doc 1612: loss: nan`.
_TEXT_AND_NUMBER = re.compile(rf"(?i)(?:{TEXT_NAMES})s? #?\d+: ")
_HINT = re.compile(
    r"(?i)loss|grad|norm|ppl|perplex|nll|kl|reward|entropy|score|advantage|objective|elbo|logprob|[mr]se|mae"
    r"|ce\b|bp[bc]"
)
_VALUE = r"[-+]?(?:\d[\d,]*\.?\d*(?:[eE][-+]?\d+)?|\.\d+|nan|inf(?:inity)?)(?:%|(?![A-Za-z0-9_]))"
_ARROW = r"\s*(?:->|-->|→|⇒|=>|,? then)\s*"
_SIGN = (
    r"(?:['\"*`]{0,3}\s{0,8}(?::?=|:|->|→|\||is now|is|was|became|of|at)\s*|\s+|['\"*`]{1,3}\s+)"
    r"['\"*`(\[]{0,3}(?:tensor\()?"
)
MEASURE = re.compile(
    rf"(?P<name>[A-Za-z][A-Za-z_./-]*(?:[ ][A-Za-z_/]+)?(?:/[A-Za-z_]+)*)(?P<sign>{_SIGN})"
    rf"(?:{_VALUE}{_ARROW})*(?P<last>{_VALUE})",
    re.IGNORECASE,
)
_NAME_END = re.compile(r"\b(?:is now|is|was|became|of|at|now)$")
_BAD = re.compile(r"[-+]?(?:nan|inf(?:inity)?)", re.IGNORECASE)
_MEASURED_WORDS = """
    loss losses grad gradient gradients norm gnorm ppl perplexity nll kl reward rewards entropy score
    advantage advantages objective elbo logprob logprobs mse rmse mae ce bpb bpc
"""
_MEASURED = frozenset(_MEASURED_WORDS.split())
_LOSSES = frozenset(("loss", "losses", "grad", "norm", "gnorm", "ppl", "perplexity", "nll"))
_GRADIENTS = frozenset(("grad", "gradient", "gradients", "gnorm"))
_NOT_MEASURED = frozenset(
    ("best", "min", "lowest", "initial", "threshold", "max", "clip", "patience", "limit")
)
# Statistics that name skipped steps and a loss scale, and say that there are none: "skipped iterations: 0".
_NOTHING_SKIPPED = re.compile(
    r"(?i)\b(?:number of )?(?:skipped|overflow\w*|ignored|nan)(?: [a-z]+)?\s*[:=]\s*0\b(?!\.?\d)"
    r"|\bloss[ _-]?scale\s*[:=]\s*1(?:\.0*)?(?![\d.])"
)
_SKIPS = re.compile(r"(?i)\b(?:skipped|overflow|ignored|nan|loss[ _-]?scale)")  # one stands in each of them
_SKIPPED = re.compile(
    r"(?i)\b(?:skip(?:ped|ping|s)?|discard(?:ed|ing|s)?|overflow|loss.?scal(?:e|er|ing)|ignor(?:ed|ing)|if|unless|assert(?:s|ed)?"
    r"|check(?:s|ing)? for|detect_anomaly|nan_to_num|replac(?:ed|ing)|test_\w+|PASSED)\b"
)
