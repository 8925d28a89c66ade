"""Members of a job that its lines report lost, one after another: workers, executors, nodes, replicas, pods.

One loss is what restarts are for, and several in one moment have one reason. Losses in the same words at
different times are a series. Ends in good order, idle machines given back, exit code 0, and lines that name
what took the member are none. Where the job itself shuts down, its members go with it: what was lost before
is over, and losses in the next lines count for nothing.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

from babysitter.diagnosis.frame.data_text import find_data_spans
from babysitter.diagnosis.frame.skeleton import without_digits
from babysitter.diagnosis.timeline.entries import Entry
from babysitter.diagnosis.timeline.repetition.line_templates import words_of
from babysitter.lazy_regex import lazy_regex
from babysitter.model.progress import LostMember

SAME_MOMENT_S = 1.0
LEAST_SPAN_S = {2: 180.0, 3: 60.0}  # by number of moments; what happens within it has one reason
MAX_APART_S = 7200.0  # losses further apart are two incidents
MIN_UNTIMED = 3  # members, where lines have no time
MAX_NOTES = 32
MAX_CHARACTERS = 400
MAX_FORM_WORDS = 10
SHUTDOWN_LINES = 100  # behind an orderly end, in which members go with their job

_NOUN = (
    r"(?:workers?|executors?|nodes?|node managers?|replicas?|slices?|pods?|actors?|trials?|agents?"
    r"|containers?|hosts?|instances?|learners?|machines?|members?|task ?managers?)"
)
_ADJECTIVE_OR_VERB = (
    r"(?:lost|dead|died|unhealthy|crashed|vanished|disappeared|unreachable|unresponsive"
    r"|evicted|gone|respawned|relaunch(?:ed|ing)?|blacklist(?:ed|ing)?|restart(?:ed|ing))"
)
_PHRASE = (
    r"(?:(?:killed|terminated|exited)\b.{0,60}?\b(?:signal|unexpectedly|prematurely|(?:exit )?(?:code|status)"
    r"(?: code)?[ :=]{1,2}-?[1-9]\d*)"
    r"|(?:no|lost|(?:missed|missing)(?: too many)?|failed to(?: send)?|did(?: not|n.t) receive"
    r"(?: \w+){0,2}) (?:heartbeat\w*|contact|health check\w*)"
    r"|lost (?:the |its )?(?:connection|communication))"
)
_LOST = rf"(?:(?<!a )(?<!an ){_ADJECTIVE_OR_VERB}|{_PHRASE})"
_NAME = r"(?P<name>[\w./:@-]*\d[\w./:@-]*)"
_NAMED = lazy_regex(
    # executor 3; node with node id: 4f0c; Executor lost: 3
    rf"(?i)(?<![\w-]){_NOUN}\b(?:[ _-](?:id|name|ip|address|pid|with(?: client)? id|process))*"
    rf"(?:\s+(?:has been |was |is )?{_LOST})?(?:\s?[#:='\"(<\[]{{1,3}}\s?|\s)"
    rf"(?:(?:id|pid|name)[=:]\s?[\"']?)?{_NAME}"
    # pool-slice-2; 3 nodes; this node
    rf"|(?<![\w/])(?P<own>(?:[\w.]+[-_])*{_NOUN}(?:[-_/][\w.]+)*?[-_/]?\d[\w.-]*)"
    rf"|(?P<some>(?<![\w.-])[1-9]\d* {_NOUN}(?<=s))\b|(?P<this>\bthis {_NOUN})\b"
)
_LOSS = lazy_regex(rf"(?i)(?<![\w-])(?:{_PHRASE}|(?<!a )(?<!an )(?P<word>{_ADJECTIVE_OR_VERB}))(?![\w-])")
# Behind the word of a loss: its end, how and when it came, or the member. Anything else is what was lost.
_NO_OBJECT = lazy_regex(
    r"(?i)[)\]}'\"]*(?:\s*(?:$|[^\w\s%])|\s+(?:"
    r"(?:by|from|at|on|in|after|due|because|with|since|during|and|or|again|for|while|as|before|within|until"
    r"|now|is|was|has|mid|via|without|then|\w+ly)\b"
    r"|[1-9]\d* times?\b"
    rf"|(?:(?:the|a|all|its|failed|failing|crashed|dead|lost|uwsgi|[1-9]\d*)\s)*(?:[\w.]+[-_/])*{_NOUN}(?![a-z])"
    r"|[\w-]*\d[\w-]*\s*(?:$|[,;(])))"
)
# Before it, behind the member: nothing, a mark, an auxiliary, or where the member is.
_IS = lazy_regex(
    r"(?i)(?:^|[^\w\s%]|[;,(]\s*[1-9]\d*|(?<!\w)(?:is|are|was|were|be|been|being|has|have|had|got|went|and|or|now|already|again"
    r"|suddenly|just|marked|declared|considered|deemed|reported|found|became|become|as|seems|appears|presumed"
    r"|heartbeats?|connection|contact|process|\w+ly"
    rf"|{_NOUN}|(?:in|on|at|from|of|pid|id|rank|attempt|namespace|ip)[ =:]\s?\S+))\s*$"
)
_BEHIND = lazy_regex(r"(?i)\b(?:on|to)(?: the)?\s$")
_MEMBER_BEHIND = lazy_regex(rf"(?i)\b(?:{_NOUN}|process|daemon|raylet|heartbeats? lost) on(?: the)?\s$")
# Agents of a game die in it.
_IN_A_GAME = lazy_regex(
    r"(?i)\bdied (?:in|on|at) (?:the )?(?:level|episode|game|round|room|map|arena|maze|match|life)\b"
)
_STATE = r"(?:lost|dead|died|unhealthy|unreachable|evicted|restarted)"
_NO_LOSS = lazy_regex(
    r"(?i)(?<![\w.-])(?:idle|scal(?:e|ing)[- _]?(?:down|in)|graceful\w*|success\w*|finished|completed?"
    r"|decommission\w*|retir(?:e|ed|ing)|drain\w*|normally|as (?:requested|expected)|no longer needed"
    r"|by (?:the )?driver|max[-_ ](?:requests|tasks|episodes)\w*|quota|recycl(?:ed|ing)|recovered|shards?"
    r"|memory|oom\w*|preempt\w*|xid"  # names what took it
    r"|if|unless|when(?:ever)?|may|might|would|could|should|until"
    rf"|(?:none|no|not|never) (?:\w+ ){{0,2}}{_STATE}|{_STATE}\s?[:=]\s?(?:none|\[\])(?!\w))(?!\w)"
)
_ZERO = lazy_regex(
    rf"(?i)(?<![\w.-])(?:0 (?:[^\W\d]+ ){{0,2}}{_STATE}|{_STATE}\s?[:=]\s?0(?![\w.])|restart(?:ed|ing) 0\b)"
)
# In front of a zero that is the name of a member, not a number of members.
_ONE_MEMBER = lazy_regex(
    rf"(?i)(?<![\w-]){_NOUN}(?<!s)(?:[ _-](?:id|name|process|rank))?[ #:='\"(<\[]{{1,3}}$"
)
_START = r"(?:^|[^\w\s-]\s*|\s-+\s|\b(?:the|this|whole|entire|our|and|so|now|info)\s)"
_JOB = r"(?:job|training|run|pipeline|workflow|application|experiment)"
_MEMBERS = r"(?:workers|executors|nodes|pods|replicas|actors|agents|containers|instances|ranks|engines)"
_WHOLE = (
    r"(?:(?:the|this|whole|entire|our|all|remaining|training|spark|dask|distributed|local)\s)*"
    rf"(?:{_JOB}|{_MEMBERS}|cluster|group|gang|app|driver|context|sparkcontext|everything|all)"
    r"(?:\s[\w./-]*0[\w./-]*)?"
)
_STOP = (
    r"(?:shutting down|tearing down|stopping all"
    r"|(?:starting|initiat\w+|begin\w*) (?:a )?(?:graceful )?shut ?down(?: of)?)"
)
_CLAUSE_END = (
    r"(?=\s*(?:$|[^\w\s%])|\s(?:in|after|as|because|and|with|for|on|due|at|by|now|successfully"
    r"|gracefully|cleanly|normally)\b)"
)
# The job itself ends: not a run or a pipeline of some kind, nor one part of the job.
_ORDERLY_END = lazy_regex(
    rf"(?i)(?:{_START}{_STOP}(?:\s{_WHOLE})?{_CLAUSE_END}"
    rf"|\b{_STOP}\s{_WHOLE}{_CLAUSE_END}"
    rf"|{_START}(?:training |spark )?(?:{_JOB}|cluster|driver|scheduler|coordinator|master)"
    r"(?:\s[\w./-]*0[\w./-]*)? (?:is )?(?:now )?shutting down\b"
    rf"|{_START}(?:training job|training run|{_JOB})(?: (?=[\w./-]*[a-z])[\w./-]*[0./-][\w./-]*)?"
    r" (?:has |is |was |now |successfully |been )*(?:finished|completed?|done|succeeded)"
    rf"{_CLAUSE_END}"
    rf"|{_START}all (?:(?:{_MEMBERS}|epochs|steps|stages|jobs|trials|work) (?:have |has |are |is )?|(?=done))"
    rf"(?:finished|completed?|done|succeeded){_CLAUSE_END})"
)
_HEX = lazy_regex(r"\b(?=\w*\d)[0-9a-f]{6,}\b")


def fold_lost_members(before: Sequence[LostMember], entries: Iterable[Entry]) -> tuple[LostMember, ...]:
    """Return the losses that lines have reported since the last orderly end, with these lines, oldest first.

    The orderly end stands among them, without a name, until a loss counts again.
    """
    notes = list(before)
    for entry in entries:
        text = entry.text[:MAX_CHARACTERS]
        if _ends_orderly(without_digits(entry.message[:MAX_CHARACTERS])):
            notes = [LostMember("", "", entry.place, entry.at_s, text)]
            continue
        name = read_lost_member(entry)
        if not name or _is_shut_down(notes, entry.place):
            continue
        form = " ".join(words_of(_HEX.sub("0", entry.message))[:MAX_FORM_WORDS])
        notes.append(LostMember(form, name, entry.place, entry.at_s, text))
        del notes[:-MAX_NOTES]
    return tuple(notes)


def _is_shut_down(notes: Sequence[LostMember], place: int) -> bool:
    return bool(notes) and not notes[-1].name and place - notes[-1].place <= SHUTDOWN_LINES


def read_lost_member(entry: Entry) -> str:
    """Return the name of the member that a line reports lost; "" if it reports no loss."""
    message = entry.message[:MAX_CHARACTERS]
    if not _may_lose(without_digits(message)) or _NO_LOSS.search(message) or _has_zero(message):
        return ""
    if _IN_A_GAME.search(message):
        return ""
    spans = find_data_spans(message)
    losses = [loss for loss in _LOSS.finditer(message) if not any(a <= loss.start() < b for a, b in spans)]
    for named in _NAMED.finditer(message):
        if any(_belongs(message, loss, named) for loss in losses):
            return _name_of(entry, named)
    return ""


def _name_of(entry: Entry, named: re.Match[str]) -> str:
    if named["this"]:
        return entry.speaker
    # A number of members has no names: each report is of others.
    if named["some"]:
        return f"{named['some']} {entry.place}"
    return (named["name"] or named["own"]).strip(".:/@-")


def _belongs(message: str, loss: re.Match[str], named: re.Match[str]) -> bool:
    """Whether the member is what is lost: not what lost something, nor the place of what is lost."""
    if loss["word"] is None:
        return True
    if not _NO_OBJECT.match(message, loss.end()):
        return False
    before = message[: named.start()]
    if _BEHIND.search(before) and not _MEMBER_BEHIND.search(before):
        return False
    return loss.start() < named.end() or _IS.search(message[named.end() : loss.start()]) is not None


def _has_zero(message: str) -> bool:
    """Whether a line says that 0 members are lost; the 0 behind a member's noun is its name."""
    return any(
        not _ONE_MEMBER.search(message[: zero.start()]) or zero[0].lower().startswith("restart")
        for zero in _ZERO.finditer(message)
    )


@lru_cache(maxsize=4096)
def _ends_orderly(skeleton: str) -> bool:
    return _ORDERLY_END.search(skeleton) is not None


@lru_cache(maxsize=4096)
def _may_lose(skeleton: str) -> bool:
    return _LOSS.search(skeleton.replace("0", "1")) is not None


def find_series(notes: Sequence[LostMember], *, has_clock: bool = True) -> tuple[LostMember, ...]:
    """Return the newest losses in the same words, of different members at different times; () for none.

    `has_clock`: whether the log's lines have times; where they have none, other lines part the losses.
    """
    best: tuple[LostMember, ...] = ()
    for form in dict.fromkeys(note.form for note in notes if note.name):
        run = _newest_run([note for note in notes if note.form == form])
        if (_is_series(run) if has_clock else _is_parted(run)) and len(run) > len(best):
            best = run
    return best


def _newest_run(notes: Sequence[LostMember]) -> tuple[LostMember, ...]:
    """One note of each member, the last ones as far as they are not too far apart."""
    first = {note.name: note for note in reversed(notes)}
    run = sorted(first.values(), key=lambda note: note.place)
    for index in range(len(run) - 1, 0, -1):
        before, after = run[index - 1].at_s, run[index].at_s
        if before is not None and after is not None and after - before > MAX_APART_S:
            return tuple(run[index:])
    return tuple(run)


def _is_series(run: Sequence[LostMember]) -> bool:
    times = sorted(note.at_s for note in run if note.at_s is not None)
    moments = bool(times) + sum(after - before > SAME_MOMENT_S for before, after in pairwise(times))
    least_s = LEAST_SPAN_S.get(min(moments, max(LEAST_SPAN_S)))
    return least_s is not None and times[-1] - times[0] >= least_s


def _is_parted(run: Sequence[LostMember]) -> bool:
    return len(run) >= MIN_UNTIMED and all(after.place - before.place > 1 for before, after in pairwise(run))
