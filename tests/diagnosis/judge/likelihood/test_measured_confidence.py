"""Confidence as a frequency: it rises with the weight; calm and unknown verdicts have their limits."""

import pytest

from babysitter.diagnosis.causes.guess import CONFIDENCE
from babysitter.diagnosis.causes.signature_files import STRENGTHS
from babysitter.diagnosis.judge.likelihood.measured_confidence import (
    MOST_CALM,
    MOST_HEALTHY,
    NOT_KNOWN,
    as_measured,
    share_right,
)
from babysitter.messages.diagnosis_words import certainty_of
from babysitter.model.finding import ActionKind, Cause, Severity
from babysitter.model.ids import RuleId
from babysitter.model.verdict import UNSURE_BELOW, Diagnosis


@pytest.mark.parametrize(
    ("weight", "word"),
    [
        (STRENGTHS["proof"], "Sure"),
        (STRENGTHS["sign"], "Probable"),
        (STRENGTHS["hint"], "Possible"),
        (STRENGTHS["guess"], "A guess"),
        (CONFIDENCE, "A guess"),
    ],
)
def test_share_right_of_a_strength_has_its_word(weight, word):
    assert certainty_of(share_right(weight)) == word


def test_share_right_rises_with_the_weight():
    shares = [share_right(hundredths / 100) for hundredths in range(101)]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("cause", "told"),
    [
        (Cause.HEALTHY, MOST_HEALTHY),
        (Cause.TRANSIENT_NOISE, MOST_CALM),
        (Cause.UNKNOWN, NOT_KNOWN),
        (Cause.HOST_OOM, share_right(0.95)),
    ],
)
def test_as_measured_knows_the_cause(cause, told):
    diagnosis = Diagnosis(cause, Severity.FATAL, ActionKind.ESCALATE, "because", 0.95)
    assert as_measured(diagnosis).confidence == told


def test_unsure_is_all_below_a_hint_that_names_its_cause():
    hint = STRENGTHS["hint"]
    assert share_right(0.9 * hint) < UNSURE_BELOW <= share_right(hint)  # 0.9: its cause was not seen


@pytest.mark.parametrize(
    ("rule", "words_read", "word"),
    [
        ("learned.auth-error", 2, "A guess"),
        ("learned.auth-error", 9, "Probable"),
        ("words.auth-error", 19, "Probable"),
        ("learned.auth-error", 20, "Sure"),
        ("learned.auth-error", None, "Sure"),  # not a text: nobody counted
        ("auth.not-allowed", 2, "Sure"),  # a rule knows the line, however short it is
    ],
)
def test_few_words_make_a_verdict_by_wording_less_sure(rule, words_read, word):
    by_wording = Diagnosis(
        Cause.AUTH_ERROR,
        Severity.FATAL,
        ActionKind.ESCALATE,
        "",
        0.48,
        rules=(RuleId(rule),),
        likelihood=0.99,
    )
    assert certainty_of(as_measured(by_wording, words_read).confidence) == word
