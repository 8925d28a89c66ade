"""Lines that continue without work: after the last other line there are only lines of one kind.

* polls of a server's health, behind the start of a step of training
* lines that wait for other processes, behind normal work
* status lines by which work waits and nothing runs
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from babysitter.diagnosis.frame.failure_words import reports_failure
from babysitter.diagnosis.timeline.counts.numbers import read_wording
from babysitter.diagnosis.timeline.entries import Entry
from babysitter.lazy_regex import lazy_regex
from babysitter.model.log import LogLevel, LogLine
from babysitter.model.progress import OnlyPolls

MAX_TEXT_CHARACTERS = 300


def fold_polls(
    before: OnlyPolls | None, entries: Sequence[Entry], lines: Sequence[LogLine]
) -> OnlyPolls | None:
    """Return the polls at the end and the line of work before them; None where no work was before them."""
    return _fold(before, entries, lines, is_poll, lambda entry: _is_work(entry.message))


def fold_waits(
    before: OnlyPolls | None, entries: Sequence[Entry], lines: Sequence[LogLine]
) -> OnlyPolls | None:
    """Return the lines at the end that wait for other processes; None where a failure stood before them."""
    return _fold(before, entries, lines, is_wait_for_peers, lambda entry: not reports_failure(entry.frame))


def fold_idle(
    before: OnlyPolls | None, entries: Sequence[Entry], lines: Sequence[LogLine]
) -> OnlyPolls | None:
    """Return the status lines at the end by which nothing runs, and the line before them."""
    return _fold(before, entries, lines, is_idle_status, lambda _: True)


def _fold(
    before: OnlyPolls | None,
    entries: Sequence[Entry],
    lines: Sequence[LogLine],
    is_one: Callable[[Entry], bool],
    is_start: Callable[[Entry], bool],
) -> OnlyPolls | None:
    """The lines of one kind at the end, and the line before them, if those may begin with it.

    Polls of a server's health say nothing of its work, and may stand between.

    `lines`: the entries as they were read. `before`: what earlier lines of the job ended in.
    """
    polls: list[int] = []
    for index in range(len(entries) - 1, -1, -1):
        entry = entries[index]
        if is_one(entry):
            polls.append(index)
        elif entry.message.strip() and entry.frame.level is not LogLevel.DEBUG and not is_poll(entry):
            before = OnlyPolls(_cut(lines[index]), entry.place, _moment(entry)) if is_start(entry) else None
            break
    if before is None or not polls:
        return before
    last = entries[polls[0]]
    return replace(
        before,
        polls=before.polls + len(polls),
        last=_cut(lines[polls[0]]),
        last_position=last.place,
        last_at=_moment(last),
    )


def _moment(entry: Entry) -> datetime | None:
    return None if entry.at_s is None else datetime.fromtimestamp(entry.at_s, UTC)


def _cut(line: LogLine) -> LogLine:
    return line._replace(text=line.text[:MAX_TEXT_CHARACTERS])


def is_poll(entry: Entry) -> bool:
    """Whether a line only says that a process runs."""
    return _POLL.search(entry.text) is not None


def is_answered_request(entry: Entry) -> bool:
    """Whether a line only says that somebody asked a server how it is, and was answered."""
    return _ASKED.search(entry.text) is not None


def is_wait_for_peers(entry: Entry) -> bool:
    """Whether a line only says that processes of the same job are waited for."""
    return _WAITS_FOR_PEERS.search(entry.message) is not None and not _WAITS_ELSE.search(entry.message)


def is_idle_status(entry: Entry) -> bool:
    """Whether a line counts work that waits and none that runs, or gives a rate of 0 beside work in hand."""
    message = entry.message
    if _SOME_RATE.search(message) or _OF_MACHINES.search(message):
        return False
    if _NO_RATE.search(message) and _IN_HAND.search(message):
        return True
    waits = _NOTHING_RUNS.search(message) and _WORK_WAITS.search(message)
    return waits is not None and not _IN_HAND.search(message)


def _is_work(message: str) -> bool:
    if _NOT_WORK.search(message):
        return False
    wording = read_wording(message)
    return _BEGINS.search(message) is not None or (wording is not None and wording.is_progress)


_ASKED_FOR_HEALTH = (
    r"\"(?:GET|HEAD) /(?:[\w./-]{0,40}/)?(?:metrics|health\w*|livez|readyz|ready|ping|status|heartbeat)\b"
    r"[^\"]{0,80}\" 200\b"
)
_ASKED = lazy_regex(_ASKED_FOR_HEALTH)
_POLL = lazy_regex(
    _ASKED_FOR_HEALTH
    + r"|(?i:\b(?:heartbeat|keep-?alive|liveness|health check)\b(?!.*\b(?:fail|miss|lost|timed|late|no)))"
)
_BEGINS = lazy_regex(
    r"(?i)\b(?:timer|phase|stage|entering|starting|begin\w*|start(?:ed)?)\W.{0,30}"
    r"\b(?:\w+_)?(?:train(?:ing)?|step|epoch|iteration|rollout|update|batch)(?:_step|_actor)?\b"
    r"|\b(?:\w+_)?train(?:_step|_actor)? (?:start|begin)"
)
_NOT_WORK = lazy_regex(
    r"(?i)\b(?:resum\w*|restor\w*|load\w*|sav\w*|checkpoint\w*|restart\w*|attempt\w*|retr(?:y|ies|ying)"
    r"|errors?|fail\w*|eval\w*|valid\w*|test\w*|compil\w*|complete\w*|finish\w*)(?:\b|_)"
)
_WAITS_FOR_PEERS = lazy_regex(
    r"(?i)\bwait(?:s|ing)? (?:for|on|until|under|in|at)\b[^.!?]{0,60}\b(?:proc(?:s|ess|esses)?|ranks?|peers?"
    r"|engines?|barrier|rendezvous|(?:global )?sync(?:hroni[sz]ation)?"
    r"|all[-_ ]?(?:reduce|gather)|collectives?|communicators?|participants?)\b"
)
# An end that is awaited, new work, or machines: nobody in the job is missing.
_WAITS_ELSE = lazy_regex(
    r"(?i)\bto (?:exit|finish|end|stop|terminate|complete|drain|shut ?down)\b"
    r"|\b(?:new|next|incoming|more|idle|machines?|nodes?|pods?|capacity|quota|gpus?|tpus?|slices?|retry\w*)\b"
)
_NOTHING_RUNS = lazy_regex(
    r"(?i)\b(?:running|active|in[- ]?flight|processing|executing|busy)(?:[-_ ](?:reqs?|requests?|seqs?"
    r"|workers?|threads?|batch(?:es)?|slots?))?\s?[:=]\s?0(?![\d.])"
    r"|(?<![\d.,/])0 (?:reqs? |requests? |prompts? |messages? )?(?:running|active|in[- ]?flight|executing)\b"
)
_WORK_WAITS = lazy_regex(
    r"(?i)\b(?:pending|waiting|queued?|backlog|swapped)(?:[-_ ](?:depth|size|length|len|reqs?|requests?|seqs?"
    r"|messages?|batch(?:es)?|items?))?\s?[:=]\s?[1-9]"
    r"|(?<![\d.,/])[1-9]\d* (?:reqs? |requests? |prompts? |messages? )?(?:pending|waiting|queued)\b"
)
_RATE = r"(?i)(?<!hit )\b(?:throughput|rate|speed|tok(?:ens)?/s|qps|rps)\b(?: \([^)]*\))?[\s:=]{1,3}"
_SOME_RATE = lazy_regex(_RATE + r"(?:[1-9]|0?\.\d*[1-9])")
_NO_RATE = lazy_regex(_RATE + r"0(?:\.0+)?(?![\d.])")
_IN_HAND = lazy_regex(r"(?i)\b#?(?:running|active|in[- ]?flight)\w*(?:[-_ ]\w+)?\s?[:=]\s?[1-9]")
_OF_MACHINES = lazy_regex(
    r"(?i)\b(?:pods?|jobs?|nodes?|machines?|replicas?|trials?|slices?|instances?|autoscal\w+)\b"
)
