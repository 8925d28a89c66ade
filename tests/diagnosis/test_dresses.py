"""A log keeps its verdict whatever program shows it."""

from babysitter.model.job import JobState
from babysitter.model.job_facts import JobFacts
from babysitter.usecases.looking.classify_text import examine
from tests.support.dresses import DRESSES
from tests.support.metamorphic import last_word, pairs
from tests.support.recordings import rules

MAX_CHANGED = 0.02
EVERY = 9  # of the pairs of a program and a failure
MAX_LINES = 6  # of the end of each log
FAILED = JobFacts(state=JobState.FAILED, exit_code=1)


def _cause(text: str) -> str:
    return examine(text, rules(), FAILED).diagnosis.cause


def test_a_log_in_another_dress_keeps_its_cause():
    shown = [last_word(program, failure) for program, failure in tuple(pairs())[::EVERY]]
    logs = ["\n".join(log.splitlines()[-MAX_LINES:]) for log in shown]
    before = {log: _cause(log) for log in logs}
    changed = [
        f"{name}: {log.splitlines()[-1][:80]}"
        for name, dress in DRESSES.items()
        for log in logs
        if _cause("\n".join(dress(log.splitlines())) + "\n") != before[log]
    ]
    assert len(changed) <= MAX_CHANGED * len(logs) * len(DRESSES), changed
