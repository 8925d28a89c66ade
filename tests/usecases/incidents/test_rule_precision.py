"""The ledger by signature: a signature that means a cause is a rule of its own."""

from babysitter.diagnosis.causes.rules_in_force import Playbook
from babysitter.diagnosis.causes.signature_files import Signature
from babysitter.model.ids import RuleId
from babysitter.policy.rule_ledger import RuleRecord
from babysitter.usecases.incidents.rule_precision import by_signature

RESET = Signature(lines=("connection reset by {host}",))


def test_ledger_by_signature_adds_up():
    playbook = Playbook((), signatures={"net.reset": RESET, "net.other": RESET})
    records = [RuleRecord(RuleId("net.reset"), 2, 1, 1), RuleRecord(RuleId("gone.rule"), 5, 0, 5)]
    (found,) = by_signature(records, playbook)
    assert (found.rule, found.incidents, found.right, found.wrong) == ("net.reset", 2, 1, 1)
