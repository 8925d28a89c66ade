from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babysitter.diagnosis.timeline.pipelines.zephyr_lines import (
    LogMarker,
    line_at,
    read_milestone,
    read_progress,
    read_status,
)
from babysitter.model.log import LogLine

AT = datetime(2026, 11, 20, 19, 45, 21, tzinfo=UTC)
EXEC = "[20261120-194436-86827518]"
PREFIX = "I20261120 19:45:21 zephyr.execution "
COUNTS = "5/18 complete, 3 in-flight, 10 queued, 3/4 workers alive, 1 dead"


@pytest.mark.parametrize(
    ("text", "stage", "number"),
    [
        (f"{PREFIX}{EXEC} [stage0-Map → Scatter] {COUNTS}", "stage0-Map → Scatter", 0),
        (f"{PREFIX}[stage12-Map] {COUNTS}", "stage12-Map", 12),
        (f"{PREFIX}{EXEC} [stage3-Map [a] → Re...] {COUNTS}", "stage3-Map [a] → Re...", 3),
        (f"{PREFIX}{EXEC} [join-right-0-x-stage2] {COUNTS}; items=3 (0.1/s)", "join-right-0-x-stage2", 2),
        (f"I20261120 19:45:21 zephyr.coordinator [e] [stage0-Map] {COUNTS}. 3 items/s", "stage0-Map", 0),
        (f"2026-11-20 19:45:21,000 INFO zephyr.execution [stage0-Map] {COUNTS}", "stage0-Map", 0),
    ],
)
def test_progress_lines_of_all_generations(text, stage, number):
    found = read_progress(LogLine(text))
    assert found is not None
    assert (found.stage, found.stage_number, found.done, found.total) == (stage, number, 5, 18)
    assert (found.in_flight, found.queued, found.alive, found.workers, found.gone) == (3, 10, 3, 4, 1)
    assert found.at == AT


@pytest.mark.parametrize(
    "text",
    [
        f"[stage0-Map] {COUNTS}",  # a print
        f"I20261120 19:45:21 my.program [stage0-Map] {COUNTS}",  # a user's logger
        f"I20261120 19:45:21 my.program said: zephyr.execution [stage0-Map] {COUNTS}",
        f"{PREFIX}[stage0-Map] 5/18 done",
        f"{PREFIX}{'x' * 5000} [stage0-Map] {COUNTS}",
    ],
)
def test_what_only_looks_like_progress_is_text(text):
    assert read_progress(LogLine(text)) is None


def test_the_time_inside_counts_unless_it_is_far_from_the_entry_s():
    near = int(AT.timestamp() * 1000) + 8_000  # lines arrive late
    far = int(AT.timestamp() * 1000) + 5 * 3_600_000  # another time zone
    assert line_at(LogLine(f"{PREFIX}x", near)) == AT
    assert line_at(LogLine(f"{PREFIX}x", far)) == datetime.fromtimestamp(far / 1000, UTC)
    assert line_at(LogLine("plain")) is None


@pytest.mark.parametrize(
    ("message", "said", "details"),
    [
        ("Coordinator shutdown complete", LogMarker.SHUT_DOWN, {}),
        (
            "Shard 1 failed on worker w-0 (attempt 1/3), re-queuing.",
            LogMarker.SHARD_FAILED,
            {"shard": "1", "n": "1"},
        ),
        ("Shard 1 failed on worker w-0 (task error 2/3), re-queuing.", LogMarker.SHARD_FAILED, {"n": "2"}),
        (
            "Shard 1 requeued from worker w-0 due to infra failure (preemption/heartbeat).",
            LogMarker.SHARD_LOST,
            {},
        ),
        ("Shard 5 has failed 3 times (max 3), aborting pipeline.", LogMarker.SHARD_GIVEN_UP, {"shard": "5"}),
        ("[e] Starting stage stage0-Map (Map) with 18 tasks", LogMarker.STAGE_STARTED, {"total": "18"}),
        ("Starting 3 workers (max=3, shards=8)", LogMarker.WORKERS_ASKED, {"count": "3"}),
        (
            "Pipeline attempt 0 failed (100 retries left), retrying in 2.2s: [Errno 5] x",
            LogMarker.PIPELINE_FAILED,
            {"reason": "[Errno 5] x"},
        ),
    ],
)
def test_milestones(message, said, details):
    found = read_milestone(LogLine(PREFIX + message))
    assert found is not None
    assert found.said is said
    assert details.items() <= found.details.items()
    assert read_milestone(LogLine(message)) is None


@pytest.mark.parametrize(
    ("text", "done", "total", "queued"),
    [
        ("**Map → Scatter** (1/4)  \n0/18 shards (0%)", 0, 18, None),
        ("**Map** (1/1)  \n6/10 shards (60%)  \n0.3 items/s", 6, 10, None),
        ("**Map**\n2/4 shards\n**Shards** — 2/4 complete (50%), 1 in-flight, 1 queued", 2, 4, 1),
    ],
)
def test_status_text_is_a_second_source(text, done, total, queued):
    found = read_status(text, AT)
    assert found is not None
    assert (found.done, found.total, found.queued) == (done, total, queued)


@pytest.mark.parametrize("text", ["idle", "", "**stage0-Map**  \nshard 2/18", "**" * 3000])
def test_other_status_texts_say_nothing(text):
    assert read_status(text, AT) is None


@given(st.text(max_size=300), st.integers(-1, 2**50))
def test_no_line_is_too_strange(text, at_ms):
    for candidate in (text, PREFIX + text):
        line = LogLine(candidate, max(0, at_ms) % 10**13)
        read_progress(line)
        read_milestone(line)
        line_at(line)
        read_status(candidate, AT)
