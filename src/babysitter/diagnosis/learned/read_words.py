"""What the newest lines of a job speak for, by the weights of their words."""

from functools import cache
from pathlib import Path

from babysitter.diagnosis.learned.text_words import words_of_facts, words_of_lines
from babysitter.diagnosis.learned.weights_file import parse_weights
from babysitter.model.finding import Evidence
from babysitter.model.ids import RuleId
from babysitter.model.job_facts import JobFacts
from babysitter.model.memory import Memory
from babysitter.model.observation import Observation
from babysitter.model.word_weights import WordReading, WordWeights

WEIGHTS_FILE = Path(__file__).with_name("cause_words.tsv")
MAX_DUMP_LINES = 40
MAX_EVIDENCE = 3
MIN_SCORE = 0.15  # guess: of a line that is worth quoting
MIN_WORDS = 25  # that have a weight; of a line or two a rule knows more


@cache
def shipped_weights() -> WordWeights:
    """The weights that come with the program."""
    return parse_weights(WEIGHTS_FILE.read_text(encoding="utf-8"))


def read_words(
    memory: Memory,
    observation: Observation,
    facts: JobFacts,
    weights: WordWeights,
    own_rules: frozenset[RuleId] = frozenset(),
) -> WordReading | None:
    """Read the newest lines that the memory holds, and what is known beside them; None if they say little.

    None, too, for a job that is watched and lives: words see no course of time, so rules alone judge it.
    `own_rules`: those in force that do not come with the program.
    """
    if observation.excerpt is None and not (facts.state is not None and facts.state.is_terminal):
        return None
    lines = memory.recent_lines
    dumps = observation.excerpt.dumps if observation.excerpt else ()
    shown = [line for dump in dumps for line in dump.text.splitlines()[:MAX_DUMP_LINES]]
    words = words_of_lines(line.text for line in lines) | words_of_lines(shown) | words_of_facts(facts)
    if not lines:
        words.add("=no lines")
    if weights.known(words) < MIN_WORDS:
        return None
    source = observation.excerpt.source if observation.excerpt else ""
    first_line = memory.lines_read - len(lines)
    return WordReading(weights, weights.score_text(words), lines, first_line, source, own_rules)


def lines_for(name: str, reading: WordReading) -> tuple[Evidence, ...]:
    """The lines whose words speak most for a class, the first of them most; none where no line does."""
    scored = [
        (reading.weights.score_text(words_of_lines([line.text])).get(name, 0.0), place)
        for place, line in enumerate(reading.lines)
    ]
    best = [place for score, place in sorted(scored, reverse=True)[:MAX_EVIDENCE] if score >= MIN_SCORE]
    return tuple(_evidence(reading, place) for place in best)


def _evidence(reading: WordReading, place: int) -> Evidence:
    line = reading.lines[place]
    number = reading.first_line + place + 1
    return Evidence(line.text, reading.source or line.task, number, attempt=line.attempt)
