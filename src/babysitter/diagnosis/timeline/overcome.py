"""Mark the findings that the job has overcome, by what followed each of them."""

from collections.abc import Sequence
from dataclasses import replace

from babysitter.diagnosis.frame.line import read_frame
from babysitter.diagnosis.timeline.aftermath import (
    MAX_LINES_AFTER,
    AftermathKind,
    JobEnd,
    LogEnd,
    Report,
    find_completion,
    read_aftermath,
)
from babysitter.diagnosis.timeline.count_history import entries_of
from babysitter.diagnosis.timeline.counts.slow_pace import find_crawl
from babysitter.model.cause_info import about
from babysitter.model.finding import Evidence, Finding
from babysitter.model.log import LogLine
from babysitter.model.memory import Memory


def mark_overcome(
    findings: Sequence[Finding],
    lines: Sequence[LogLine],
    memory: Memory,
    end: JobEnd,
    *,
    first_position: int,
    offset: int = 0,
) -> tuple[Finding, ...]:
    """Return the findings, each with what overcame it.

    `lines`: the newest of the job, of which the first has this position. `memory`: after these lines.
    `offset`: what must be added to a finding's position to make it that of a line.
    """
    if not any(finding.last_position >= 0 for finding in findings):
        return tuple(findings)
    log_end = _log_end(lines, memory, first_position)
    return tuple(
        _marked(
            finding, _report(finding, lines, finding.last_position + offset, first_position), log_end, end
        )
        for finding in findings
    )


def _log_end(lines: Sequence[LogLine], memory: Memory, first_position: int) -> LogEnd:
    skipped = max(0, len(lines) - MAX_LINES_AFTER)
    completed = find_completion([line.text for line in lines])
    return LogEnd(
        entries_of(lines[skipped:], first_position + skipped),
        memory.advanced_position,
        None if completed is None else first_position + completed,
        memory.work.risen_at_s,
        find_crawl(memory.work),
    )


def _report(finding: Finding, lines: Sequence[LogLine], place: int, first_position: int) -> Report:
    """The last line of a finding. Of an earlier look its evidence is all that is left."""
    index = place - first_position
    if 0 <= index < len(lines):
        entry = entries_of(lines[index : index + 1], place)[0]
        return Report(place, finding.cause, entry.message, entry.speaker, lines[index].at_ms / 1000 or None)
    evidence = finding.evidence[-1] if finding.evidence else Evidence("", "")
    frame = read_frame(evidence.text)
    source = evidence.source if evidence.source.startswith("/") else ""
    at_s = evidence.at.timestamp() if evidence.at else None
    return Report(place, finding.cause, frame.message, f"{source} {frame.speaker}".strip(), at_s)


def _marked(finding: Finding, report: Report, log_end: LogEnd, end: JobEnd) -> Finding:
    if finding.last_position < 0:
        return finding
    if about(finding.cause).outlasts_progress and not about(finding.cause).lingers:
        return finding
    after = read_aftermath(log_end, report, end)
    return replace(finding, overcome_by=after.reason) if after.kind is AftermathKind.WENT_ON else finding
