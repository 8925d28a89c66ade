"""Lines by which a program has nothing to do: nothing came in, or nothing waits to be done.

    polled records=0 total=4123 lag=0          the consumer has read everything
    Running: 0 reqs, Waiting: 0 reqs           nobody asks the server
    found 0 new files, sleeping 300 s          the folder holds nothing new

An idle program may print such lines for days. One that hangs reports work that waits: a lag, a queue.
"""

import re

from babysitter.diagnosis.frame.failure_words import find_failure_words
from babysitter.lazy_regex import lazy_regex

_THING = (
    r"(?:messages?|records?|rows|items|events|jobs|tasks|files|documents|requests?|reqs|objects|shards"
    r"|batches)"
)
_TAKEN = r"(?:received|fetched|polled|consumed|found|pulled|claimed|picked|read|queued|discovered|added)"
_TAKE = r"(?:polled|received|fetched|found|picked up|consumed|pulled|got|claimed|discovered)"
# 0 records; no new files; records=0 behind a word of taking in. Not: 0 records written.
_NOTHING_CAME = lazy_regex(
    rf"(?i)\b(?:0|no)(?: \w+)? {_THING}\b(?! (?:complete|done|per |/)| (?!{_TAKEN})\w+(?:ed|en)\b)"
    rf"|\b(?:{_TAKE}|new|incoming)"
    rf"(?:[ _]{_THING})?\s?[:=]\s?0(?![\d.,]*[1-9])(?!\s?/)(?! [a-z]+(?![\w.]*[:=]))"
    rf"|\b{_TAKE} 0(?=[,;)\]]|\s*$)"
    r"|\bnothing (?:new|to (?:do|process|sync|ingest|import|copy|merge|consume|run))\b"
    r"|\bqueues?:? (?:(?:is|are) )?empty\b|\bno (?:resource )?demands?\b"
    r"|\b(?:everything|already) (?:is )?up to date\b"
)
# A loop of steps has work in hand, whatever came to nothing in it.
_STEP = lazy_regex(r"(?i)\b(?:step|epoch|iter(?:ation)?|update)s?\b[ =:#]{0,2}\d")
_WAITING = (
    r"(?:lag|backlog|pending|waiting|queued|outstanding|unprocessed|unacked"
    r"|#?queue(?:d?[-_ ](?:req|reqs|requests?|depth|size|length|len))?)"
)
_UNIT = r"(?:reqs?|requests?|seqs?|messages?|items?|tasks?|jobs?)"
_NOTHING_WAITS = lazy_regex(
    rf"(?i)(?<![\w-]){_WAITING}(?:[-_ ]{_UNIT})?\s?[:=]\s?0(?![\d.,]*[1-9])(?!\s?/)"
    rf"|(?<![\d.,/])0 (?:{_UNIT} )?(?:pending|waiting|queued)\b"
)
_SOME_WAIT = lazy_regex(
    rf"(?i)(?<![\w-]){_WAITING}(?:[-_ ]{_UNIT})?\s?[:=]\s?(?:0?\.\d*)?[1-9]"
    rf"|(?<![\d.,/])[1-9]\d* (?:{_UNIT} )?(?:pending|waiting|queued)\b"
)
_IN_HAND = lazy_regex(
    r"(?i)\b#?(?:running|active|in[- _]?flight|busy)(?:[-_ ](?!for\b)\w+)?\s?[:=]\s?[1-9]"
    r"|(?<![\d.,/])[1-9]\d* (?:reqs? |requests? |tasks? |jobs? )?(?:running|active|in[- ]?flight)\b"
)
_MAY_SAY = re.compile(r"(?i)(?<![\d.])0|\bno\b|nothing|empty|up to date")


def says_nothing_came(message: str) -> bool:
    """Whether a line says that nothing came or waits, and tells of no failure and of no work in hand."""
    if not _MAY_SAY.search(message):
        return False
    rest = _NOTHING_WAITS.sub("", _NOTHING_CAME.sub("", message))
    if rest == message or _STEP.search(message):
        return False
    has_work = _SOME_WAIT.search(message) or _IN_HAND.search(message)
    return has_work is None and not find_failure_words(rest)
