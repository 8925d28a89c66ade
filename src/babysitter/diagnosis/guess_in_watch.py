"""Guesses across checks: guess from the newest lines, and drop an earlier guess."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from babysitter.diagnosis.causes.guess import guess_cause, is_guess
from babysitter.diagnosis.causes.unexplained import MAX_LINES
from babysitter.diagnosis.frame.ordinary import is_ordinary
from babysitter.diagnosis.timeline.aftermath import MIN_ORDINARY_LINES
from babysitter.diagnosis.timeline.entries import Entry, read_entries
from babysitter.diagnosis.timeline.pipelines.zephyr_lines import line_at
from babysitter.model.finding import Evidence, Finding, Findings
from babysitter.model.job_facts import JobFacts
from babysitter.model.log import LogLine
from babysitter.model.memory import Memory
from babysitter.model.observation import Observation


def with_guess(
    memory: Memory, findings: Findings, observation: Observation, facts: JobFacts, earlier: Sequence[LogLine]
) -> tuple[Memory, Findings]:
    """Return the findings with a guess, and the memory without guesses that are out of date.

    `memory` has the observation folded in. `earlier`: lines before the new ones, which count for a job that
    has ended. Positions in `findings` count from the first new line, those in the memory from the first line.
    """
    lines = observation.seen_lines
    first = memory.lines_read - len(lines)
    has_ended = facts.state is not None and facts.state.is_terminal
    shown = ((*earlier, *lines) if has_ended and not observation.is_reread else lines)[-MAX_LINES:]
    first_shown = first + len(lines) - len(shown)
    entries = read_entries(
        [line.text for line in shown], first_place=first_shown, speakers=[line.task for line in shown]
    )
    kept = tuple(
        finding
        for finding in memory.findings
        if not is_guess(finding) or not (has_ended or _went_on(entries, finding))
    )
    rules = tuple(finding for finding in kept if not is_guess(finding))
    # In a text the findings count from its first line, in a watch from the first new one.
    moved = 0 if observation.excerpt else first
    known = Findings(
        (*rules, *(finding.moved(moved) for finding in findings.all)),
        tuple((finding.moved(moved), by) for finding, by in findings.cancelled),
    )
    source = observation.excerpt.source if observation.excerpt else ""
    work = None if memory.stages else memory.work  # stages have a pace of their own
    guess = guess_cause(known, facts, entries, _evidence(shown, first_shown, source), work)
    if guess is not None:
        findings = replace(findings, all=(*findings.all, guess.moved(-moved)))
    return replace(memory, findings=kept), findings


def _went_on(entries: Sequence[Entry], guess: Finding) -> bool:
    """Whether normal work of the task that a guess is about stands in the new lines."""
    source = guess.evidence[0].source if guess.evidence else ""
    ordinary = (entry for entry in entries if entry.speaker.startswith(source) and is_ordinary(entry.frame))
    return sum(1 for _ in ordinary) >= MIN_ORDINARY_LINES


def _evidence(lines: Sequence[LogLine], first_shown: int, source: str) -> Callable[[int], Evidence]:
    def evidence_at(place: int) -> Evidence:
        line = lines[place - first_shown]
        return Evidence(line.text, source or line.task, place + 1, at=line_at(line), attempt=line.attempt)

    return evidence_at
