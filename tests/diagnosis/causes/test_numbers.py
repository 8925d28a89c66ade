"""A number in a line that says all is well is no cause, whatever it is: counts pass through every code."""

import pytest

from babysitter.diagnosis.causes.match_rules import classify_text
from babysitter.model.finding import Severity
from babysitter.model.job import JobState
from babysitter.model.job_facts import JobFacts
from tests.support.recordings import rules

HEAD = "I20261120 19:45:21 zephyr.execution"
HEALTHY = (
    f"{HEAD} [20261120-194436-86827518] [stage0-Map → Scatter] {{n}}/4000 complete, {{n}} in-flight, "
    "{n} queued, {n}/{n} workers alive, 0 dead; items={n} ({n}.1/s), bytes_processed={n} bytes ({n} bytes/s)",
    f"{HEAD} [stage0-Map → Scatter] {{n}}/4000 tasks completed",
    f"{HEAD} [w-{{n}}] Executing task for stage stage0-Map → Scatter shard {{n}} (attempt 0)",
    f"{HEAD} [w-{{n}}] Task for shard {{n}} completed in {{n}}.52 seconds",
    f"{HEAD} Worker zephyr-dedup-4f1c2a7b-p0-workers-a0-{{n}} registered, total: {{n}}",
    "step {n}: loss 2.{n}, {n} tokens/s",
    "saved checkpoint step-{n} ({n} MB)",
)


@pytest.mark.parametrize("line", HEALTHY)
def test_no_count_is_taken_for_a_code(line):
    text = "\n".join(line.format(n=n) for n in range(1200))
    findings = classify_text(text, rules(), JobFacts(state=JobState.RUNNING))
    assert [finding.rule for finding in findings.all if finding.severity >= Severity.DEGRADED] == []
