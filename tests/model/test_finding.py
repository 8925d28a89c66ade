"""Findings and their places."""

import pytest

from babysitter.model.finding import ActionKind, Cause, Evidence, Finding, Severity
from babysitter.model.ids import RuleId


def finding(position: int, last: int, *numbers: int | None) -> Finding:
    evidence = tuple(Evidence("a line", "log", number) for number in numbers)
    return Finding(
        RuleId("some.rule"),
        Cause.UNKNOWN,
        Severity.FATAL,
        ActionKind.ESCALATE,
        "because",
        evidence,
        position=position,
        last_position=last,
    )


@pytest.mark.parametrize(
    ("before", "lines", "after"),
    [
        (finding(2, 4, 3, 5), 10, finding(12, 14, 13, 15)),
        (finding(2, 4, 3, 5), -2, finding(0, 2, 1, 3)),
        (finding(2, 4, 3, None), -3, finding(0, 1, None, None)),
        (finding(2, 4, 3, 5), -9, finding(-1, -1, None, None)),
        (finding(-1, -1, None), 10, finding(-1, -1, None)),
    ],
    ids=["later", "earlier", "begins before", "ends before", "no line"],
)
def test_a_finding_moves_with_its_evidence(before: Finding, lines: int, after: Finding) -> None:
    assert before.moved(lines) == after
