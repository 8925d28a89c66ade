"""One row for each way in which rules and an opinion can meet."""

import pytest

from babysitter.advisor.combine import combine, is_alarm, is_proven
from babysitter.advisor.material import RulesVerdict
from babysitter.model.finding import ActionKind, Cause, Evidence, Severity
from babysitter.model.opinion import NoOpinion, Opinion, Quote, Weighing
from babysitter.model.verdict import Diagnosis


def opinion(cause: str, action: str = "escalate") -> Opinion:
    return Opinion(Cause(cause), 0.8, "said so", (Quote("L1", "a line"),), ActionKind(action))


def rules(cause: str, action: str, *traits: str) -> RulesVerdict:
    return RulesVerdict(Cause(cause), ActionKind(action), "proven" in traits, "ended" in traits)


ROWS = [
    # rules' cause, action, traits | opinion's cause, action | weighing, displayed cause, displayed action
    ("host-oom escalate", "host-oom restart", "agreed host-oom escalate"),
    ("host-oom escalate", "host-oom ignore", "agreed host-oom escalate"),
    ("preemption wait", "preemption restart", "agreed preemption wait"),
    ("preemption wait ended", "preemption restart", "agreed preemption escalate"),
    ("host-oom escalate proven", "healthy ignore", "proof-stands host-oom escalate"),
    ("host-oom restart proven", "disk-full escalate", "proof-stands host-oom restart"),
    ("user-cancel ignore proven", "disk-full escalate", "proof-stands user-cancel ignore"),
    ("code-error restart ended", "healthy ignore", "proof-stands code-error restart"),
    ("code-error restart ended", "transient-noise ignore", "proof-stands code-error restart"),
    ("code-error restart ended", "user-cancel ignore", "watching user-cancel wait"),
    ("code-error restart ended", "preemption wait", "suspected preemption restart"),
    ("code-error restart", "unknown escalate", "undecided code-error restart"),
    ("code-error restart", "disk-full restart-with-change", "suspected disk-full restart"),
    ("code-error escalate", "disk-full restart", "suspected disk-full escalate"),
    ("stage-stuck restart", "healthy ignore", "watching healthy wait"),
    ("stage-stuck escalate", "slow-startup wait", "watching slow-startup wait"),
    ("stage-stuck escalate", "healthy restart", "watching healthy wait"),
    ("worker-churn escalate", "preemption wait", "watching preemption wait"),
    ("worker-churn escalate", "disk-full wait", "suspected disk-full escalate"),
    ("healthy ignore", "disk-full restart", "suspected disk-full escalate"),
    ("healthy ignore", "disk-full restart-with-change", "suspected disk-full escalate"),
    ("healthy ignore", "worker-churn escalate", "suspected worker-churn escalate"),
    ("healthy ignore", "slow-startup wait", "suspected slow-startup wait"),
    ("healthy ignore", "transient-noise ignore", "suspected transient-noise ignore"),
    ("healthy ignore", "transient-noise restart", "suspected transient-noise wait"),
    ("healthy ignore", "disk-full ignore", "suspected disk-full ignore"),
    ("capacity-wait wait", "unschedulable escalate", "suspected unschedulable escalate"),
    ("capacity-wait wait", "worker-churn escalate", "suspected worker-churn wait"),
    ("capacity-wait wait", "controller-unreachable escalate", "suspected controller-unreachable escalate"),
    ("capacity-wait wait", "healthy ignore", "suspected healthy wait"),
]


@pytest.mark.parametrize(("of_rules", "of_opinion", "displayed"), ROWS)
def test_combine_table(of_rules, of_opinion, displayed):
    combined = combine(rules(*of_rules.split()), opinion(*of_opinion.split()))
    assert f"{combined.weighing} {combined.cause} {combined.action}" == displayed
    changed = combined.weighing in (Weighing.SUSPECTED, Weighing.WATCHING)
    assert (combined.second == of_rules.split()[0]) == changed


def test_combine_without_an_opinion():
    combined = combine(rules("disk-full", "restart"), NoOpinion("nobody answered."))
    assert (combined.weighing, combined.cause, combined.action) == ("no-opinion", "disk-full", "restart")
    assert combined.no_opinion == "nobody answered."


@pytest.mark.parametrize("cause", Cause)
@pytest.mark.parametrize("suggested", ActionKind)
def test_combine_never_adds_a_restart(cause, suggested):
    for action in ActionKind:
        for traits in ((), ("ended",), ("proven",)):
            before = rules("network-timeout", action, *traits)
            after = combine(before, opinion(cause, suggested))
            assert after.action is action or not after.action.restarts
            if "proven" in traits:
                assert (after.cause, after.action) == (before.cause, before.action)
            if traits and is_alarm(action) and cause is not Cause.USER_CANCEL:
                assert after.action is action


SOURCES = [
    ("job /ada/dedup", None, True),
    ("job's error", None, True),
    ("dump of /ada/dedup/0", None, True),
    ("log", 12, False),
    ("/ada/dedup/0", 3, False),
    ("pending reason", None, False),
    ("progress", None, False),
]


@pytest.mark.parametrize(("source", "line", "proven"), SOURCES)
def test_proof_is_a_record_or_a_dump(source, line, proven):
    evidence = (Evidence("a line", source, line),)
    found = Diagnosis(Cause.HOST_OOM, Severity.FATAL, ActionKind.ESCALATE, "", 0.9, evidence)
    weaker = Diagnosis(Cause.HOST_OOM, Severity.FATAL, ActionKind.ESCALATE, "", 0.72, evidence)
    assert is_proven(found) is proven
    assert not is_proven(weaker)
    assert not is_proven(Diagnosis(Cause.UNKNOWN, Severity.FATAL, ActionKind.ESCALATE, "", 0.95))
