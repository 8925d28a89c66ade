"""The rules' verdict beside what the lines of the log mean: which cause is the likelier, and how likely.

Rules know the lines of some programs; what lines mean by their words is learned from labelled lines, and how
much each of both is worth from labelled incidents. What a rule proves stands. Where the rules see trouble and
only have signs of its cause, or none, the lines may name another one, if it is clearly the likelier. They
never decide whether there is trouble.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from babysitter.diagnosis.judge.actions import is_over
from babysitter.diagnosis.learned.cause_classes import CALM, class_of
from babysitter.diagnosis.learned.read_log import lines_for
from babysitter.model.cause_info import about
from babysitter.model.finding import ActionKind, Cause, Finding, Findings, Severity
from babysitter.model.ids import RuleId
from babysitter.model.job import JobState
from babysitter.model.job_facts import JobFacts
from babysitter.model.learned_weights import LogReading
from babysitter.model.verdict import Diagnosis

LEARNED = "learned."  # begins the rule id of what lines name that no rule knows
MEASURED = "measured."  # begins the rule id of what a course of time shows, which lines do not know
PROOF = 0.9  # weight of a finding that lines do not overrule
CLEARLY = 0.05  # measured: so much likelier another cause must be; from 0 to 0.1, 501 to 494 of 700 are right


@dataclass(frozen=True, slots=True)
class JudgedByRules:
    """What the rules say. `root`: the finding held responsible, with its `weight`; None where none stands."""

    diagnosis: Diagnosis
    root: Finding | None
    weight: float
    possible: Sequence[tuple[Cause, float]]  # causes of the findings that stand, with their weights
    overcome: Sequence[Finding]


@dataclass(frozen=True, slots=True)
class LikelyCause:
    """A cause and its share among all, by rules and lines together."""

    cause: Cause
    likelihood: float


def likelihood_of(verdict: JudgedByRules, shares: Mapping[str, float]) -> float:
    """How likely the rules' cause is."""
    return shares.get(class_of(verdict.diagnosis.cause), 0.0)


def shares_of(verdict: JudgedByRules, findings: Findings) -> Mapping[str, float]:
    """The share of every class of causes, by rules and lines; nothing where lines cannot weigh the verdict.

    They have never met a rule of somebody's own, nor a cause without labelled incidents.
    """
    reading = findings.reading
    if reading is None or (verdict.root is not None and verdict.root.rule in reading.own_rules):
        return {}
    words = reading.words.union(_words_of_verdict(verdict, findings))
    shares = reading.weights.shares(words, reading.meanings)
    return shares if class_of(verdict.diagnosis.cause) in shares else {}


def likelier_cause(
    verdict: JudgedByRules, shares: Mapping[str, float], facts: JobFacts
) -> LikelyCause | None:
    """The cause that lines name in place of the rules'; None where the rules' verdict stands."""
    if not shares or _stands(verdict, facts):
        return None
    by_rules = verdict.diagnosis.cause
    others = [name for name in shares if name != by_rules and _may_be_named(name)]
    best = max(others, key=lambda name: shares[name], default="")
    if not best or shares[best] - likelihood_of(verdict, shares) < CLEARLY:
        return None
    return LikelyCause(Cause(best), shares[best])


def _stands(verdict: JudgedByRules, facts: JobFacts) -> bool:
    """Whether the rules' verdict is not for lines to change."""
    if about(verdict.diagnosis.cause).is_benign or verdict.weight >= PROOF:
        return True
    if verdict.root is None:  # a silence, somebody's stop, or an end that nothing explains
        return verdict.diagnosis.cause is not Cause.UNKNOWN or facts.state is JobState.KILLED
    return verdict.root.rule.startswith(MEASURED)


def _may_be_named(name: str) -> bool:
    """Whether lines may name this class: they calm nobody, and "unknown" helps nobody."""
    return name not in (CALM, Cause.UNKNOWN) and not about(Cause(name)).is_benign


def _words_of_verdict(verdict: JudgedByRules, findings: Findings) -> Iterator[str]:
    """What the rules say, as words that have learned weights too."""
    diagnosis = verdict.diagnosis
    cause, tenths = class_of(diagnosis.cause), int(diagnosis.confidence * 10)
    yield f"verdict {cause}"
    yield f"verdict {cause} {tenths}"
    yield f"sure {tenths}"
    yield f"action {diagnosis.action}"
    for possible, weight in verdict.possible:
        yield f"possible {possible}"
        yield f"possible {possible} {int(weight * 5)}"
    yield from (f"overcome {each.cause}" for each in verdict.overcome)
    yield from (f"follows {each.cause}" for each in findings.all if each.is_consequence)
    yield from (f"explained {each.cause}" for each, _ in findings.cancelled)


def finding_by_lines(likely: LikelyCause, reading: LogReading, facts: JobFacts) -> Finding:
    """What no rule knows and lines name, as a finding: a guess, said as one, and for a person to look at."""
    row = about(likely.cause)
    return Finding(
        rule=RuleId(f"{LEARNED}{likely.cause}"),
        cause=likely.cause,
        severity=row.severity if is_over(facts) else Severity.DEGRADED,
        action=ActionKind.ESCALATE,
        explanation="A guess by the wording of the log: jobs whose lines read like this mostly had "
        f"this cause: {row.title[0].lower()}{row.title[1:]}.",
        evidence=lines_for(class_of(likely.cause), reading),
        confidence=likely.likelihood,
        retry=row.retry,
        advice=row.advice,
    )


def no_milder(named: Diagnosis, by_rules: Diagnosis, facts: JobFacts) -> Diagnosis:
    """The verdict that lines name, as severe as the rules', and no reason to do less.

    A job that has not ended is restarted for no guess: a person looks first.
    """
    action = named.action
    if not is_over(facts) and (action.restarts or by_rules.action is ActionKind.ESCALATE):
        action = ActionKind.ESCALATE
    severity = max(named.severity, by_rules.severity)
    return replace(
        named, action=action, severity=severity, change=None if action is not named.action else named.change
    )
