"""A start that is quiet: normal up to the limit of its phase, suspect behind it, with advice."""

from dataclasses import replace

import pytest

from babysitter.diagnosis.causes.rules_in_force import Playbook
from babysitter.diagnosis.judge.program_advice import with_first_advice
from babysitter.diagnosis.last_good.good_runs import GoodRuns
from babysitter.diagnosis.pipeline import judge
from babysitter.diagnosis.timeline.startup.startup_table import shipped_startups
from babysitter.engine.good_run_cache import redacted_profile
from babysitter.model.device_use import DeviceUse
from babysitter.model.finding import ActionKind, Cause, Evidence, Severity
from babysitter.model.ids import TaskId
from babysitter.model.job import JobState, JobTree, Task, TaskState
from babysitter.model.observation import Want
from babysitter.model.verdict import MORE_DETAIL, Diagnosis, SignalKind, Verdict
from tests.support.build import watch as made_watch
from tests.support.jobs import look, raw, tree
from tests.support.recordings import rules

ENGINE = "(SglEngine pid=514428, ip=10.0.0.2) "
RULES = Playbook(())
TABLE = shipped_startups()[0]


def after_shards(quiet_s: int) -> Verdict:
    """The verdict of looks every minute, while an engine is quiet behind its last shard."""
    watch = made_watch()
    lines = [
        raw(5, "Creating unified placement group with 24 GPUs (x)..."),
        raw(6, "Placement (strategy=x): training bundles=[0]"),
        raw(7, "Initializing 2 Sgl engines (tp=8)"),
        raw(60, f"{ENGINE}Multi-thread loading shards: 100% 10/10"),
    ]
    verdict = judge(watch, look(61, tree(), *lines), RULES)
    for at in range(120, 60 + quiet_s + 1, 60):
        watch = replace(watch, memory=verdict.memory)
        verdict = judge(watch, look(at, tree()), RULES)
    return verdict


def test_startup_quiet_ten_minutes_raises_nothing():
    verdict = after_shards(600)
    assert verdict.diagnosis is None
    assert "phase 5 of 7, SglEngine allocates its KV cache" in verdict.outlook.summary
    assert "quiet for 10 min, which is normal up to 10 min" in verdict.outlook.startup
    assert verdict.outlook.startup.endswith("on 10.0.0.2")


def test_a_start_that_is_through_excuses_no_silence():
    steps = [raw(60, f"step={n} loss={9 / n:.3f} grad_norm=0.1") for n in range(1, 30)]
    start = [  # read behind the steps, from another file
        raw(60, "[Rank 1] Device mesh (1D): world_size=2, dp_size=2"),
        raw(60, "Initialization timing:"),
        raw(60, "Starting: num_steps=4000, num_epochs=1"),
    ]
    watch = made_watch(kind="auto")
    first = judge(watch, look(70, tree(), *steps, *start), rules())
    later = judge(replace(watch, memory=first.memory), look(720, tree()), rules())
    assert "slow-startup" in {finding.cause for finding in first.memory.findings}
    assert SignalKind.QUIET in {signal.kind for signal in later.signals}


def test_startup_quiet_twenty_minutes_is_suspect():
    verdict = after_shards(1200)
    assert verdict.diagnosis is not None
    assert verdict.diagnosis.cause is Cause.STAGE_STUCK
    assert "nvidia-smi" in verdict.diagnosis.advice
    assert "514428" in verdict.diagnosis.evidence[0].source
    assert verdict.diagnosis.action is ActionKind.RESTART_WITH_CHANGE
    changes = (verdict.diagnosis.change, *verdict.diagnosis.further_changes)
    assert [(change.what, change.after) for change in changes if change] == [
        ("env.TORCHSPEC_LOG_LEVEL", "DEBUG"),
        ("env.NCCL_DEBUG", "INFO"),
    ]


GPU = DeviceUse("GPU 3", used_bytes=71 * 2**30, total_bytes=80 * 2**30, busy_percent=0)


@pytest.mark.parametrize(
    ("device", "sentence"),
    [
        (GPU, "None of its accelerators computes."),
        (replace(GPU, busy_percent=98), "may still be at work"),
        (replace(GPU, used_bytes=79 * 2**30), "Memory of at least one is full."),
    ],
)
def test_startup_suspect_shows_its_accelerators(device, sentence):
    quiet = after_shards(1140)
    engine = Task(TaskId("/ada/train/SglEngine-1"), TaskState.RUNNING, worker="10.0.0.2", devices=(device,))
    other = replace(engine, id=TaskId("/ada/train/SglEngine-2"), worker="10.0.0.3")
    seen = JobTree(replace(tree().root, tasks=(other, engine)))
    verdict = judge(replace(made_watch(), memory=quiet.memory), look(1260, seen), RULES)
    assert verdict.diagnosis is not None
    assert sentence in verdict.diagnosis.explanation
    is_idle = device.busy_percent == 0
    assert (verdict.diagnosis.action is ActionKind.RESTART_WITH_CHANGE) is is_idle
    shown = [line for line in verdict.diagnosis.evidence if "accelerators" in line.source]
    assert [(evidence.text, evidence.source) for evidence in shown] == [
        (device.text, "accelerators of /ada/train/SglEngine-1 on 10.0.0.2")
    ]
    assert Want.TASKS in quiet.memory.wants, "else nobody asks what they do"


def diagnosis(cause: Cause, text: str = "x", confidence: float = 0.9) -> Diagnosis:
    evidence = (Evidence(text, "log"),)
    return Diagnosis(cause, Severity.FATAL, ActionKind.RESTART, "x", confidence, evidence, advice="Do that.")


@pytest.mark.parametrize(
    ("cause", "words"),
    [
        (Cause.CAPACITY_WAIT, "`ray status`"),
        (Cause.COLLECTIVE_TIMEOUT, "NCCL_SOCKET_IFNAME, GLOO_SOCKET_IFNAME and TP_SOCKET_IFNAME"),
        (Cause.NUMERICAL_DIVERGENCE, "`save_debug_train_data`. Do that."),
        (Cause.ACTOR_DIED, "found by the pid"),
    ],
)
def test_first_advice_of_the_program(cause, words):
    found = with_first_advice(diagnosis(cause), TABLE)
    assert words in found.advice
    assert "TORCHSPEC_LOG_LEVEL" not in found.advice


@pytest.mark.parametrize(
    "text",
    [
        "ray.exceptions.RayActorError: (pid=514428, ip=10.0.0.2, actor_id=1)",
        "ActorDiedError: The actor died \tpid: 514428 \tip: 10.0.0.2",
        "(raylet) A worker died. Worker IP address: 10.0.0.2 Worker port: 16593 Worker PID: 514428 Worker",
    ],
)
def test_first_advice_names_the_worker_file(text):
    found = with_first_advice(diagnosis(Cause.ACTOR_DIED, text), TABLE)
    assert found.advice.startswith("Read worker-*-514428.err on 10.0.0.2.")


def test_first_advice_log_levels_where_unsure():
    found = with_first_advice(diagnosis(Cause.UNKNOWN, confidence=0.3), TABLE)
    assert found.advice.endswith("what is under way.")
    assert "TORCHSPEC_LOG_LEVEL=DEBUG and NCCL_DEBUG=INFO" in found.advice


@pytest.mark.parametrize(
    ("state", "cause", "is_changed"),
    [
        (JobState.FAILED, Cause.UNKNOWN, True),
        (JobState.FAILED, Cause.NUMERICAL_DIVERGENCE, False),
        (JobState.RUNNING, Cause.UNKNOWN, False),
    ],
)
def test_more_detail_where_the_cause_is_not_named(state, cause, is_changed):
    named = "loss=nan grad_norm=nan" if cause is not Cause.UNKNOWN else "grommet 4"
    lines = [
        raw(5, "Creating unified placement group with 24 GPUs (x)..."),
        raw(9, "Training:   2%|x| 4/200 [00:10<09:00, loss=1.0]"),
        raw(10, f"Training:   3%|x| 5/200 [00:10<09:00, {named}]"),
    ]
    verdict = judge(made_watch(), look(60, tree(root=state, error="Exit code: 1"), *lines), RULES)
    carried = verdict.diagnosis.change if verdict.diagnosis else None
    assert (carried is not None and carried.why == MORE_DETAIL) is is_changed, verdict.diagnosis


def test_startup_durations_kept_once_through():
    lines = [
        raw(5, "Creating unified placement group with 24 GPUs (x)..."),
        raw(6, "Initializing 2 Sgl engines (tp=8)"),
        raw(426, "All 8 training actors and 2 inference engines initialized"),
        raw(430, "Training:   2%|x| 4/200 [00:10<09:00, loss=1.0]"),
    ]
    memory = judge(made_watch(), look(431, tree(), *lines), RULES).memory
    kept = {
        startup_phase.phase: startup_phase.seconds
        for startup_phase in redacted_profile(memory.profile).startup
    }
    assert kept["SglEngine init"] == 420
    good = GoodRuns([memory.profile])
    verdict = judge(made_watch(), look(60, tree(), *lines[:2]), RULES, good=good)
    assert (
        "phase 5 of 7, SglEngine init, 7 min in the last good run, here for 54 s" in verdict.outlook.summary
    )
