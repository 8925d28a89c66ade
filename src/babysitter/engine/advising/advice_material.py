"""What the advisor is given of an incident: facts in sentences, lines with marks, candidates of the rules."""

import re
from collections.abc import Iterator, Sequence

from babysitter.advisor.combine import is_proven
from babysitter.advisor.evidence_pack import CHARACTERS_PER_TOKEN, MAX_PACK_TOKENS
from babysitter.advisor.material import Candidate, LineMarks, Material, Remark, RulesVerdict
from babysitter.diagnosis.frame.failure_words import reports_failure
from babysitter.diagnosis.frame.line import read_frame
from babysitter.diagnosis.frame.thread_dump_text import read_dump
from babysitter.diagnosis.timeline.processes.traceback import read_tracebacks
from babysitter.model.finding import STANCE_PREFIX, Finding, Findings
from babysitter.model.job_facts import JobFacts
from babysitter.model.run_profile import RunComparison
from babysitter.model.verdict import Diagnosis

MAX_MARKED_LINES = 20_000  # of the end of a log whose lines are read one by one
SMALL = round(MAX_PACK_TOKENS * CHARACTERS_PER_TOKEN * 0.8)  # characters of a log that is surely shown whole
MAX_DIFFERENCES = 20  # from good runs
MAX_COMPARED = 300  # characters of a line that make its template
_UNREAD = "not read"  # the template of lines before those
_WITH_DIGITS = re.compile(r"[\w.:-]*\d[\w.:-]*")


def material_of_text(
    text: str,
    facts: JobFacts | None,
    findings: Findings,
    *,
    dumps: Sequence[str] = (),
    remarks: Sequence[Remark] = (),
) -> Material:
    """The material of a log text with what is told beside it."""
    lines = tuple(text.rstrip("\n").split("\n")) if text.strip() else ()
    given = [dump for dump in dumps if dump.strip()]
    read = [(read_dump(dump), dump) for dump in given]
    return Material(
        facts=tuple(facts_in_words(facts or JobFacts())),
        lines=lines,
        marks=mark_lines(lines),
        candidates=tuple(candidates_of(findings)),
        dumps=tuple(dump for dump, _ in read if any(dump.threads())),
        dump_texts=tuple(word for dump, word in read if not any(dump.threads())),
        remarks=tuple(remarks),
    )


def good_run_remarks(comparison: RunComparison | None) -> tuple[Remark, ...]:
    """How the run differs from its last good runs, as a remark of the pack."""
    if comparison is None or not comparison.differences:
        return ()
    runs = "1 good run" if comparison.good_runs == 1 else f"{comparison.good_runs} good runs"
    rows = (
        f"{difference.kind.value}: {difference.text}"
        + (f" ({difference.comparison})" if difference.comparison else "")
        for difference in comparison.differences[:MAX_DIFFERENCES]
    )
    return (Remark(f"Against {runs} of the same program", tuple(rows)),)


def rules_verdict(diagnosis: Diagnosis, facts: JobFacts | None) -> RulesVerdict:
    """What the rules alone conclude, for `combine`."""
    has_ended_badly = facts is not None and facts.state is not None and facts.state.ended_badly
    return RulesVerdict(diagnosis.cause, diagnosis.action, is_proven(diagnosis), has_ended_badly)


def facts_in_words(facts: JobFacts) -> Iterator[str]:
    """One sentence for each fact that is known."""
    yield f"job state: {facts.state.value if facts.state else 'not known'}"
    if facts.exit_code is not None:
        yield f"exit code: {facts.exit_code}"
    if facts.error:
        yield f"error that the cluster recorded: {facts.error}"
    if facts.pending_reason:
        yield f"why it is not placed, in the cluster's words: {facts.pending_reason}"
    if facts.failure_count:
        yield f"failures counted by the cluster: {facts.failure_count}"
    if facts.preemption_count:
        yield f"preemptions counted by the cluster: {facts.preemption_count}"
    if facts.memory_peak_bytes is not None:
        limit = f" of {facts.memory_limit_bytes:,} allowed" if facts.memory_limit_bytes else ""
        yield f"peak memory: {facts.memory_peak_bytes:,} bytes{limit}"
    elif facts.memory_limit_bytes:
        yield f"memory allowed: {facts.memory_limit_bytes:,} bytes"
    if facts.last_line_age_s is not None:
        yield f"the newest line was {facts.last_line_age_s:,.0f} s old when this was read"


def candidates_of(findings: Findings) -> Iterator[Candidate]:
    """The causes that rules found, one entry for each rule, with what speaks against them."""
    for finding in findings.all:
        yield _candidate(finding, objections_to(finding))
    for finding, rule in findings.cancelled:
        how = rule.removeprefix(STANCE_PREFIX)
        reason = f"explained by {rule}" if how == rule else f"its lines seem to be {how}, not a report"
        yield _candidate(finding, [reason])


def objections_to(finding: Finding) -> list[str]:
    """What the rules themselves hold against a finding."""
    found = ["such a line usually follows from something else"] if finding.is_consequence else []
    return [*found, finding.overcome_by] if finding.overcome_by else found


def _candidate(finding: Finding, against: Sequence[str]) -> Candidate:
    lines = tuple(line.line_number - 1 for line in finding.evidence if line.line_number is not None)
    return Candidate(finding.cause, finding.explanation, tuple(dict.fromkeys(lines)), tuple(against))


def mark_lines(lines: Sequence[str]) -> LineMarks:
    """Tracebacks, failing words and templates of a log; nothing of one that is shown whole anyway."""
    if sum(map(len, lines)) <= SMALL:
        return LineMarks()
    first = max(0, len(lines) - MAX_MARKED_LINES)
    read = lines[first:]
    tracebacks = tuple(tuple(at + first for at in traceback.lines) for traceback in read_tracebacks(read))
    masked = [_WITH_DIGITS.sub("0", line[:MAX_COMPARED]) for line in read]
    examples = dict(zip(masked, read, strict=True))  # one line of each template is read, not all of them
    reports = {key: reports_failure(read_frame(line)) for key, line in examples.items()}
    failing = frozenset(at for at, key in enumerate(masked, start=first) if reports[key])
    return LineMarks(tracebacks, failing, templates=(*(_UNREAD for _ in range(first)), *masked))
