"""One row per cause, and the only table of facts about causes."""

import re
from pathlib import Path

import pytest
import yaml

from babysitter.model.cause_info import CauseFact, about, leads_to, parse_causes
from babysitter.model.finding import ActionKind, Cause, Severity
from babysitter.shipped import shipped

SOURCE = Path(__file__).parents[2] / "src" / "babysitter"
SET_OF_CAUSES = re.compile(r"(?:frozenset|set)\([\[({]\s*Cause\.|\{\s*Cause\.\w+,|\{\s*Cause\.\w+: ")


def rows():
    return yaml.safe_load((shipped() / "causes.yaml").read_text())


@pytest.mark.parametrize("cause", Cause)
def test_cause_row_is_complete(cause):
    row = about(cause)
    assert row.title
    assert row.explain.endswith(".")
    assert row.advice or row.is_benign or cause is Cause.JOB_GONE


@pytest.mark.parametrize("cause", Cause)
def test_cause_row_does_not_contradict_itself(cause):
    row = about(cause)
    assert not (row.repeat_works and row.repeat_fails)
    assert row.is_benign == (row.severity is Severity.BENIGN)
    assert not (row.is_benign and row.action.restarts)
    assert not (row.repeat_fails and row.action is ActionKind.RESTART)


def test_cause_title_in_plain_words():
    assert about(Cause.HOST_OOM).title == "Out of memory"
    assert len({about(cause).title for cause in Cause}) == len(Cause)


def test_any_end_stands_for_every_echo():
    echoes = {cause for cause in Cause if about(cause).is_echo}
    assert echoes
    assert all(leads_to(Cause.HOST_OOM, echo) for echo in echoes)
    assert not any(leads_to(echo, Cause.HOST_OOM) for echo in echoes)


def test_cause_without_a_row_is_refused():
    document = rows()
    del document["causes"]["disk-full"]
    with pytest.raises(ValueError, match="no row for disk-full"):
        parse_causes(document)


def test_cause_whose_repeat_works_and_fails_is_refused():
    document = rows()
    document["causes"]["disk-full"]["facts"] = [CauseFact.REPEAT_WORKS.value, CauseFact.REPEAT_FAILS.value]
    with pytest.raises(ValueError, match="disk-full works and that it fails"):
        parse_causes(document)


def test_facts_about_causes_stand_in_one_table():
    """No set or mapping of causes anywhere else (pairs of two in a condition are no table)."""
    found = [
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        if "sim" not in path.parts and SET_OF_CAUSES.search(path.read_text())
    ]
    assert not found
