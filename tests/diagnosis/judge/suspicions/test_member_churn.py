"""Members lost one after another and members left over, for a text and for a watch."""

from dataclasses import replace

import pytest

from babysitter.diagnosis.pipeline import judge
from babysitter.model.finding import ActionKind, Cause, Severity
from babysitter.model.job import JobState
from babysitter.model.job_facts import JobFacts
from babysitter.model.phase import Phase
from babysitter.usecases.looking.classify_text import examine
from tests.support.build import watch as made_watch
from tests.support.jobs import look, raw, tree
from tests.support.recordings import rules

LOST = tuple(
    f"2026-03-01 09:{minute}:05 INFO pool: replica r{n} is gone"
    for n, minute in ((3, "00"), (7, "04"), (1, "11"))
)
LEFT = (
    *(f"fit-7b-worker-{n}    0/1    Completed    0    3h" for n in range(3)),
    "fit-7b-master-0    1/1    Running    0    3h",
)
SHUT = (
    "2026-03-01 09:00:00 INFO engine core: aborting 2 requests",
    "2026-03-01 09:00:02 INFO engine core: shutdown complete",
)
RUNNING = JobFacts(state=JobState.RUNNING)


def diagnosis(*lines: str, facts: JobFacts = RUNNING):
    return examine("\n".join(lines), rules(), facts).diagnosis


@pytest.mark.parametrize(
    ("lines", "facts", "expected"),
    [
        (LOST, RUNNING, Cause.WORKER_CHURN),
        (LEFT, RUNNING, Cause.ZOMBIE_COORDINATOR),
        (SHUT, replace(RUNNING, last_line_age_s=700.0), Cause.ZOMBIE_COORDINATOR),
    ],
    ids=["lost", "left over", "shut down"],
)
def test_what_its_members_show_is_named(lines, facts, expected):
    found = diagnosis(*lines, facts=facts)
    assert found.cause is expected
    assert found.severity >= Severity.DEGRADED


@pytest.mark.parametrize(
    ("lines", "facts"),
    [
        (LOST[:1], RUNNING),
        (LOST, JobFacts(state=JobState.SUCCEEDED)),
        ((*LOST, "2026-03-01 11:30:00 INFO fetched part 12 of 90"), RUNNING),
        ((*LEFT, "step 4/9", "step 5/9"), RUNNING),
        (LEFT, JobFacts(state=JobState.SUCCEEDED)),
        (SHUT, replace(RUNNING, last_line_age_s=20.0)),
        (
            (*SHUT, "2026-03-01 09:00:09 INFO engine core: starting again"),
            replace(RUNNING, last_line_age_s=700.0),
        ),
    ],
    ids=["one", "succeeded", "long ago", "works on", "over", "just now", "starts again"],
)
def test_what_is_no_trouble(lines, facts):
    assert diagnosis(*lines, facts=facts).cause not in (Cause.WORKER_CHURN, Cause.ZOMBIE_COORDINATOR)


def test_a_cause_that_the_lines_name_stands():
    lines = [f"{line} Xid (PCI:0000:{n}a:00): 79, GPU has fallen off the bus" for n, line in enumerate(LOST)]
    assert diagnosis(*lines).cause is Cause.BAD_ACCELERATOR


def test_a_watch_sees_it_over_many_looks():
    watch = made_watch(Phase.STEADY)
    causes = []
    for n, now in enumerate((0, 300, 600, 900)):
        verdict = judge(watch, look(now, tree(), raw(now, f"pool: replica r{n} is gone")), rules())
        causes.append(verdict.cause)
        watch = replace(watch, memory=verdict.memory)
    assert causes[0] is Cause.HEALTHY
    assert causes[-1] is Cause.WORKER_CHURN
    assert verdict.action is ActionKind.ESCALATE
