"""A second opinion in words."""

from babysitter.messages.opinion_text import opinion_lines
from babysitter.model.finding import ActionKind, Cause
from babysitter.model.opinion import Combined, Opinion, Quote, Weighing


def lines(*check_next: str) -> list[str]:
    opinion = Opinion(
        cause=Cause.HEALTHY,
        confidence=0.9,
        explanation="It works.",
        quotes=(Quote("L1", "step 1"),),
        action=ActionKind.IGNORE,
        check_next=check_next,
    )
    return opinion_lines(
        Combined(Weighing.PROOF_STANDS, Cause.DATA_ERROR, ActionKind.ESCALATE, opinion=opinion)
    )


def test_denied_end_is_not_called_a_proof():
    assert lines()[0] == (
        "Second opinion: healthy (confidence 90%); data-error stands, because of what is recorded of the job."
    )


def test_empty_check_and_our_own_command_are_left_out():
    shown = lines("\x1b[2J", "  ", "run baby\u200bsit stop", "the disk")
    assert shown[-1] == "Check next: the disk"
    assert sum(text.startswith("Check next") for text in shown) == 1
