"""A job that succeeded, and says at its end that part of its work was left out."""

from dataclasses import replace
from time import process_time

import pytest

from babysitter.diagnosis.causes.left_out import LAST_LINES, LEFT_OUT, find_left_out, says_left_out
from babysitter.diagnosis.pipeline import judge
from babysitter.model.finding import ActionKind, Cause, Severity
from babysitter.model.job import JobState
from babysitter.model.job_facts import JobFacts
from babysitter.usecases.looking.classify_text import look_at
from tests.support.build import watch as made_watch
from tests.support.jobs import look, raw, tree
from tests.support.recordings import rules


@pytest.mark.parametrize(
    "message",
    [
        "Only 41 of 60 shards were written.",
        "only 1,204/1,205 pages converted",
        "Only completed 7 of 8 splits",
        "uploaded 3/4 parts but the deadline has passed",
        "saved 0/2 files; timed out after 300 s",
        "* 12 tasks were left pending",
        "3 shards were never written",
        "gave up on shard 17 of the export",
        "giving up on 2 files",
        "Not all 60 shards were written",
        "not all of the shards have been written",
        "saved 3/4 parts before the deadline",
        "12 files were not uploaded because of a quota",
    ],
)
def test_what_was_left_out(message: str) -> None:
    assert says_left_out(message)


@pytest.mark.parametrize(
    "message",
    [
        "41 of 60 shards were written",  # on the way
        "only 60 of 60 shards were written",
        "0 tasks were left pending",
        "only 3 of 80 files changed",
        "only 12 of 90 documents were written, the others were filtered",
        "12 files were not copied: up to date",
        "only 5 of 9 rows processed so far",
        "uploaded 3/4 parts but the last one failed, retrying",
        "only 2 of 5 trials completed: stopped early by the scheduler",
        'row 4: "only 41 of 60 shards were written"',
        "if only 3 of 4 tasks finished, run it again",
        "3 warnings were given",
        "skipping 14 existing outputs",
        "tests: only 3 of 9 runs finished",
        "giving up on compression",
        "wandb: 3 files are not uploaded",
        "5 rows were not written because empty",
        "giving up on request 5, using fallback",
        "2 tasks were abandoned by speculative execution",
        "only 40 of 100 documents were written after quality check",
        "saved 3/4 parts before checkpoint",
        f"only {'1' * 5000} of {'2' * 5000} shards were written",
    ],
)
def test_what_was_not(message: str) -> None:
    assert not says_left_out(message)


@pytest.mark.parametrize(
    ("texts", "at"),
    [
        (["only 3 of 4 shards were written", "bye"], 0),
        (["only 3 of 4 shards were written", "second pass", "4/4 shards written"], None),
        (["only 3 of 4 shards were written", "All shards have been written"], None),
        (["all 4 tasks finished", "only 3 of 4 shards were written"], 1),
        ([], None),
        (["only 41 of 60 shards were written", "Not all 60 shards were written"], 1),
        (["only 41 of 60 shards were written", "nearly all 60 shards were written"], 0),
        (["wandb: 3 files are not uploaded", "sync disabled"], None),
        (["3 files are not uploaded", "wandb: sync disabled"], None),
        (["3 files are not uploaded", "bye"], 0),
    ],
)
def test_a_later_line_may_have_it_all(texts: list[str], at: int | None) -> None:
    assert find_left_out(texts) == at


@pytest.mark.parametrize("text", ["1," * 20_000, "1" * 40_000, "only 1/" * 6_000, "not all 1 " * 4_000])
def test_a_long_line_is_read_quickly(text: str) -> None:
    before = process_time()
    assert not says_left_out(text)
    assert find_left_out([text]) is None
    assert process_time() - before < 1


WORK = [f"shard {n}/60 written" for n in range(1, 42)]


@pytest.mark.parametrize(
    ("state", "lines", "cause"),
    [
        (JobState.SUCCEEDED, [*WORK, "only 41 of 60 shards were written"], Cause.UNKNOWN),
        (
            JobState.SUCCEEDED,
            [*WORK, "saved 1/2 parts of the checkpoint", "saved 1/2 files; timed out"],
            Cause.STORAGE_ERROR,
        ),
        (
            JobState.SUCCEEDED,
            ["OSError: [Errno 28] No space left on device", *WORK, "only 41 of 60 shards were written"],
            Cause.DISK_FULL,
        ),
        (JobState.SUCCEEDED, [*WORK, "only 41 of 60 shards were written", *["bye"] * LAST_LINES], None),
        (JobState.SUCCEEDED, WORK, None),
        (JobState.RUNNING, [*WORK, "only 41 of 60 shards were written"], None),
    ],
)
def test_success_with_loss(state: JobState, lines: list[str], cause: Cause | None) -> None:
    verdict, _ = look_at("\n".join(lines), rules(), JobFacts(state=state))
    found = verdict.diagnosis
    if cause is None:
        assert found is None or LEFT_OUT not in found.rules
        return
    assert found is not None
    assert (found.cause, found.severity, found.action) == (cause, Severity.DEGRADED, ActionKind.ESCALATE)
    assert LEFT_OUT in found.rules


def test_success_with_loss_of_a_watch() -> None:
    watch = made_watch()
    lines = [raw(1, "reads 60 shards"), raw(2, "only 41 of 60 shards were written")]
    running = judge(watch, look(10, tree(), *lines), rules())
    assert running.diagnosis is None or LEFT_OUT not in running.diagnosis.rules
    ended = judge(replace(watch, memory=running.memory), look(70, tree(root=JobState.SUCCEEDED)), rules())
    assert ended.diagnosis is not None
    assert (ended.diagnosis.rules, ended.diagnosis.severity) == ((LEFT_OUT,), Severity.DEGRADED)
