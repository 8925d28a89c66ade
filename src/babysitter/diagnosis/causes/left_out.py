"""A job that succeeded although its last lines say that part of its work was left out.

A success overcomes what failed on the way; this says that it did not overcome all of it.
"""

import re
from collections.abc import Sequence

from babysitter.diagnosis.frame.data_text import find_data_spans
from babysitter.diagnosis.frame.line import strip_headers
from babysitter.diagnosis.frame.quotes import find_quoted_spans
from babysitter.lazy_regex import lazy_regex
from babysitter.model.cause_info import about
from babysitter.model.finding import ActionKind, Cause, Evidence, Finding, Findings, Severity
from babysitter.model.ids import RuleId
from babysitter.model.job import JobState
from babysitter.model.memory import Memory
from babysitter.model.observation import Observation

LEFT_OUT = RuleId("measured.work-left-out")
LAST_LINES = 12  # of a job that ended; what was left out before them may have been done again
NEAR_LINES = 2  # beside the line, that name what was left out
CONFIDENCE = 0.7
MAX_CHARACTERS = 1000


def with_left_out(findings: Findings, memory: Memory, observation: Observation) -> tuple[Finding, ...]:
    """The findings, with what a job that succeeded has left out."""
    tree = observation.seen_tree
    last = memory.recent_lines[-LAST_LINES:]
    if tree is None or tree.root.state is not JobState.SUCCEEDED or not last:
        return findings.all
    at = find_left_out([line.text for line in last])
    if at is None:
        return findings.all
    new = len(observation.seen_lines) - len(last) + at
    offset = observation.excerpt.first_line if observation.excerpt is not None else 0
    cause = _cause(findings, [line.text for line in last[max(0, at - NEAR_LINES) : at + NEAR_LINES + 1]])
    line, row = last[at], about(cause)
    source = observation.excerpt.source if observation.excerpt is not None else str(line.task)
    found = Finding(
        rule=LEFT_OUT,
        cause=cause,
        severity=Severity.DEGRADED,
        action=ActionKind.ESCALATE,
        explanation="The job counts as succeeded, and says at its end that part of its work was left out.",
        evidence=(Evidence(line.text, source, attempt=line.attempt),),
        confidence=CONFIDENCE,
        retry=row.retry,
        position=new + offset if new >= 0 else -1,
        last_position=new + offset if new >= 0 else -1,
        advice=row.advice,
    )
    return (found, *findings.all)


def find_left_out(texts: Sequence[str]) -> int | None:
    """The last of these lines that says that work was left out; None where a later one has it all."""
    found = None
    for index, text in enumerate(texts):
        message = strip_headers(text)
        if _is_all(message) or (found is not None and _is_off(texts[found], message, index - found)):
            found = None
        elif says_left_out(message) and not _TRACKER.search(text[:MAX_CHARACTERS]):
            found = index
    return found


def says_left_out(message: str) -> bool:
    """Whether the message says that less was done than there was to do."""
    message = message[:MAX_CHARACTERS]
    if _NOT_LEFT_OUT.search(message) or _TRACKER.search(message):
        return False
    told = [*find_data_spans(message), *find_quoted_spans(message)]
    return any(
        _is_less(match) and not any(start <= match.start() < end for start, end in told)
        for pattern in _LEFT_OUT
        for match in pattern.finditer(message)
    )


def _is_less(match: re.Match[str]) -> bool:
    done, total = (match.groupdict().get(name) for name in ("done", "total"))
    if total is None:
        return done is None or _count(done) > 0
    return _count(done or "0") < _count(total)


def _is_all(message: str) -> bool:
    return _ALL.search(message[:MAX_CHARACTERS]) is not None


def _is_off(left_out: str, message: str, distance: int) -> bool:
    """Whether the message beside what was not sent says that nothing was to be sent."""
    is_sent = _SENT.search(left_out[:MAX_CHARACTERS]) is not None
    return distance <= NEAR_LINES and is_sent and _OFF.search(message[:MAX_CHARACTERS]) is not None


def _count(digits: str) -> int:
    return int(digits.replace(",", ""))


def _cause(findings: Findings, near: Sequence[str]) -> Cause:
    """The cause of the clearest failure on the way; else of what was left out, if that names one."""
    failures = [finding for finding in findings.all if _is_failure(finding)]
    if failures:
        return max(failures, key=lambda finding: (finding.confidence, -finding.position)).cause
    return Cause.STORAGE_ERROR if any(_STORED.search(text) for text in near) else Cause.UNKNOWN


def _is_failure(finding: Finding) -> bool:
    row = about(finding.cause)
    is_consequence = finding.is_consequence or row.is_benign or finding.cause is Cause.UNKNOWN
    return finding.severity >= Severity.DEGRADED and not is_consequence


_ITEMS = (
    r"(?:tasks?|jobs?|shards?|files?|rows?|records?|documents?|docs?|items?|samples?|batch(?:es)?|partitions?"
    r"|futures?|chunks?|requests?|runs?|trials?|ranks?|workers?|parts?|pages?|units?|splits?|outputs?)"
)
_DONE = (
    r"(?:completed?|succeeded|finished|done|processed|written|wrote|uploaded|saved|exported|converted|committed"
    r"|ran|copied)"
)
_DIGITS = r"\d{1,15}(?:,\d{3}){0,4}"
_OF = rf"(?P<done>{_DIGITS})(?: (?:out )?of (?:the )?| ?/ ?)(?P<total>{_DIGITS})(?![\d.,]*[\d%/])"
_NUMBER = rf"(?<![\d.,/-])(?P<done>{_DIGITS})"
_WERE = r"(?:were|was|are|is|have been|has been|remain|remained|still)"
_BEFORE_END = (
    r"before (?:the |a |an |its |it |being )?(?:deadline|time\w*|crash\w*|fail\w*|died|dying|exit\w*"
    r"|preempt\w*|evict\w*|kill\w*|errors?|end\w*|running out|ran out|shut\w*|terminat\w*)"
)
_LEFT_OUT = tuple(
    lazy_regex(pattern, re.IGNORECASE)
    for pattern in (
        # only 41 of 60 shards were written
        rf"\bonly {_OF}(?: \w+){{0,3}}? {_DONE}\b",
        rf"\bonly {_DONE} {_OF}",
        # saved 3/4 parts but timed out
        rf"\b{_DONE} {_OF}(?: {_ITEMS})?\W{{1,4}}(?:but|{_BEFORE_END}|timed out|incomplete|the rest)\b",
        # 12 files were left pending
        rf"{_NUMBER} (?:\w+ )?(?:{_ITEMS} )?{_WERE} (?:left (?:out|pending|undone|behind|unfinished)"
        rf"|abandoned|given up|never (?:run|started|written|processed)|not (?:{_DONE}|granted))\b",
        # not all 60 shards were written
        rf"\bnot all (?:of )?(?:the )?(?:{_DIGITS} )?{_ITEMS} (?:\w+ ){{0,2}}{_DONE}\b",
        # gave up on shard 7
        rf"\b(?:giving|gave|given) up on (?:(?:the|{_DIGITS}|remaining) ){{0,2}}{_ITEMS}\b",
    )
)
_ALL = lazy_regex(
    rf"(?i)(?<!not )(?<!nearly )(?<!almost )\ball (?:{_DIGITS} |of the |the |remaining ){{0,2}}{_ITEMS}"
    rf" (?:\w+ ){{0,2}}{_DONE}\b"
    rf"|\b(?P<n>[1-9]\d{{0,14}})(?: of |/)(?P=n) (?:{_ITEMS} )?{_DONE}\b"
    rf"|\b{_DONE} (?P<k>[1-9]\d{{0,14}})(?: of |/)(?P=k)\b"
)
# What is left out on purpose, or in a test, or may come.
_NOT_LEFT_OUT = lazy_regex(
    r"(?i)\b(?:filter\w*|duplicates?|dedup\w*|already|existing|exists?|cached|up.to.date|expected|as planned"
    r"|dry.run|limit\w*|subset|sampled?|tests?|\d passed|if|unless|would|may|might|retry\w*|trying"
    r"|resubmit\w*|resum\w+|so far|early|stopp\w+|empty|blank|unchanged|too (?:short|long|small|large)"
    r"|not (?:needed|required)|optional\w*|on purpose|intention\w*|fall(?:ing|s)?[ -]?backs?|speculati\w+"
    r"|quality|criteri\w+|thresholds?|heuristics?"
    r"|after (?:\w+ ){0,3}(?:checks?|clean\w*|validation|selection))\b"
)
# What only follows the run is none of its work, nor is what was not to be sent.
_TRACKER = lazy_regex(r"(?i)\b(?:wandb|mlflow|comet(?:_ml)?|neptune|tensorboard)\b")
_SENT = lazy_regex(r"(?i)\b(?:upload|sync|sent|copied)")
_OFF = lazy_regex(r"(?i)\b(?:sync\w*|upload\w*)(?: is| are| was)? (?:disabled|off|turned off)\b|\boffline\b")
_STORED = lazy_regex(r"(?i)check-?points?|ckpt|upload\w*|\bcommit\w*")
