"""The newest lines of a job by what they mean, for the judge to weigh beside the rules' verdict."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from babysitter.diagnosis.frame.word_stems import read_stems
from babysitter.diagnosis.learned.cause_classes import CALM
from babysitter.diagnosis.learned.fact_words import words_of_facts
from babysitter.diagnosis.learned.job_text import as_line, text_of_job
from babysitter.diagnosis.learned.line_meaning import LEAST, scores_of_line, trouble_in
from babysitter.diagnosis.learned.weights_file import parse_verdict_weights
from babysitter.model.finding import Evidence
from babysitter.model.ids import RuleId
from babysitter.model.job_facts import JobFacts
from babysitter.model.learned_weights import LogReading, TextReading, VerdictWeights
from babysitter.model.log import LogLine
from babysitter.model.memory import Memory
from babysitter.model.observation import Observation
from babysitter.model.thread_dump import ThreadDump

WEIGHTS_FILE = Path(__file__).with_name("verdict_weights.tsv")
MAX_DUMP_LINES = 40
MAX_EVIDENCE = 3
NO_LINE = -0.3  # guess: stands for the score of a line that is missing
MAX_READ_ALONE = 12  # lines that the text model reads one by one, which takes some ten milliseconds each
LEAST_ALONE, CLEARLY_ALONE = (
    0.2,
    0.5,
)  # guess: share of a class from which the likest, and another line, is quoted
MANY = 5  # lines after the worst; more are not told apart


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
    `own_rules`: those in force that do not come with the program, or count less than shipped.
    """
    has_ended = facts.state is not None and facts.state.is_terminal
    if observation.excerpt is None and not has_ended:
        return None
    dumps = observation.excerpt.dumps if observation.excerpt else ()
    source = observation.excerpt.source if observation.excerpt else ""
    return read_lines(
        memory.recent_lines,
        facts,
        weights,
        dumps=dumps,
        source=source,
        own_rules=own_rules,
        last=memory.lines_read,
    )


def read_lines(
    lines: Sequence[LogLine],
    facts: JobFacts,
    weights: VerdictWeights,
    *,
    dumps: Sequence[ThreadDump] = (),
    source: str = "",
    own_rules: frozenset[RuleId] = frozenset(),
    last: int = 0,
) -> LogReading | None:
    """Read these lines of a job, and what is known beside them. `last`: the number of the last of them."""
    has_ended = facts.state is not None and facts.state.is_terminal
    texts = [line.text for line in lines]
    texts += [line for dump in dumps for line in dump.text.splitlines()[:MAX_DUMP_LINES]]
    texts += [*facts.error.splitlines(), *facts.pending_reason.splitlines()]
    if not texts:
        return None
    words, meanings = meanings_of([line.text for line in lines], texts, facts)
    first_line = last - len(lines)
    newest = [] if has_ended else [dump.text for dump in dumps]  # dumps are older than an end
    return LogReading(
        weights,
        words_of_facts(facts) | words,
        meanings,
        text_of_job(facts, [line.text for line in lines], newest),
        tuple(lines),
        first_line,
        source,
        own_rules,
        _read_text,
        tuple(newest),
        sum(len(read_stems(text)) for text in texts),
    )


def _read_text(text: str) -> TextReading:
    from babysitter.diagnosis.learned.text_model import read_by_shipped_model  # here: it needs numpy

    return read_by_shipped_model(text)


def meanings_of(
    lines: Sequence[str], texts: Sequence[str], facts: JobFacts
) -> tuple[frozenset[str], dict[str, float]]:
    """What the lines of a log say together: words, and a score for each feature.

    `texts`: the lines with dumps and fields. For each class there is the highest score of any text, the
    same beside the state, the mean of all lines, and the score of the worst line: the one that speaks most
    clearly for a cause. How calm the lines before and after that one are tells whether it had an effect.
    """
    scored = [scores_of_line(text) for text in dict.fromkeys(texts)]
    most = {
        name: max(scores.get(name, NO_LINE) for scores in scored) for name in sorted(set().union(*scored))
    }
    meanings = most | {f"{facts.state or 'no-state'} {name}": value for name, value in most.items()}
    in_order = [scores_of_line(text) for text in lines]
    if not in_order:
        return frozenset(), meanings
    place = max(range(len(in_order)), key=lambda place: trouble_in(in_order[place]))
    for name in sorted(set().union(*in_order)):
        meanings[f"mean {name}"] = sum(scores.get(name, 0.0) for scores in in_order) / len(in_order)
    meanings |= {f"worst {name}": value for name, value in in_order[place].items()}
    meanings["calm before"] = max((scores.get(CALM, 0.0) for scores in in_order[:place]), default=NO_LINE)
    meanings["calm after"] = max((scores.get(CALM, 0.0) for scores in in_order[place + 1 :]), default=NO_LINE)
    behind = min(len(in_order) - place - 1, MANY)
    return frozenset({f"{behind} lines after the worst"}), meanings


def lines_for(name: str, reading: LogReading) -> tuple[Evidence, ...]:
    """The lines that speak most for a class, the first of them most; none where no line does."""
    scored = [(scores_of_line(line.text).get(name, 0.0), place) for place, line in enumerate(reading.lines)]
    best = [place for score, place in sorted(scored, reverse=True)[:MAX_EVIDENCE] if score >= LEAST]
    return tuple(_evidence(reading, place) for place in best)


def lines_that_read_like(name: str, reading: LogReading) -> tuple[Evidence, ...]:
    """The lines that the text model, reading each by itself, takes for a class; the likest first.

    For a class that it found in the whole text, and no line by its words. None where no line stands out.
    """
    if reading.read_text is None:
        return ()
    last_place = {line.text: place for place, line in enumerate(reading.lines) if line.text.strip()}
    newest = sorted(last_place.values())[-MAX_READ_ALONE:]
    shares = {
        place: reading.read_text(as_line(reading.lines[place].text)).causes.get(name, 0.0) for place in newest
    }
    likest = sorted(newest, key=lambda place: -shares[place])[:MAX_EVIDENCE]
    told = [place for place in likest[:1] if shares[place] >= LEAST_ALONE]
    told += [place for place in likest[1:] if shares[place] >= CLEARLY_ALONE]
    return tuple(_evidence(reading, place) for place in told)


def _evidence(reading: LogReading, place: int) -> Evidence:
    line = reading.lines[place]
    number = reading.first_line + place + 1
    return Evidence(line.text, reading.source or line.task, number, attempt=line.attempt)
