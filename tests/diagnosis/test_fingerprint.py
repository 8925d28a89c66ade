"""Fingerprints: the same incident seen twice is recognised, another one is not."""

import json
from dataclasses import replace

import pytest

from babysitter.diagnosis.fingerprint import fingerprint_of
from babysitter.diagnosis.similarity import SAME, SIMILAR, is_telling, similarity, terms_of
from babysitter.diagnosis.text_observation import observation_of_text
from babysitter.model.finding import ActionKind, Cause, Evidence, Severity
from babysitter.model.job import JobState
from babysitter.model.job_facts import JobFacts
from babysitter.model.memory import Memory
from babysitter.model.past_incident import Fingerprint
from babysitter.model.phase import Phase
from babysitter.model.verdict import Diagnosis, ProgressSummary, Verdict
from babysitter.store.repositories.incident_index import IncidentIndex
from tests.support.twin_logs import twin_logs

RESET = "worker-12: read from store-3.internal failed: connection reset after 31 s, block 9f03ab77c1 is lost"
RESET_AGAIN = (
    "worker-7: read from store-9.internal failed: connection reset after 8 s, block 17ce00b21 is lost"
)


def fingerprint(log: str, *quoted: str, cause: Cause = Cause.UNKNOWN) -> Fingerprint:
    """The fingerprint of a failed job with this log, of which the verdict quotes these lines."""
    evidence = tuple(Evidence(text, "log") for text in quoted)
    diagnosis = Diagnosis(cause, Severity.FATAL, ActionKind.ESCALATE, "It failed.", evidence=evidence)
    verdict = Verdict(Phase.FAILING, Memory(), 60.0, ProgressSummary(""), diagnosis)
    return fingerprint_of(verdict, observation_of_text(log, JobFacts(state=JobState.FAILED)))


def test_fingerprint_leaves_out_what_changes():
    one, other = fingerprint(RESET, RESET), fingerprint(RESET_AGAIN, RESET_AGAIN)
    assert one.key == other.key
    assert one.templates == other.templates
    assert one.decisive == other.decisive
    assert not any(changing in str(one) for changing in ("12", "9f03", "store-3", "31"))


def test_fingerprint_ignores_the_order_of_lines():
    lines = ["cannot open the ledger of payments: locked by another writer", RESET]
    forwards, backwards = (fingerprint("\n".join(order), *order) for order in (lines, lines[::-1]))
    assert forwards.key == backwards.key


def test_fingerprint_does_not_read_the_cause():
    assert fingerprint(RESET, RESET, cause=Cause.HOST_OOM) == fingerprint(RESET, RESET)


def test_fingerprint_names_the_innermost_frames():
    log = twin_logs(1)[0].first
    found = fingerprint(log)
    last = [line for line in log.splitlines() if line.startswith("  File")][-1]
    assert found.frames[0] == f"{last.split('/')[-1].split(chr(34))[0]}:{last.split()[-1]}"
    assert found.exceptions


def test_fingerprint_without_observation_uses_the_memory():
    evidence = (Evidence(RESET, "log"),)
    diagnosis = Diagnosis(Cause.UNKNOWN, Severity.FATAL, ActionKind.ESCALATE, "", evidence=evidence)
    verdict = Verdict(Phase.FAILING, Memory(kind="training"), 60.0, ProgressSummary(""), diagnosis)
    found = fingerprint_of(verdict)
    assert (found.program, found.decisive) == ("training", fingerprint(RESET, RESET).decisive)


@pytest.mark.parametrize(
    ("one", "other", "low", "high"),
    [
        (RESET, RESET_AGAIN, SAME, 1.0),
        (RESET, "worker-7: write to store-9.internal failed: connection reset after 8 s", SIMILAR / 2, SAME),
        (RESET, "ValueError: the number of heads must divide the width of the model", 0.0, SIMILAR / 2),
        ("state failed", "state failed", 0.0, 0.0),  # says nothing: never "seen before"
        ("", "", 0.0, 0.0),
    ],
)
def test_similarity_of_two_lines(one: str, other: str, low: float, high: float):
    likeness = similarity(fingerprint(one, one), fingerprint(other, other))
    assert low <= likeness <= high
    assert likeness == similarity(fingerprint(other, other), fingerprint(one, one))


def test_short_evidence_is_not_telling():
    assert not is_telling(fingerprint("exit code 137", "exit code 137"))
    assert is_telling(fingerprint(RESET, RESET))
    assert is_telling(replace(Fingerprint(""), frames=("a.py:f",)))


def test_terms_weigh_decisive_words_more():
    terms = terms_of(fingerprint(f"opened the ledger\n{RESET}", RESET))
    assert terms["reset"] > terms["ledger"] > 0


def test_the_twin_is_found_first():
    pairs = twin_logs(12)
    prints = {
        f"{pair.name}/{number}": fingerprint(log, log.splitlines()[-1])
        for pair in pairs
        for number, log in enumerate((pair.first, pair.second))
    }
    index = IncidentIndex()
    index.add((name, json.dumps(terms_of(found))) for name, found in prints.items())
    for pair in pairs:
        asked = terms_of(prints[f"{pair.name}/1"])
        assert index.search(asked, at_most=1, leave_out=[f"{pair.name}/1"])[0].id == f"{pair.name}/0"
    index.close()
