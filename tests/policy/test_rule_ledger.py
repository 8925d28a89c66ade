"""The precision ledger: each incident counts once, and a rule is demoted and restored by what people say."""

import pytest

from babysitter.diagnosis.causes.demotion import HINT, demote
from babysitter.model.finding import ActionKind, Cause, Finding, Findings, Severity
from babysitter.model.ids import IncidentId, RuleId
from babysitter.policy.rule_ledger import RuleLabel, demoted_rules, ledger_of

NOISY, GOOD = RuleId("net.reset"), RuleId("mem.killed")


def label(incident: int, *, was_right: bool, rule: RuleId = NOISY) -> RuleLabel:
    return RuleLabel(IncidentId(f"i-{incident}"), was_right, (rule,))


WRONG_THREE_TIMES = [label(number, was_right=False) for number in range(3)]


@pytest.mark.parametrize(
    ("labels", "demote_after", "is_demoted"),
    [
        (WRONG_THREE_TIMES, 3, True),
        (WRONG_THREE_TIMES, 4, False),
        (WRONG_THREE_TIMES, 0, False),  # switched off
        (WRONG_THREE_TIMES[:2], 3, False),  # undone once
        ([*WRONG_THREE_TIMES, *(label(number, was_right=True) for number in range(3, 6))], 3, False),
        ([*WRONG_THREE_TIMES, label(3, was_right=True)], 3, True),
        ([WRONG_THREE_TIMES[0]] * 5, 3, False),  # one incident, however many people
        ([*WRONG_THREE_TIMES, label(0, was_right=True)], 3, False),  # the newest word counts
        ([], 3, False),
    ],
)
def test_rule_is_demoted_by_what_people_say(labels, demote_after, is_demoted):
    assert (NOISY in demoted_rules(labels, demote_after=demote_after)) is is_demoted


def test_ledger_counts_incidents_and_words():
    incidents = [(NOISY,), (NOISY, GOOD), (GOOD,)]
    labels = [*WRONG_THREE_TIMES, label(9, was_right=True, rule=GOOD)]
    noisy, good = ledger_of(incidents, labels, demote_after=3)
    assert (noisy.rule, noisy.incidents, noisy.right, noisy.wrong) == (NOISY, 2, 0, 3)
    assert noisy.demoted.startswith("counts as a hint: people called it wrong 3 times and right 0 times")
    assert (noisy.precision, good.precision) == (0.0, 1.0)
    assert ledger_of([(GOOD,)], [], demote_after=3)[0].precision is None


def test_demoted_findings_are_hints():
    findings = Findings(
        tuple(
            Finding(rule, Cause.HOST_OOM, Severity.FATAL, ActionKind.RESTART, "", (), confidence=confidence)
            for rule, confidence in ((NOISY, 0.9), (GOOD, 0.9), (NOISY, 0.4))
        )
    )
    lowered, reasons = demote(findings, {NOISY: "wrong too often"})
    assert [finding.confidence for finding in lowered.all] == [HINT, 0.9, 0.4]
    assert [(reason.name, reason.text) for reason in reasons] == [("net.reset.demoted", "wrong too often")]
    assert demote(findings, {}) == (findings, ())
