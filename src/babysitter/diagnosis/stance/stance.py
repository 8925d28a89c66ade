"""Does a line report what a pattern found in it? Decided from the words that govern the match.

The idea is that of NegEx and ConText for clinical text: a cue governs a span, and has a direction. The test
is direct: without the spans that cues govern, does the pattern still match? Then the line reports it.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache

from babysitter.diagnosis.frame.data_text import find_data_spans
from babysitter.diagnosis.frame.failure_words import find_failure_words
from babysitter.diagnosis.frame.line import Frame
from babysitter.diagnosis.frame.quotes import find_quoted_spans
from babysitter.diagnosis.stance.printed_text import find_printed_text
from babysitter.diagnosis.stance.vocabulary import (
    ATTEMPT,
    CUES,
    MAX_CALM_ATTEMPTS,
    REFERS_BACK,
    REPORTS_A_QUOTATION,
    Cue,
    Reach,
    Stance,
)
from babysitter.model.log import LogLevel

MAX_CHARACTERS = 2000  # of a message that are searched for cues; what reaches so far reaches to its end
MAX_DIGITS = 7
MAX_LEAD_CHARACTERS = 30

Matcher = Callable[[str], bool]
Span = tuple[int, int]

_CLAUSE_END = re.compile(r",(?=\s)|[;!?](?=\s|$)|\.(?=\s|$)|:(?=\s)|\s[-–—]+\s|\s?[()]|\bthen\b|\bbut\b")
_SENTENCE_END = re.compile(r"[.!?;](?=\s|$)|\s[-–—]+\s|\s\|\s")
# "ValueError: directory already exists": its words are the exception's own.
_OWN_LINE = re.compile(
    r"(?:[A-Za-z_]\w*\.)*_?(?:[A-Z]\w*)?(?:Error|Exception|Interrupt|Timeout|Exit|Fault|Failure|Died|Killed|"
    r"Refused|Expired|"
    r"NotFound|Unavailable|Exhausted|Invalid\w*|Missing\w*|Bad\w*)(?:: |$|\()"
)
_STANCES_OF_EXCEPTIONS = frozenset({Stance.EXPECTED, Stance.QUOTED, Stance.ADDRESSED})
# What the line in front of an exception may say of it; advice or a quotation there are about something else.
_OF_FACTS = frozenset({Stance.EXPECTED, Stance.TOLERATED, Stance.RETRIED})
_CUES = sorted(CUES, key=lambda cue: cue.stance in _OF_FACTS)  # doubts and advice first: they void the others
_ANSWERS = frozenset({Stance.TOLERATED, Stance.RETRIED})
_DOUBTS = frozenset({Stance.HYPOTHETICAL, Stance.ADVICE, Stance.NEGATED})
_CALM_LEVELS = frozenset({LogLevel.INFO, LogLevel.DEBUG})
_ORDER = (
    Stance.ADDRESSED,
    Stance.QUOTED,
    Stance.EXPECTED,
    Stance.NEGATED,
    Stance.HYPOTHETICAL,
    Stance.ADVICE,
    Stance.TOLERATED,
    Stance.RETRIED,
)


def stance_of(frame: Frame, matches: Matcher, *, job_lives: bool = True) -> Stance:
    """How a line stands to what a pattern finds in it.

    `matches`: whether the pattern finds something in a text; asked with parts of the line blanked out.
    `job_lives`: only then may text that is printed without marks be data; a failed job is taken at its word.
    """
    stance = stance_of_wording(frame, matches, job_lives=job_lives)
    return Stance.REPORTED if stance is Stance.RETRIED and is_late_attempt(frame.message) else stance


def stance_of_wording(frame: Frame, matches: Matcher, *, job_lives: bool = True) -> Stance:
    """The same, whatever numbers the line holds: a retry may be the last one (`is_late_attempt`)."""
    spans: list[Span] = []
    for stance, governed, cues in governed_spans(frame.message, has_calm_level=frame.level in _CALM_LEVELS):
        spans += governed
        if matches(_without(frame, spans)):
            if matches(_without(frame, [(0, len(frame.message))])):
                return stance  # the pattern finds the header alone, which says nothing
            continue  # something outside of the governed spans is a report
        if not matches(_without(frame, _rest(frame, spans))):
            continue  # it needs what stands outside of them
        if not cues or matches(_without(frame, cues)):
            return stance
        # The pattern itself asks for the words of the cue.
    text = find_printed_text(frame) if job_lives else None
    is_quoted = text is not None and not matches(_without(frame, [*spans, text]))
    return Stance.QUOTED if is_quoted else Stance.REPORTED


def is_late_attempt(message: str) -> bool:
    """Whether it is the last attempt or more than a few have been made: no passing hiccup any more."""
    return any(
        int(found["n"]) > MAX_CALM_ATTEMPTS or (found["total"] and int(found["n"]) >= int(found["total"]))
        for found in ATTEMPT.finditer(message[:MAX_CHARACTERS])
        if len(found["n"]) < MAX_DIGITS and len(found["total"] or "") < MAX_DIGITS
    )


def without_doubt(frame: Frame) -> str:
    """The message with blanks for what it only holds possible, denies or advises."""
    governed = governed_spans(frame.message)
    spans = [span for stance, spans, _ in governed if stance in _DOUBTS for span in spans]
    return _without(frame, spans)[frame.start :] if spans else frame.message


def stance_of_introduction(frame: Frame) -> Stance:
    """The stance that a line gives to the exception or traceback that it introduces."""
    end = len(frame.message.rstrip(" .!:"))
    for stance, governed, _ in governed_spans(frame.message):
        if stance in _OF_FACTS and any(first == 0 and last >= end for first, last in governed):
            is_late = stance is Stance.RETRIED and is_late_attempt(frame.message)
            return Stance.REPORTED if is_late else stance
    return Stance.REPORTED


def stance_from_next(frame: Frame, following: Frame) -> Stance:
    """The stance that the next line of the same process gives to this one: "Retrying in 1 s"."""
    if (frame.program, frame.speaker) != (following.program, following.speaker):
        return Stance.REPORTED
    for stance, governed, cues in governed_spans(following.message):
        if stance not in _ANSWERS or not governed or min(governed)[0] > 0:
            continue
        lead = following.message[: min(cues)[0]] if cues else following.message
        is_answer = len(lead) < MAX_LEAD_CHARACTERS and REFERS_BACK.match(lead) is not None
        if is_answer and find_failure_words(following.message[len(lead) :]) is None:
            is_late = stance is Stance.RETRIED and is_late_attempt(following.message)
            return Stance.REPORTED if is_late else stance
    return Stance.REPORTED


def _rest(frame: Frame, spans: list[Span]) -> list[Span]:
    """The spans of a message between these."""
    rest, at = [], 0
    for first, end in sorted(spans):
        if first > at:
            rest.append((at, first))
        at = max(at, end)
    return [*rest, (at, len(frame.message))]


@lru_cache(maxsize=4096)
def governed_spans(
    message: str, *, has_calm_level: bool = False
) -> tuple[tuple[Stance, list[Span], list[Span]], ...]:
    """What cues govern in a message, the strictest stance first: the spans, and the words of the cues.

    `has_calm_level`: the line says that it is information; then a quotation is data unless a word such as
    "reason" or "failed" introduces it.
    """
    text = message[:MAX_CHARACTERS]
    governed: defaultdict[Stance, list[Span]] = defaultdict(list)
    words: defaultdict[Stance, list[Span]] = defaultdict(list)
    for cue in _CUES:
        if cue.unless is not None and cue.unless.search(text):
            continue
        for place in cue.pattern.finditer(text):
            if cue.stance in _OF_FACTS and _is_doubted(place.start(), governed):
                continue  # "if this is expected", "you may skip this"
            governed[cue.stance].append(_reach(cue, place, text))
            if cue.reach is not Reach.SELF and not cue.holds_failure:
                words[cue.stance].append(place.span())
    governed[Stance.QUOTED] += find_data_spans(text)
    if has_calm_level:
        governed[Stance.QUOTED] += _quotations(text)
    is_own_line = _OWN_LINE.match(text) is not None
    return tuple(
        (stance, _to_the_end(governed[stance], message), words[stance])
        for stance in _ORDER
        if governed[stance] and not (is_own_line and stance not in _STANCES_OF_EXCEPTIONS)
    )


def _is_doubted(place: int, governed: Mapping[Stance, list[Span]]) -> bool:
    doubts = (*governed.get(Stance.HYPOTHETICAL, ()), *governed.get(Stance.ADVICE, ()))
    return any(first <= place < end for first, end in doubts)


def _quotations(text: str) -> Iterator[Span]:
    """Quoted spans that nothing introduces as a report."""
    for first, end in find_quoted_spans(text):
        if not REPORTS_A_QUOTATION.search(text[max(0, first - 40) : first - 1]):
            yield first, end


def _to_the_end(spans: list[Span], message: str) -> list[Span]:
    return [(first, len(message) if end >= MAX_CHARACTERS else end) for first, end in spans]


def _reach(cue: Cue, place: re.Match[str], text: str) -> Span:
    """The span that a cue governs: forward, to the end that its reach says."""
    if cue.reach is Reach.LINE:
        return 0, len(text)
    if cue.reach is Reach.SELF:
        return place.span()
    if cue.reach is Reach.REST:
        return place.start(), len(text)
    end = _CLAUSE_END if cue.reach is Reach.CLAUSE else _SENTENCE_END
    stop = end.search(text, place.end())
    last = stop.start() if stop else len(text)
    if cue.reach is not Reach.BACK:
        return place.start(), last
    sentence = max((found.end() for found in _SENTENCE_END.finditer(text, 0, place.start())), default=0)
    return 0 if REFERS_BACK.match(text[sentence : place.start()]) else sentence, last


def _without(frame: Frame, spans: list[Span]) -> str:
    """The line with spans of its message blanked out."""
    text = list(frame.text)
    for first, end in spans:
        text[frame.start + first : frame.start + end] = " " * (
            min(end + frame.start, len(text)) - first - frame.start
        )
    return "".join(text)
