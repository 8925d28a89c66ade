"""Looks in, verdicts out: each test tells a job's story as a few looks and says what must be concluded."""

import itertools
from collections.abc import Sequence
from dataclasses import replace

import pytest

from babysitter.diagnosis.judge.assess import assess
from babysitter.diagnosis.judge.phases.phases import may_move
from babysitter.diagnosis.timeline.update_memory import update_memory
from babysitter.model.finding import ActionKind, Cause, Evidence, Finding, Findings, Severity
from babysitter.model.ids import RuleId
from babysitter.model.job import Job, JobState, TaskState
from babysitter.model.limits import Limits
from babysitter.model.memory import Memory
from babysitter.model.observation import Observation, Want
from babysitter.model.phase import Phase
from babysitter.model.verdict import SignalKind, Verdict
from tests.support import jobs
from tests.support.build import ROOT, at
from tests.support.jobs import CONTEXT, F, K, P, S, dump, failed_task, line, look, pipeline, raw, report, tree

COORDINATOR = f"{ROOT}/{CONTEXT}-p0-a0"
WORKER = f"{COORDINATOR}/{CONTEXT}-p0-workers-a0/0"
LIMITS = Limits()


def story(
    *looks: Observation, found: Findings | None = None, start: Memory | None = None, limits: Limits = LIMITS
) -> list[Verdict]:
    """The verdicts of looks in a row; `found` is what the rules find in the last one."""
    memory, verdicts = start or Memory(), []
    for observation in looks:
        folded = update_memory(memory, observation)
        now = found if found is not None and observation is looks[-1] else Findings()
        verdict = assess(observation, now, folded, limits)
        path = [memory.phase, *verdict.trail, verdict.phase]
        assert all(may_move(one, other) for one, other in itertools.pairwise(path))
        memory = verdict.memory
        verdicts.append(verdict)
    return verdicts


def up(*extra: Job, seconds: float = 60) -> Memory:
    """The memory of a pipeline that came up and has done two shards."""
    seen = tree(*pipeline(), *extra)
    return story(look(seconds, seen, report(30, 0), report(40, 1), report(50, 2)))[-1].memory


def reasons(verdict: Verdict) -> dict[str, bool]:
    return {reason.name: reason.holds for reason in verdict.reasons}


def looks_every(step_s: float, start_s: float, end_s: float, **same: object) -> Sequence[Observation]:
    """Looks in which the coordinator reports the same counts again and again."""
    seen = tree(*pipeline())
    moments = range(int(start_s), int(end_s) + 1, int(step_s))
    return [look(s, seen, report(s - 1, **same)) for s in moments]  # type: ignore[arg-type]


# --- coming up


def test_a_job_goes_from_pending_through_smoke_to_steady():
    verdicts = story(
        look(0, tree(root=P)),
        look(30, tree()),
        look(35, tree(*pipeline(workers=None))),
        look(45, tree(*pipeline(), task_count=1), report(44, 0)),
        look(60, tree(*pipeline()), report(59, 1)),
    )
    assert next(verdict.phase for verdict in verdicts) is Phase.PENDING
    assert verdicts[-1].phase is Phase.STEADY
    assert all(verdict.diagnosis is None for verdict in verdicts)


@pytest.mark.parametrize(
    ("reason", "cause", "action"),
    [
        ("", Cause.HEALTHY, ActionKind.IGNORE),
        ("Pending scheduler feedback", Cause.HEALTHY, ActionKind.IGNORE),
        ("Scheduler: Insufficient memory (need 8GB, available 1GB)", Cause.CAPACITY_WAIT, ActionKind.WAIT),
    ],
)
def test_waiting_for_machines_is_no_failure(reason, cause, action):
    verdict = story(look(0, tree(root=P, pending_reason=reason)))[0]
    assert (verdict.phase, verdict.cause, verdict.action) == (Phase.PENDING, cause, action)


@pytest.mark.parametrize(("waited_s", "told"), [(1790, False), (1830, True)])
def test_a_long_wait_is_told(waited_s, told):
    seen = tree(root=P, pending_reason="Scheduler: no room")
    kinds = {signal.kind for signal in story(look(0, seen), look(waited_s, seen))[-1].signals}
    assert (SignalKind.PENDING_LONG in kinds) is told


def test_workers_that_wait_for_machines_make_the_job_wait():
    seen = tree(*pipeline(workers=P, pending_reason="Scheduler: no room"))
    verdict = story(look(0, tree(*pipeline(workers=None))), look(400, seen), look(9000, seen))[-1]
    assert (verdict.phase, verdict.cause, verdict.action) == (
        Phase.PENDING,
        Cause.CAPACITY_WAIT,
        ActionKind.WAIT,
    )


@pytest.mark.parametrize(("seen_s", "phase"), [(290, Phase.SMOKE), (310, Phase.FAILING)])
def test_smoke_has_an_allowance(seen_s, phase):
    seen = tree(*pipeline())
    verdict = story(look(0, seen), look(seen_s, seen))[-1]
    assert verdict.phase is phase
    if phase is Phase.FAILING:
        assert (verdict.cause, verdict.action) == (Cause.UNKNOWN, ActionKind.ESCALATE)


def test_blindness_does_not_use_up_the_allowance():
    seen = tree(*pipeline())
    verdict = story(look(0, seen), *[look(s, None) for s in range(60, 1800, 60)], look(1800, seen))[-1]
    assert verdict.phase is Phase.SMOKE


def test_a_slow_first_shard_is_no_failed_start():
    seen = tree(*pipeline())
    verdict = story(look(0, seen), look(200, seen, report(199, 0)), look(310, seen, report(309, 0)))[-1]
    assert verdict.phase is Phase.STEADY


def test_preempted_workers_send_the_job_back_to_pending():
    seen = tree(*pipeline(workers=P, pending_reason="Scheduler: no room", preemption_count=4))
    verdict = story(look(90, seen), start=up())[-1]
    assert (verdict.phase, verdict.cause) == (Phase.PENDING, Cause.CAPACITY_WAIT)
    assert verdict.memory.stages  # the history stays


# --- zombie


@pytest.mark.parametrize(
    ("texts", "apart_s", "zombie"),
    [
        ((jobs.OVER, jobs.OVER), 20, True),
        ((jobs.OVER, jobs.OVER), 19, False),
        ((jobs.OVER,), 60, False),
        ((jobs.OVER, jobs.IN_STAGE), 60, False),
        ((jobs.OVER, jobs.IN_STAGE, jobs.OVER), 60, False),  # it lived in between
        ((jobs.WAITING, jobs.WAITING), 60, False),  # idle pool threads alone prove nothing
        ((jobs.IN_STAGE, jobs.IN_STAGE), 60, False),
        ((jobs.HOSTED, jobs.HOSTED), 60, False),
    ],
)
def test_a_zombie_needs_two_dumps_in_a_row(texts, apart_s, zombie):
    seen = tree(*pipeline(workers=K))
    looks = [
        look(100 + n * apart_s, seen, dumps={f"{COORDINATOR}/0": dump(text, 100 + n * apart_s)})
        for n, text in enumerate(texts)
    ]
    verdict = story(*looks, start=up())[-1]
    assert (verdict.cause is Cause.ZOMBIE_COORDINATOR) is zombie
    assert reasons(verdict)["zombie.two-dumps-agree"] is zombie
    if zombie:
        assert (verdict.phase, verdict.action) == (Phase.FAILING, ActionKind.RESTART)
        assert len(verdict.diagnosis.evidence) == 2


@pytest.mark.parametrize(
    "hint",
    [
        look(160, tree(*pipeline()), line(120, "Coordinator shutdown complete", f"{COORDINATOR}/0")),
        look(160, tree(*pipeline(workers=K))),
    ],
)
def test_a_hint_asks_for_a_dump_and_proves_nothing(hint):
    verdict = story(hint, start=up())[-1]
    assert verdict.phase is Phase.SUSPECT
    assert Want.COORDINATOR_DUMP in verdict.wants
    assert verdict.diagnosis is None


@pytest.mark.parametrize(
    "dumps", [{f"{COORDINATOR}/0": dump(jobs.HOSTED, 1900)}, {}], ids=["unclear", "none"]
)
def test_where_dumps_cannot_tell_time_calls_a_person_and_restarts_nothing(dumps):
    seen = tree(*pipeline(workers=K))
    said = line(120, "Coordinator shutdown complete", f"{COORDINATOR}/0")
    verdict = story(look(130, seen, said), look(2000, seen, dumps=dumps), start=up())[-1]
    assert (verdict.cause, verdict.action) == (Cause.ZOMBIE_COORDINATOR, ActionKind.ESCALATE)


def test_only_the_newest_attempt_is_judged():
    shown = {f"{COORDINATOR}/0": dump(jobs.OVER, 100)}
    again = {f"{COORDINATOR}/0": dump(jobs.OVER, 160)}
    newer = tree(*pipeline(0, 0, F, K), *pipeline(0, 1, since_s=150))
    verdict = story(look(100, tree(*pipeline()), dumps=shown), look(160, newer, dumps=again), start=up())[-1]
    assert verdict.cause is not Cause.ZOMBIE_COORDINATOR


# --- stuck and stragglers


@pytest.mark.parametrize(("frozen_s", "stuck"), [(890, False), (910, True)])
def test_a_stage_is_stuck_by_its_own_pace(frozen_s, stuck):
    verdict = story(*looks_every(frozen_s, 50 + frozen_s, 51 + frozen_s, done=2), start=up())[-1]
    assert (verdict.cause is Cause.STAGE_STUCK) is stuck
    assert reasons(verdict)["stuck.nothing-completed"] is stuck
    if stuck:
        assert (verdict.phase, verdict.action) == (Phase.FAILING, ActionKind.ESCALATE)


def test_what_is_not_seen_is_not_stuck():
    seen = tree(*pipeline())
    verdict = story(look(4000, seen, logs=False), look(9000, None), look(9030, seen, logs=False), start=up())[
        -1
    ]
    assert verdict.diagnosis is None
    assert verdict.blind


def test_progress_seen_after_a_long_blindness_is_progress():
    late = [report(s, 2 + s // 600) for s in range(600, 3601, 60)]
    verdict = story(look(60, None), look(3000, None), look(3610, tree(*pipeline()), *late), start=up())[-1]
    assert (verdict.phase, verdict.diagnosis) == (Phase.STEADY, None)


def stuck_with(*texts: str, every_s: float = 30) -> Verdict:
    frozen = list(looks_every(60, 1000, 1060, done=2))
    seen = tree(*pipeline())
    for n, text in enumerate(texts):
        moment = 1100 + n * every_s
        frozen.append(look(moment, seen, report(moment, 2), dumps={WORKER: dump(text, moment, WORKER)}))
    return story(*frozen, start=up())[-1]


def test_a_restart_of_a_stuck_stage_needs_two_dumps_of_a_worker_that_hangs():
    assert stuck_with().action is ActionKind.ESCALATE
    assert stuck_with(jobs.BLOCKED).action is ActionKind.ESCALATE
    assert stuck_with(jobs.BLOCKED, jobs.BLOCKED, every_s=10).action is ActionKind.ESCALATE
    proven = stuck_with(jobs.BLOCKED, jobs.BLOCKED)
    assert (proven.cause, proven.action) == (Cause.STAGE_STUCK, ActionKind.RESTART)
    assert "socket.accept" in proven.diagnosis.explanation


def test_a_worker_idle_on_one_line_of_its_own_code_hangs():
    idle = jobs.AT_WORK.replace("active+gil", "idle")  # a call into C leaves no frame of its own
    assert stuck_with(idle).cause is Cause.STRAGGLERS
    proven = stuck_with(idle, idle)
    assert (proven.cause, proven.action) == (Cause.STAGE_STUCK, ActionKind.RESTART)
    assert stuck_with(idle, idle.replace("tok.py:40", "tok.py:41")).cause is Cause.STRAGGLERS


def test_a_worker_in_two_different_places_does_not_hang():
    elsewhere = jobs.BLOCKED.replace("fetch_page", "fetch_image")
    assert stuck_with(jobs.BLOCKED, elsewhere).action is ActionKind.ESCALATE


def test_a_worker_at_work_makes_it_slow_instead():
    verdict = stuck_with(jobs.AT_WORK)
    assert (verdict.cause, verdict.action) == (Cause.STRAGGLERS, ActionKind.WAIT)


@pytest.mark.parametrize(
    ("age_s", "counts", "told"),
    [
        (310, {"done": 9, "in_flight": 1, "alive": 1}, True),
        (310, {"done": 9, "in_flight": 1, "alive": 4}, True),  # three stand idle
        (290, {"done": 9, "in_flight": 1, "alive": 1}, False),  # too young
        (310, {"done": 8, "in_flight": 1, "queued": 1, "alive": 1}, False),  # work is waiting
        (310, {"done": 6, "in_flight": 4, "alive": 4}, False),  # everybody works
        (310, {"done": 8, "in_flight": 2, "alive": 2}, False),  # 2 of 10 are not few
    ],
)
def test_stragglers(age_s, counts, told):
    seen = tree(*pipeline())
    looks = [look(70, seen, report(69, **counts)), look(70 + age_s, seen, report(69 + age_s, **counts))]
    verdict = story(*looks, start=up())[-1]
    assert (verdict.cause is Cause.STRAGGLERS) is told
    if told:
        assert (verdict.severity, verdict.action) == (Severity.DEGRADED, ActionKind.WAIT)


def test_a_stuck_stage_that_moves_again_is_over_by_itself():
    looks = [*looks_every(60, 1000, 1060, done=2), look(1120, tree(*pipeline()), report(1110, 4))]
    verdicts = story(*looks, start=up())
    assert verdicts[-2].phase is Phase.FAILING
    assert (verdicts[-1].phase, verdicts[-1].recovered) == (Phase.STEADY, True)


def test_a_coordinator_that_never_begins_a_stage():
    seen = tree(*pipeline())
    start = story(look(60, seen, report(30, 1)), look(100, seen))[-1].memory
    newer = tree(*pipeline(0, 0, S, S), *pipeline(1, 0, since_s=100))
    fine, late = story(look(2000, newer), look(2900, newer), start=start)
    assert fine.diagnosis is None
    assert (late.cause, late.action) == (Cause.STAGE_STUCK, ActionKind.ESCALATE)


# --- healing


@pytest.mark.parametrize(("lost", "churning"), [(3, False), (4, True)])
def test_churn(lost, churning):
    looks = [
        look(60 + n * 30, tree(*pipeline(failure_count=n)), report(55 + n * 30, 2 + n))
        for n in range(lost + 1)
    ]
    verdict = story(*looks, look(300, tree(*pipeline(failure_count=lost)), report(295, 9)), start=up())[-1]
    assert (verdict.cause is Cause.WORKER_CHURN) is churning
    if churning:
        assert verdict.action is ActionKind.WAIT  # shards complete in spite of it


def test_two_coordinators_at_work_are_told_and_restart_nothing():
    both = tree(*pipeline(0, 0), *pipeline(0, 1, since_s=60))
    over = {f"{ROOT}/{CONTEXT}-p0-a1/0": dump(jobs.OVER, 900)}
    again = {f"{ROOT}/{CONTEXT}-p0-a1/0": dump(jobs.OVER, 960)}
    first, _, last = story(
        look(100, both), look(900, both, dumps=over), look(960, both, dumps=again), start=up()
    )
    assert first.two_coordinators
    assert (first.cause, first.severity, first.action) == (
        Cause.ZOMBIE_COORDINATOR,
        Severity.DEGRADED,
        ActionKind.WAIT,
    )
    assert not last.action.restarts
    alone = tree(*pipeline(0, 0, S, S), *pipeline(0, 1, since_s=60))
    done = report(1000, 3, coordinator=f"{ROOT}/{CONTEXT}-p0-a1")
    verdict = story(look(1001, alone, done), start=first.memory)[-1]
    assert (verdict.two_coordinators, verdict.diagnosis) == (False, None)


def test_the_job_s_own_new_try_is_waited_for():
    retried = tree(*pipeline(0, 0, F, K), *pipeline(0, 1, since_s=100))
    verdict = story(look(120, retried), start=up())[-1]
    assert verdict.healing
    assert verdict.diagnosis is None
    assert SignalKind.RETRYING in {signal.kind for signal in verdict.signals}


@pytest.mark.parametrize(("tries", "told"), [(2, False), (3, True)])
def test_the_same_error_again_and_again_is_told_early(tries, told):
    task = failed_task(0, *[f"Exit code: 1. stderr: ValueError: row {n}" for n in range(tries)])
    verdict = story(look(0, tree()), look(60, tree(tasks=(task,), failure_count=tries)))[-1]
    assert (verdict.phase is Phase.FAILING) is told
    assert not verdict.action.restarts
    if told:
        assert verdict.action is ActionKind.ESCALATE


def test_different_errors_are_not_the_same_error():
    texts = ["ValueError: a", "OSError: disk", "KeyError: x"]
    task = failed_task(0, *texts)
    verdict = story(look(0, tree()), look(60, tree(tasks=(task,), failure_count=3)))[-1]
    assert verdict.phase is not Phase.FAILING


def fatal(
    cause: Cause, seconds: float, action: ActionKind = ActionKind.RESTART, position: int = 0
) -> Findings:
    evidence = Evidence("it broke", f"{ROOT}/0", at=at(seconds))
    finding = Finding(
        RuleId("test.rule"), cause, Severity.FATAL, action, "it broke", (evidence,), 0.9, position=position,
        last_position=position,
    )  # fmt: skip
    return Findings((finding,))


def test_a_fatal_line_of_a_living_job_offers_no_restart():
    seen = tree()
    start = story(look(0, seen, raw(0, "hello")), look(5, seen, raw(4, "again")))[-1].memory
    first = story(look(30, seen, raw(29, "boom")), found=fatal(Cause.NETWORK_TIMEOUT, 29), start=start)[-1]
    assert (first.phase, first.diagnosis) == (Phase.SUSPECT, None)
    later = story(*[look(30 + s, seen) for s in range(10, 200, 10)], start=first.memory)[-1]
    assert (later.phase, later.cause, later.action) == (
        Phase.FAILING,
        Cause.NETWORK_TIMEOUT,
        ActionKind.ESCALATE,
    )


def test_a_fatal_line_that_the_job_went_on_after_is_forgotten():
    seen = tree()
    start = story(look(0, seen, raw(0, "hello")), look(5, seen, raw(4, "again")))[-1].memory
    first = story(look(30, seen, raw(29, "boom")), found=fatal(Cause.NETWORK_TIMEOUT, 29), start=start)[-1]
    talk = [look(30 + s, seen, raw(29 + s, "tick")) for s in range(10, 400, 10)]
    assert story(*talk, start=first.memory)[-1].phase is Phase.STEADY


def test_errors_of_workers_are_the_pipeline_s_own_business():
    evidence = Evidence("Traceback", WORKER, at=at(65))
    finding = Finding(
        RuleId("t.r"), Cause.HOST_OOM, Severity.FATAL, ActionKind.RESTART, "x", (evidence,), 0.9, position=0
    )
    found = Findings((finding,))
    verdict = story(look(70, tree(*pipeline()), raw(65, "Traceback", WORKER)), found=found, start=up())[-1]
    assert verdict.phase is Phase.STEADY


# --- the end


@pytest.mark.parametrize(
    ("state", "error", "cause", "action"),
    [
        (S, "", Cause.HEALTHY, ActionKind.IGNORE),
        (K, "Terminated by user", Cause.USER_CANCEL, ActionKind.IGNORE),
        (K, "", Cause.UNKNOWN, ActionKind.ESCALATE),
        (F, "Exit code: 1. stderr: x", Cause.UNKNOWN, ActionKind.ESCALATE),
        (JobState.UNSCHEDULABLE, "no group", Cause.UNSCHEDULABLE, ActionKind.ESCALATE),
    ],
)
def test_how_a_job_ended(state, error, cause, action):
    ended = tree(root=state, error=error)
    verdict = story(look(90, ended, raw(80, "the last line"), reread=True), start=up())[-1]
    assert (verdict.phase, verdict.cause, verdict.action) == (Phase.FINISHED, cause, action)


@pytest.mark.parametrize("workers", [S, K])
def test_what_happened_to_the_children_of_a_success_follows_from_it(workers):
    ended = tree(*pipeline(0, 0, S, workers, error="Terminated by user"), root=S)
    assert story(look(90, ended, reread=True), start=up())[-1].cause is Cause.HEALTHY


def test_killed_without_a_word_and_without_its_log_was_lost_with_the_controller():
    verdict = story(look(90, tree(root=K), reread=True), start=up())[-1]
    assert verdict.cause is Cause.CONTROLLER_UNREACHABLE


def test_killed_right_after_an_outage_without_a_word_was_lost_with_the_controller():
    verdict = story(look(90, None), look(150, tree(root=K), reread=True), start=up())[-1]
    assert (verdict.cause, verdict.action) == (Cause.CONTROLLER_UNREACHABLE, ActionKind.RESTART)


def test_a_stopped_job_is_a_stopped_job_whatever_was_wrong_before():
    stuck = story(*looks_every(60, 1000, 1060, done=2), start=up())[-1]
    verdict = story(look(1100, tree(root=K, error="Terminated by user"), reread=True), start=stuck.memory)[-1]
    assert (verdict.cause, verdict.action) == (Cause.USER_CANCEL, ActionKind.IGNORE)


def test_an_exception_that_the_program_raises_in_every_try_is_code_and_calls_a_person():
    lines = [
        raw(80, "Traceback (most recent call last):"),
        raw(80, '  File "/srv/ws/job.py", line 24, in <module>'),
        raw(80, '    raise RuntimeError("shard list is short")'),
        raw(80, "RuntimeError: shard list is short"),
    ]
    error = "Exit code: 1. stderr: RuntimeError: shard list is short"
    task = replace(failed_task(0, error, error, error), state=TaskState.FAILED)
    found = fatal(Cause.DATA_ERROR, 80, ActionKind.RESTART_WITH_CHANGE, position=3)
    ended = tree(root=F, error=error, tasks=(task,), failure_count=4)
    verdict = story(look(0, tree()), look(90, ended, *lines, reread=True), found=found)[-1]
    assert (verdict.cause, verdict.action) == (Cause.CODE_ERROR, ActionKind.ESCALATE)


# --- reasons


def test_every_verdict_of_a_running_job_says_why_and_why_not():
    verdict = story(look(70, tree(*pipeline()), report(65, 3)), start=up())[-1]
    names = {name.partition(".")[0] for name in reasons(verdict)}
    assert {"zombie", "stuck", "stragglers", "churn", "quiet", "errors"} <= names
    assert all(reason.text for reason in verdict.reasons)
