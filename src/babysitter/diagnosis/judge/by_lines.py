"""The rules' verdict beside what the lines of the log mean: which cause is the likelier, and how likely.

Rules know the lines of some programs; what lines mean by their words is learned from labelled lines, what a
whole text means from labelled incidents, and how much each is worth from both. What a rule proves stands.
Else the likeliest class counts, within limits: lines alarm nobody where rules understand a line or see work,
and calm no job that has ended badly or says nothing.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf

from babysitter.diagnosis.causes.guess import is_guess
from babysitter.diagnosis.judge.actions import is_over
from babysitter.diagnosis.learned.cause_classes import CALM, class_of
from babysitter.diagnosis.learned.line_meaning import LEAST
from babysitter.diagnosis.learned.read_log import lines_for
from babysitter.model.cause_info import about, leads_to
from babysitter.model.finding import ActionKind, Cause, Finding, Findings, Severity
from babysitter.model.ids import RuleId
from babysitter.model.job import JobState
from babysitter.model.job_facts import JobFacts
from babysitter.model.learned_weights import LogReading
from babysitter.model.limits import Limits
from babysitter.model.verdict import Diagnosis

LEARNED = "learned."  # begins the rule id of what lines name that no rule knows
MEASURED = "measured."  # begins the rule id of what a course of time shows, which lines do not know
PROOF = 0.9  # weight of a finding that lines do not overrule
NOISE = Cause.TRANSIENT_NOISE
BENIGN = {CALM, Cause.SLOW_STARTUP}
# Shares that a cause needs to be named in place of what the rules say; see `_least_share`.
LIKELY = 0.3  # guess: in place of "unknown"
CALMING = 0.5  # guess
CLEARLY = 0.7  # measured: such a share is right in nine of ten
ALARM = 0.5  # likelier than everything else together
EXPLAINS = 0.2  # measured: so much likelier must be what the rules' cause would explain
RULES_POWER, TEXT_POWER = 0.5, 0.7  # measured: of the shares by rules and lines, and by the text model
SMALLEST = 1e-6  # share by the text model: it is never so sure
INTERRUPTED = 130  # the exit code behind Ctrl-C


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


def shares_of(verdict: JudgedByRules, findings: Findings, facts: JobFacts) -> Mapping[str, float]:
    """The share of every class of causes, by rules and lines; nothing where lines cannot weigh the verdict.

    They have never met a rule of somebody's own, nor a cause without labelled incidents. The text model is
    asked where the verdict may change: it takes a tenth of a second.
    """
    reading = findings.reading
    if reading is None or (verdict.root is not None and verdict.root.rule in reading.own_rules):
        return {}
    words = reading.words.union(_words_of_verdict(verdict, findings, facts))
    shares = reading.weights.shares(words, reading.meanings)
    if class_of(verdict.diagnosis.cause) not in shares:
        return {}
    is_understood = any(reading.meanings.get(name, 0.0) >= LEAST for name in shares)
    if reading.read_text is None or not is_understood or _stands(verdict, facts):
        return shares  # of words that it has never met the model knows nothing, but is sure
    return _pooled(shares, reading.read_text(reading.text))


def _pooled(by_rules: Mapping[str, float], by_text: Mapping[str, float]) -> dict[str, float]:
    """The shares of both together: their product, each to a power."""
    products = {
        name: share**RULES_POWER * max(by_text.get(name, 0.0), SMALLEST) ** TEXT_POWER
        for name, share in by_rules.items()
    }
    whole = sum(products.values())
    return {name: product / whole for name, product in products.items()}


def likelier_cause(
    verdict: JudgedByRules, shares: Mapping[str, float], findings: Findings, facts: JobFacts
) -> LikelyCause | None:
    """The cause that lines name in place of the rules'; None where the rules' verdict stands."""
    if not shares or _stands(verdict, facts):
        return None
    by_rules = class_of(verdict.diagnosis.cause)
    best = max(shares, key=lambda name: shares[name])
    if not _may_be_named(best, verdict, findings, facts):
        return None
    named = NOISE if best == CALM else Cause(best)
    if shares[best] < _least_share(named, verdict):
        return None
    margin = EXPLAINS if verdict.root is not None and leads_to(verdict.diagnosis.cause, named) else 0.0
    return LikelyCause(named, shares[best]) if shares[best] - shares[by_rules] > margin else None


def _least_share(named: Cause, verdict: JudgedByRules) -> float:
    """The share that a cause needs to be named in place of what the rules say."""
    by_rules = verdict.diagnosis.cause
    if class_of(by_rules) == CALM:
        return CLEARLY if named is Cause.SLOW_STARTUP else ALARM
    is_mild = named in (NOISE, Cause.SLOW_STARTUP)
    if is_mild and about(by_rules).is_silent:
        return inf  # the course of time counts for more than words
    if by_rules is Cause.UNKNOWN:
        return CLEARLY if is_mild else LIKELY
    is_second = any(cause is named for cause, _ in verdict.possible)  # rules found it, and put it second
    is_absence = verdict.root is not None and (named is Cause.SLOW_STARTUP or about(named).is_silent)
    if is_second or is_absence:
        return CLEARLY
    return CALMING if is_mild else 0.0


def _may_be_named(name: str, verdict: JudgedByRules, findings: Findings, facts: JobFacts) -> bool:
    """Whether lines may name a class in place of the rules'. Never "unknown": it would take a name away."""
    by_rules = class_of(verdict.diagnosis.cause)
    if name in (by_rules, Cause.UNKNOWN):
        return False
    if by_rules == CALM:  # an alarm only where rules understand no line and no work is seen
        has_meaning = findings.all or findings.cancelled or facts.advanced_after is not None
        return name == Cause.SLOW_STARTUP or not has_meaning
    if by_rules == Cause.UNKNOWN and not _is_spoken_for(name, findings.reading, facts):
        return False
    if name == Cause.USER_CANCEL:  # of a job that was stopped, and not for what it had reported before
        is_stopped = facts.state is JobState.KILLED or facts.exit_code == INTERRUPTED
        has_failed = verdict.root is not None and verdict.diagnosis.severity is Severity.FATAL
        return is_stopped and not has_failed
    if facts.state is JobState.KILLED and by_rules == Cause.UNKNOWN:
        return False  # of a kill that nothing explains lines tell only whether a person did it
    if is_over(facts):
        return name not in BENIGN
    if name != CALM:
        return True
    is_quiet = (facts.last_line_age_s or 0.0) > Limits().pace_floor_s
    return not is_quiet and not _is_last_word(verdict, findings)


def _is_spoken_for(name: str, reading: LogReading | None, facts: JobFacts) -> bool:
    """Whether a line, or a field, speaks for the class by its words; or the exit code for a person's stop."""
    if name == Cause.USER_CANCEL and facts.exit_code == INTERRUPTED:
        return True
    return reading is not None and reading.meanings.get(name, 0.0) >= LEAST


def _is_last_word(verdict: JudgedByRules, findings: Findings) -> bool:
    """Whether the newest line belongs to a fatal report, or a guessed one: nothing shows what followed it."""
    root, reading = verdict.root, findings.reading
    if root is None or reading is None:
        return False
    if verdict.diagnosis.severity is not Severity.FATAL and not is_guess(root):
        return False
    return root.last_position >= reading.first_line + len(reading.lines) - 1


def _stands(verdict: JudgedByRules, facts: JobFacts) -> bool:
    """Whether the rules' verdict is not for lines to change."""
    if verdict.weight >= PROOF or facts.state is JobState.SUCCEEDED:
        return True
    if verdict.root is not None:
        return verdict.root.rule.startswith(MEASURED)
    # else a silence, somebody's stop, an end that nothing explains, or nothing wrong
    return class_of(verdict.diagnosis.cause) not in (CALM, Cause.UNKNOWN)


def _words_of_verdict(verdict: JudgedByRules, findings: Findings, facts: JobFacts) -> Iterator[str]:
    """What the rules say, as words that have learned weights too."""
    diagnosis = verdict.diagnosis
    cause, tenths = class_of(diagnosis.cause), int(diagnosis.confidence * 10)
    yield f"verdict {cause}"
    yield f"verdict {cause} {tenths}"
    yield f"verdict {cause} {facts.state or 'no-state'}"
    yield f"sure {tenths}"
    yield f"action {diagnosis.action}"
    for possible, weight in verdict.possible:
        yield f"possible {possible}"
        yield f"possible {possible} {int(weight * 5)}"
    yield from (f"overcome {finding.cause}" for finding in verdict.overcome)
    yield from (f"follows {finding.cause}" for finding in findings.all if finding.is_consequence)
    yield from (f"explained {finding.cause}" for finding, _ in findings.cancelled)


def finding_by_lines(likely: LikelyCause, reading: LogReading, facts: JobFacts) -> Finding:
    """What no rule knows and lines name, as a finding: a guess, said as one, and for a person to look at."""
    row = about(likely.cause)
    return Finding(
        rule=RuleId(f"{LEARNED}{likely.cause}"),
        cause=likely.cause,
        severity=row.severity if is_over(facts) else Severity.DEGRADED,
        action=ActionKind.ESCALATE,
        explanation=f"By the wording of the log: {_what_such_logs_had(likely.cause)}.",
        evidence=lines_for(class_of(likely.cause), reading),
        confidence=likely.likelihood,
        retry=row.retry,
        advice=row.advice,
    )


def _what_such_logs_had(cause: Cause) -> str:
    if cause is NOISE:
        return "where lines read like this, mostly nothing was wrong"
    title = about(cause).title
    return f"jobs whose lines read like this mostly had this cause: {title[0].lower()}{title[1:]}"


def no_milder(named: Diagnosis, by_rules: Diagnosis, facts: JobFacts) -> Diagnosis:
    """The trouble that lines name, as severe as the rules', and no reason to do less; or that there is none.

    A job that has not ended is restarted for no guess: a person looks first.
    """
    if about(named.cause).is_benign:
        return named
    action = named.action
    if not is_over(facts) and (action.restarts or by_rules.action is ActionKind.ESCALATE):
        action = ActionKind.ESCALATE
    severity = max(named.severity, by_rules.severity)
    return replace(
        named, action=action, severity=severity, change=None if action is not named.action else named.change
    )
