"""A diagnosis in words: one sentence, what to do, how sure and why. The same on every surface. Pure.

Nothing here is redacted; whoever shows a sentence makes it safe first.
"""

import re
from collections.abc import Iterable

from babysitter.model.cause_info import about
from babysitter.model.finding import ActionKind, Cause, Evidence
from babysitter.model.verdict import GUESSED, Diagnosis

MAX_EXCEPTION_CHARS = 140
MIN_TOLD_CHARS = 30  # of an exception's message, that the explanation repeats
MAX_RIVALS = 2
HARDLY_CALM = 0.5  # confidence

_EXCEPTION = re.compile(
    r"(?<![\w./])(?:(?:[A-Za-z_]\w*\.){0,6}(?P<name>[A-Z]\w*(?:Error|Exception|Failure|Interrupt|Timeout))"
    r"|(?:[a-z_]\w*\.){1,6}(?:exceptions?|errors?|exc)\.(?P<other>[A-Z]\w+))"
    r"(?![\w./])(?:\([^)]{0,40}\))?(?::\s*(?P<message>\S.*))?"
)
# The last line of a traceback, whatever the exception is called; and what other languages print at an end.
_RAISED = re.compile(
    r"(?:[a-z_]\w*\.){1,6}(?P<name>[A-Z]\w*): (?P<message>\S.*)|(?P<other>panic|fatal error): (?P<said>\S.*)"
)
_GOES_AGAIN = re.compile(r"\b(?:again|restart|resubmit)\b")
_SENTENCE_END = re.compile(r"(?<=[^.\s][^.])\.(?=\s+[A-Z]|\s*$)")
# Least confidence of each word. What proofs, signs, hints and guesses were measured at falls into these.
_SURE = ((0.9, "Sure"), (0.8, "Probable"), (0.65, "Possible"), (0.0, "A guess"))
_ITS_LINE = {
    "Sure": "only this fault prints such a line",
    "Probable": "such a line nearly always means this",
    "Possible": "such a line often means this",
    "A guess": "the evidence is weak, and nothing better was found",
}
_STARTS_AGAIN = "Start it again; the same submission is likely to work."
_FAILS_AGAIN = "Unchanged, the same submission fails again."
_IF_IT_IS_RIGHT = "Read the lines quoted first: the cause is a guess. If it is right:"
_LEARNED = "learned."  # begins the rule id of a guess by all lines
_WORDS = "words."  # begins the rule id of a guess by a line
_SUSPECTED = "suspected."  # begins that of a suspicion that one look raised
_MEASURED = "measured."  # begins the rule id of a suspicion that was proven


READ_LAST_LINES = "Read the last lines, and decide whether something is wrong."
READ_DIFFERENCES = "Read what is different from the last good run, and decide whether it matters."


def sentence_of(diagnosis: Diagnosis) -> str:
    """What happened, as one would say it, with the job's own exception in it."""
    text = diagnosis.explanation
    if text.startswith(GUESSED) and not is_guess(diagnosis):
        told = text.removeprefix(GUESSED)
        text = f"{told[:1].upper()}{told[1:]}"
    is_calm = about(diagnosis.cause).is_benign
    exception = None if is_calm else _shortened(diagnosis.exception) or _exception_of(diagnosis)
    if exception is not None and exception not in text:
        end = _SENTENCE_END.search(text)
        at = end.start() if end else len(text.rstrip())
        text = f"{text[:at]} ({exception}){text[at:] or '.'}"
    is_said = "guess" in text.lower() or says_only_the_exception(diagnosis)
    is_weak = is_guess(diagnosis) or is_hardly_calm(diagnosis)
    return text if is_said or not is_weak else f"A guess: {_uncapital(text)}"


def is_hardly_calm(diagnosis: Diagnosis) -> bool:
    """Whether nothing wrong was found, and such verdicts were wrong as often as right."""
    is_calm = diagnosis.cause in (Cause.HEALTHY, Cause.TRANSIENT_NOISE)
    return is_calm and diagnosis.confidence < HARDLY_CALM


def says_only_the_exception(diagnosis: Diagnosis) -> bool:
    """Whether it says no more than that the program raised what it printed: that is not a guess.

    The same of a cause by wording is one: that the exception belongs to the job is not known then.
    """
    is_of_code = diagnosis.cause is Cause.CODE_ERROR and not is_by_wording(diagnosis)
    return is_of_code and _exception_of(diagnosis) is not None


def is_by_wording(diagnosis: Diagnosis) -> bool:
    """Whether only words name the cause, and no rule knows a line."""
    return bool(diagnosis.rules) and diagnosis.rules[0].startswith((_LEARNED, _WORDS))


def is_guess(diagnosis: Diagnosis) -> bool:
    """Whether the cause is named on weak evidence. What is said to be unknown is not a guess."""
    is_weak = certainty_of(diagnosis.confidence) == "A guess"
    return is_weak and diagnosis.cause is not Cause.UNKNOWN and not about(diagnosis.cause).is_benign


def what_to_do(diagnosis: Diagnosis) -> str:
    """The next step for a person, and the one setting to change where it is known."""
    action, change = diagnosis.action, diagnosis.change
    if action is ActionKind.IGNORE:
        calm = READ_LAST_LINES if is_hardly_calm(diagnosis) else "Nothing."
        return READ_DIFFERENCES if diagnosis.differences else calm
    advice = diagnosis.advice or about(diagnosis.cause).advice
    if change is not None:
        before = f" from {change.before}" if change.before else ""
        advice = f"Change {change.what}{before} to {change.after} ({change.why})."
    if action is ActionKind.ESCALATE and not advice:
        return "Somebody must look: no rule says what to do."
    steps = _steps(diagnosis, advice)
    is_open = is_guess(diagnosis) and not says_only_the_exception(diagnosis)
    return f"{_IF_IT_IS_RIGHT} {_uncapital(steps)}" if is_open and action is not ActionKind.WAIT else steps


def _steps(diagnosis: Diagnosis, advice: str) -> str:
    """The steps in the order in which a person takes them: the cause goes before the job starts again."""
    action, row = diagnosis.action, about(diagnosis.cause)
    if action is ActionKind.WAIT:
        return advice if advice.lower().startswith("wait") else f"Wait. {advice}".strip()
    if not action.restarts or _GOES_AGAIN.search(advice):
        return advice
    if action is ActionKind.RESTART_WITH_CHANGE:
        return f"{advice} {_FAILS_AGAIN}".strip()
    if not advice or row.heals:  # nothing is to be done before: the cluster has repaired it
        return f"{_STARTS_AGAIN} {advice}".strip()
    return f"{advice} Then {_uncapital(_STARTS_AGAIN) if row.repeat_works else 'start it again.'}"


def how_sure(diagnosis: Diagnosis) -> str:
    """The certainty as a word and a number, the reason for it, and which other causes remain possible."""
    if diagnosis.cause is Cause.UNKNOWN:
        return "The cause is not known: nothing that was read names one."
    word = certainty_of(diagnosis.confidence)
    text = f"{word} ({diagnosis.confidence:.0%}): {_reason(diagnosis, word)}"
    if len(diagnosis.rules) > 1:
        text += f"; {len(diagnosis.rules)} rules agree"
    if diagnosis.rivals:
        text += f"; it could also be {' or '.join(cause.value for cause in diagnosis.rivals[:MAX_RIVALS])}"
    return f"{text}."


def certainty_of(confidence: float) -> str:
    """Sure, Probable, Possible or A guess."""
    return next(word for least, word in _SURE if confidence >= least)


def _reason(diagnosis: Diagnosis, word: str) -> str:
    rule = diagnosis.rules[0] if diagnosis.rules else ""
    if rule.startswith(_SUSPECTED):
        return "one look suggests it, and a second one confirms or refutes it"
    if is_hardly_calm(diagnosis) and diagnosis.likelihood is not None:
        return "no rule finds a failure, but of earlier jobs whose logs read like this, most had one"
    if diagnosis.cause is Cause.HEALTHY:
        return "no line reports a failure that lasts"
    if rule.startswith(_LEARNED):
        return "logs of earlier incidents with such words; no rule is sure of a cause"
    if rule.startswith(_WORDS):
        if word == "A guess":
            return "only its words point there; no rule knows the line"
        return "most logs of earlier incidents with such lines meant this; no rule knows the line"
    if diagnosis.cause is Cause.USER_CANCEL and not rule:
        return "the cluster says so"
    if rule.startswith(_MEASURED) or not rule:
        return "counters and times show it" if diagnosis.evidence else "silence is the only evidence"
    if about(diagnosis.cause).is_benign:
        return "such lines are known to do no harm"
    if not is_printed(diagnosis.evidence):
        return "states and counters show it"
    if word == "A guess" and says_only_the_exception(diagnosis):
        return "the exception is the job's own, but no line says what led to it"
    if diagnosis.likelihood is not None and not diagnosis.is_proven and word == "Sure":
        return "a rule knows the line, and nearly all earlier incidents that read like this had this cause"
    return _ITS_LINE[word]


def is_printed(evidence: Iterable[Evidence]) -> bool:
    """Whether a line of the job, and not only a state, a counter or a dump, stands in the evidence."""
    return any(line.line_number is not None for line in evidence)


def _exception_of(diagnosis: Diagnosis) -> str | None:
    """The first exception that the evidence quotes: its name without the module, and its message."""
    for evidence in diagnosis.evidence:
        for line in evidence.text.splitlines():
            if found := _EXCEPTION.search(line) or _RAISED.match(line):
                words = found.groupdict()
                message = (words["message"] or words.get("said") or "").strip().rstrip(".:")
                name = words["name"] or words["other"]
                is_told = not message or message[:MIN_TOLD_CHARS] in diagnosis.explanation
                return _shortened(name if is_told else f"{name}: {message}")
    return None


def _shortened(text: str) -> str:
    return text if len(text) <= MAX_EXCEPTION_CHARS else f"{_cut(text)} …"


def _cut(text: str) -> str:
    """The beginning of a text that is too long, up to a blank."""
    return text[:MAX_EXCEPTION_CHARS].rpartition(" ")[0].rstrip(":,;") or text[:MAX_EXCEPTION_CHARS]


def _uncapital(text: str) -> str:
    """The text to go on with in the middle of a sentence; an abbreviation keeps its capitals."""
    return text[:1].lower() + text[1:] if text[1:2].islower() or text[1:2] == " " else text
