"""One failing line in the life of a healthy program: followed by work, or by nothing.

The same line means two things. In the middle of a program that goes on it is noise; as the last word before a
long silence it names the cause.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path

from tests.support.build import at
from tests.support.healthy import PROGRAMS

MESSAGES = Path(__file__).parents[2] / "fixtures" / "messages.tsv"
START_S, FAILS_S, END_S = 3600.0, 5400.0, 9000.0


@dataclass(frozen=True, slots=True)
class Failure:
    """A line that names its cause."""

    cause: str
    text: str


def failures() -> tuple[Failure, ...]:
    """Failing lines of every kind."""
    rows = [row.split("\t") for row in MESSAGES.read_text(encoding="utf-8").splitlines() if "\t" in row]
    return tuple(Failure(row[0], row[1]) for row in rows)


@cache
def _program(name: str) -> tuple[tuple[float, str], ...]:
    """A part of the life of a healthy program: seconds and lines, each with a time in it."""
    lines = PROGRAMS[name](random.Random(1), START_S, END_S)
    moments = [(line.at_ms / 1000, line.text) for line in lines]
    return tuple(
        (moment - at(0).timestamp(), _timed(text, datetime.fromtimestamp(moment, at(0).tzinfo)))
        for moment, text in sorted(moments, key=lambda pair: pair[0])
    )


def _timed(text: str, moment: datetime) -> str:
    has_time = f"{moment:%H:%M}" in text[:40]
    return text if has_time else f"{moment:%Y-%m-%d %H:%M:%S} {text.lstrip(chr(13))}"


def survived(name: str, failure: Failure, work_s: float) -> str:
    """The program with the failing line in it, and `work_s` seconds of work after it."""
    before = [text for moment, text in _program(name) if moment <= FAILS_S]
    after = [text for moment, text in _program(name) if FAILS_S < moment <= FAILS_S + work_s]
    return "\n".join([*before, failure.text, *after])


def last_word(name: str, failure: Failure) -> str:
    """The program up to the failing line, and nothing after it."""
    return survived(name, failure, 0.0)


def pairs() -> Iterator[tuple[str, Failure]]:
    """Every failure once, in the programs by turns."""
    programs = tuple(PROGRAMS)
    for index, failure in enumerate(failures()):
        yield programs[index % len(programs)], failure
