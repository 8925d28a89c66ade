"""The rules' verdict beside what the lines of the log mean: which cause is the likelier, and how likely.

Rules know the lines of some programs; what lines mean by their words is learned from labelled lines, what a
whole text means from labelled incidents, and how much each is worth from both. What a rule proves stands.
Else the likeliest class counts, of those that the state of the job allows: a bad end or a silence is not
harmless. An alarm where the rules see none needs a majority of the shares.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf

from babysitter.diagnosis.causes.guess import is_guess
from babysitter.diagnosis.judge.actions import has_ended_badly, is_over
from babysitter.diagnosis.learned.cause_classes import CALM, class_of
from babysitter.diagnosis.learned.job_text import text_of_job
from babysitter.diagnosis.learned.line_meaning import LEAST
from babysitter.diagnosis.learned.read_log import lines_for, lines_that_read_like
from babysitter.model.cause_info import about
from babysitter.model.finding import STANCE_PREFIX, ActionKind, Cause, Evidence, Finding, Findings, Severity
from babysitter.model.ids import RuleId
from babysitter.model.job import JobState
from babysitter.model.job_facts import JobFacts
from babysitter.model.learned_weights import LogReading, TextReading
from babysitter.model.limits import Limits
from babysitter.model.verdict import Diagnosis

LEARNED = "learned."  # begins the rule id of what lines name that no rule knows
MEASURED = "measured."  # begins the rule id of what a course of time shows, which lines do not know
PROOF = 0.9  # weight of a finding that lines do not overrule
NOISE = Cause.TRANSIENT_NOISE
BENIGN = {CALM, Cause.SLOW_STARTUP}
# Shares that a class needs in place of what the rules say, chosen on 650 incidents (docs/learned.md).
LIKELY = 0.3  # any other
CALMING = 0.4  # that nothing is wrong, in place of trouble
MAJORITY = 0.5  # trouble in place of calm; calm where nothing shows what followed a fatal report
HARDLY = 0.1  # share of calm below which it takes no majority
CLEARLY = 0.6  # trouble where rules know a harmless line or see work; that something does not happen
RULES_POWER, TEXT_POWER = 0.5, 0.8  # measured: of the shares by rules and lines, and by the text model
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


def read_text(verdict: JudgedByRules, findings: Findings, facts: JobFacts) -> TextReading | None:
    """What the text model makes of the job; None where it is not asked, which takes a tenth of a second.

    It is asked where the verdict may change, it can read the report that the rules hold responsible, and a
    word has a meaning: it is sure of words that it has never met, too.
    """
    reading = findings.reading
    if reading is None or reading.read_text is None or _stands(verdict, facts) or _is_own(verdict, reading):
        return None
    if _is_out_of_reach(verdict, reading) or _is_explained(verdict, findings):
        return None
    is_understood = any(reading.meanings.get(name, 0.0) >= LEAST for name in reading.weights.classes)
    return reading.read_text(_text_to_read(verdict, reading, findings, facts)) if is_understood else None


def _text_to_read(verdict: JudgedByRules, reading: LogReading, findings: Findings, facts: JobFacts) -> str:
    """What is known of the job, without the lines of a stop that followed its failure.

    A pipeline that fails stops its own workers, and their logs say "terminated by user". Where no person's
    stop can be the cause, such words would only hide what stands before them.
    """
    if verdict.root is None or _is_possible(Cause.USER_CANCEL, verdict, facts):
        return reading.text
    stops = {
        line.text
        for finding in findings.all
        if finding.is_consequence
        and finding.cause is Cause.USER_CANCEL
        and finding.position > verdict.root.position
        for line in finding.evidence
    }
    kept = [line.text for line in reading.lines if line.text not in stops]
    return text_of_job(facts, kept, reading.dumps) if len(kept) < len(reading.lines) else reading.text


def _is_out_of_reach(verdict: JudgedByRules, reading: LogReading) -> bool:
    """Whether the report that the rules hold responsible stands before all lines that are read."""
    return verdict.root is not None and 0 <= verdict.root.last_position < reading.first_line


def _is_explained(verdict: JudgedByRules, findings: Findings) -> bool:
    """Whether the rules see nothing wrong and a stance explains a line that frightens."""
    is_calm = class_of(verdict.diagnosis.cause) == CALM
    return is_calm and any(by.startswith(STANCE_PREFIX) for _, by in findings.cancelled)


def _is_own(verdict: JudgedByRules, reading: LogReading) -> bool:
    """Whether a rule of somebody's own decided: nothing was learned beside it."""
    return verdict.root is not None and verdict.root.rule in reading.own_rules


def shares_of(
    verdict: JudgedByRules, findings: Findings, facts: JobFacts, by_text: TextReading | None
) -> Mapping[str, float]:
    """The share of every class that may be the cause, of one whole, by rules, lines and the text model.

    Nothing where lines cannot weigh the verdict: they have never met a rule of somebody's own, nor a cause
    without labelled incidents.
    """
    reading = findings.reading
    if reading is None or _is_own(verdict, reading):
        return {}
    words = reading.words.union(_words_of_verdict(verdict, findings, facts))
    shares = reading.weights.shares(words, reading.meanings)
    if class_of(verdict.diagnosis.cause) not in shares:
        return {}
    if _stands(verdict, facts):
        return shares
    possible = {name: share for name, share in shares.items() if _is_possible(name, verdict, facts)}
    if by_text is not None:
        possible = _pooled(possible, by_text.causes)
    whole = sum(possible.values())
    return {name: share / whole for name, share in possible.items()}


def _pooled(by_rules: Mapping[str, float], by_text: Mapping[str, float]) -> dict[str, float]:
    """The shares of both together: their product, each to a power; their sum is left as it comes out.

    `by_rules`: of the classes that are possible. What the model gives to others is unheard: its power shrinks
    by that part, and the rules speak so much more, up to the power that they have without the model.
    """
    heard = sum(by_text.get(name, 0.0) for name in by_rules)
    rules_power = 1.0 - (1.0 - RULES_POWER) * heard
    return {
        name: share**rules_power * max(by_text.get(name, 0.0), SMALLEST) ** (TEXT_POWER * heard)
        for name, share in by_rules.items()
    }


def likelier_cause(
    verdict: JudgedByRules, shares: Mapping[str, float], findings: Findings, facts: JobFacts
) -> LikelyCause | None:
    """The cause that is likeliest in place of the rules'; None where the rules' verdict stands."""
    if findings.reading is None or not shares or _stands(verdict, facts):
        return None
    if _is_out_of_reach(verdict, findings.reading):
        return None
    by_rules = class_of(verdict.diagnosis.cause)
    candidates = [
        name for name in shares if name == by_rules or _may_be_named(name, verdict, findings, facts)
    ]
    best = max(candidates, key=lambda name: (shares[name], name == by_rules))
    if best == by_rules or shares[best] < _least_share(best, verdict, shares, findings, facts):
        return None
    return LikelyCause(NOISE if best == CALM else Cause(best), shares[best])


def _least_share(
    name: str, verdict: JudgedByRules, shares: Mapping[str, float], findings: Findings, facts: JobFacts
) -> float:
    """The share that a class needs to be named in place of what the rules say."""
    by_rules = class_of(verdict.diagnosis.cause)
    if by_rules == CALM:
        if _is_explained(verdict, findings):
            return inf  # what a stance explains, as data, frightens the model as well
        if shares[by_rules] < HARDLY:
            return LIKELY
        return CLEARLY if findings.all or facts.advanced_after is not None else MAJORITY
    if by_rules in BENIGN and name not in BENIGN:
        return MAJORITY
    is_report = verdict.root is not None and not about(verdict.diagnosis.cause).is_silent
    if is_report and name != CALM and about(Cause(name)).is_silent:
        # what was reported is the likelier cause, the more so where only silence follows it
        return inf if _is_last_word(verdict, findings) else CLEARLY
    if name in BENIGN and _is_last_word(verdict, findings):
        # a log that ends with a report was kept for it; a failure that a rule knows counts as one
        is_known = verdict.root is not None and not is_guess(verdict.root)
        return inf if facts.state is None or is_known else MAJORITY
    if name in BENIGN:
        return CALMING
    return LIKELY


def _is_possible(name: str, verdict: JudgedByRules, facts: JobFacts) -> bool:
    """Whether a class can be the cause at all, given the state of the job and what the rules say."""
    by_rules = class_of(verdict.diagnosis.cause)
    if name == by_rules:
        return True
    if name in BENIGN:  # no bad end is harmless, and of a silence the course of time tells more than words
        is_quiet = (facts.last_line_age_s or 0.0) > Limits().pace_floor_s
        is_silent = by_rules != CALM and (is_quiet or about(verdict.diagnosis.cause).is_silent)
        return not has_ended_badly(facts) and not is_silent
    if name == Cause.USER_CANCEL:  # of a job that was stopped, and not for what it had reported before
        is_stopped = facts.state is JobState.KILLED or facts.exit_code == INTERRUPTED
        return is_stopped and (verdict.root is None or verdict.diagnosis.severity is not Severity.FATAL)
    return True


def _may_be_named(name: str, verdict: JudgedByRules, findings: Findings, facts: JobFacts) -> bool:
    """Whether a class may be named in place of the rules'. Never "unknown": it would take a name away.

    Where the rules know nothing, a line, a field or an interrupt must speak for the class. Of a kill that
    nothing explains lines tell only whether a person did it.
    """
    if class_of(verdict.diagnosis.cause) != Cause.UNKNOWN:
        return name != Cause.UNKNOWN
    if name == Cause.USER_CANCEL and facts.exit_code == INTERRUPTED:
        return True
    reading = findings.reading
    is_spoken_for = reading is not None and reading.meanings.get(name, 0.0) >= LEAST
    return is_spoken_for and (facts.state is not JobState.KILLED or name == Cause.USER_CANCEL)


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
    # else a silence, somebody's stop, an end that nothing explains, a long phase, or nothing wrong
    return class_of(verdict.diagnosis.cause) not in (*BENIGN, Cause.UNKNOWN)


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
    """What no rule knows and lines name, as a finding: a guess, said as one.

    Its action is a person's look, until the text model knows better (`likely_action.py`).
    """
    row = about(likely.cause)
    return Finding(
        rule=RuleId(f"{LEARNED}{likely.cause}"),
        cause=likely.cause,
        severity=row.severity if is_over(facts) else Severity.DEGRADED,
        action=ActionKind.ESCALATE,
        explanation=f"By the wording of the log, {row.explain[0].lower()}{row.explain[1:]}",
        evidence=_deciding_lines(class_of(likely.cause), reading, facts),
        confidence=likely.likelihood,
        retry=row.retry,
        advice=row.advice,
    )


def _deciding_lines(name: str, reading: LogReading, facts: JobFacts) -> tuple[Evidence, ...]:
    """The lines whose words speak for a class, else those that read like it, else what the cluster says.

    That nothing is wrong needs no line.
    """
    lines = lines_for(name, reading) or (lines_that_read_like(name, reading) if name != CALM else ())
    if lines or name == CALM or not facts.error.strip():
        return lines
    return (Evidence(facts.error.strip(), "error"),)


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
