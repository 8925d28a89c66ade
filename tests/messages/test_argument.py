"""A verdict as a short argument: for, against, what would change it."""

from dataclasses import replace

import pytest

from babysitter.messages.argument import argument_lines
from babysitter.model.finding import Cause, Evidence
from babysitter.model.ids import RuleId
from babysitter.model.memory import Memory
from babysitter.model.phase import Phase
from babysitter.model.verdict import ProgressSummary, Reason, Signal, SignalKind, Verdict
from tests.support.build import NOON, diagnosis

REASONS = (
    Reason("zombie.two-dumps", True, "two dumps agree"),
    Reason("zombie.silent", False, "its newest report is 3 s old"),
    Reason("stuck.quiet", False, "nothing completed for 3 s (told from 900 s on)"),
    Reason("stuck.log-seen", False, "the log was not read"),
    Reason("disk.full.not-the-root", True, "zombie-coordinator weighs 0.90, disk-full 0.58"),
)
CALM = Verdict(Phase.STEADY, Memory(), 30.0, ProgressSummary("it runs"), reasons=REASONS[1:4])


def test_argument_of_a_cause():
    found = replace(
        diagnosis(Cause.ZOMBIE_COORDINATOR),
        evidence=(Evidence("shutdown\ncomplete", "/ada/a/0"),),
        rules=(RuleId("measured.zombie"),),
    )
    lines = list(argument_lines(replace(CALM, diagnosis=found, reasons=REASONS)))
    assert lines[:6] == [
        "For:",
        "  - shutdown complete (/ada/a/0)",
        "  - two dumps agree",
        "Against:",
        "  - its newest report is 3 s old",
        "  - zombie-coordinator weighs 0.90, disk-full 0.58",
    ]
    assert lines[6].startswith("How sure: ")
    assert lines[7].startswith("What would change it: the end of the job")


def test_argument_of_a_calm_verdict():
    signal = Signal(SignalKind.QUIET, NOON, "no line for 40 s")
    lines = list(argument_lines(replace(CALM, signals=(signal,))))
    assert lines[:5] == [
        "For:",
        "  - zombie: its newest report is 3 s old",
        "  - stuck: nothing completed for 3 s (told from 900 s on)",
        "Against:",
        "  - quiet: no line for 40 s",
    ]


@pytest.mark.parametrize(
    ("cause", "told"),
    [
        (Cause.UNKNOWN, "a signature for the lines quoted"),
        (Cause.SLOW_STARTUP, "a failure with no normal work after it"),
        (Cause.HOST_OOM, "normal work of the same process"),
    ],
)
def test_argument_says_what_would_change_it(cause, told):
    *_, last = argument_lines(replace(CALM, diagnosis=diagnosis(cause)))
    assert told in last
