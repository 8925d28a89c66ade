"""Does a message report a failure, in any words? Names, settings, statistics and data do not."""

import re
from functools import lru_cache

from babysitter.diagnosis.frame.data_text import find_data_spans
from babysitter.diagnosis.frame.line import Frame
from babysitter.diagnosis.frame.skeleton import without_digits

MAX_CHARACTERS = 2000  # of a message that are searched
MIN_STATISTICS = 3  # so many numbers with a name make a line of statistics
MIN_WORDS = 3  # a line of fewer words between unprintable characters is binary

_VERBS = (
    r"fail(?:s|ed|ing|ures?)?|errors?|errored|err|exceptions?|fatal|panic(?:ked|s)?|abort(?:ed|s|ing)?|"
    r"crash(?:e[ds]|ing)?|crashloop\w*|kill(?:ed|s)|(?:oom|out-of-memory)[- ]?kill\w*|die[ds]|dead|lost|"
    r"refused|denied|out of range|not have enough|n[’']t have enough|misbehaving|repeated too quickly|"
    r"forbidden|unauthori[sz]ed|unauthenticated|rejected|timeouts?|time-outs?|timed[ -]out|unavailable|"
    r"unreachable|"
    r"unable|cannot|can ?not|can[’']t|could not|couldn[’']t|would not|won[’']t|no such|not found|missing|"
    r"invalid|"
    r"illegal|malformed|corrupt(?:ed|ion)?|broken|broke|disconnect(?:ed|s)|reset by|connection reset|"
    r"terminated|evicted|"
    r"evicting|preempt(?:ed|ion)|exceed(?:s|ed)|exceeding|exhausted|out of (?:\w+ )?(?:memory|space|disk)|"
    r"oom|oomkilled|"
    r"no space|insufficient|not enough|starv(?:ed|ing|ation)|stuck|hung|hang(?:s|ing)?|dead-?lock(?:ed)?|"
    r"livelock|"
    r"stall(?:ed|s|ing)?|overflow(?:ed)?|underflow|segfault(?:ed)?|segmentation fault|bus error|"
    r"core dumped|traceback|"
    r"mismatch(?:e[ds])?|inconsistent|unexpected(?:ly)?|unhandled|uncaught|violat(?:ed|ion)|unrecoverable|"
    r"uncorrectable|unsatisfiable|unschedulable|unhealthy|gave up|giv(?:es|ing) up|too many|too (?:large|"
    r"big|long)|"
    r"expired|revoked|quota|conflict(?:s|ing)?|unsupported|undefined|unresolved|vanished|disappeared|"
    r"unresponsive|"
    r"diverge[ds]|blew up|bailing out|quit(?:s|ting)? unexpectedly|fell over|went away|gone away|no longer|"
    r"is gone|"
    r"degraded|flapping|damaged|(?:is|are|was|went|gone|->) down|alarm (?:is )?set|refus(?:es|ing)|"
    r"kicked out|lock-?up|wedged|throttling|halted|not expected|unusable|not known|HEALTH_(?:ERR|WARN)|"
    r"(?:is|are|became|was) (?:nan|inf)|non-?finite|not finite|not a number|"
    r"throttled|rate[- ]limit(?:ed)?|overloaded|over(?:loaded)? capacity|"
    r"stragglers? (?:detected|detection warning)|worse (?:relative )?performance|"
    r"slower than (?:the )?(?:others?|median|average|peers)|"
    r"no (?:route|solution|available|healthy|usable|response|reply|answer|free|more|progress|heartbeats?|"
    r"connection|"
    r"permission|access|credentials|match|matching|kernel image|device|devices|nodes?|capacity)\b|"
    r"(?:is|are|was|were|has|have|does|do|did|will)(?: not|n[’']t)(?: been| be| yet)? \w+|"
    r"not (?:supported|available|responding|allowed|permitted|reachable|installed|implemented|accessible|"
    r"registered|ready|writable|readable|recogni[sz]ed|satisfied|authori[sz]ed|healthy|exist)|"
    r"never (?:came|arrived|answered|returned|finished|started|responded|completed|registered|joined|"
    r"replied)|"
    r"bad (?:gateway|request|magic|file descriptor|address|state|status|exit|record|checksum|value)|"
    r"(?:exit(?:ed)?|return(?:ed)?)(?: with)?(?: non-?zero)?(?: exit)?(?: (?:code|"
    r"status))?[ :=]{1,2}-?[1-9]\d*|"
    r"non-?zero(?: exit)? (?:code|status)|(?:killed|stopped|terminated) by signal|signal \d+|"
    r"(?:http|status|code)[ :=]{0,2}(?:4\d\d|5\d\d)|http/[\d.]+\"? (?:4\d\d|5\d\d)|"
    r"(?:401|403|404|408|409|412|416|429|500|502|503|504) "
    r"(?:unauthorized|forbidden|not found|request|conflict|precondition|too many|internal|bad|service|"
    r"gateway|server)\w*"
)
# A word counts where it stands by itself: in no identifier, path, file name, flag or name of a setting.
_WORD = re.compile(rf"(?<![\w./\\$@-])(?:{_VERBS})(?![\w\\$@]|[./-]\w|\(\)|\s?=[^=\s>])", re.IGNORECASE)
_EXCEPTION = re.compile(
    r"(?<![\w/$=.-])(?:[A-Za-z_]\w*\.)*_?[A-Z]\w*(?:Error|Exception|Interrupt|Fault|Failure|Exit|Timeout|"
    r"Expired|"
    r"Unavailable|NotFound|Exhausted|Refused|Died|Unreachable|Killed|Evicted)\b(?![./]\w|[=_-]|\(\) ?\{)"
    r"|^(?:[a-z_]\w*\.)+\w*(?:Invalid|Mismatch|Missing|Disconnected|Lost|Aborted|Closed|Denied|Violation)"
    r"(?=: |$)"
    r"|::Exception: |^(?:[a-z_]\w*\.)+\w*[eE]rror(?=: )|\*\*\* \[[^\]]+\] Error \d"
    r"|^(?:\w+\.)*(?:errors?|exceptions?|exc|errorfactory)\.(?:\w+\.)*[A-Z]\w+(?=: |$)"
)
_NAMED = re.compile(
    r"\bSIG(?:KILL|SEGV|ABRT|BUS|FPE|ILL|TERM|INT|QUIT)\b|^(?:[a-z_]\w*\.)+(?:Bad|Broken|Invalid|No|"
    r"Missing)[A-Z]\w*: |"
    r"\b(?:UNAVAILABLE|DEADLINE_EXCEEDED|RESOURCE_EXHAUSTED|PERMISSION_DENIED|UNAUTHENTICATED|"
    r"FAILED_PRECONDITION|"
    r"DATA_LOSS|NOT_FOUND|INVALID_ARGUMENT|ABORTED|INTERNAL)(?=: | \{|$)"
)
_VALUE = re.compile(
    r"\b(?:status=[1-9]\d*/(?!FAILURE)[A-Z]+|code=(?:dumped|killed)|returned error: [45]\d\d)\b|"
    r"\b(?:err|error|reason|cause|exception|status|state|result|phase|outcome)=[\"']?"
    r"(?:[\"'][^\"']{3}|fail|err|kill|crash|dead|timeout|oom|lost|aborted|unknown_?error|unavailable|"
    r"\w+Error)",
    re.IGNORECASE,
)
_NONE_BEFORE = re.compile(
    r"(?:(?<![\w/.,:-])(?:no|0|zero|without|any|never|neither|nor|isn't|not an?|not|free of)|\bif|\bunless|"
    r"\bon|\bper|"
    r"\bmax(?:imum)?)"
    r"(?:\s+(?:\w+|of the|more|further|other)){0,2}\s*$",
    re.IGNORECASE,
)
_NONE_AFTER = re.compile(
    r"(?:s|es)?(?: \w+)?\s?(?:[:=]|=>|->|is|was|were|of)?\s?(?:0+(?:\.0+)?|none|no|null|nil|"
    r"false)%?\s?(?:[,;.)\]}|/]|$|\s(?=\w+\s?[:=]))",
    re.IGNORECASE,
)
# What the word is part of: a thing that has its name, not a report of it.
_NAME_AFTER = re.compile(
    r"(?:s|ed|ing)?\s(?:handler|handling|hook|callback|rate|ratio|budget|threshold|policy|mode|"
    r"count(?:er)?s?|bars?|"
    r"limit|window|tolerance|correction|analysis|metric|code table|injection|log(?:s| file| dir\w*)?|"
    r"report(?:s|ing)?|"
    r"examples|term|feedback|estimate|function|propagation|letter queue|recovery|detect(?:or|ion)|domain)\b"
    r"|(?:s|ed|ing)?(?:\sset to|\s?=|\s?:|\sof)?\s\d+(?:\.\d+)?\s?(?:s|ms|sec\w*|min\w*|h)?\b"
    r"|(?:\s\w+)?\syet\b",
    re.IGNORECASE,
)
# The same where every number fits. A count of repeats ("{0,40}") is not a number of a message.
_WITH_ANY_DIGITS = tuple(
    re.compile(
        re.sub(
            r"\{[\d,]+\}|\[\d+\]|\[\d-\d\]|\d",
            lambda found: found[0] if found[0][0] == "{" else r"\d",
            pattern.pattern,
        ),
        pattern.flags,
    )
    for pattern in (_EXCEPTION, _NAMED, _VALUE, _WORD)
)
_PAIR = re.compile(r"\b[A-Za-z_][\w./%-]{0,40}\"?'?\s?[:=]\s?-?\d[\d.,eE+%-]*")
_COUNT = re.compile(r"(?:^|[,;(]|\w:|\b[a-z]{3,}) \d[\d,.]* [a-z]{3,}(?= ?[,;().]|$| \w+ ?[,;()]| by )")
_REAL_WORD = re.compile(r"[A-Za-z]{2,}")
# "Recent failures:" heads a list, which may be empty.
_HEADING = re.compile(r"(?:recent|latest|last|other|all|known) [a-z]+s ?:", re.IGNORECASE)


def reports_failure(frame: Frame) -> bool:
    """Whether a line reports a failure: by its level, or in its words."""
    if frame.level.is_severe and _REAL_WORD.search(frame.message):
        return True
    return find_failure_words(frame.message) is not None


@lru_cache(maxsize=2048)
def find_failure_words(message: str) -> tuple[int, int] | None:
    """First and end of the first words that report a failure; None if none do."""
    text = message[:MAX_CHARACTERS]
    if not _may_report(without_digits(text)):
        return None
    if _is_binary(text) or _HEADING.fullmatch(text.strip()):
        return None
    data = find_data_spans(text)
    for pattern in (_EXCEPTION, _NAMED, _VALUE):
        for found in pattern.finditer(text):
            if not _is_inside(found.start(), data):
                return found.span()
    statistics = _first_statistic(text)
    for found in _WORD.finditer(text, 0, statistics):
        if not _is_inside(found.start(), data) and not _is_absent_or_a_name(text, *found.span()):
            return found.span()
    return None


@lru_cache(maxsize=4096)
def _may_report(skeleton: str) -> bool:
    """Whether a message of this shape reports a failure, whatever its numbers are."""
    *others, word = _WITH_ANY_DIGITS
    return any(pattern.search(skeleton) for pattern in others) or bool(
        word.search(skeleton, 0, _first_statistic(skeleton))
    )


def _first_statistic(text: str) -> int:
    """Where the numbers of a line of statistics begin; its end if it is none."""
    for pattern in (_PAIR, _COUNT):
        pairs = [found.start() for found in pattern.finditer(text)]
        if len(pairs) >= MIN_STATISTICS:
            return pairs[0]
    return len(text)


def _is_binary(text: str) -> bool:
    if text.isprintable() and "\ufffd" not in text:
        return False
    unprintable = sum(not character.isprintable() for character in text) - text.count("\t")
    return unprintable + text.count("\ufffd") > 1 and len(_REAL_WORD.findall(text)) < MIN_WORDS + unprintable


def _is_inside(place: int, spans: tuple[tuple[int, int], ...]) -> bool:
    return any(first <= place < end for first, end in spans)


def _is_absent_or_a_name(text: str, start: int, end: int) -> bool:
    """Whether it is said that there is none, or the words are part of a name ("failure rate")."""
    before, after = text[max(0, start - 40) : start], text[end : end + 40]
    if _NAME_AFTER.match(after):
        return True
    return bool(_NONE_AFTER.match(after)) or bool(_NONE_BEFORE.search(before))
