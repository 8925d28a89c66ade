"""What must hold whatever is seen: laws of judgement, tried on arbitrary looks."""

import itertools
from datetime import timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from babysitter.diagnosis.judge.assess import assess
from babysitter.diagnosis.judge.phases.phases import may_move
from babysitter.diagnosis.timeline.update_memory import update_memory
from babysitter.model.finding import ActionKind, Cause, Findings
from babysitter.model.ids import TaskId
from babysitter.model.job import JobState, TaskState
from babysitter.model.limits import Limits
from babysitter.model.memory import Memory
from babysitter.model.observation import Observation
from babysitter.model.phase import Phase
from babysitter.model.seen import Seen, Source, Unseen
from tests.support import jobs
from tests.support.build import NOON, ROOT, at
from tests.support.jobs import CONTEXT, dump, line, look, pipeline, raw, report, tree

LIMITS = Limits()
COORDINATOR = f"{ROOT}/{CONTEXT}-p0-a0"
WORKER = f"{COORDINATOR}/{CONTEXT}-p0-workers-a0/0"

STATES = st.sampled_from(list(JobState))
TEXTS = st.sampled_from([jobs.OVER, jobs.IN_STAGE, jobs.WAITING, jobs.BLOCKED, jobs.AT_WORK, "", "x"])


@st.composite
def trees(draw):
    pipelines = [
        job
        for number in range(draw(st.integers(0, 2)))
        for job in pipeline(
            number, draw(st.integers(0, 2)), draw(STATES), draw(STATES), since_s=draw(st.integers(0, 500))
        )
    ]
    unique = {job.id: job for job in pipelines}
    counts = draw(st.dictionaries(st.sampled_from(list(TaskState)), st.integers(0, 5), max_size=3))
    return tree(
        *unique.values(),
        root=draw(STATES),
        error=draw(st.sampled_from(["", "Terminated by user", "Exit code: 1"])),
        pending_reason=draw(st.sampled_from(["", "Scheduler: no room", "Retrying (attempt 2)"])),
        failure_count=draw(st.integers(0, 5)),
        preemption_count=draw(st.integers(0, 5)),
        task_states=counts,
    )


@st.composite
def lines(draw):
    seconds = draw(st.integers(0, 20_000))
    kind = draw(st.integers(0, 3))
    if kind == 0:
        return report(seconds, draw(st.integers(0, 12)), in_flight=draw(st.integers(0, 4)))
    if kind == 1:
        return line(seconds, draw(st.text(max_size=60)), f"{COORDINATOR}/0")
    if kind == 2:
        return line(seconds, "Coordinator shutdown complete", f"{COORDINATOR}/0")
    return raw(seconds, draw(st.text(max_size=60)))


@st.composite
def looks(draw):
    seconds = draw(st.integers(0, 20_000))
    seen = draw(st.none() | trees())
    shown = draw(st.dictionaries(st.sampled_from([f"{COORDINATOR}/0", WORKER]), TEXTS, max_size=2))
    return look(
        seconds,
        seen,
        *draw(st.lists(lines(), max_size=6)),
        dumps={task: dump(text, seconds, task) for task, text in shown.items()},
        logs=draw(st.booleans()),
        reread=draw(st.booleans()),
    )


@settings(max_examples=200, deadline=None)
@given(st.lists(looks(), max_size=6), st.sampled_from([p for p in Phase if p is not Phase.ACTING]))
def test_judgement_never_fails_and_moves_only_as_the_table_says(seen, phase):
    memory = Memory(phase=phase)
    for observation in seen:
        verdict = assess(observation, Findings(), update_memory(memory, observation), LIMITS)
        path = [memory.phase if verdict.trail else verdict.phase, *verdict.trail, verdict.phase]
        assert all(may_move(one, other) for one, other in itertools.pairwise(path))
        assert verdict.next_check_s > 0
        assert verdict.memory.phase is verdict.phase
        if verdict.action.restarts:
            # Proof of death: it ended, or two dumps; and nobody else writes.
            root = observation.seen_tree.root
            assert root.state.is_terminal or len(verdict.memory.dumps) >= 2
            assert not verdict.two_coordinators
        memory = verdict.memory


@st.composite
def blind_looks(draw):
    seconds = draw(st.integers(0, 40_000))
    source = draw(st.sampled_from(list(Source)))
    reason = draw(st.text(max_size=40))
    return Observation(ROOT, at(seconds), Unseen(source, reason, at(draw(st.integers(0, seconds)))))


@settings(max_examples=100, deadline=None)
@given(st.lists(blind_looks(), min_size=1, max_size=12), st.sampled_from(list(Phase)))
def test_promise_3_unseen_is_never_dead(blind, phase):
    memory = update_memory(Memory(phase=Phase.STEADY), look(0, tree(*pipeline()), report(0, 3)))
    memory = Memory(**{**{f: getattr(memory, f) for f in memory.__slots__}, "phase": phase})
    for observation in blind:
        verdict = assess(observation, Findings(), update_memory(memory, observation), LIMITS)
        assert verdict.phase is phase
        assert verdict.action is ActionKind.WAIT
        assert verdict.cause is Cause.CONTROLLER_UNREACHABLE
        assert verdict.blind
        memory = verdict.memory


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(1, 4000), min_size=1, max_size=10))
def test_promise_3_a_log_that_cannot_be_read_is_no_silence(gaps_s):
    memory = update_memory(Memory(), look(0, tree(*pipeline()), report(0, 1)))
    moment = NOON
    for gap_s in gaps_s:
        moment += timedelta(seconds=gap_s)
        seen = Seen(tree(*pipeline()), moment)
        spot = Unseen(Source.LOGS, "The log service is away.", at(1))
        observation = Observation(ROOT, moment, seen, spot)
        verdict = assess(observation, Findings(), update_memory(memory, observation), LIMITS)
        assert not verdict.action.restarts
        assert verdict.cause in (Cause.HEALTHY, Cause.UNKNOWN)  # a start that nobody saw succeed is escalated
        memory = verdict.memory


def test_an_hour_of_failed_looks_ends_where_it_began():
    memory = update_memory(Memory(), look(0, tree(*pipeline()), report(0, 1)))
    first = look(10, tree(*pipeline()), report(9, 2))
    memory = assess(first, Findings(), update_memory(memory, first), LIMITS).memory
    phases = set()
    for minute in range(1, 61):
        observation = look(minute * 60, None)
        verdict = assess(observation, Findings(), update_memory(memory, observation), LIMITS)
        phases.add(verdict.phase)
        memory = verdict.memory
    back = look(3700, tree(*pipeline()), *[report(s, 3 + s // 900) for s in range(60, 3700, 60)])
    verdict = assess(back, Findings(), update_memory(memory, back), LIMITS)
    assert phases == {Phase.STEADY}
    assert (verdict.phase, verdict.diagnosis, verdict.blind) == (Phase.STEADY, None, ())
    assert TaskId(f"{ROOT}/0") in verdict.memory.roles
