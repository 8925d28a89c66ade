"""A day of healthy logs of every kind: nothing is said that anybody would have to read."""

import random
from dataclasses import replace

import pytest

from babysitter.backends.iris.answers.decode import log_batch
from babysitter.backends.recording.format import Recording, read_recording
from babysitter.diagnosis.causes.match_rules import classify_text
from babysitter.diagnosis.pipeline import judge
from babysitter.model.finding import Severity
from babysitter.model.job import JobState
from babysitter.model.job_facts import JobFacts
from babysitter.model.log import LogSource
from babysitter.model.phase import Phase
from tests.support.build import watch as made_watch
from tests.support.healthy import PROGRAMS
from tests.support.jobs import look, pipeline, tree
from tests.support.recordings import FIXTURES, rules

DAY_S = 24 * 3600
LOOK_S = 600
HEALTHY = ("01-plain-success", "07-zephyr-healthy", "11-zephyr-two-pipelines")


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_healthy_day_is_silent(name: str) -> None:
    chance, watch = random.Random(name), made_watch(Phase.PENDING)
    jobs = pipeline(count=30) if name == "pipeline" else ()
    alarms: list[tuple[float, str]] = []
    phases: set[Phase] = set()
    for now in range(LOOK_S, DAY_S + LOOK_S, LOOK_S):
        lines = sorted(PROGRAMS[name](chance, now - LOOK_S, now), key=lambda line: line.at_ms)
        verdict = judge(watch, look(now, tree(*jobs), *lines), rules())
        loud = [finding for finding in verdict.memory.findings if finding.severity > Severity.INFO]
        alarms += [(now / 3600, f"{finding.rule}: {finding.evidence[:1]}") for finding in loud]
        if verdict.diagnosis is not None and verdict.diagnosis.severity > Severity.INFO:
            alarms.append((now / 3600, verdict.diagnosis.explanation))
        phases.add(verdict.phase)
        watch = replace(watch, memory=verdict.memory)
    assert alarms[:3] == []
    assert Phase.STEADY in phases
    assert phases <= {Phase.PENDING, Phase.SMOKE, Phase.STEADY}


@pytest.mark.parametrize("when", ["iris-2026-04", "iris-2026-05"])
@pytest.mark.parametrize("what", HEALTHY)
def test_a_day_of_recorded_healthy_runs_is_silent(when: str, what: str) -> None:
    recording = read_recording(FIXTURES / when / what)
    lines = recorded_lines(recording)
    lasts_s = max(60.0, recording.steps[-1].t_s)
    text = "\n".join(lines * int(DAY_S / lasts_s))
    findings = classify_text(text, rules(), JobFacts(state=JobState.RUNNING))
    assert [finding.rule for finding in findings.all if finding.severity > Severity.INFO] == []
    assert text.count("\n") > 5_000


def recorded_lines(recording: Recording) -> list[str]:
    """Each line of the recorded logs once, as the log service sent it."""
    answers = (answer for step in recording.steps for answer in step.answers)
    batches = (
        log_batch(answer.json, LogSource(recording.root), after=None, at_most=1 << 20)
        for answer in answers
        if answer.method in ("FetchLogs", "GetTaskLogs") and answer.status == 200
    )
    return list(dict.fromkeys(line.text for batch in batches for line in batch.lines))
