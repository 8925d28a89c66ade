"""From everything that was found to the one cause held responsible: the earliest decisive evidence.

Three steps. *Weigh*: what was overcome (the job went on, or succeeded) does not count; what only follows
from something else is kept for the cascade. *Choose*: what explains the others comes before them; of two that
do not explain each other the decisive one wins, of two decisive ones the earlier. *Conclude*: severity and
action from the cause, the state, and whether a repeat can help. Nothing proven means `unknown`, or that
nothing is wrong. What the rules do not prove is weighed against what its lines mean (`by_lines.py`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from babysitter.diagnosis.causes.guess import CONFIDENCE, is_guess
from babysitter.diagnosis.causes.left_out import LEFT_OUT
from babysitter.diagnosis.judge.actions import action_of, is_over, severity_of
from babysitter.diagnosis.judge.likelihood.by_lines import (
    LEARNED,
    JudgedByRules,
    LikelyCause,
    finding_by_lines,
    likelier_cause,
    likelihood_of,
    no_milder,
    read_text,
    shares_of,
)
from babysitter.diagnosis.judge.likelihood.likely_action import with_likely_action
from babysitter.diagnosis.judge.no_cause_found import DECISIVE, starts_at, without_a_cause
from babysitter.diagnosis.judge.nothing_wrong import (
    is_before_progress,
    is_trouble,
    quoted,
)
from babysitter.model.cause_info import about, leads_to
from babysitter.model.finding import (
    STANCE_PREFIX,
    ActionKind,
    Cause,
    Finding,
    Findings,
    Severity,
)
from babysitter.model.job import JobState
from babysitter.model.job_facts import JobFacts
from babysitter.model.learned_weights import LogReading
from babysitter.model.limits import Limits
from babysitter.model.verdict import Change, Diagnosis, Reason

SAME_PLACE_LINES = 3  # so close together, lines belong to one report and the more exact one counts
EARLIER_COUNTS = 0.12  # so much less may be said of a cause that stands before its effect
OLD_NEWS_FACTOR = 0.6  # a finding that the job went on after, held against a later bad end
RIVAL_SHARE = 0.8  # guess: of the root's weight, from which on another cause is worth naming


@dataclass(frozen=True, slots=True)
class WeightedFinding:
    """A finding and how much it says in the light of the facts."""

    finding: Finding
    weight: float

    @property
    def cause(self) -> Cause:
        return self.finding.cause


@dataclass(frozen=True, slots=True)
class RootCause:
    """A diagnosis, and the arguments that led to it."""

    diagnosis: Diagnosis
    reasons: tuple[Reason, ...]


def diagnose(findings: Findings, facts: JobFacts) -> Diagnosis:
    """The one cause held responsible for how the job stands; healthy when nothing is wrong."""
    return find_root_cause(findings, facts).diagnosis


def find_root_cause(findings: Findings, facts: JobFacts) -> RootCause:
    """As `diagnose`, with reasons. Pure; quadratic in the number of rules that matched, which is small."""
    standing, overcome, reasons = weight_of(findings, facts)
    root = _earliest_decisive(standing) if standing else None
    if root is not None:
        reasons += _why(root, standing)
        diagnosis = _conclude(root, standing, findings, facts)
    else:
        diagnosis = without_a_cause(findings, overcome, facts)
    verdict = JudgedByRules(
        diagnosis,
        root.finding if root else None,
        root.weight if root else 0.0,
        [(weighted.cause, weighted.weight) for weighted in standing],
        overcome,
    )
    by_text = read_text(verdict, findings, facts)
    shares = shares_of(verdict, findings, facts, by_text)
    likely = likelier_cause(verdict, shares, findings, facts)
    if likely is not None and findings.reading is not None:
        named = _by_lines(likely, verdict, standing, findings, findings.reading, facts)
        text = f"the wording of the log speaks for {likely.cause}, the rules for {diagnosis.cause}"
        reasons.append(Reason(f"{LEARNED}{likely.cause}", True, text))
        diagnosis = no_milder(named, diagnosis, facts)
    elif shares:
        diagnosis = replace(diagnosis, likelihood=likelihood_of(verdict, shares))
    if by_text is not None:
        diagnosis = with_likely_action(diagnosis, by_text.actions, facts)
    return RootCause(diagnosis, tuple(reasons))


def _by_lines(
    likely: LikelyCause,
    verdict: JudgedByRules,
    standing: Sequence[WeightedFinding],
    findings: Findings,
    reading: LogReading,
    facts: JobFacts,
) -> Diagnosis:
    """The diagnosis of the cause that lines name: from the weightiest finding of it, if one stands."""
    of_cause = [weighted for weighted in standing if weighted.cause is likely.cause]
    if of_cause:
        root = max(of_cause, key=lambda weighted: weighted.weight)
        return replace(_conclude(root, standing, findings, facts), likelihood=likely.likelihood)
    found = finding_by_lines(likely, reading, facts)
    diagnosis = _conclude(WeightedFinding(found, found.confidence), standing, findings, facts)
    others = () if verdict.root is None else (verdict.diagnosis.cause,)
    return replace(diagnosis, likelihood=likely.likelihood, rivals=others)


# --- weigh


def weight_of(
    findings: Findings, facts: JobFacts
) -> tuple[tuple[WeightedFinding, ...], tuple[Finding, ...], list[Reason]]:
    """Candidates for the root, what the job has overcome, and why."""
    standing: list[WeightedFinding] = []
    overcome: list[Finding] = []
    reasons: list[Reason] = []
    for finding in findings.all:
        if finding.is_consequence or not is_trouble(finding):
            continue
        if reason := _overcome(finding, facts):
            overcome.append(finding)
            reasons.append(Reason(f"{finding.rule}.overcome", True, reason))
            continue
        standing.append(WeightedFinding(finding, _weight(finding, facts)))
    for finding, rule in findings.cancelled:
        how = rule.removeprefix(STANCE_PREFIX)
        text = f"explained by {rule}" if how == rule else f"its lines are {how} and report nothing"
        reasons.append(Reason(f"{finding.rule}.explained", True, text))
    standing = [weighted for weighted in standing if not _yields(weighted, standing, facts)]
    standing = [weighted for weighted in standing if not _is_said_closer(weighted, standing)]
    standing = _without_repeats(standing, findings)
    if facts.state is JobState.KILLED and not _ended_by_failures(findings):
        standing = [weighted for weighted in standing if _survives_a_stop(weighted)]
    return tuple(standing), tuple(overcome), reasons


def _yields(weighed: WeightedFinding, standing: Sequence[WeightedFinding], facts: JobFacts) -> bool:
    """Whether a silence has a better reason: a failure that was reported after the last work."""
    if not about(weighed.cause).is_silent or facts.advanced_after is None or is_over(facts):
        return False
    is_quiet = (facts.last_line_age_s or 0.0) > Limits().pace_floor_s
    last = weighed.finding.last_position
    if last > facts.advanced_after or (last < 0 and not is_quiet):
        return False
    return any(
        other.finding.position > facts.advanced_after and other.finding.severity is Severity.FATAL
        for other in standing
        if not about(other.cause).is_silent
    )


def _is_said_closer(weighed: WeightedFinding, standing: Sequence[WeightedFinding]) -> bool:
    """Whether the words of the same line name a cause, and this only says that some code failed."""
    return _says_only_failure(weighed) and any(
        other.cause is not Cause.CODE_ERROR
        and (other.weight >= CONFIDENCE if is_guess(other.finding) else other.weight >= weighed.weight)
        and other.finding.position == weighed.finding.position
        for other in standing
    )


def _says_only_failure(weighed: WeightedFinding) -> bool:
    """Whether it only says that some code failed."""
    return weighed.cause is Cause.CODE_ERROR and weighed.weight < DECISIVE


def _without_repeats(standing: list[WeightedFinding], findings: Findings) -> list[WeightedFinding]:
    """Drop vague errors of code on lines that repeat a failure, if something decisive stands beside them."""
    repeats = {
        consequence.position
        for consequence in findings.all
        if consequence.is_consequence and consequence.position >= 0
    }
    others = [
        weighted
        for weighted in standing
        if not _says_only_failure(weighted) or weighted.finding.position not in repeats
    ]
    return others if any(other.weight >= DECISIVE for other in others) else standing


def _overcome(finding: Finding, facts: JobFacts) -> str:
    """Why this finding has no effect any more; "" = it stands."""
    if finding.rule == LEFT_OUT:
        return ""  # the success itself says what it lacks
    if facts.state is JobState.SUCCEEDED and not about(finding.cause).outlasts_success:
        return "the job succeeded"
    if _went_on_after(finding, facts) and not is_over(facts):
        return f"the job advanced after it (line {facts.advanced_after})"
    if finding.overcome_by and not is_over(facts):
        return finding.overcome_by
    if finding.cause is Cause.PREEMPTION and finding.last_position < 0 and _works(facts):
        return f"the job works again (line {facts.advanced_after})"
    return ""


def _works(facts: JobFacts) -> bool:
    """Whether the job runs, advances and is not quiet: preemptions that were counted are of the past."""
    is_quiet = (facts.last_line_age_s or 0.0) > Limits().pace_floor_s
    runs = facts.state is JobState.RUNNING and facts.advanced_after is not None
    return runs and not is_quiet


def _went_on_after(finding: Finding, facts: JobFacts) -> bool:
    if finding.cause is Cause.WORKER_CHURN and finding.count == 1:  # one death is no series
        return is_before_progress(finding, facts)
    return is_before_progress(finding, facts) and not about(finding.cause).outlasts_progress


def _weight(finding: Finding, facts: JobFacts) -> float:
    return finding.confidence * (OLD_NEWS_FACTOR if _went_on_after(finding, facts) else 1.0)


def _ended_by_failures(findings: Findings) -> bool:
    """Whether the cluster, and no person, killed the job: something else of it had failed."""
    consequences = [other for other in findings.all if other.is_consequence]
    return bool(consequences) and all(
        consequence.cause is not Cause.USER_CANCEL for consequence in consequences
    )


def _survives_a_stop(weighed: WeightedFinding) -> bool:
    """Of a stopped job only strong evidence of its own trouble counts: stopping breaks connections too."""
    is_clear = weighed.weight >= (CONFIDENCE if is_guess(weighed.finding) else DECISIVE)
    return is_clear and not about(weighed.cause).is_echo


# --- choose


def _earliest_decisive(standing: Sequence[WeightedFinding]) -> WeightedFinding:
    """The finding that comes before most others; ties go to the weightier, then to the earlier."""
    wins = [sum(_comes_before(one, other) for other in standing if other is not one) for one in standing]
    ranked = sorted(
        zip(wins, standing, strict=True),
        key=lambda pair: (-pair[0], -pair[1].weight, starts_at(pair[1].finding)),
    )
    return ranked[0][1]


def _comes_before(one: WeightedFinding, other: WeightedFinding) -> bool:
    """Whether `one` is the better answer of the two."""
    explains, explained = _explains(one, other), _explains(other, one)
    if explains != explained:
        return explains
    apart = abs(starts_at(one.finding) - starts_at(other.finding)) > SAME_PLACE_LINES
    both_decisive = one.weight >= DECISIVE and other.weight >= DECISIVE
    if both_decisive and apart:
        return starts_at(one.finding) < starts_at(other.finding)
    return one.weight > other.weight


def _explains(one: WeightedFinding, other: WeightedFinding) -> bool:
    """Whether `other` may be there because of `one`: it can, it is not earlier, `one` is believable."""
    if not leads_to(one.cause, other.cause):
        return False
    start, effect = starts_at(one.finding), starts_at(other.finding)
    if start == effect:  # two readings of the same line: the more exact one
        return one.weight >= other.weight
    if start > max(effect, other.finding.last_position) + SAME_PLACE_LINES:
        return False
    return one.weight >= DECISIVE or one.weight >= other.weight - (EARLIER_COUNTS if start < effect else 0.0)


def _why(root: WeightedFinding, standing: Sequence[WeightedFinding]) -> list[Reason]:
    reasons = []
    for other in standing:
        if other is root:
            continue
        if _explains(root, other):
            text = f"{root.cause} ({root.finding.rule}) explains {other.cause}"
        else:
            text = f"{root.cause} weighs {root.weight:.2f}, {other.cause} {other.weight:.2f}"
        reasons.append(Reason(f"{other.finding.rule}.not-the-root", True, text))
    return reasons


# --- conclude


def _conclude(
    root: WeightedFinding, standing: Sequence[WeightedFinding], findings: Findings, facts: JobFacts
) -> Diagnosis:
    same = [weighted for weighted in standing if weighted.cause is root.cause]
    others = [weighted for weighted in standing if weighted.cause is not root.cause]
    followed = [other.finding for other in others] + [
        consequence for consequence in findings.all if consequence.is_consequence
    ]
    finding = root.finding
    action = _most_demanding(root, same, facts)
    changes = _changes(finding) if action is ActionKind.RESTART_WITH_CHANGE else ()
    goes_on = root.cause is Cause.DISK_FULL and is_before_progress(finding, facts) and not is_over(facts)
    return Diagnosis(
        cause=root.cause,
        severity=Severity.DEGRADED if goes_on else severity_of(root.cause, facts, finding.severity),
        action=ActionKind.ESCALATE if goes_on and action.restarts else action,
        explanation=finding.explanation,
        confidence=_confidence(root, same, others),
        evidence=quoted([finding, *(weighted.finding for weighted in same if weighted is not root)]),
        cascade=quoted(sorted(followed, key=starts_at)),
        retry=finding.retry,
        rules=tuple(dict.fromkeys([finding.rule, *(weighted.finding.rule for weighted in same)])),
        machine=next(
            (finding.captures[key] for key in ("machine", "node", "host") if key in finding.captures), ""
        ),
        look_at=finding.look_at,
        advice=finding.advice,
        change=changes[0] if changes else None,
        further_changes=changes[1:],
        rivals=_rivals(root, others),
    )


def _changes(finding: Finding) -> tuple[Change, ...]:
    """What the rule says that a restart should set."""
    return tuple(Change(what, "", after, f"rule {finding.rule}") for what, after in finding.sets.items())


def _rivals(root: WeightedFinding, others: Sequence[WeightedFinding]) -> tuple[Cause, ...]:
    """Causes that speak nearly as clearly as the root and that it does not explain, the clearest first."""
    near = [
        other for other in others if other.weight >= RIVAL_SHARE * root.weight and not _explains(root, other)
    ]
    return tuple(
        dict.fromkeys(
            weighted.cause for weighted in sorted(near, key=lambda weighted_finding: -weighted_finding.weight)
        )
    )


def _most_demanding(root: WeightedFinding, same: Sequence[WeightedFinding], facts: JobFacts) -> ActionKind:
    """The root's action; a person is asked where another finding of the cause, as good, asks for one."""
    action = action_of(root.finding, facts)
    as_good = [weighted for weighted in same if weighted.weight >= root.weight - EARLIER_COUNTS * 2]
    asks = any(action_of(weighted.finding, facts) is ActionKind.ESCALATE for weighted in as_good)
    return ActionKind.ESCALATE if action is ActionKind.WAIT and asks else action


def _confidence(
    root: WeightedFinding, same: Sequence[WeightedFinding], others: Sequence[WeightedFinding]
) -> float:
    """The root's weight, a little more where other rules agree, less where a rival stays unexplained."""
    support = 0.05 * min(len(same) - 1, 2)
    rivals = [other for other in others if not _explains(root, other)]
    doubt = 0.15 * max((rival.weight / root.weight for rival in rivals), default=0.0) if root.weight else 0.0
    return round(min(max(root.weight + support - min(doubt, 0.15), 0.05), 0.97), 2)
