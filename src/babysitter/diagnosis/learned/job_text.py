"""What is known of a job, as the one text that the text model reads."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from math import isfinite

from babysitter.diagnosis.learned.line_meaning import scores_of_line, trouble_in
from babysitter.model.job_facts import JobFacts

LAST_LINES = 18  # of the log, read in any case
TELLING_LINES = 6  # of those before them, read where they speak for a cause most
MAX_LINE_CHARACTERS = 300
MAX_FIELD_CHARACTERS = 400
MAX_DUMP_CHARACTERS = 500
MAX_READ_CHARACTERS = 4_000  # of one line or field, before what says nothing is taken out
# Long numbers, addresses and hashes name one thing of one job.
_NAMES_ONE_THING = re.compile(r"\d{5,}|0x[0-9a-f]+|[0-9a-f]{12,}")


def text_of_job(facts: JobFacts, lines: Sequence[str], dumps: Sequence[str] = ()) -> str:
    """The state and the fields that are known, thread dumps, then lines of the log in their order."""
    words = " ".join(_words_of(facts))
    dump = "".join(f" dump {_general(dump)[:MAX_DUMP_CHARACTERS]}" for dump in dumps[:1] if dump.strip())
    told = _chosen(list(_without_repeats(line for line in lines if line.strip())))
    return f"{words}{dump} log\n" + " \n ".join(_general(line)[:MAX_LINE_CHARACTERS] for line in told)


def as_line(line: str) -> str:
    """A single line, as the model meets it in training."""
    return f"line {_general(line)[:MAX_LINE_CHARACTERS]}"


def _words_of(facts: JobFacts) -> Iterator[str]:
    yield f"state {facts.state or 'none'}"
    if facts.exit_code is not None:
        yield f"exit code {facts.exit_code}"
    if facts.last_line_age_s and isfinite(facts.last_line_age_s):
        yield f"silent for {max(0, int(facts.last_line_age_s // 60))} minutes"
    if facts.failure_count:
        yield f"failures {facts.failure_count}"
    if facts.preemption_count:
        yield f"preemptions {facts.preemption_count}"
    if facts.error:
        yield f"error {_general(facts.error)[:MAX_FIELD_CHARACTERS]}"
    if facts.pending_reason:
        yield f"pending {_general(facts.pending_reason)[:MAX_FIELD_CHARACTERS]}"


def _without_repeats(lines: Iterable[str]) -> Iterator[str]:
    """Of lines in a row that say the same, the first and the last: more would leave no room for others."""
    for _, run in groupby(lines, _general):
        first, *others = run
        yield from (first, *others[-1:])


def _chosen(lines: Sequence[str]) -> list[str]:
    """All lines of a short log; of a longer one the last, and the most telling of those before."""
    earlier = range(max(0, len(lines) - LAST_LINES))
    telling = sorted(earlier, key=lambda number: -trouble_in(scores_of_line(lines[number])))[:TELLING_LINES]
    return [lines[number] for number in sorted(telling)] + list(lines[len(earlier) :])


def _general(text: str) -> str:
    """The words of a text, without what names one thing of one job."""
    return _NAMES_ONE_THING.sub("#", " ".join(text[:MAX_READ_CHARACTERS].split()))
