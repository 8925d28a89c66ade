"""What a log text alone tells about the course of a job: where it last advanced, and whether its stage moves.

A running watch has memory and pace for this (diagnosis/timeline/update_memory.py); a file or a quoted excerpt
has only itself. The same thresholds apply, and the times are those inside the lines.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise

from babysitter.diagnosis.frame.line import strip_headers
from babysitter.diagnosis.timeline.loss import LossSeries, read_run
from babysitter.model.limits import Limits
from babysitter.model.progress import Motion

IDLE_QUEUE_S = (
    60.0  # workers alive, work queued, nothing handed out: this long is not a moment between two pulls
)
STRAGGLER_RATIO = 0.9
REPORT_S = 5.0  # a coordinator reports this often
SOON_S = 900.0
MAX_LINES = 20_000  # of the end of a log; progress before that is history
STRAGGLER_SHARE = 0.05  # of all shards may be in flight and still count as "a few"


@dataclass(frozen=True, slots=True)
class Sample:
    """One progress report of a pipeline at its place in the text."""

    place: int
    stage: str
    done: int
    total: int
    in_flight: int
    queued: int
    alive: int
    workers: int
    dead: int
    at_s: float | None  # seconds on the clock of the lines; None = the line has no time


@dataclass(frozen=True, slots=True)
class Story:
    """`advanced_at`: the last line (from 0) that proves progress; None = no such line."""

    advanced_at: int | None
    motion: Motion
    newest: Sample | None = None
    quiet_s: float | None = None  # for how long the newest count has not changed, None = cannot tell
    restarted_by_itself: bool = False
    run: LossSeries = field(
        default_factory=LossSeries
    )  # of training reports; its places count from `skipped`
    skipped: int = 0  # lines at the beginning that were not read


def read_story(lines: Sequence[str], *, silent_s: float = 0.0, limits: Limits | None = None) -> Story:
    """Fold the end of a log, oldest first; `silent_s`: age of the last line, where it is known."""
    skipped = max(0, len(lines) - MAX_LINES)
    lines = lines[skipped:]
    samples = _samples(lines)
    run = read_run(lines)
    signs = (run.advanced_at, _advanced_at(samples), _milestone_at(lines), _counted_up_at(lines))
    steps = [place + skipped for place in signs if place is not None]
    motion, quiet_s = _motion(lines, samples, silent_s, limits or Limits())
    return Story(
        advanced_at=max(steps, default=None),
        motion=motion,
        newest=samples[-1] if samples else None,
        quiet_s=quiet_s,
        restarted_by_itself=_restarted(lines),
        run=run,
        skipped=skipped,
    )


_REPORT = re.compile(
    r"\[(?P<stage>[^\[\]]{1,80}(?:\[[^\[\]]{0,40}\])?[^\[\]]{0,40})\]\s+"
    r"(?P<done>\d+)/(?P<total>\d+) complete, "
    r"(?P<in_flight>\d+) in-flight, (?P<queued>\d+) queued, "
    r"(?:(?P<alive>\d+)/)?(?P<workers>\d+) workers(?: alive)?(?:, (?P<dead>\d+) dead)?"
)
_OWN_LOGGER = re.compile(r"\bzephyr\.(?:execution|coordinator)\b|\bexecution\.py:\d+\b")
_BARE = re.compile(r"^(?:\[?[\d:. -]{5,30}\]?\s+)?\[")  # nothing but a time before the brackets
_OF_A_WORKER = re.compile(r"task=\S*workers?\S*\s*\|")
_DONE_SHARD = re.compile(
    r"\bTask for shard \d+ completed in\b"
    r"|\] \d+/\d+ tasks completed\b"
    r"|\b(?P<n>[1-9]\d*)(?: of |/)(?P=n) (?:tasks|pods|workers|replicas|nodes|hosts|ranks)(?: are)? "
    r"(?:running|ready|healthy|up|alive|registered|joined)\b"
)
_COMPLETED = re.compile(r"\[(?P<stage>[^\[\]]{1,80})\] (?P<done>\d+)/(?P<total>\d+) tasks completed\b")
_RECOVERED = re.compile(r"\bStarting zephyr pipeline: .{0,120}attempt [1-9]")


def _samples(lines: Sequence[str]) -> list[Sample]:
    """Reports of the coordinator's own logger; lines without any header count only when there is no such."""
    own: list[Sample] = []
    bare: list[Sample] = []
    for place, line in enumerate(lines):
        if " complete, " not in line or len(line) > 2000:
            continue
        found = None
        for found in _REPORT.finditer(line):  # noqa: B007  the last bracket before the counts is the stage
            pass
        if found is None or _OF_A_WORKER.search(line):
            continue
        sample = _sample(place, line, found)
        if sample.done + sample.in_flight + sample.queued > sample.total:
            continue  # a coordinator's own numbers add up
        if _OWN_LOGGER.search(line[: found.start()]):
            own.append(sample)
        elif _BARE.match(line):
            bare.append(sample)
    return own or bare


def _sample(place: int, line: str, found: re.Match[str]) -> Sample:
    number = {key: int(value or 0) for key, value in found.groupdict().items() if key != "stage"}
    alive = number["alive"] if found["alive"] is not None else number["workers"]
    return Sample(
        place=place,
        stage=found["stage"],
        done=number["done"],
        total=number["total"],
        in_flight=number["in_flight"],
        queued=number["queued"],
        alive=alive,
        workers=number["workers"],
        dead=number["dead"],
        at_s=_time_s(line[: found.start()]),
    )


_TIME = re.compile(r"(?:(\d{4})-?(\d\d)-?(\d\d)[ T_])?(\d\d):(\d\d):(\d\d)(?:[.,](\d+))?")


def _time_s(head: str) -> float | None:
    """Seconds of the last time that stands in a line's head; without a date counted from midnight."""
    found = None
    for found in _TIME.finditer(head):  # noqa: B007
        pass
    if found is None:
        return None
    year, month, day, hour, minute, second, _ = found.groups()
    clock = int(hour) * 3600.0 + int(minute) * 60 + int(second)
    if year is None:
        return clock
    try:
        return datetime(int(year), int(month), int(day)).toordinal() * 86_400.0 + clock  # noqa: DTZ001
    except ValueError:
        return None


def _advanced_at(samples: Sequence[Sample]) -> int | None:
    """The newest report that shows more done than before it, or another stage."""
    advanced = None
    for before, after in pairwise(samples):
        if after.stage != before.stage or after.done > before.done:
            advanced = after.place
    return advanced


def _milestone_at(lines: Sequence[str]) -> int | None:
    """The newest line that reports a finished piece of work."""
    return next((place for place in range(len(lines) - 1, -1, -1) if _DONE_SHARD.search(lines[place])), None)


_COUNTS = re.compile(
    r"\b(?:steps?|iter(?:ation)?s?|epochs?|batch(?:es)?|rows?|records?|shards?|files?|docs?|documents?|samples?|"
    r"examples?|tokens?|processed|done|completed?|finished|progress|eval\w*|written|wrote|items?|requests?|chunks?|"
    r"pages?|urls?|objects?|blobs?|images?|frames?|parts?|partitions?|segments?|lines|entries|prompts?|rollouts?|"
    r"episodes?|sequences?|artifacts?|bytes|downloaded|uploaded|fetched|copied|indexed|tokenized|merged|converted|"
    r"parsed|crawled|scored|graded|embedded)\b",
    re.IGNORECASE,
)
_NO_COUNT = re.compile(
    r"\b(?:fail\w*|errors?|attempts?|retr(?:y|ies|ying)|exception|timeout|timed|dead|queued|warn\w*|killed|lost|"
    r"wait\w*|stall\w*|stuck|blocked|idle|dropp\w*|skipp\w*|missing)\b",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d[\d,_]*(?:\.\d+)?")
MAX_TEMPLATES = 200


def _counted_up_at(lines: Sequence[str]) -> int | None:
    """The newest line that counts further than an earlier line of the same wording: work goes on.

    Reports of a pipeline's coordinator are left to `_samples`, which knows whose they are.
    """
    reached: dict[str, float] = {}
    counted = None
    for place, line in enumerate(lines):
        if len(line) > 400 or " complete, " in line or not _COUNTS.search(line) or _NO_COUNT.search(line):
            continue
        message = strip_headers(line)
        numbers = _DIGITS.findall(message)
        if not numbers:
            continue
        template = _DIGITS.sub("#", message)[:120]
        value = float(numbers[0].replace(",", "").replace("_", ""))
        before = reached.get(template)
        if before is not None and value > before:
            counted = place
        if before is not None or len(reached) < MAX_TEMPLATES:
            reached[template] = value
    return counted


def _restarted(lines: Sequence[str]) -> bool:
    return any(_RECOVERED.search(line) for line in lines)


def _motion(
    lines: Sequence[str], samples: Sequence[Sample], silent_s: float, limits: Limits
) -> tuple[Motion, float | None]:
    """Whether the current stage moves, by the thresholds of a running watch."""
    if not samples:
        return Motion.UNKNOWN, None
    newest = samples[-1]
    stage = [each for each in samples if each.stage == newest.stage]
    quiet_s = _quiet_s(stage, silent_s)
    moved = stage[0].done != newest.done
    if _completed_after(lines, newest):
        return Motion.ADVANCING, 0.0
    allowance_s = limits.stuck_floor_s if newest.done > 0 else limits.first_shard_floor_s
    if quiet_s is not None and quiet_s > allowance_s:
        return Motion.STUCK, quiet_s
    idle_workers = newest.queued > 0 and newest.in_flight == 0 and newest.alive > 0
    if idle_workers and not moved and (quiet_s or 0.0) > IDLE_QUEUE_S:
        return Motion.STUCK, quiet_s
    if _few_left(newest) and not _ending(stage):
        return Motion.STRAGGLING, quiet_s
    if newest.done == 0 and not moved and len(stage) == len(samples):
        return Motion.NOT_STARTED, quiet_s
    return (Motion.ADVANCING if moved else Motion.UNKNOWN), quiet_s


def _completed_after(lines: Sequence[str], newest: Sample) -> bool:
    """Whether a later line reports more of the same stage done than the newest report."""
    later = (_COMPLETED.search(line) for line in lines[newest.place + 1 :])
    return any(
        found and found["stage"] == newest.stage and int(found["done"]) > newest.done for found in later
    )


def _quiet_s(stage: Sequence[Sample], silent_s: float) -> float | None:
    """Since when the newest count stands, on the clock of the lines; midnight may pass once."""
    newest = stage[-1]
    first = newest
    for sample in reversed(stage):
        if sample.done != newest.done:
            break
        first = sample
    if newest.at_s is None or first.at_s is None:
        return silent_s or None
    span = newest.at_s - first.at_s
    return (span if span >= 0 else span + 86_400) + silent_s


def _few_left(sample: Sample) -> bool:
    few = max(2, int(sample.total * STRAGGLER_SHARE))
    idle = sample.workers > sample.in_flight
    return (
        sample.queued == 0
        and 0 < sample.in_flight <= few
        and sample.done >= sample.total * STRAGGLER_RATIO
        and idle
    )


def _ending(stage: Sequence[Sample]) -> bool:
    """Few are left because the stage ends at its usual pace: the rest is a matter of minutes."""
    first, newest = stage[0], stage[-1]
    counted = newest.done - first.done
    if len(stage) < 2 or counted <= 0:
        return False
    span_s = REPORT_S * (len(stage) - 1)
    if first.at_s is not None and newest.at_s is not None and newest.at_s > first.at_s:
        span_s = newest.at_s - first.at_s
    return (newest.total - newest.done) * span_s / counted <= SOON_S
