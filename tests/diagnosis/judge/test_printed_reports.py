"""A job that prints reports of failures as its data goes on; one that reports its own fault does not."""

from dataclasses import replace

import pytest

from babysitter.diagnosis.pipeline import judge
from babysitter.model.finding import Cause
from tests.support.build import watch as made_watch
from tests.support.jobs import S, look, raw, tree
from tests.support.recordings import rules

PRINTED = (
    "Traceback (most recent call last):",
    "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB",
    "I20261120 12:00:01 zephyr.execution [20261120-120000-abcdef01] [stage0-Map] Shard 12 has failed 3 times "
    "(max 3), last failure on worker w-7, aborting pipeline.",
    "No space left on device",
    "ValueError: bad value",
    "Coordinator shutdown complete",
)
ONE_FAULT = ("No space left on device",)


def causes(faults: tuple[str, ...], *, logged: str = "") -> set[Cause]:
    """The causes named in eight minutes of a job that counts documents and prints these between them."""
    lines = [raw(second, f"document {second} of 9000 indexed") for second in range(1, 480)]
    lines += [raw(second, faults[second // 3 % len(faults)]) for second in range(3, 480, 3)]
    lines += [raw(second, logged) for second in range(3, 480, 3) if logged]
    lines.sort(key=lambda line: line.at_ms)
    watch, found, first = made_watch(kind="auto"), set(), lines[0].at_ms
    for now in range(10, 480, 10):
        new = [line for line in lines if now - 10 <= (line.at_ms - first) / 1000 < now]
        verdict = judge(watch, look(now, tree(), *new), rules())
        found |= {verdict.cause} if verdict.diagnosis is not None else set()
        watch = replace(watch, memory=verdict.memory)
    verdict = judge(watch, look(490, tree(root=S), *lines[-200:], reread=True), rules())
    return found | ({verdict.cause} if verdict.diagnosis is not None else set())


@pytest.mark.parametrize(
    ("faults", "logged", "named"),
    [
        (PRINTED, "", False),
        (ONE_FAULT, "", True),  # it may write to the full disk at every step
        (PRINTED, "ERROR:root:No space left on device: /data/out", True),  # what its logger says is its own
    ],
)
def test_printed_reports_are_data(faults, logged, named):
    assert (Cause.DISK_FULL in causes(faults, logged=logged)) is named
    if not named:
        assert not causes(faults, logged=logged)
