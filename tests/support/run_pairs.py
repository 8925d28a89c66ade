"""Two runs of one program: a good log, and either another good log or one with a planted fault.

Twelve shapes of program. Every run draws its own numbers, ids, hosts and names, its own order of interleaved
workers, its own retries, and lines that come only by chance. A fault is a line in words that no rule knows,
with one of several endings; a stage or a heartbeat that is missing; or a stage that takes many times longer.
"""

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from babysitter.diagnosis.last_good.wording import read_wording
from tests.support.fault_words import fault_lines
from tests.support.run_shapes import (
    SHAPES,
    Printed,
    Script,
    backup,
    build_system,
    consumer,
    database,
    etl,
    map_reduce,
    scheduler,
    simulation,
    web_server,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class RunPair:
    """A good log and another of the same program. `planted`: what must be shown; empty in two good runs."""

    seed: int
    shape: str
    fault: str
    good: str
    other: str
    planted: tuple[str, ...] = ()


def _logging(p: Printed, at: datetime) -> str:
    who = f"[{p.who}] " if p.who else ""
    return f"{at:%Y-%m-%d %H:%M:%S},{at.microsecond // 1000:03d} {p.level} app.main: {who}{p.text}"


def _glog(p: Printed, at: datetime) -> str:
    who = f"({p.who}) " if p.who else ""
    return f"{p.level[0]}{at:%m%d %H:%M:%S.%f}       1 main.go:{100 + len(p.text)}] {who}{p.text}"


def _json(p: Printed, at: datetime) -> str:
    return json.dumps(
        {
            "time": f"{at:%Y-%m-%dT%H:%M:%SZ}",
            "level": p.level.lower(),
            "worker": p.who or "main",
            "msg": p.text,
        }
    )


def _plain(p: Printed, at: datetime) -> str:  # noqa: ARG001
    return f"{p.who}: {p.text}" if p.who else p.text


def _brackets(p: Printed, at: datetime) -> str:
    return f"[{at:%H:%M:%S}] [{p.level}] {p.who + ' ' if p.who else ''}{p.text}"


def _zulu(p: Printed, at: datetime) -> str:
    who = f"{p.who} | " if p.who else ""
    return f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03d}Z {p.level:<7} {who}{p.text}"


STYLES = (_logging, _glog, _json, _plain, _brackets, _zulu)


def played(shape: Callable[[Script], None], draw: random.Random) -> list[Printed]:
    script = Script(draw)
    shape(script)
    return sorted(script.lines, key=lambda printed: printed.at_s)


def written(lines: list[Printed], style: Callable[[Printed, datetime], str], began: datetime) -> str:
    return "".join(style(line, began + timedelta(seconds=line.at_s)) + "\n" for line in lines)


# --- faults


def _at(draw: random.Random, lines: list[Printed]) -> int:
    return draw.randint(len(lines) // 5, len(lines) * 9 // 10)


def _planted_lines(draw: random.Random, lines: list[Printed], place: int) -> list[Printed]:
    level = draw.choice(("INFO", "WARNING", "ERROR", "ERROR"))
    before = lines[place - 1]
    return [
        Printed(
            before.at_s + 0.1 * index,
            text,
            level,
            before.who if draw.random() < 0.5 else "",
            before.stage,
            "fault",
        )
        for index, text in enumerate(fault_lines(draw), 1)
    ]


def _stops(draw: random.Random, lines: list[Printed]) -> list[Printed]:
    """The run ends with the fault, or a few lines behind it."""
    place = _at(draw, lines)
    rest = [line for line in lines[place:] if line.mark == "core"][: draw.randint(0, 6)]
    return [*lines[:place], *_planted_lines(draw, lines, place), *rest]


def _cleans_up(draw: random.Random, lines: list[Printed]) -> list[Printed]:
    """The run skips the rest of its work and prints its last line all the same."""
    place = _at(draw, lines)
    return [*lines[:place], *_planted_lines(draw, lines, place), lines[-1]]


def _repeats(draw: random.Random, lines: list[Printed]) -> list[Printed]:
    """The fault comes again and again between ordinary lines, until the log ends."""
    place = _at(draw, lines)
    head, rest = lines[:place], [line for line in lines[place:] if line.mark in ("heartbeat", "core")]
    planted = _planted_lines(draw, lines, place)[:1]
    for number in range(draw.randint(6, 20)):
        head += [*planted, *rest[number : number + draw.randint(0, 2)]]
    return _in_order(head)


def _loses_work(draw: random.Random, lines: list[Printed]) -> list[Printed]:
    """The run goes on to its usual end, but most of the ordinary work behind the fault is not done."""
    place = draw.randint(len(lines) // 5, len(lines) // 2)
    rest = [line for line in lines[place:] if line.mark != "core" or draw.random() < 0.15]
    return [*lines[:place], *_planted_lines(draw, lines, place), *rest]


def _goes_on(draw: random.Random, lines: list[Printed]) -> list[Printed]:
    """The run reports an error and goes on to its usual end as if nothing had been."""
    place = _at(draw, lines)
    planted = [
        Printed(line.at_s, line.text, "ERROR", line.who, line.stage, "fault")
        for line in _planted_lines(draw, lines, place)
    ]
    return [*lines[:place], *planted, *lines[place:]]


def _in_order(lines: list[Printed]) -> list[Printed]:
    at_s, ordered = 0.0, []
    for line in lines:
        at_s = max(at_s + 0.5, line.at_s)
        ordered.append(Printed(at_s, line.text, line.level, line.who, line.stage, line.mark))
    return ordered


LINE_FAULTS = (_stops, _cleans_up, _repeats, _loses_work, _goes_on)


def line_pair(seed: int) -> RunPair:
    """A good run, and one with a planted line."""
    draw = random.Random(seed)
    shape, style, fault = (
        SHAPES[seed % len(SHAPES)],
        draw.choice(STYLES),
        LINE_FAULTS[seed % len(LINE_FAULTS)],
    )
    if style is _plain and fault is _goes_on:
        style = _logging  # without a level nothing tells such a line from one that comes by chance
    good, other = _two(shape, draw)
    other = fault(draw, other)
    planted = tuple(dict.fromkeys(printed.text for printed in other if printed.mark == "fault"))
    return _pair(seed, shape.__name__, fault.__name__.strip("_"), style, good, other, draw, planted)


def good_pair(seed: int) -> RunPair:
    """Two good runs."""
    draw = random.Random(seed)
    shape, style = SHAPES[seed % len(SHAPES)], draw.choice(STYLES)
    good, other = _two(shape, draw)
    return _pair(seed, shape.__name__, "none", style, good, other, draw, ())


def absence_pair(seed: int) -> RunPair:
    """A good run, and one without a stage, or whose heartbeat stops half-way."""
    draw = random.Random(seed)
    kinds = [(shape, fault) for shape, fault in ABSENCES]
    shape, missing = kinds[seed % len(kinds)]
    style = draw.choice(STYLES)
    good, other = _two(shape, draw)
    if missing == "heartbeat":
        until_s = other[-1].at_s * draw.uniform(0.2, 0.5)
        planted = tuple(dict.fromkeys(printed.text for printed in other if printed.mark == "heartbeat"))
        other = [printed for printed in other if printed.mark != "heartbeat" or printed.at_s < until_s]
    else:
        gone = [printed for printed in other if printed.stage == missing and printed.mark != "chance"]
        planted = tuple(
            printed.text for printed in good if printed.stage == missing and printed.mark != "chance"
        )
        other = [printed for printed in other if printed not in gone]
    return _pair(seed, shape.__name__, f"no {missing}", style, good, other, draw, planted)


ABSENCES: tuple[tuple[Callable[[Script], None], str], ...] = (
    (etl, "dedupe"), (etl, "transform"), (map_reduce, "shuffle"), (build_system, "test"), (backup, "verify"),
    (simulation, "relaxation"), (map_reduce, "heartbeat"), (web_server, "heartbeat"),
    (scheduler, "heartbeat"), (database, "heartbeat"), (consumer, "heartbeat"), (build_system, "link"),
)  # fmt: skip

SLOW: tuple[tuple[Callable[[Script], None], str], ...] = (
    (etl, "transform"), (etl, "dedupe"), (map_reduce, "shuffle"), (backup, "snapshot"), (backup, "verify"),
    (simulation, "relaxation"), (simulation, "output"), (build_system, "link"), (build_system, "test"),
    (map_reduce, "reduce"),
)  # fmt: skip


def slow_pair(seed: int) -> RunPair:
    """A good run, and one in which one stage takes 12 times as long. Only styles with a time."""
    draw = random.Random(seed)
    shape, slow = SLOW[seed % len(SLOW)]
    style = draw.choice([item for item in STYLES if item is not _plain])
    good, other = _two(shape, draw)
    first_s = next(printed.at_s for printed in other if printed.stage == slow)
    last_s = max(printed.at_s for printed in other if printed.stage == slow)
    added_s = max(300.0, 11 * (last_s - first_s))
    stretched = []
    for printed in other:
        if last_s > first_s:
            share = min(1.0, max(0.0, (printed.at_s - first_s) / (last_s - first_s)))
        else:
            share = float(printed.at_s > first_s)  # of a stage of one line the time behind it
        moved_s = added_s * share
        stretched.append(
            Printed(
                printed.at_s + moved_s, printed.text, printed.level, printed.who, printed.stage, printed.mark
            )
        )
    planted = tuple(printed.text for printed in other if printed.stage == slow)
    return _pair(seed, shape.__name__, f"slow {slow}", style, good, stretched, draw, planted)


def _two(shape: Callable[[Script], None], draw: random.Random) -> tuple[list[Printed], list[Printed]]:
    return played(shape, random.Random(draw.random())), played(shape, random.Random(draw.random()))


def _pair(
    seed: int,
    shape: str,
    fault: str,
    style: Callable[[Printed, datetime], str],
    good: list[Printed],
    other: list[Printed],
    draw: random.Random,
    planted: tuple[str, ...],
) -> RunPair:
    began = datetime(2026, 3, 1, tzinfo=UTC) + timedelta(seconds=draw.randint(0, 5_000_000))
    later = began + timedelta(seconds=draw.randint(90_000, 900_000))
    return RunPair(seed, shape, fault, written(good, style, began), written(other, style, later), planted)


def pairs(kind: Callable[[int], RunPair], seed: int, count: int) -> Iterator[RunPair]:
    """So many pairs; the seeds follow each other, so every shape and fault comes in turn."""
    return (kind(seed + number) for number in range(count))


def is_planted(pair: RunPair, text: str) -> bool:
    """Whether a text that is shown is a planted line, or its wording with at most one word wild."""
    told = text.split()
    for line in pair.planted:
        words = read_wording(line)
        is_alike = len(words) == len(told) and sum(a != b for a, b in zip(words, told, strict=True)) <= 1
        if line in text or is_alike:
            return True
    return False
