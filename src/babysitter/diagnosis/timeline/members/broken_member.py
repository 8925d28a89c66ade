"""One member of a job stopped doing what the others of its kind go on doing, and fails again and again.

    w3 | task t-00142 done, 8160 passages
    w5 | task t-00160 failed: uncorrectable ECC error; back to queue
    w5 | task t-00164 failed: uncorrectable ECC error; back to queue

A worker, card or partition that fails each piece it takes is hidden by the others: the job's counts rise.
Lines name their member (`w5`, `gpu 3`, `orders-7`, `worker=ada`). A wording that several members print
regularly is their work. The broken one does not print it any more, but lines by which work failed, was left
out, or is taken up once more. A member that idles or turned to other work is well.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from babysitter.diagnosis.frame.skeleton import without_digits
from babysitter.diagnosis.timeline.counts.work_words import UNITS, words_in
from babysitter.diagnosis.timeline.entries import Entry
from babysitter.diagnosis.timeline.repetition.wordings import undoes_work
from babysitter.lazy_regex import lazy_regex
from babysitter.model.member_line import MemberLine

MAX_LINES = 192  # of all members, those printed last
MAX_CHARACTERS = 400
MAX_TEXT_CHARACTERS = 160
MAX_WORDS = 5  # of a wording: what stands behind them is a reason, a name, a number
MAX_NAMED = 3  # members in one line: a machine, a card in it, a task
# Guesses, checked on the courses of fixtures/watched.
MIN_DONE = 3  # lines of work before the member stopped, and of each other member
MIN_OTHERS = 1  # members that go on
MIN_INSTEAD = 5  # other lines of the member since
OVERDUE = 3.0  # longest gaps of the member without its work

_NOUNS = words_in(
    """
    worker node host rank gpu device cuda partition replica executor slot thread pod channel camera instance
    broker disk slice actor consumer lane agent runner stream part
    """
)
_MEMBER = lazy_regex(
    rf"(?i)(?<![\w./:#-])(?P<noun>{'|'.join(sorted(_NOUNS))})(?:"
    r"(?:[ _-]?id)?[ _#:=\[-]{0,2}(?P<number>\d{1,5})(?![\w.%/]|:\d)"
    r"|(?:[ _-]?(?:id|name))?(?:=\"?|/|: ?\")(?P<word>[a-z][\w-]{0,60})(?![\w./]))"
    r"|(?<![\w./:#-])(?P<kind>[a-z]{1,16})[-_]?(?P<name>\d{1,5})(?![\w.%/]|:\d)"
)
_WORD = re.compile(r"[A-Za-z]{2,}")
# Numbers of tries and formats, and those whom a job serves.
_NO_MEMBERS = UNITS | words_in(
    """
    attempt try retry level p v http code errno sha md utf ascii int uint float fp bf layer
    user tenant client customer account session
    """
)


@dataclass(frozen=True, slots=True)
class BrokenMember:
    """A member that fails. `done`: its newest line of work. `instead`: what it prints since then."""

    done: MemberLine
    instead: MemberLine
    others: int

    @property
    def label(self) -> str:
        """As its lines name it: "w5", "gpu 3"."""
        kind, name = self.done.kind, self.done.name
        return f"{kind} {name}" if kind in _NOUNS else kind + name


def fold_member_lines(before: Sequence[MemberLine], entries: Iterable[Entry]) -> tuple[MemberLine, ...]:
    """Return which member printed which wordings after these lines; those printed last at the end."""
    known = {(line.kind, line.name, line.wording): line for line in before}
    for entry in entries:
        if entry.at_s is None:
            continue
        named = _members_in(entry.text[:MAX_CHARACTERS])
        if not named:
            continue
        message = entry.message[:MAX_CHARACTERS]
        for _, name in named:
            message = message if name.isdigit() else message.replace(name, "")
        wording = _wording(without_digits(message))
        for kind, name in named:
            line = known.pop((kind, name, wording), None)
            known[kind, name, wording] = _with(line, entry, kind, name, wording)
            if len(known) > MAX_LINES:
                _drop_one(known)
    return tuple(known.values())


def _with(line: MemberLine | None, entry: Entry, kind: str, name: str, wording: str) -> MemberLine:
    at_s, text = entry.at_s or 0.0, entry.text[:MAX_TEXT_CHARACTERS]
    if line is None:
        return MemberLine(kind, name, wording, 1, at_s, at_s, 0.0, text)
    gap_s = max(line.longest_gap_s, at_s - line.last_at_s)
    return replace(line, count=line.count + 1, last_at_s=at_s, longest_gap_s=gap_s, text=text)


def _drop_one(known: dict[tuple[str, str, str], MemberLine]) -> None:
    """What was printed once says least; of others the one printed longest ago."""
    once = next((key for key, line in known.items() if line.count == 1), None)
    del known[once or next(iter(known))]


def _members_in(text: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for member in _MEMBER.finditer(text):
        kind = (member["noun"] or member["kind"]).lower()
        if member["noun"] or kind not in _NO_MEMBERS:
            name = member["word"] or member["number"] or member["name"]
            found.append((kind, name.lstrip("0") or "0"))
            if len(found) == MAX_NAMED:
                break
    return found


@lru_cache(maxsize=4096)
def _wording(skeleton: str) -> str:
    return " ".join(_WORD.findall(skeleton)[:MAX_WORDS])


def find_broken_member(lines: Sequence[MemberLine], now_s: float, least_s: float) -> BrokenMember | None:
    """Return the member that only fails for `least_s` seconds while others of its kind work on."""
    by_wording: dict[tuple[str, str], list[MemberLine]] = defaultdict(list)
    by_member: dict[tuple[str, str], list[MemberLine]] = defaultdict(list)
    for line in lines:
        by_wording[line.kind, line.wording].append(line)
        by_member[line.kind, line.name].append(line)
    for (kind, _), printed in by_wording.items():
        regular = [line for line in printed if line.count >= MIN_DONE]
        for done in regular:
            stopped_s = now_s - done.last_at_s
            if stopped_s < max(least_s, OVERDUE * done.longest_gap_s):
                continue
            others = [line for line in regular if line is not done and _goes_on(line, done, now_s)]
            if len(others) < max(MIN_OTHERS, len(regular) // 2):
                continue
            for instead in by_member[kind, done.name]:
                shared = by_wording[kind, instead.wording]
                is_own = 2 * len(shared) <= len(regular)
                if is_own and _is_instead(instead, done, now_s, least_s) and undoes_work(instead.text):
                    return BrokenMember(done, instead, len(others))
    return None


def _goes_on(line: MemberLine, done: MemberLine, now_s: float) -> bool:
    """Whether another member has worked since for most of the time."""
    return line.last_at_s - done.last_at_s >= 0.7 * (now_s - done.last_at_s)


def _is_instead(line: MemberLine, done: MemberLine, now_s: float, least_s: float) -> bool:
    """Whether a wording is new since the member's work stopped, and comes again and again until now."""
    lasts_s = line.last_at_s - line.first_at_s
    is_new = line.first_at_s >= done.last_at_s - done.longest_gap_s
    is_recent = now_s - line.last_at_s <= max(60.0, 2 * line.longest_gap_s)
    return line.count >= MIN_INSTEAD and is_new and is_recent and lasts_s >= 0.7 * least_s
