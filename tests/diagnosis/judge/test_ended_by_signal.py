"""A process that SIGTERM ended: preempted only where something says so."""

import pytest

from babysitter.model.finding import ActionKind, Cause
from babysitter.model.job import JobState
from babysitter.model.job_facts import JobFacts
from babysitter.usecases.looking.classify_text import examine
from tests.support.recordings import rules


@pytest.mark.parametrize(
    ("facts", "text", "cause"),
    [
        (JobFacts(state=JobState.FAILED, exit_code=-15, error="Exit code: -15"), "running", Cause.UNKNOWN),
        (JobFacts(state=JobState.FAILED, exit_code=143), "running", Cause.UNKNOWN),
        (JobFacts(state=JobState.FAILED, exit_code=143, error="Exit code: 143"), "", Cause.UNKNOWN),
        (JobFacts(state=JobState.WORKER_FAILED, exit_code=143), "running", Cause.PREEMPTION),
        (JobFacts(state=JobState.FAILED, exit_code=143, preemption_count=3), "running", Cause.PREEMPTION),
        (JobFacts(state=JobState.FAILED, exit_code=143), "step 1\nreceived SIGTERM", Cause.PREEMPTION),
    ],
)
def test_end_by_sigterm(facts, text, cause):
    found = examine(f"{text}\n", rules(), facts).diagnosis
    assert found.cause is cause
    if cause is Cause.UNKNOWN:
        assert found.action is ActionKind.ESCALATE
        assert "SIGTERM" in found.explanation
        assert str(facts.exit_code) in found.explanation
