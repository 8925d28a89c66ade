"""Watches of jobs that print on while their work has stopped, only fail, or are slow."""

from dataclasses import replace

import pytest

from babysitter.diagnosis.pipeline import judge
from babysitter.model.finding import ActionKind, Cause, Severity
from babysitter.model.job import JobState, JobTree
from babysitter.model.phase import Phase
from babysitter.model.verdict import Verdict
from babysitter.policy.incident_lifecycle import is_incident
from tests.diagnosis.timeline.repetition.test_stopped_work import Printed, every
from tests.support.build import at, watch
from tests.support.jobs import failed_task, look, raw, tree
from tests.support.recordings import rules

OOM = "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB"
STEPS = every(10, 600, "INFO train: wrote batch {n} of the epoch to the log")
SAMPLER = every(30, 3600, "INFO sampler: power is {m} watts on every card")


ANSWERS = every(45, 3600, "INFO answered a question of the set and graded it")
REQUESTS = every(10, 900, 'INFO 10.0.0.1 "POST /v1/completions HTTP/1.1" 200 OK')
SAVE = [(602.0, "INFO saving the weights"), (2200.0, "INFO all of the weights are saved")]


def told(printed: Printed, until_s: float) -> list[tuple[float, Verdict]]:
    """Verdicts that people are told of, with the second of the look."""
    now, found = watch(kind="plain", phase=Phase.PENDING), []
    lines = sorted(printed, key=lambda line: line[0])
    seconds, seen = 5.0, 0
    while seconds <= until_s:
        new = [line for line in lines[seen:] if line[0] <= seconds]
        seen += len(new)
        seen_now = look(seconds, tree(root=JobState.RUNNING), *(raw(at_s, text) for at_s, text in new))
        verdict = judge(now, seen_now, rules())
        now = replace(now, memory=verdict.memory)
        if is_incident(verdict):
            found.append((seconds, verdict))
        seconds += max(5.0, verdict.next_check_s)
    return found


def test_work_that_stopped_is_told_though_others_chat_on() -> None:
    first_s, verdict = told([*STEPS, *SAMPLER], 2400)[0]
    assert 1480 <= first_s <= 1560
    assert verdict.diagnosis is not None
    assert (verdict.cause, verdict.diagnosis.severity) == (Cause.STAGE_STUCK, Severity.DEGRADED)
    assert verdict.diagnosis.action is ActionKind.ESCALATE
    assert "was seen for 15 minutes, though the job prints on" in verdict.diagnosis.explanation


def test_a_report_behind_which_work_stopped_names_the_cause() -> None:
    first_s, verdict = told([*STEPS, (601, OOM), *SAMPLER], 2400)[0]
    assert first_s <= 960
    assert verdict.diagnosis is not None
    assert (verdict.cause, verdict.diagnosis.severity) == (Cause.DEVICE_OOM, Severity.FATAL)


def test_a_report_that_work_survived_before_did_not_stop_it() -> None:
    crashed = "arena-9: Segmentation fault (core dumped)"
    printed = [*STEPS, (200, crashed), (590, crashed), (1300, "INFO train: the match is over"), *SAMPLER]
    assert told(printed, 1280) == []
    assert told([line for line in printed if line[0] != 200], 1280) != []


def test_the_cause_does_not_change_while_nothing_new_is_printed() -> None:
    verdicts = [verdict for _, verdict in told([*STEPS, (601, OOM), *SAMPLER], 3600)]
    assert {verdict.cause for verdict in verdicts} == {Cause.DEVICE_OOM}


@pytest.mark.parametrize(
    "printed",
    [
        [*every(10, 3600, "INFO train: wrote batch {n} of the epoch to the log"), (601, OOM), *SAMPLER],
        [*STEPS, *SAMPLER, *((seconds, f"INFO merging part {seconds}") for seconds in range(700, 3600, 600))],
        [*every(60, 3600, "WARNING tracker: could not upload: connection refused"), *ANSWERS],
        [*every(60, 3600, '10.0.0.1 "GET /favicon.ico HTTP/1.1" 404 not found'), *SAMPLER],
        [*REQUESTS, *SAMPLER],
        [*every(6, 96, "INFO loaded part {n} of the weights"), (100, "INFO the server is ready"), *SAMPLER],
        [*STEPS, *SAVE, (604, "WARNING upload failed: reset"), *SAMPLER[:70]],
    ],
    ids=[
        "work goes on",
        "other work began",
        "warnings beside work",
        "answered requests",
        "nobody asks at night",
        "a short series",
        "a warning while other work is announced",
    ],
)
def test_work_that_goes_on_is_not_told(printed: Printed) -> None:
    assert told(printed, 3500) == []


def test_work_with_pauses_that_stopped_is_told() -> None:
    rounds = [
        *every(10, 6000, "INFO train: wrote batch {n} of the epoch to the log"),
        *every(30, 12000, "INFO sampler: power is {m} watts on every card"),
    ]
    printed = [line for line in rounds if not 2000 <= line[0] % 3000 <= 2180 or "sampler" in line[1]]
    first_s, verdict = told(printed, 9000)[0]
    assert 6800 <= first_s <= 7200
    assert verdict.cause is Cause.STAGE_STUCK


def test_a_job_that_runs_again_has_time_to_start() -> None:
    again = [(4000.0, "INFO reading the checkpoint"), *every(30, 8000, SAMPLER[0][1], 4000)]
    started = replace(tree(root=JobState.RUNNING).root, started_at=at(3990))
    now, lines = watch(kind="plain", phase=Phase.PENDING), sorted([*STEPS, *SAMPLER[:20], *again])
    for seconds in range(30, 5200, 30):
        new = [raw(at_s, text) for at_s, text in lines if seconds - 30 <= at_s < seconds]
        root = tree(root=JobState.PENDING).root if 610 < seconds < 3990 else tree(root=JobState.RUNNING).root
        root = started if seconds >= 3990 else root
        verdict = judge(now, look(seconds, JobTree(root), *new), rules())
        now = replace(now, memory=verdict.memory)
        assert not is_incident(verdict), (seconds, verdict.diagnosis)


def test_a_slow_job_has_time_for_its_next_piece() -> None:
    slow = every(400, 6000, "INFO train: wrote batch {n} of the epoch to the log")
    assert told([*slow, (2450, OOM)], 5500) == []


def test_a_slow_job_that_stays_silent_is_told() -> None:
    slow = every(400, 2500, "INFO train: wrote batch {n} of the epoch to the log")
    first_s, verdict = told([*slow, (2450, OOM)], 5500)[0]
    assert 2450 + 600 <= first_s <= 2450 + 1000
    assert verdict.cause is Cause.DEVICE_OOM


def test_a_program_that_goes_on_without_has_half_an_hour() -> None:
    missing = [(5, "ModuleNotFoundError: No module named 'tracker'"), (6, "going on without the tracker")]
    first_s, verdict = told(missing, 4000)[0]
    assert 1800 <= first_s <= 2000
    assert verdict.cause is Cause.MISSING_DEPENDENCY
    assert told(missing[:1], 4000)[0][0] < 400


def test_a_job_that_only_fails_is_told() -> None:
    refused = every(30, 3000, "ERROR could not write to the store: token has expired (401 Unauthorized)", 20)
    first_s, verdict = told([(0, "INFO reading the settings file"), *refused], 2400)[0]
    assert first_s <= 1000
    assert verdict.cause is Cause.AUTH_ERROR


def test_a_guess_behind_which_the_job_is_silent_is_told() -> None:
    report = "the flux ledger was garbled and could not be decoded"
    first_s, verdict = told([*STEPS[:3], (31, report)], 4000)[0]
    assert 1800 <= first_s <= 2000
    assert verdict.cause is Cause.DATA_ERROR


def test_tries_that_end_alike_say_nothing_calm() -> None:
    strange = "the flux went grey in the sink"
    seen = tree(root=JobState.RUNNING, tasks=(failed_task(0, strange, strange, strange),))
    lines = [raw(50 + number, f"WARNING sink {number} was slow, retrying") for number in range(2)]
    verdict = judge(watch(kind="plain"), look(60, seen, *lines), rules())
    assert verdict.diagnosis is not None
    assert verdict.cause is Cause.UNKNOWN
    assert verdict.diagnosis.explanation == "3 tries of the job ended in the same error; another will too."
    assert [line.text for line in verdict.diagnosis.evidence] == [strange]


STUCK = "INFO queue 240 frames, 0 rendering, none ready"
BEGUN = [(0.0, "INFO reading the scene"), (8.0, "INFO building kernels"), (40.0, "INFO 240 frames to render")]


def test_a_job_that_repeats_itself_digit_by_digit_is_told() -> None:
    first_s, verdict = told([*BEGUN, *every(60, 3600, STUCK, 60)], 2400)[0]
    assert 1200 <= first_s <= 1500
    assert verdict.diagnosis is not None
    assert (verdict.cause, verdict.diagnosis.severity) == (Cause.STAGE_STUCK, Severity.DEGRADED)
    assert "none that is new" in verdict.diagnosis.explanation


def test_a_report_before_the_repeats_names_the_cause() -> None:
    broken = [(50.0, OOM), (51.0, "INFO device 0: taken out")]
    first_s, verdict = told([*BEGUN, *broken, *every(60, 3600, STUCK, 60)], 2400)[0]
    assert first_s <= 1200
    assert verdict.diagnosis is not None
    assert verdict.diagnosis.severity is Severity.FATAL
    assert verdict.cause is Cause.DEVICE_OOM


@pytest.mark.parametrize(
    "repeated",
    [
        every(60, 3600, "INFO ready for requests on port 8000", 60),
        every(60, 3600, '10.0.0.9 "GET /health HTTP/1.1" 200 OK', 60),
        every(60, 3600, "building the wheel: still running...", 60),
        every(300, 3600, "INFO poking for the file of today", 60),
        every(60, 3600, "DEBUG polled: 0 messages", 60),
        every(60, 3600, "INFO one more of the batches is done", 60),
        every(60, 3600, "INFO {n} frames in the queue", 60),
        [(60 * n, f"INFO camera {n % 7}: a sample") for n in range(60)],
        [
            *every(60, 1100, STUCK, 60),
            (1150.0, "INFO rendered the first frame"),
            *every(60, 2000, STUCK, 1200),
        ],
    ],
    ids=[
        "serves",
        "is asked",
        "a tool runs",
        "waits for a file",
        "nothing came",
        "work without numbers",
        "counts",
        "a round",
        "short",
    ],
)
def test_lines_that_may_repeat_are_not_told(repeated: Printed) -> None:
    assert told([*BEGUN, *repeated], 2300) == []


def test_work_that_is_worthless_is_told() -> None:
    scored = every(30, 1200, "INFO scored batch {n}: reward=0.4{m}1 from the judge")
    worthless = every(30, 3600, "INFO scored batch {n}: reward=0.0000 from the judge", 1200)
    first_s, verdict = told([*scored, *worthless], 2400)[0]
    assert 1800 <= first_s <= 2100
    assert verdict.diagnosis is not None
    assert (verdict.cause, verdict.diagnosis.severity) == (Cause.DATA_ERROR, Severity.DEGRADED)
    assert "has been 0 in" in verdict.diagnosis.explanation


REFUSED = "ERROR cannot connect to the broker: [Errno 111] Connection refused."


@pytest.mark.parametrize(("answer", "least_s"), [("Trying again in 20 seconds", 900), ("nothing to do", 180)])
def test_a_program_that_tries_again_has_a_quarter_of_an_hour(answer: str, least_s: float) -> None:
    first_s, _ = told([*every(20, 2400, REFUSED), *every(20, 2400, answer)], 2400)[0]
    assert least_s <= first_s <= least_s + 120


def test_a_member_that_fails_beside_others_is_told() -> None:
    done = "w{w} | task t-{n} done, {m} rows"
    others = [line for w in "0123" for line in every(40, 3600, done.replace("{w}", w), 3.0 * int(w))]
    failed = "w5 | task t-{n} failed: RuntimeError: uncorrectable ECC error; back to queue"
    broken = [*every(40, 900, done.replace("{w}", "5")), *every(20, 3600, failed, 920)]
    _, verdict = told([*others, *broken], 1400)[-1]
    assert verdict.diagnosis is not None
    assert verdict.cause is Cause.BAD_ACCELERATOR
    assert "w5 has finished nothing for" in verdict.diagnosis.explanation


def test_output_that_stands_while_input_is_read_is_told() -> None:
    lines = [(30.0 * n, f"read={1000 + 97 * n} written={900 + 90 * min(n, 30)} lag_ms=4") for n in range(120)]
    first_s, verdict = told(lines, 2400)[0]
    assert 1500 <= first_s <= 1620
    assert verdict.diagnosis is not None
    assert (verdict.cause, verdict.diagnosis.severity) == (Cause.DATA_ERROR, Severity.FATAL)
    assert "`written` stands at 3,600" in verdict.diagnosis.explanation


def test_a_failure_in_the_place_of_work_is_told() -> None:
    items = every(30, 3600, "clip {n} of 412 was opened")
    muxed = every(30, 600, "muxed {m} frames into the clip", 20.0)
    failed = every(30, 3600, "ERROR conversion failed: No space left on device", 620.0)
    first_s, verdict = told([*items, *muxed, *failed], 2400)[0]
    assert 900 <= first_s <= 1080
    assert verdict.diagnosis is not None
    assert verdict.cause is Cause.DISK_FULL
    assert "came any more" in verdict.diagnosis.explanation


SERVED = "INFO throughput: 114.{m} tokens/s, running: {m} reqs, waiting: 0 reqs"
IDLE = "INFO throughput: 0.0 tokens/s, running: 0 reqs, waiting: 0 reqs"
STUCK_SERVER = "INFO throughput: 0.0 tokens/s, running: 41 reqs, waiting: 0 reqs"
HEALTH = every(60, 3600, 'INFO 10.0.0.1 "GET /health HTTP/1.1" 200 OK')


def test_a_server_that_holds_requests_and_answers_none_is_told() -> None:
    first_s, verdict = told([*every(10, 1200, SERVED), *every(10, 3600, STUCK_SERVER, 1200), *HEALTH], 3600)[
        0
    ]
    assert first_s <= 2400
    assert verdict.cause is Cause.STAGE_STUCK


@pytest.mark.parametrize(
    "printed",
    [
        [*every(10, 1200, SERVED), *every(10, 3600, IDLE, 1200), *HEALTH],
        [
            *every(30, 1200, "polled records=4{m} total={n} lag=0"),
            *every(30, 3600, "polled records=0 lag=0", 1200),
        ],
        every(300, 3600, "found 0 new files, nothing to do"),
    ],
    ids=["no requests", "no records", "no files"],
)
def test_a_program_that_has_nothing_to_do_is_not_told(printed: Printed) -> None:
    assert told(printed, 3600) == []


def test_a_sleep_until_a_time_of_day_is_waited_for() -> None:
    """The job starts at 12:00; nothing but the watch's own clock says that it is silent."""
    steps = every(30, 1800, "geocoded {n} of 412004 rows")
    asleep = [*steps, (1805.0, "quota used up, sleeping until 13:00:05")]
    assert told([*asleep, *every(30, 5400, "geocoded {n} of 412004 rows", 3610.0)], 3600) == []


def test_the_fields_of_json_lines_count() -> None:
    line = '{{"ts":"2026-01-01T00:00:00Z","level":"info","msg":"progress","ok":{n},"failed":{m}}}'
    expired = (
        '{{"ts":"2026-01-01T00:00:00Z","level":"error","msg":"tls","err":"x509: certificate has expired"}}'
    )
    assert told([*every(30, 3600, line), *every(300, 3600, expired, 40.0)], 3600) == []
