"""Ordinary lines: normal work of a program. Three of them after a report show that the program went on."""

import re
from functools import lru_cache

from babysitter.diagnosis.frame.failure_words import find_failure_words
from babysitter.diagnosis.frame.line import Frame
from babysitter.diagnosis.frame.skeleton import without_digits
from babysitter.model.log import LogLevel

MIN_WORDS = 2
MAX_CHARACTERS = 1000

_CALM_LEVELS = frozenset({LogLevel.UNKNOWN, LogLevel.INFO, LogLevel.DEBUG})
_WORD = re.compile(r"[A-Za-z]{2,}")
# Lines that a program without work prints too: it ends, waits, tries again, starts anew, or only lives.
_NO_WORK = re.compile(
    r"\b(?:shut(?:ting|s)?[ -]?down|shutdown|stopp(?:ed|ing)|exit(?:ed|ing|s)?|terminat\w+|teardown|"
    r"tearing down|"
    r"clean(?:ed|ing)?[ -]?up|clos(?:ed|ing)|cancel\w*|bye|finaliz\w+|drain\w*|"
    r"wait(?:s|ed|ing)?|pending|still|idle|sleep\w*|paus\w+|block(?:ed|ing)|queued|"
    r"retr(?:y|ies|ied|ying)|try(?:ing)? again|attempts?|again|back(?:ing)?[ -]?off|reconnect\w*|"
    r"reload\w*|restart\w*|resubmi\w*|respawn\w*|recover\w*|restor\w+|resum\w+|rescheduled?|requeue\w*|"
    r"rollback|"
    r"heartbeats?|keep-?alive|ping(?:ed|s)?|poll(?:ed|ing|s)?|alive|health[ -]?(?:check|z)\w*|watchdog|"
    r"liveness|"
    r"uptime|stack (?:dump|trace)|thread dump|current thread|debug(?:ging)?)\b"
    r"(?!['\"]?\s?[:=]\s?\d)",  # "Pending: 2 reqs" and "3 pending" are counts
    re.IGNORECASE,
)
# The lines around and inside of an error: stack frames, code, carets, rules, notes to the reader.
_OF_A_REPORT = re.compile(
    r"Traceback|File \"|During handling|The above exception|\s*at [\w$.]+\(|\s*#\d+ |\s*[~^]+\s*$|"
    r"\s*[-=*#_.]{4,}|"
    r"(?:raise|return|await|self\.|def|with|for|if|import|from|try:|except)\b|[\w.]+ = |[\w.]+\([^)]*\)$|"
    r"(?:Stack|Thread \d|Fatal|Extension modules|Root Cause|Hint|Note|Tip|See|Please|Try|Consider|Use)\b|"
    r"\S+$",
)
_ADVICE = re.compile(
    r"\b(?:please|you (?:can|may|should|must|need)|consider|make sure|ensure|try (?:to|using|setting|"
    r"running)|"
    r"for more (?:information|details)|refer to|see (?:also|the|http)|might|could be|may be|possibl[ey]|"
    r"if (?:you|the|this|it))\b",
    re.IGNORECASE,
)


def is_ordinary(frame: Frame) -> bool:
    """Whether a line shows normal work: it reports no failure, no end, no waiting and no new attempt."""
    if frame.level not in _CALM_LEVELS:
        return False
    message = frame.message
    return _shows_work(without_digits(message[:MAX_CHARACTERS])) and not find_failure_words(message)


@lru_cache(maxsize=4096)
def _shows_work(skeleton: str) -> bool:
    """Whether the words of all messages of this shape tell of work, failures aside."""
    if len(_WORD.findall(skeleton)) < MIN_WORDS or _OF_A_REPORT.match(skeleton):
        return False
    return not (_NO_WORK.search(skeleton) or _ADVICE.search(skeleton))
