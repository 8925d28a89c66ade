"""The phases of a start, told by the lines of driver and actors."""

from datetime import UTC, datetime, timedelta

import pytest

from babysitter.diagnosis.timeline.startup.startup_phases import durations_of, read_startup_lines, usual_of
from babysitter.diagnosis.timeline.startup.startup_standing import standing_of
from babysitter.diagnosis.timeline.startup.startup_table import shipped_startups
from babysitter.model.ids import TaskId
from babysitter.model.log import LogLine
from babysitter.model.run_profile import RunProfile, StartupPhase
from babysitter.model.startup import StartupState

START = datetime(2026, 11, 20, 11, 0, tzinfo=UTC)
ENGINE = "(SglEngine pid=514428, ip=10.0.0.2) "
OTHER = "(SglEngine pid=514999, ip=10.0.0.3) "
TRAINER = "(TrainerActor pid=77, ip=10.0.0.1) "
# seconds, line, what is said at that moment
STORY = [
    (0, "Resolved config:", "phase 1 of 7, config and dataset"),
    (1, "Connected to Ray cluster at 10.0.0.1:6380", "phase 2 of 7, placement groups"),
    (2, "Waiting for 24 GPUs (currently 8), timeout=300s...", "phase 2 of 7, placement groups"),
    (9, "Creating unified placement group with 24 GPUs (STRICT)...", "phase 2 of 7, placement groups"),
    (20, "Placement (strategy=x): training bundles=[0], inference bundles=[1]", "phase 1 of 7, config"),
    (21, "Auto-resolved mooncake master_server_address: 10.0.0.1:50051", "phase 3 of 7, Mooncake master"),
    (22, "mooncake master actor started: {}", "phase 1 of 7, config and dataset"),
    (40, "Dataset loaded on controller: 9000 train, 100 eval", "phase 4 of 7, TrainerActor init"),
    (41, "Computing vocab mapping on controller (x)...", "phase 1 of 7, config and dataset"),
    (55, "Generated vocab mapping: d2t=1, t2d=2", "phase 4 of 7, TrainerActor init"),
    (60, f"{TRAINER}[Rank 0] Device mesh (1D): world_size=8, dp_size=8", "phase 4 of 7, TrainerActor init"),
    (61, "Initializing 2 Sgl engines (tp=8)", "phase 5 of 7, SglEngine init"),
    (90, f"{ENGINE}SglEngine rank 0: BEFORE init - x", "phase 5 of 7, SglEngine init"),
    (100, f"{ENGINE}Multi-thread loading shards:  10% 1/10", "SglEngine loads shards, 10 %, usually 5 to 15"),
    (101, f"{TRAINER}[Rank 0] Eagle3 model initialized with FSDP2", "phase 5 of 7, SglEngine loads shards"),
    (120, f"{OTHER}Multi-thread loading shards:  62% 6/10", "10 %, the slowest of 2"),
    (630, f"{ENGINE}Multi-thread loading shards: 100% 10/10", "62 %, the slowest of 2"),
    (640, f"{OTHER}SglEngine rank 1: initialized from /m (tp_size=8)", "KV cache and captures CUDA graphs"),
    (900, f"{ENGINE}SglEngine rank 0: initialized from /m (tp_size=8)", "phase 5 of 7, SglEngine init"),
    (901, "All 8 training actors and 2 inference engines initialized", "phase 6 of 7, queue wiring"),
    (905, "Initialization timing:", "phase 7 of 7, training loop"),
    (910, "Training:   2%|x| 4/200 [00:10<09:00, loss=1.0]", "phase 7 of 7, training loop, 2 %"),
]


def line(after_s: float, text: str, task: str = "run/0") -> LogLine:
    return LogLine(text, int((START + timedelta(seconds=after_s)).timestamp() * 1000), TaskId(task))


def told(until_s: float) -> StartupState:
    lines = [line(after_s, text) for after_s, text, _ in STORY if after_s <= until_s]
    return read_startup_lines(StartupState(), lines, None)


def said(state: StartupState, after_s: float) -> str:
    standing = standing_of(state, START + timedelta(seconds=after_s))
    return standing.sentence if standing is not None else ""


# The program is recognised by its second line at the latest; the first alone could be anybody's.
@pytest.mark.parametrize(("after_s", "sentence"), [(row[0], row[2]) for row in STORY[3:]])
def test_startup_phase(after_s, sentence):
    assert sentence in said(told(after_s), after_s)


def test_startup_answer_in_full():
    assert said(told(120), 640) == (
        "phase 5 of 7, SglEngine loads shards, 10 %, the slowest of 2, usually 5 to 15 min, here for 10 min "
        "on 10.0.0.2"
    )


def test_startup_line_by_line_as_at_once():
    state = StartupState()
    for after_s, text, _ in STORY:
        state = read_startup_lines(state, [line(after_s, text)], None)
    # The lines before the program was recognised are lost one by one; the rest is the same.
    assert {note for note in told(910).notes if note.phase > 1} == {
        note for note in state.notes if note.phase > 1
    }


def test_startup_reread_changes_nothing():
    lines = [line(after_s, text) for after_s, text, _ in STORY]
    once = read_startup_lines(StartupState(), lines, None)
    assert said(read_startup_lines(once, lines[-10:], None), 920) == said(once, 920)


@pytest.mark.parametrize(("quiet_s", "is_suspect"), [(599, False), (601, True)])
def test_startup_quiet_after_shards(quiet_s, is_suspect):
    state = read_startup_lines(told(100), [line(600, f"{ENGINE}Multi-thread loading shards: 100% 1/1")], None)
    standing = standing_of(state, START + timedelta(seconds=600 + quiet_s))
    assert standing is not None
    assert standing.is_suspect is is_suspect
    assert "normal up to 10 min" in standing.sentence or is_suspect
    assert "nvidia-smi" in standing.advice


def test_startup_of_another_program():
    lines = [line(0, "Training:   2%|x| 4/200 [00:10<09:00, loss=1.0]"), line(1, "loading shards: 10%")]
    assert read_startup_lines(StartupState(), lines, None) == StartupState()


def test_startup_node_by_task():
    lines = [line(0, STORY[3][1]), line(9, "Multi-thread loading shards: 5% 1/20", "run/SglEngine-ab12cd34")]
    assert "SglEngine loads shards, 5 %" in said(read_startup_lines(StartupState(), lines, None), 10)


def test_startup_durations_once_through():
    assert durations_of(told(905)) == ()
    found = {duration.phase: duration.seconds for duration in durations_of(told(910))}
    assert found["SglEngine init"] == 840
    assert found["TrainerActor init"] == 841
    assert found["queue wiring"] == 4


def test_startup_learned_durations_said():
    runs = [RunProfile(startup=(StartupPhase("SglEngine init", seconds),)) for seconds in (420.0, 540.0)]
    state = told(100)
    learned = StartupState(state.program, state.notes, state.ended, usual_of(runs))
    assert "10 %, 7 to 9 min in 2 good runs, here for" in said(learned, 120)


def test_startup_table_complete():
    table = next(startup for startup in shipped_startups() if startup.program == "torchspec")
    assert len(table.phases) == 7
    assert all(phase.advice for phase in table.phases[:-1])
