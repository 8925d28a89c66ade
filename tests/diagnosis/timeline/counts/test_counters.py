"""Progress found by what numbers do: wordings that count, and wordings that only hold numbers."""

import pytest

from babysitter.diagnosis.timeline.counts.counters import read_counters
from babysitter.diagnosis.timeline.counts.numbers import SlotKind, read_wording
from babysitter.diagnosis.timeline.entries import read_entries
from babysitter.diagnosis.timeline.pace import is_complete, quiet_limit_s
from babysitter.model.limits import Limits


def _counters(template: str, values, step_s: float = 10.0):
    texts = [
        template.format(value, value + 1000, value / 7) if "{" in template else template for value in values
    ]
    times = [index * step_s for index in range(len(texts))]
    return read_counters(read_entries(texts, times_s=times))


_COUNTS = [
    "step {}",
    "step {} loss 2.1",
    "step: {} loss 2.1",
    "Step: {}",
    "global_step={} lr=3e-4",
    "[step {}/90000] loss 2.31",
    "train/step: {} | loss: 2.1 | 1.2 it/s",
    "INFO 2026-11-20 12:00:00 trainer.py:31 iteration {} done",
    "processed {} rows",
    "Processed {} of 90000 rows, 0 errors",
    "fetched {} pages, 7 gone (404)",
    "{} documents written",
    "wrote part {}",
    "tokens seen: {}",
    "tokens: {}M",
    "{}/90000 shards complete",
    "shards {} / 90000",
    "Downloading: {} MB / 90000 MB",
    "downloaded {}.5 MB",
    "copied {} bytes",
    "\rfold:  12%|█▏        | {}/90000 [00:12<01:40,  9.1it/s]",
    "Progress on:train {}it/90000it rate:2.0it/s postfix:loss=2.1",
    "| epoch {} | loss 3.2 |",
    "epoch {} finished in 12.1s",
    "{{'loss': 2.1, 'epoch': {}}}",
    '{{"level": "info", "event": "tick", "batches": {}}}',
    "ts=2026-11-20T12:00:00Z level=info records={} shard=a",
    "(train_worker pid=701, ip=192.0.2.7) iteration {} finished, reward 0.41",
    "[rank3]: step {} loss 3.1",
    "pressed {}/90000 olives, 5 in flight, 0 waiting, retries: 0",
    "still working, {} of 90000 parts written",
    "Running loglikelihood requests: {}/90000",
    "simulated {} games",
    "folded {} of 90000 structures",
    "scored {} molecules",
    "replicated {}/90000 segments",
    "generation {} of 90000",
    "uploaded chunk-{}",
    "saved checkpoint step_{}",
    "wave {} is through the press",  # a word that nobody listed: it rises in each of four reports
    "cycle={}",
    "0 failed, {} completed, 0 errors",
]


@pytest.mark.parametrize("template", _COUNTS)
def test_counter_that_rises_is_progress(template):
    counters = _counters(template, [3, 9, 14, 200, 1700])
    assert [rise.place for rise in counters.rises] == [1, 2, 3, 4]


@pytest.mark.parametrize("template", _COUNTS)
def test_counter_that_stands_is_not_progress(template):
    assert not _counters(template, [9, 9, 9, 9, 9]).rises


_ONLY_NUMBERS = [
    "waiting for workers, {} s elapsed",
    "still waiting for shard 3 ({} seconds)",
    "uptime {}",
    "uptime: {} s",
    "heartbeat {}",
    "heartbeat {} sent to controller",
    "poll {}: no work",
    "GPU memory used: {} MiB",
    "rss={} MB",
    "worker {} registered",
    "pid={}",
    "retry {} of 90000",
    "Retrying request, attempt {}",
    "restarting worker, restart count {}",
    "attempt {} failed",
    "{} tasks failed",
    "tasks: {} pending",
    "failed to read row {}",
    "error at step {}",
    "Dataset exhausted, reloading (epoch {})",
    "resuming from step {}",
    "restoring checkpoint step {}",
    "loss {} ",
    "lr={} ",
    "reward {}",
    "queue depth {}",
    "{} requests pending",
    "{} workers lost",
    "temperature {} C",
    "port {} opened",
    "took {} ms",
    "Avg prompt throughput: {} tokens/s",
    "listening on 192.0.2.7:{}",
    "step 3 took {}s",
    "hung at step {}",
    "seed={}",
    "not ready: {}/90000 steps",
    '{{"text": "we are at {}/90000 of the book", "url": "x"}}',
    "timed out after {} polls",
    "connection lost, {} files left",
]


@pytest.mark.parametrize("template", _ONLY_NUMBERS)
def test_number_that_measures_else_is_not_progress(template):
    assert not _counters(template, [3, 9, 14, 200, 1700]).rises


@pytest.mark.parametrize(
    ("values", "rises"),
    [
        ([1, 2, 3], [1, 2]),
        ([5, 5, 6, 6, 7], [2, 4]),
        ([10, 9, 10, 11], [3]),  # a late line of another rank
        ([100, 200, 300, 1, 2, 3], [1, 2, 4, 5]),  # counts anew
        ([100, 90, 95, 100, 101], [4]),  # resumed from a checkpoint: not further than before
        ([7], []),
    ],
)
def test_rise_is_above_all_before(values, rises):
    assert [rise.place for rise in _counters("step {}", values).rises] == rises


@pytest.mark.parametrize(
    ("values", "rises"), [([4, 5, 6], 0), ([4, 5, 6, 7], 3), ([4, 5, 5, 6, 7], 0), ([9, 8, 7, 6], 0)]
)
def test_unknown_number_must_rise_in_four_reports(values, rises):
    assert len(_counters("cycle {} closed", values).rises) == rises


def test_speakers_count_for_themselves():
    texts = [f"[rank{rank}]: step {step}" for step in (1, 2) for rank in (0, 1)]
    counters = read_counters(read_entries(texts))
    assert len(counters.work.counts) == 2
    assert [rise.place for rise in counters.rises] == [2, 3]


def test_totals_are_series_of_their_own():
    texts = ["5/10 shards", "60/400 shards", "5/10 shards", "61/400 shards"]
    assert [rise.place for rise in read_counters(read_entries(texts)).rises] == [3]


@pytest.mark.parametrize(
    ("message", "kind", "value", "total"),
    [
        ("12/900 done", SlotKind.FRACTION, 12, 900),
        ("45% of it", SlotKind.FRACTION, 45, 100),
        ("12 of 900 files", SlotKind.FRACTION, 12, 900),
        ("1.2kit/90.0kit", SlotKind.FRACTION, 1200, 90000),
        ("tokens: 3.5M", SlotKind.WORK, 3.5e6, None),
        ("step 1,234", SlotKind.WORK, 1234, None),
        ("copied 2 GB of files", SlotKind.WORK, 2e9, None),
    ],
)
def test_numbers_are_read_with_their_units(message, kind, value, total):
    wording = read_wording(message)
    assert wording is not None
    assert wording.slots[0].kind is kind
    assert wording.slots[0].read(message) == (pytest.approx(value), total)


@pytest.mark.parametrize(
    "message",
    [
        "",
        "no number",
        "at 12:00:01",
        "v1.2.3",
        "192.0.2.7:8080",
        "17/3 workers",
        "2026-11-20 12:00:00",
        "took 3.2s",
    ],
)
def test_message_without_counts_has_no_wording(message):
    wording = read_wording(message)
    assert wording is None or all(slot.read(message) is None for slot in wording.slots)


def _quiet_limit_s(texts, times_s=None, line_gap_s=0.0):
    return quiet_limit_s(read_counters(read_entries(texts, times_s=times_s)).work, line_gap_s, Limits())


@pytest.mark.parametrize(
    ("steps_s", "line_gap_s", "limit_s"),
    [
        ([0, 1, 2, 3], 0, 600),
        ([0, 11, 22, 33], 11, 600),
        ([0, 100, 200, 300], 100, 2000),
        ([0, 10, 20, 30, 40, 200], 160, 960),
        ([0, 10, 20, 30], 220, 1320),
    ],
)
def test_quiet_limit_is_of_its_own_pace(steps_s, line_gap_s, limit_s):
    texts = [f"step {index}" for index in range(len(steps_s))]
    assert _quiet_limit_s(texts, steps_s, line_gap_s) == limit_s


def test_quiet_limit_needs_a_clock_and_rises():
    assert _quiet_limit_s(["step 1", "step 2", "step 3", "step 4"]) is None
    assert _quiet_limit_s(["step 1"] * 5, [0, 1, 2, 3, 4]) is None


@pytest.mark.parametrize(
    ("texts", "complete"),
    [
        (["3/4 shards", "4/4 shards"], True),
        (["4/4 shards", "step 1"], False),
        (["step 4"], False),
        ([], False),
    ],
)
def test_newest_count_is_complete(texts, complete):
    assert is_complete(read_counters(read_entries(texts)).work) is complete


@pytest.mark.parametrize(
    ("texts", "times_s"),
    [
        (["23:59:58 a", "00:00:03 b"], [0, 5]),
        (["12:00:00 a", "no time", "12:00:09 b"], [0, 0, 9]),
        (["2026-11-20 12:00:00 a", "12:00:04 b"], [0, 4]),
        (["2026-11-20T12:00:09Z a", "2026-11-20T12:00:00Z late", "2026-11-20T12:00:10Z b"], [0, 0, 1]),
        (["E1120 12:00:00.1 71 x.cc:12] a", "I20261120 12:00:00 b", "I20261120 12:01:00 c"], None),
        (["no time at all"], None),
    ],
)
def test_clock_never_runs_backwards(texts, times_s):
    entries = read_entries(texts)
    times = [entry.at_s for entry in entries]
    seen = [time for time in times if time is not None]
    assert seen == sorted(seen)
    if times_s is not None:
        assert [time - times[0] for time in times] == times_s


def test_clock_of_the_source_fills_in():
    entries = read_entries(["a", "2026-11-20T12:00:00Z far off", "b"], times_s=[5.0, 6.0, 7.0])
    assert [entry.at_s for entry in entries] == [5.0, 6.0, 7.0]


@pytest.mark.parametrize(
    ("text", "speaker"),
    [
        ("[rank3]: x", "rank3"),
        ("(Actor pid=7, ip=192.0.2.7) x", "Actor pid=7, ip=192.0.2.7"),
        ("task=/ada/x/0 | step 3", "/ada/x/0"),
        ("plain words", ""),
    ],
)
def test_speaker_of_a_line(text, speaker):
    assert read_entries([text])[0].speaker == speaker


def test_counters_go_on_from_look_to_look():
    texts = [f"step {step} of 900" for step in (1, 2, 3, 3, 3, 4, 5)]
    times = [float(10 * index) for index in range(len(texts))]
    entries = read_entries(texts, times_s=times)
    at_once = read_counters(entries)
    first = read_counters(entries[:4])
    second = read_counters(entries[4:], first.work)
    assert (*first.rises, *second.rises) == at_once.rises
    assert second.work == at_once.work


def test_counters_remember_the_newest_counts_only():
    texts = [f"step 1 of {total}" for total in range(10, 200)]
    counts = read_counters(read_entries(texts)).work.counts
    assert len(counts) == 24
    assert counts[-1].total == 199
