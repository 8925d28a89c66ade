"""Preflight agrees with what the real `iris job run` of May did."""

import pytest

from babysitter.preflight.preflight_finding import blocking
from babysitter.preflight.run import check_submission
from tests.support.real_commands import ACCEPTED, DOOMED, ONLY_THE_CONTROLLER_KNOWS, REFUSED, Measured
from tests.support.submissions import command_facts


@pytest.mark.parametrize("row", [*REFUSED, *ACCEPTED, *DOOMED], ids=lambda row: row.line)
def test_real_command(row: Measured):
    found = check_submission(command_facts(row.line))
    assert {finding.id for finding in blocking(found)} == set(row.blocks)
    assert {finding.id for finding in found if not finding.blocks} == set(row.warns)


def test_every_refusal_is_foreseen():
    assert all(row.exit_code and row.blocks and row.words for row in REFUSED)
    assert all(row.exit_code == 0 and not row.blocks for row in ACCEPTED)


@pytest.mark.parametrize("row", ONLY_THE_CONTROLLER_KNOWS, ids=lambda row: row.line)
def test_scale_groups_are_not_guessed(row: Measured):
    assert check_submission(command_facts(row.line)) == ()
