"""A run beside its good runs: planted faults are found, and chance raises nothing."""

from datetime import UTC, datetime, timedelta

import pytest

from babysitter.diagnosis.last_good.build_profile import MAX_TEMPLATES_OF_WATCH, add_lines
from babysitter.diagnosis.last_good.compare import SHOWN, compare_runs
from babysitter.diagnosis.last_good.good_runs import GoodRuns
from babysitter.diagnosis.last_good.program_name import program_of
from babysitter.diagnosis.last_good.rule_input import KnownReports
from babysitter.diagnosis.last_good.wording import read_wording
from babysitter.diagnosis.text_observation import observation_of_text
from babysitter.model.job import JobState
from babysitter.model.log import LogLine
from babysitter.model.run_profile import DifferenceKind, RunComparison, RunProfile
from tests.support.run_pairs import (
    RunPair,
    absence_pair,
    good_pair,
    is_planted,
    line_pair,
    pairs,
    slow_pair,
)

BEGAN = datetime(2026, 3, 1, tzinfo=UTC)


def profile(text: str) -> RunProfile:
    return add_lines(RunProfile(), observation_of_text(text).seen_lines)


def compare(other: str, *good: str) -> RunComparison:
    return compare_runs(profile(other), GoodRuns([profile(text) for text in good]))


def shown(pair: RunPair) -> bool:
    found = compare(pair.other, pair.good).differences[:SHOWN]
    return any(is_planted(pair, difference.text) for difference in found)


def log(*parts: tuple[float, str]) -> str:
    """Lines at these seconds."""
    return "".join(f"{BEGAN + timedelta(seconds=at_s):%Y-%m-%d %H:%M:%S} {text}\n" for at_s, text in parts)


def job(*, load_s: float = 240.0, beats_until_s: float = 1e9, extra: tuple[str, ...] = ()) -> str:
    """A run of four stages with a heartbeat each minute; `extra` lines in the middle."""
    lines = [
        (0.0, "INFO reading settings"),
        (5.0, "INFO loading tables"),
        (5.0 + load_s, "INFO tables loaded"),
    ]
    start = lines[-1][0]
    lines += [(start + 10 * n, f"INFO wrote part {n} of 40") for n in range(1, 41)]
    lines += [(start + 205.0, f"INFO {text}") for text in extra]
    end = start + 410
    lines += [(end, "INFO merging parts"), (end + 60, "INFO parts merged"), (end + 61, "INFO all done")]
    lines += [(60.0 * n, "INFO keeper is alive") for n in range(1, int(end // 60)) if 60 * n < beats_until_s]
    return log(*sorted(lines, key=lambda candidate: candidate[0]))


def test_planted_lines_are_among_the_first_five():
    missed = [pair.seed for pair in pairs(line_pair, 71_000, 12) if not shown(pair)]
    assert len(missed) <= 1, missed


def test_two_good_runs_raise_nothing():
    raised = [
        pair.seed for pair in pairs(good_pair, 72_000, 12) if compare(pair.other, pair.good).differences
    ]
    assert raised == []


@pytest.mark.parametrize(
    "seed",
    [
        pytest.param(977_001, id="new-line-came-before"),
        pytest.param(205_003, id="variant-of-new-line-came-before"),
        pytest.param(342_026, id="new-line-spread-over-the-run"),
        pytest.param(343_016, id="missing-line-came-at-random"),
        pytest.param(345_021, id="line-at-random-stopped"),
        pytest.param(347_025, id="few-lines-evenly-by-chance"),
        pytest.param(325_029, id="retries-stopped"),
        pytest.param(309_013, id="retry-between-stages"),
        pytest.param(327_020, id="sparse-line-over-more-time"),
        pytest.param(524_004, id="chance-line-behind-the-work"),
        pytest.param(409_015, id="rate-of-lines-at-random"),
        pytest.param(418_023, id="another-job-dispatched-in-its-place"),
        pytest.param(605_019, id="new-line-at-one-in-ten"),
        pytest.param(616_028, id="fewer-of-a-sparse-line"),
        pytest.param(641_003, id="chance-line-between-work"),
        pytest.param(655_011, id="other-jobs-nearly-as-often"),
        pytest.param(340_011, id="one-of-four-jobs-paused"),
    ],
)
def test_lines_at_random_raise_nothing(seed: int):
    pair = good_pair(seed)
    assert compare(pair.other, pair.good).differences == ()


def test_nearest_good_wording_is_the_first_printed():
    """Of several that are equally near; an order by hash would differ from process to process."""
    names = ("amber", "birch", "cedar", "dune", "elm")
    good = GoodRuns(
        [profile("".join(f"job {name} of the {n} north was sent\n" for name in names)) for n in names]
    )
    for n in names:
        found = good.known_as(("job", "fern", "of", "the", n, "north", "was", "sent"))
        assert found is not None
        assert found[1] == "amber"


def test_absent_stages_and_heartbeats_are_shown():
    missed = [pair.seed for pair in pairs(absence_pair, 73_000, 11) if not shown(pair)]
    assert len(missed) <= 1, missed


def test_slow_stages_are_shown():
    assert [pair.seed for pair in pairs(slow_pair, 74_000, 10) if not shown(pair)] == []


def test_duration_of_a_stage_is_compared():
    first = compare(job(load_s=2460), job()).differences[0]
    assert (first.kind, first.text) == (DifferenceKind.DURATION, "loading tables")
    assert first.comparison == "took 41 min; at most 4 min 0 s in the good run"


def test_duration_just_below_three_times_is_usual():
    assert compare(job(load_s=700), job()).differences == ()


def test_heartbeat_that_stopped():
    first = compare(job(beats_until_s=200), job()).differences[0]
    assert (first.kind, first.text) == (DifferenceKind.STOPPED, "keeper is alive")


def test_new_line_of_a_usual_run_is_chance():
    assert compare(job(extra=("compacted the index",)), job()).differences == ()


def test_new_error_of_a_usual_run_is_shown():
    text = job().replace("INFO merging", "ERROR the tide gate lies open\n2026-03-01 00:10:55 INFO merging")
    (found,) = compare(text, job()).differences
    assert found.evidence is not None
    assert found.evidence.text.endswith("ERROR the tide gate lies open")


def test_retried_error_of_a_usual_run_is_chance():
    retried = "ERROR upload failed, retrying in 2s (attempt 1/5)\n2026-03-01 00:10:55 INFO merging"
    assert compare(job().replace("INFO merging", retried), job()).differences == ()


def test_run_that_breaks_off_shows_its_new_line():
    cut = job().split("INFO merging")[0] + "INFO the sluice leans on an empty seat\n"
    found = compare(cut, job())
    assert not found.has_ended_as_usual
    assert "sluice" in found.differences[0].text
    assert DifferenceKind.NOT_REACHED in {difference.kind for difference in found.differences}


def test_new_line_of_a_job_that_succeeded_is_chance():
    cut = job().split("INFO merging")[0] + "INFO the sluice leans on an empty seat\n"
    compared = compare_runs(profile(cut), GoodRuns([profile(job())]), state=JobState.SUCCEEDED)
    assert DifferenceKind.NEW not in {difference.kind for difference in compared.differences}


def test_name_of_an_exception_comes_before_its_frames():
    trace = (
        'Traceback (most recent call last):\n  File "x.py", line 3, in f\n    self.turn()\nTideGone: no sea\n'
    )
    cut = job().split("2026-03-01 00:10:55 INFO merging")[0] + trace
    assert compare(cut, job()).differences[0].text == "TideGone: no sea"


def test_warning_is_telling_beside_three_good_runs():
    text = job().replace("INFO merging", "WARNING sextant is tilted\n2026-03-01 00:10:55 INFO merging")
    assert compare(text, job()).differences == ()
    assert compare(text, job(), job(), job()).differences[0].kind is DifferenceKind.NEW


def test_a_short_good_run_says_nothing():
    assert compare(job(), "one line\n") == RunComparison(0)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("step 10 loss 2.5", "step 90 loss 0.1"),
        ("wrote gs://b/run-1/x in 4.2s", "wrote /data/y/z in 300 ms"),
        ("2026-03-01 10:00:00 INFO host-1 is up", "2026-04-02 11:11:11 INFO host-77 is up"),
        ('{"level": "info", "msg": "took 3 s"}', '{"level": "info", "msg": "took 5 min"}'),
        ("user=ada id=0x3f2a done", "user=bob id=0x99 done"),
        ("shards [1, 2, 3] left", "shards [4] left"),
    ],
)
def test_wording_leaves_values_out(one: str, other: str):
    assert read_wording(one) == read_wording(other) != ()


def test_wording_keeps_words():
    assert read_wording("stage map complete") != read_wording("stage reduce complete")


@pytest.mark.parametrize(
    ("job_id", "program"),
    [
        ("/ada/dedup-r2", "/ada/dedup"),
        ("/ada/dedup-3f2a91c0-r1", "/ada/dedup"),
        ("/ada/train-20260301-101500", "/ada/train"),
        ("/ada/train-2026-03-01", "/ada/train"),
        ("/ada/exp-7", "/ada/exp-7"),
        ("raysubmit_9aBcDeFgHiJkLmN1", ""),
        ("nightly-etl", "nightly-etl"),
    ],
)
def test_program_name_leaves_out_what_a_run_alone_has(job_id: str, program: str):
    assert program_of(job_id) == program


def test_profile_is_the_same_however_lines_are_cut():
    lines = observation_of_text(job()).seen_lines
    whole = add_lines(RunProfile(), lines)
    parts = RunProfile()
    for start in range(0, len(lines), 7):
        parts = add_lines(parts, lines[start : start + 7])
    assert parts == whole


def test_profile_is_bounded():
    words = [f"{a}{b}" for a in "abcdefghijklmnop" for b in "qrstuvwxyz"]
    lines = [
        LogLine(f"{one} says {other} to all", 1000) for one, other in zip(words, reversed(words), strict=True)
    ]
    assert (
        len(add_lines(RunProfile(), lines, at_most=MAX_TEMPLATES_OF_WATCH).templates)
        <= MAX_TEMPLATES_OF_WATCH
    )


@pytest.mark.parametrize(("times", "is_covered"), [(3, True), (60, False)])
def test_known_report_counts_at_the_same_rate(times: int, is_covered: bool):
    line = "2026-03-01 00:05:00 ERROR cannot read the cache\n"
    good = GoodRuns([profile(job() + line + log((900, "INFO bye")))])
    now = profile(line * times + job())
    assert KnownReports(good, now, is_over=True).covers(line.strip()) is is_covered


def test_known_report_at_the_end_is_another_place():
    line = "2026-03-01 00:05:00 ERROR cannot read the cache\n"
    good = GoodRuns([profile(line + job())])
    assert not KnownReports(good, profile(job().split("INFO merging")[0] + line), is_over=True).covers(
        line.strip()
    )
