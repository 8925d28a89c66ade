"""The newest lines of a job by what they mean, for the judge to weigh beside the rules' verdict."""

from functools import cache
from pathlib import Path

from babysitter.diagnosis.learned.fact_words import words_of_facts
from babysitter.diagnosis.learned.line_meaning import LEAST, scores_of_line
from babysitter.diagnosis.learned.weights_file import parse_verdict_weights
from babysitter.model.finding import Evidence
from babysitter.model.ids import RuleId
from babysitter.model.job_facts import JobFacts
from babysitter.model.learned_weights import LogReading, VerdictWeights
from babysitter.model.memory import Memory
from babysitter.model.observation import Observation

WEIGHTS_FILE = Path(__file__).with_name("verdict_weights.tsv")
MAX_DUMP_LINES = 40
MAX_EVIDENCE = 3
MIN_LINES = 4  # of one or two a rule knows more


@cache
def shipped_verdict_weights() -> VerdictWeights:
    """The weights that come with the program."""
    return parse_verdict_weights(WEIGHTS_FILE.read_text(encoding="utf-8"))


def read_log(
    memory: Memory,
    observation: Observation,
    facts: JobFacts,
    weights: VerdictWeights,
    own_rules: frozenset[RuleId] = frozenset(),
) -> LogReading | None:
    """Read the newest lines that the memory holds, and what is known beside them; None if they say little.

    None, too, for a job that is watched and lives: lines see no course of time, so rules alone judge it.
    `own_rules`: those in force that do not come with the program.
    """
    if observation.excerpt is None and not (facts.state is not None and facts.state.is_terminal):
        return None
    lines = memory.recent_lines
    dumps = observation.excerpt.dumps if observation.excerpt else ()
    texts = [line.text for line in lines]
    texts += [line for dump in dumps for line in dump.text.splitlines()[:MAX_DUMP_LINES]]
    texts += [*facts.error.splitlines(), *facts.pending_reason.splitlines()]
    if len(texts) < MIN_LINES:
        return None
    meanings: dict[str, float] = {}
    for text in dict.fromkeys(texts):
        for name, score in scores_of_line(text).items():
            meanings[name] = max(score, meanings.get(name, score))
    source = observation.excerpt.source if observation.excerpt else ""
    first_line = memory.lines_read - len(lines)
    return LogReading(weights, words_of_facts(facts), meanings, lines, first_line, source, own_rules)


def lines_for(name: str, reading: LogReading) -> tuple[Evidence, ...]:
    """The lines that speak most for a class, the first of them most; none where no line does."""
    scored = [(scores_of_line(line.text).get(name, 0.0), place) for place, line in enumerate(reading.lines)]
    best = [place for score, place in sorted(scored, reverse=True)[:MAX_EVIDENCE] if score >= LEAST]
    return tuple(_evidence(reading, place) for place in best)


def _evidence(reading: LogReading, place: int) -> Evidence:
    line = reading.lines[place]
    number = reading.first_line + place + 1
    return Evidence(line.text, reading.source or line.task, number, attempt=line.attempt)
