"""The rules' verdict beside what the words of the log speak for: which cause is the likelier, and how likely.

Rules know single lines; the words of all lines, with weights learned from labelled incidents, know how such
logs ended. What a rule proves stands. Where the rules see trouble and only have signs of its cause, or none,
the words may name another one, if it is clearly the likelier. Whether there is trouble words do not say.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from babysitter.diagnosis.learned.cause_classes import CALM, class_of
from babysitter.diagnosis.learned.read_words import lines_for
from babysitter.model.cause_info import about
from babysitter.model.finding import ActionKind, Cause, Finding, Findings, Severity
from babysitter.model.ids import RuleId
from babysitter.model.job import JobState
from babysitter.model.job_facts import JobFacts
from babysitter.model.verdict import Diagnosis
from babysitter.model.word_weights import WordReading

PREFIX = "words."  # of the rule id of what words alone name
MEASURED = "measured."  # begins the rule id of what a course of time shows, which words do not know
PROOF = 0.9  # of a verdict of the rules that words do not overrule
CLEARLY = 0.05  # so much likelier another cause must be


@dataclass(frozen=True, slots=True)
class Choice:
    """The class that rules and words together speak for, and its share among all classes."""

    name: str
    likelihood: float
    is_the_rules: bool  # the rules say the same, or they prove what they say

    @property
    def cause(self) -> Cause:
        """The cause of the class; healthy for the class of all that is calm."""
        return Cause.HEALTHY if self.name == CALM else Cause(self.name)


def choose(
    diagnosis: Diagnosis,
    weights: Sequence[tuple[Cause, float]],
    overcome: Sequence[Finding],
    findings: Findings,
) -> Choice | None:
    """Weigh the rules' verdict against the words. None when nothing was read.

    `weights`: causes that the rules hold for possible, with the weight of each.
    """
    reading = findings.reading
    if reading is None:
        return None
    told = set(_words_of_verdict(diagnosis, weights, overcome, findings))
    shares = reading.weights.probabilities(reading.scores, reading.weights.score_verdict(told))
    by_rules = class_of(diagnosis.cause)
    others = [name for name in shares if name != by_rules and _is_possible(name)]
    likeliest = max(others, key=lambda name: shares[name], default=by_rules)
    stands = (
        about(diagnosis.cause).is_benign
        or diagnosis.confidence >= PROOF
        or any(rule.startswith(MEASURED) for rule in diagnosis.rules)
        or shares.get(likeliest, 0.0) - shares.get(by_rules, 0.0) < CLEARLY
    )
    name = by_rules if stands else likeliest
    return Choice(name, shares.get(name, 0.0), stands)


def _words_of_verdict(
    diagnosis: Diagnosis,
    weights: Sequence[tuple[Cause, float]],
    overcome: Sequence[Finding],
    findings: Findings,
) -> Iterator[str]:
    """What the rules say, as words that have learned weights too."""
    cause = class_of(diagnosis.cause)
    yield f"verdict {cause}"
    yield f"verdict {cause} {int(diagnosis.confidence * 10)}"
    yield f"sure {int(diagnosis.confidence * 10)}"
    yield f"action {diagnosis.action}"
    for possible, weight in weights:
        yield f"possible {possible}"
        yield f"possible {possible} {int(weight * 5)}"
    yield from (f"overcome {each.cause}" for each in overcome)
    yield from (f"follows {each.cause}" for each in findings.all if each.is_consequence)
    yield from (f"explained {each.cause}" for each, _ in findings.cancelled)


def _is_possible(name: str) -> bool:
    """Whether words may name this class instead: they know no stance and no course, so they never alarm."""
    return name not in (CALM, Cause.UNKNOWN) and not about(Cause(name)).is_benign


def finding_by_words(choice: Choice, reading: WordReading, facts: JobFacts) -> Finding:
    """What words alone name, as a finding: a guess, and said as one."""
    row = about(choice.cause)
    runs = facts.state in (None, JobState.RUNNING)  # then a person looks before anything is done
    return Finding(
        rule=RuleId(f"{PREFIX}{choice.cause}"),
        cause=choice.cause,
        severity=Severity.DEGRADED if runs else row.severity,
        action=ActionKind.ESCALATE if runs else row.action,
        explanation="A guess by the words of the log: earlier incidents that read like this were mostly "
        f"{row.title[0].lower()}{row.title[1:]}.",
        evidence=lines_for(choice.name, reading),
        confidence=choice.likelihood,
        retry=row.retry,
        advice=row.advice,
    )
