"""From a text and a few facts to a diagnosis, without a cluster: what `classify` and `eval` share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from babysitter.diagnosis.causes.demotion import NOTHING_DEMOTED
from babysitter.diagnosis.causes.line_buffer import LineBuffer
from babysitter.diagnosis.causes.rule_fields import fields_of_facts
from babysitter.diagnosis.causes.rules_in_force import Playbook
from babysitter.diagnosis.frame.document_text import document_kind
from babysitter.diagnosis.frame.structured_lines import unwrap_text
from babysitter.diagnosis.frame.thread_dump_text import read_dump
from babysitter.diagnosis.judge.suspicions.stalled import motion_of
from babysitter.diagnosis.last_good.build_profile import add_lines
from babysitter.diagnosis.last_good.good_runs import GoodRuns
from babysitter.diagnosis.pipeline import consider, measures_of
from babysitter.diagnosis.text_observation import observation_of_text
from babysitter.diagnosis.timeline.update_memory import update_memory
from babysitter.messages.diagnosis_words import sentence_of, what_to_do
from babysitter.messages.first_screen import LINES_AROUND, SourceLine, later_lines
from babysitter.model.finding import Cause, Evidence, Findings
from babysitter.model.ids import RuleId, WatchId
from babysitter.model.job_facts import JobFacts
from babysitter.model.learned_weights import VerdictWeights
from babysitter.model.memory import Memory
from babysitter.model.observation import Observation
from babysitter.model.run_profile import RunProfile
from babysitter.model.verdict import Diagnosis, Reason, Verdict
from babysitter.model.watch import Watch

SPARE_LINES = 10  # around the decisive line, because blank ones are not shown
TAIL_CHARACTERS = 4_000
SAMPLE_CHARACTERS = 64_000  # of the beginning and of the end, to tell documents from logs


@dataclass(frozen=True, slots=True)
class Examined:
    """A diagnosis with everything it rests on."""

    verdict: Verdict
    diagnosis: Diagnosis
    findings: Findings
    reasons: tuple[Reason, ...]


def examine(
    text: str,
    playbook: Playbook,
    facts: JobFacts | None = None,
    *,
    source: str = "log",
    dumps: Sequence[str] = (),
    good: GoodRuns | None = None,
    demoted: Mapping[RuleId, str] = NOTHING_DEMOTED,
    weights: VerdictWeights | None = None,
) -> Examined:
    """Judge a log text as a watch that will not look again. `facts`: what is known beside it.

    `good`: runs of the same program that ended well (`good_runs_of`). `demoted`: rules that count as hints.
    `weights`: of verdicts, other than the shipped ones.
    """
    observation = observation_of_text(text, facts, dumps=dumps, source=source)
    considered = consider(
        _watch(observation), observation, playbook, good=good, demoted=demoted, weights=weights
    )
    verdict = considered.verdict
    assert verdict.diagnosis is not None, "a text is always answered"
    return Examined(verdict, verdict.diagnosis, considered.findings, verdict.reasons)


def good_runs_of(texts: Sequence[str]) -> GoodRuns | None:
    """The profiles of logs of good runs, the newest first; None for none."""
    if not texts:
        return None
    return GoodRuns([add_lines(RunProfile(), observation_of_text(text).seen_lines) for text in texts])


def kind_of_document(text: str) -> str:
    """Return what a text reads like that is no log, such as "Markdown"; "" if it may be one."""
    is_short = len(text) <= 2 * SAMPLE_CHARACTERS
    sample = text if is_short else f"{text[:SAMPLE_CHARACTERS]}\n{text[-SAMPLE_CHARACTERS:]}"
    return document_kind(sample.splitlines())


def look_at(
    text: str, playbook: Playbook, facts: JobFacts | None = None, *, dumps: Sequence[str] = ()
) -> tuple[Verdict, Observation]:
    """Judge a log text; gives what was seen beside the verdict."""
    observation = observation_of_text(text, facts, dumps=dumps)
    return consider(_watch(observation), observation, playbook).verdict, observation


def _watch(observation: Observation) -> Watch:
    first_line = observation.excerpt.first_line if observation.excerpt else 0
    return Watch(
        id=WatchId("text"),
        root=observation.root,
        first_root=observation.root,
        cluster="text",
        kind="auto",
        created_at=observation.taken_at,
        due_at=None,
        memory=Memory(lines_read=first_line),
    )


def missing(
    text: str, playbook: Playbook, cause: Cause, facts: JobFacts | None = None, *, dumps: Sequence[str] = ()
) -> tuple[Reason, ...]:
    """Why a cause was not found in a log text: the demands of its rules, with the values that they met."""
    from babysitter.diagnosis.causes.why_not import why_not  # here: a diagnosis does without it

    observation = observation_of_text(text, facts, dumps=dumps)
    watch = _watch(observation)
    memory = update_memory(watch.memory, observation)
    shown = tuple(read_dump(dump) for dump in dumps if dump.strip())
    measures = measures_of(memory, motion_of(memory, observation, watch.limits))
    fields = fields_of_facts(facts or JobFacts(), dumps=shown, measures=measures)
    return why_not(playbook, cause, LineBuffer(unwrap_text(text).encode("utf-8", "replace"), fields))


def lines_around(text: str, evidence: Sequence[Evidence], *, source: str) -> tuple[SourceLine, ...]:
    """The lines beside the first evidence that is a line; the end of the text where none is."""
    number = next((line.line_number for line in evidence if line.line_number is not None), None)
    if number is None:
        tail = text[-TAIL_CHARACTERS:].splitlines()
        return tuple(SourceLine(line, source) for line in tail)
    after = number + SPARE_LINES + LINES_AROUND
    texts = text.split("\n", after)[:after]
    first = max(0, number - 1 - SPARE_LINES - LINES_AROUND)
    place = next(line.source for line in evidence if line.line_number is not None)
    return tuple(SourceLine(line, place, first + n + 1) for n, line in enumerate(texts[first:]))


def words_of(examined: Examined) -> str:
    """What would be said about it: cause, explanation, proof with line numbers, what to do. Not redacted."""
    diagnosis = examined.diagnosis
    lines = [
        f"{diagnosis.cause.value} ({diagnosis.severity.value}, confidence {diagnosis.confidence:.0%})",
        sentence_of(diagnosis),
    ]
    for line in diagnosis.evidence:
        place = f"{line.source}:{line.line_number}" if line.line_number else line.source
        lines.append(f"  {place}: {line.text.strip()}")
    if later := later_lines(diagnosis):
        lines.append(f"What followed: {len(later)} lines, the first: {later[0].text}")
    lines.append(f"What to do: {what_to_do(diagnosis)}")
    return "\n".join(lines)
