"""Which rules are the user's own: those of any folder but the shipped one."""

from dataclasses import replace
from pathlib import Path

from babysitter.diagnosis.causes.file_position import FilePosition
from babysitter.diagnosis.causes.rules_in_force import Playbook
from babysitter.playbook.load import load
from babysitter.shipped import shipped


def test_the_shipped_rules_are_nobodys_own():
    assert load().own_rules == frozenset()


def test_a_rule_of_a_folder_beside_the_shipped_one_is_own():
    first, second = load().placed[:2]
    beside = replace(first, place=FilePosition(Path(f"{shipped()}-own") / "app.yaml", 3))
    assert Playbook((beside, second)).own_rules == {first.rule.id}
