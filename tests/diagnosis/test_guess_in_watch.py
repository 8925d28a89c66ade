"""Guesses of a watch from look to look, and of a text at once."""

from dataclasses import replace

from babysitter.diagnosis.causes.guess import is_guess
from babysitter.diagnosis.pipeline import judge
from babysitter.model.finding import ActionKind, Cause
from babysitter.model.job import JobState
from babysitter.model.job_facts import JobFacts
from babysitter.usecases.looking.classify_text import examine
from tests.support.build import watch
from tests.support.jobs import look, raw, tree
from tests.support.recordings import rules

REPORT = "the flux ledger was garbled and could not be decoded"
WORK = ("wrote the index to disk", "next file opened", "merging the index")


def _look(before, seconds, *texts, root=JobState.RUNNING):
    lines = [raw(seconds - 5, text) for text in texts]
    verdict = judge(before, look(seconds, tree(root=root), *lines), rules())
    return replace(before, memory=verdict.memory), verdict


def _guesses(verdict):
    return [finding for finding in verdict.memory.findings if is_guess(finding)]


def test_guess_in_watch_is_remembered_and_is_a_signal() -> None:
    now, verdict = _look(watch(kind="plain"), 60, "hello", REPORT)
    assert [guess.position for guess in _guesses(verdict)] == [1]
    assert "By the wording of its lines" in verdict.signals[0].explanation
    _, verdict = _look(now, 90)
    assert len(_guesses(verdict)) == 1


def test_evidence_of_a_watch_counts_lines_as_positions_do() -> None:
    killed = "ModuleNotFoundError: No module named 'flash_attn'"
    now, _ = _look(watch(kind="plain"), 60, "hello", *WORK)
    now, _ = _look(now, 90, "next", killed)
    _, verdict = _look(now, 120, "again", killed)
    finding = next(found for found in verdict.memory.findings if not is_guess(found))
    assert (finding.position, finding.last_position) == (5, 7)
    assert [line.line_number for line in finding.evidence] == [6, 8]


def test_guess_in_watch_ends_with_normal_work() -> None:
    now, _ = _look(watch(kind="plain"), 60, "hello", REPORT)
    _, verdict = _look(now, 90, *WORK)
    assert _guesses(verdict) == []
    assert verdict.signals == ()


def test_guess_in_watch_stays_when_little_follows() -> None:
    now, _ = _look(watch(kind="plain"), 60, "hello", REPORT)
    _, verdict = _look(now, 90, *WORK[:2])
    assert len(_guesses(verdict)) == 1


def test_guess_in_watch_of_an_end_reads_earlier_lines() -> None:
    now, _ = _look(watch(kind="plain"), 60, "hello", REPORT)
    _, verdict = _look(now, 90, root=JobState.FAILED)
    assert verdict.diagnosis is not None
    assert (verdict.cause, verdict.action) == (Cause.DATA_ERROR, ActionKind.RESTART_WITH_CHANGE)
    assert verdict.diagnosis.explanation.startswith("By the wording of its lines")
    assert verdict.diagnosis.evidence[0].text == REPORT


def test_guess_of_a_text_agrees_with_a_watch() -> None:
    examined = examine(f"hello\n{REPORT}\n", rules(), JobFacts(state=JobState.FAILED))
    assert (examined.diagnosis.cause, examined.diagnosis.action) == (
        Cause.DATA_ERROR,
        ActionKind.RESTART_WITH_CHANGE,
    )
    assert [line.line_number for line in examined.diagnosis.evidence] == [2]


def test_guess_of_a_living_text_escalates() -> None:
    diagnosis = examine(f"hello\n{REPORT}\n", rules()).diagnosis
    assert (diagnosis.cause, diagnosis.action) == (Cause.DATA_ERROR, ActionKind.ESCALATE)
    calm = examine("\n".join(["hello", REPORT, *WORK]), rules()).diagnosis
    assert calm.action is ActionKind.IGNORE


def test_unknown_words_of_a_living_text_are_unknown() -> None:
    diagnosis = examine("hello\nERROR the flux gate zorked\n", rules()).diagnosis
    assert (diagnosis.cause, diagnosis.action) == (Cause.UNKNOWN, ActionKind.ESCALATE)


def test_guess_that_stands_is_told_without_proof() -> None:
    now, verdict = _look(watch(kind="plain"), 60, "hello", REPORT)
    assert verdict.diagnosis is None
    for seconds in range(90, 420, 30):
        now, verdict = _look(now, seconds)
    assert verdict.diagnosis is not None
    assert (verdict.cause, verdict.severity) == (Cause.DATA_ERROR, "degraded")
    assert verdict.action is ActionKind.ESCALATE


def test_unusual_exception_is_quoted_with_its_name() -> None:
    frame = '  File "x.py", line 7, in f\n    go()'
    text = f"Traceback (most recent call last):\n{frame}\nRelayGone: the relay went dark\n"
    evidence = examine(text, rules(), JobFacts(state=JobState.FAILED)).diagnosis.evidence
    assert "RelayGone: the relay went dark" in [line.text for line in evidence]
