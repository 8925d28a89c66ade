"""A diagnosis in words: the sentence with the exception, what to do, how sure."""

from dataclasses import replace

import pytest

from babysitter.messages.diagnosis_words import how_sure, sentence_of, what_to_do
from babysitter.model.finding import ActionKind, Cause, Evidence, Severity
from babysitter.model.ids import RuleId
from babysitter.model.verdict import Change, Diagnosis

PROOF = Diagnosis(
    Cause.AUTH_ERROR,
    Severity.FATAL,
    ActionKind.RESTART_WITH_CHANGE,
    "Credentials have expired. The token is older than a day.",
    0.9,
    (Evidence("boto.exceptions.ClientError: An error occurred (Expired).", "run.log", 7),),
    rules=(RuleId("auth.expired"),),
    advice="Renew them.",
)
GUESS = replace(PROOF, confidence=0.48, rules=(RuleId("words.auth-error"),), evidence=())
RAISED = replace(
    GUESS,
    cause=Cause.CODE_ERROR,
    explanation="The program ended with an unhandled exception.",
    evidence=(Evidence("KeyError: 'text'", "run.log", 9),),
    rules=(RuleId("python.unhandled"),),
)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("E ada.store.StoreError: no such shelf", "(StoreError: no such shelf)"),
        ("google.api_core.exceptions.PermissionDenied: 403 no", "(PermissionDenied: 403 no)"),
        ("KeyError", "(KeyError)"),
        ("ada.pipeline.BadManifest: 12 files, 11 found", "(BadManifest: 12 files, 11 found)"),
        ("panic: index out of range [5]", "(panic: index out of range [5])"),
        ("see ada.pipeline.BadManifest: it holds the files", ""),
        ("OSError: Credentials have expired. The token", "(OSError)"),
        ("while calling /a.Service/PollForError: {x}", ""),
        ("see https://example.org/KeyError: nothing", ""),
        ("all is lost", ""),
    ],
)
def test_sentence_holds_the_exception(line, told):
    sentence = sentence_of(replace(PROOF, evidence=(Evidence(line, "run.log", 7),)))
    assert sentence == f"Credentials have expired{' ' * bool(told)}{told}. The token is older than a day."


def test_sentence_cuts_a_long_exception():
    line = "ValueError: " + "word " * 80
    assert len(sentence_of(replace(PROOF, evidence=(Evidence(line, "run.log", 7),)))) < 220


def test_sentence_says_that_it_is_a_guess():
    assert sentence_of(GUESS).startswith("A guess: credentials have expired")
    assert "guess" not in sentence_of(PROOF).lower()
    assert "guess" not in sentence_of(replace(GUESS, cause=Cause.UNKNOWN)).lower()


@pytest.mark.parametrize(("confidence", "is_sure"), [(0.49, False), (0.5, True)])
def test_that_nothing_is_wrong_may_be_a_guess(confidence, is_sure):
    calm = Diagnosis(
        Cause.HEALTHY,
        Severity.BENIGN,
        ActionKind.IGNORE,
        "Nothing is wrong.",
        confidence,
        likelihood=0.2,
    )
    assert (sentence_of(calm) == "Nothing is wrong.") is is_sure
    assert (what_to_do(calm) == "Nothing.") is is_sure
    assert ("no line reports a failure" in how_sure(calm)) is is_sure


@pytest.mark.parametrize(
    ("change", "is_said"),
    [
        ({}, False),  # the log says it
        ({"evidence": ()}, True),
        ({"rules": (RuleId("learned.code-error"),)}, True),  # whose exception it is, is not known
        ({"cause": Cause.DATA_ERROR}, True),  # that the data led to it is a guess
    ],
)
def test_what_the_log_says_is_not_called_a_guess(change, is_said):
    raised = replace(RAISED, **change)
    assert ("guess" in sentence_of(raised).lower()) is is_said
    assert ("guess" in what_to_do(raised)) is is_said


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({}, "Renew them. Unchanged, the same submission fails again."),
        ({"advice": "Renew them, then submit again."}, "Renew them, then submit again."),
        ({"action": ActionKind.IGNORE}, "Nothing."),
        ({"action": ActionKind.ESCALATE}, "Renew them."),
        ({"action": ActionKind.WAIT}, "Wait. Renew them."),
        ({"action": ActionKind.RESTART}, "Renew them. Then start it again."),
        (
            {"action": ActionKind.RESTART, "cause": Cause.BAD_ACCELERATOR},
            "Renew them. Then start it again; the same submission is likely to work.",
        ),
        ({"action": ActionKind.RESTART, "cause": Cause.PREEMPTION}, "Start it again; the same submission is"),
        (
            {"action": ActionKind.RESTART, "confidence": 0.4},
            "Read the lines quoted first: the cause is a guess. If it is right: renew them. Then start it",
        ),
        (
            {"change": Change("memory", "5GB", "10GB", "peak 4.9GB")},
            "Change memory from 5GB to 10GB (peak 4.9GB).",
        ),
    ],
)
def test_what_to_do_names_the_next_step(change, told):
    assert what_to_do(replace(PROOF, **change)).startswith(told)


def test_what_to_do_takes_the_advice_of_the_cause():
    assert "permission" in what_to_do(replace(PROOF, advice=""))


@pytest.mark.parametrize(
    ("diagnosis", "told"),
    [
        (PROOF, "Sure (90%): only this fault prints such a line."),
        (replace(PROOF, confidence=0.7, rivals=(Cause.HOST_OOM,)), "it could also be host-oom."),
        (replace(PROOF, confidence=0.7), "Possible (70%)"),
        (replace(PROOF, likelihood=0.9), "nearly all earlier incidents that read like this had this cause."),
        (replace(PROOF, likelihood=0.9, is_proven=True), "only this fault prints such a line."),
        (replace(RAISED, rules=(RuleId("python.unhandled"),)), "no line says what led to it."),
        (replace(PROOF, evidence=()), "states and counters show it."),
        (GUESS, "A guess (48%): only its words point there; no rule knows the line."),
        (replace(GUESS, confidence=0.92), "most logs of earlier incidents with such lines meant this;"),
        (replace(PROOF, cause=Cause.UNKNOWN), "The cause is not known: nothing that was read names one."),
        (replace(PROOF, rules=(RuleId("suspected.zombie-like"),)), "a second one confirms or refutes it."),
    ],
)
def test_how_sure_gives_a_word_and_a_reason(diagnosis, told):
    assert told in how_sure(diagnosis)
