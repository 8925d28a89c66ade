"""Lines that say themselves that no work was done for a long time: "last shard completion 37h04m ago"."""

import re
from collections.abc import Sequence

from babysitter.diagnosis.frame.data_text import find_data_spans
from babysitter.diagnosis.frame.quotes import find_quoted_spans
from babysitter.diagnosis.timeline.counts.counters import Counters
from babysitter.diagnosis.timeline.counts.durations import DURATION, read_duration_s
from babysitter.diagnosis.timeline.entries import Entry
from babysitter.lazy_regex import lazy_regex
from babysitter.model.ids import TaskId
from babysitter.model.log import LogLine
from babysitter.model.progress import ToldQuiet

MAX_TEXT_CHARACTERS = 300
MAX_REACH = 80  # characters behind what is told, in which it may be taken back

MAX_LINES = 2000  # the newest of a log, which are searched


def find_told_quiet(
    before: ToldQuiet | None, entries: Sequence[Entry], counters: Counters
) -> ToldQuiet | None:
    """Return the newest line that says for how long no work was done; None when work was done after it.

    `before`: what earlier lines of the job said.
    """
    for entry in reversed(entries[-MAX_LINES:]):
        if counters.rises and entry.place <= counters.rises[-1].place:
            return None
        quiet_s = read_told_quiet_s(entry.message)
        if quiet_s is not None:
            task = entry.speaker.partition(" ")[0]
            source = TaskId(task if task.startswith("/") else "")
            return ToldQuiet(quiet_s, LogLine(entry.text[:MAX_TEXT_CHARACTERS], task=source), entry.place)
    return before


def read_told_quiet_s(message: str) -> float | None:
    """Return for how many seconds no work was done, by this message; None if it does not say so."""
    if not _HINT.search(message):
        return None
    found = next((match for pattern in _TOLD if (match := pattern.search(message))), None)
    if found is None or _NOT_TOLD.search(message[: found.end() + MAX_REACH]):
        return None
    if any(start < found.end() and found.start() < end for start, end in _data(message)):
        return None
    return read_duration_s(found["for"])


def _data(message: str) -> tuple[tuple[int, int], ...]:
    """Spans of text that the job works on, or that somebody said."""
    return (*find_data_spans(message), *find_quoted_spans(message))


_WORK = (
    r"(?:(?:shards?|steps?|tasks?|items?|records?|rows?|batch(?:es)?|epochs?|iterations?|samples?|requests?"
    r"|tokens?|documents?|files?|pages?|chunks?|examples?|training|train|global|successful|completed"
    r"|finished)[ _-]){0,3}"
)
_EVENT = (
    r"(?:completions?|completed?|finish(?:ed)?|steps?|updates?|progress|advance(?:d|ment)?|iterations?"
    r"|batch(?:es)?|shards?|tasks?|results?|outputs?|writes?|commits?|rows?|records?|samples?|tokens?"
    r"|successe?s?)"
)
# What can be stuck: the line begins with it, or names a part of the job before it.
_SUBJECT = (
    r"(?:^|\b(?:job|run|pipeline|stage|step|task|shard|worker|rank|process|training|queue|count(?:er)?|loop|actor"
    r"|it|thread|epoch|batch|progress)s?\b(?: \S+){0,3}? )"
)
_FOR = rf"(?P<for>{DURATION})"
_TOLD = tuple(
    lazy_regex(pattern, re.IGNORECASE)
    for pattern in (
        # last shard completion 37h04m ago; last progress: 2 h ago; last step finished 90 minutes ago
        rf"\blast {_WORK}{_EVENT}\b(?:[ _](?:was|seen|made|done|finished|completed|at \S+))?"
        rf"\W{{1,4}}{_FOR}\s?ago\b",
        # time since last step: 5400 s; 2h since the last completion
        rf"\bsince (?:the )?last {_WORK}{_EVENT}\W{{1,4}}(?:is |was )?{_FOR}",
        rf"{_FOR} (?:have passed |passed )?since (?:the )?last {_WORK}{_EVENT}\b",
        # no progress for 50 min; no step completed in the last 2h; without progress for 3 h
        rf"\b(?:no|zero|without(?: any)?) (?:new )?{_WORK}{_EVENT}(?: \w+){{0,2}}? "
        rf"(?:for|in|within|over)(?: the)?(?: last| past)? {_FOR}",
        r"\b(?:has|have|had|did)(?:n.t| not) (?:advanced?|progress(?:ed)?|moved?|changed?|completed?"
        rf"|made progress|finish(?:ed)?|increased?)(?: \w+){{0,3}}? "
        rf"(?:for|in|since)(?: the)?(?: last| past)? {_FOR}",
        # ongoing in step write for at least 300h40m without outputting or completing
        rf"\b(?:ongoing|running|executing|processing|in progress|pending)\b.{{0,200}}?"
        rf"\bfor (?:at least |more than |over )?{_FOR} without (?:any )?(?:\w+ing|progress|{_EVENT})\b",
        rf"{_SUBJECT}(?:stalled|stuck|unchanged|frozen|hung|hanging|blocked)\b"
        rf"(?: (?:at|on|in) \S+(?: \S+)?)? "
        rf"(?:for|since)(?: the last)? {_FOR}",
    )
)
_HINT = lazy_regex(r"(?i)\bago\b|since|\bfor\b|\bin\b|within|over|last")
# A limit, an advice, a possibility, or something that is over: nothing is quiet now.
_NOT_TOLD = lazy_regex(
    r"\b(?:if|unless|when(?:ever)?|would|should|may|might|could|until|abort after|kill after|timeout|limit"
    r"|threshold|max(?:imum)?|allow(?:ed|s)?|recovered|resumed|resuming|after no|ended|no longer|back after"
    r"|was stuck|were stuck|used to|example|e\.g\.|test\w*)\b",
    re.IGNORECASE,
)
