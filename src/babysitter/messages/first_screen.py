"""The first screen about a diagnosis: the decisive line with those around it, and what followed. Pure.

Nothing here is redacted; whoever shows a line makes it safe first.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from babysitter.messages.formatting import count, format_duration
from babysitter.model.finding import Evidence
from babysitter.model.job import JobState
from babysitter.model.job_facts import JobFacts
from babysitter.model.verdict import Diagnosis, ProgressSummary, Reason

LINES_AROUND = 2
MAX_QUOTED = 3  # pieces of evidence beside the decisive one and its neighbours
MAX_FOLLOWED = 2
LAST_LINES = 3
QUIET_S = 300.0  # a shorter time without a line is not worth a word

# How evidence of fields is written: a state or a number, which the sentences say already.
_FIELD = re.compile(r"(?:state|progress:|exit code|last log age s|(?:failure|preemption) count) ?\S+$")
_SAYS_NOTHING = re.compile(rf"{_FIELD.pattern}|.*\bTraceback \(most recent call last\):$")
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A line of a log. `number`: 1-based in its file; None where the source does not count its lines."""

    text: str
    source: str
    number: int | None = None


@dataclass(frozen=True, slots=True)
class QuotedLine:
    """A line as the screen shows it."""

    text: str
    place: str
    is_decisive: bool = False


@dataclass(frozen=True, slots=True)
class WhatFollowed:
    """What is known of the time after the decisive line. None or "" = not known."""

    state: JobState | None = None
    exit_code: int | None = None
    retries: int = 0
    quiet_s: float | None = None
    went_on: str = ""

    @classmethod
    def of_facts(cls, facts: JobFacts, reasons: Sequence[Reason] = ()) -> "WhatFollowed":
        """What is told of a job beside its log text."""
        failed_last = facts.state is not None and facts.state.ended_badly
        retries = max(0, facts.failure_count - failed_last)
        return cls(facts.state, facts.exit_code, retries, facts.last_line_age_s, _went_on(reasons))

    @classmethod
    def of_summary(
        cls, outlook: ProgressSummary, diagnosis: Diagnosis, quiet_s: float | None, reasons: Sequence[Reason]
    ) -> "WhatFollowed":
        """What one look at a job shows."""
        found = (re.fullmatch(r"exit code (-?\d+)", line.text) for line in diagnosis.evidence)
        code = next((int(match[1]) for match in found if match), None)
        is_over = outlook.job_state is not None and outlook.job_state.is_terminal
        return cls(outlook.job_state, code, outlook.retries, None if is_over else quiet_s, _went_on(reasons))


def quote_evidence(
    diagnosis: Diagnosis, lines: Sequence[SourceLine], *, within: str = ""
) -> tuple[QuotedLine, ...]:
    """The decisive line, those around it, and further evidence; the last lines where no line decides.

    `lines`: those of the log, or the part of it around the decisive line. `within`: the job whose name places
    leave out.
    """
    evidence = [line for line in diagnosis.evidence if not _FIELD.match(line.text)]
    decisive = next((line for line in evidence if line.line_number is not None), None)
    if decisive is None:
        shown = [QuotedLine(line.text, _place(line, within), is_decisive=True) for line in evidence[:1]]
        last = () if shown else [line for line in lines if line.text.strip()][-LAST_LINES:]
        shown += [QuotedLine(source_line.text, _line_place(source_line, within)) for source_line in last]
        others = evidence[1:]
    else:
        shown = _with_neighbours(decisive, lines, within)
        others = [line for line in evidence if line is not decisive]
    for other in others[:MAX_QUOTED]:
        if not _is_told(other.text, shown):
            shown.append(QuotedLine(other.text, _place(other, within), is_decisive=True))
    return tuple(shown)


def later_lines(diagnosis: Diagnosis) -> tuple[Evidence, ...]:
    """The symptoms of the cascade that are not known to stand before the decisive line."""
    decisive = next(iter(diagnosis.evidence), None)
    return tuple(
        evidence for evidence in diagnosis.cascade if decisive is None or not _is_before(evidence, decisive)
    )


def _is_before(one: Evidence, other: Evidence) -> bool:
    if one.source == other.source and one.line_number is not None and other.line_number is not None:
        return one.line_number < other.line_number
    return one.at is not None and other.at is not None and one.at < other.at


def followed_words(diagnosis: Diagnosis, aftermath: WhatFollowed, quoted: Sequence[QuotedLine]) -> str:
    """What came after the decisive line: retries, further lines, the end. "" where nothing is known."""
    parts = []
    if aftermath.went_on:
        parts.append(f"{aftermath.went_on[0].upper()}{aftermath.went_on[1:]}.")
    if aftermath.retries:
        parts.append(f"It was tried again {count(aftermath.retries, 'time')}.")
    further = [line.text for line in later_lines(diagnosis) if not _SAYS_NOTHING.match(line.text)]
    new = dict.fromkeys(_plain(text) for text in further if not _is_told(text, quoted))
    parts += list(new)[:MAX_FOLLOWED]
    if aftermath.quiet_s is not None and aftermath.quiet_s >= QUIET_S:
        parts.append(f"Nothing was printed for {format_duration(aftermath.quiet_s)} after that.")
    if aftermath.state is not None:
        parts.append(_ending(aftermath.state, aftermath.exit_code))
    return "\n".join(parts)


def _ending(state: JobState, exit_code: int | None) -> str:
    if state is JobState.RUNNING:
        return "The job still runs."
    if state in (JobState.PENDING, JobState.BUILDING):
        return "The job has not started."
    word = {JobState.WORKER_FAILED: "failed with its machine", JobState.OTHER: "is in another state"}
    code = f" with exit code {exit_code}" if exit_code and state.ended_badly else ""
    if state is JobState.KILLED:
        return f"The job was killed{code}."
    if state is JobState.UNSCHEDULABLE:
        return "The cluster refused to place the job."
    return f"The job {word.get(state, state.value)}{code}."


def _went_on(reasons: Sequence[Reason]) -> str:
    """Why what was found has no effect any more."""
    return next((reason.text for reason in reasons if reason.holds and reason.name.endswith(".overcome")), "")


def _with_neighbours(decisive: Evidence, lines: Sequence[SourceLine], within: str) -> list[QuotedLine]:
    own = [line for line in lines if line.source == decisive.source and line.text.strip()]
    at = next((index for index, line in enumerate(own) if _is_at(line, decisive)), None)
    if at is None:
        return [QuotedLine(decisive.text, _place(decisive, within), is_decisive=True)]
    shown = own[max(0, at - LINES_AROUND) : at + LINES_AROUND + 1]
    place = own[at]
    return [
        QuotedLine(source_line.text, _line_place(source_line, within), is_decisive=source_line is place)
        for source_line in shown
    ]


def _is_at(line: SourceLine, evidence: Evidence) -> bool:
    if line.number is not None:
        return line.number == evidence.line_number
    return line.text.startswith(evidence.text)


def _place(evidence: Evidence, within: str) -> str:
    number = None if within else evidence.line_number  # of a job it counts the lines that were read
    return _located(evidence.source, number, within)


def _line_place(line: SourceLine, within: str) -> str:
    return _located(line.source, line.number, within)


def _located(source: str, number: int | None, within: str) -> str:
    place = source.replace(f"{within}/", "") if within else source
    place = re.sub(r"(^|(?<=^dump of ))(?=\d+$)", "task ", place)
    return place if number is None else f"{place}:{number}"


def _is_told(text: str, quoted: Sequence[QuotedLine]) -> bool:
    """Whether a line stands among those quoted, or repeats one that decides."""
    plain, shown = (
        _plain(text),
        [(_plain(quoted_line.text), quoted_line.is_decisive) for quoted_line in quoted],
    )
    return any(plain in other or (decides and other in plain) for other, decides in shown)


def _plain(text: str) -> str:
    text = _COLOUR.sub("", text)
    return " ".join(text.split())
