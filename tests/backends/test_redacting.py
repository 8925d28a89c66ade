"""Answers of a cluster hold no secrets behind the reader, and are otherwise the same."""

from datetime import UTC, datetime

import pytest

from babysitter.backends.redacting import MAX_INLINE_CHARS, RedactingReader, redacted
from babysitter.errors import Unreachable
from babysitter.model.ids import JobId, TaskId
from babysitter.model.job import Attempt, Job, JobState, JobTree, Task, TaskState
from babysitter.model.log import LogBatch, LogLine, LogSource
from babysitter.model.submission import Submission, SubmissionOrigin
from babysitter.model.thread_dump import Process, ThreadDump

SECRET = "hf_" + "madeUp7" * 5
WORDS = f"refused HF_TOKEN={SECRET}"
ONE, TWO = TaskId("/ada/x/0"), TaskId("/ada/x/1")
KEY_LINE = "abcdEFGH12345678" * 4


def test_lines_of_tasks_are_read_apart() -> None:
    """Two tasks print at the same time; the key of one is recognised between the lines of the other."""
    key = ["-----BEGIN PRIVATE KEY-----", KEY_LINE, "zZ9a=", "-----END PRIVATE KEY-----"]
    lines = []
    for number, line in enumerate(key):
        lines += [LogLine(line, number, ONE), LogLine(f"\x1b[1mstep\x1b[0m {number}", number, TWO)]
    shown = redacted(LogBatch(tuple(lines), None))
    assert isinstance(shown, LogBatch)
    assert [line.text for line in shown.lines if line.task == ONE] == ["[redacted]"] * 4
    assert [line for line in shown.lines if line.task == TWO] == [line for line in lines if line.task == TWO]


def test_words_of_jobs_and_tasks_go() -> None:
    attempt = Attempt(0, TaskState.FAILED, error=WORDS)
    task = Task(
        ONE, TaskState.FAILED, error=WORDS, pending_reason=WORDS, status_text=WORDS, attempts=(attempt,)
    )
    job = Job(JobId("/ada/x"), JobState.FAILED, error=WORDS, pending_reason=WORDS, tasks=(task,))
    for answer in (job, JobTree(job, (job,)), (task, task), task):
        assert SECRET not in repr(redacted(answer))
        assert "/ada/x" in repr(redacted(answer))


def test_words_of_a_dump_go() -> None:
    process = Process(1, f"python x.py --token {SECRET}", ())
    dump = ThreadDump(ONE, datetime(2026, 11, 20, tzinfo=UTC), (process,), f'    token: "{SECRET}"')
    assert SECRET not in repr(redacted(dump))


def test_submission_passes_as_it_is() -> None:
    submission = Submission(("iris", "--token", SECRET), SubmissionOrigin.CONTROLLER)
    assert redacted(submission) is submission


class Told:
    """Eyes that give one batch, or fail."""

    def __init__(self, text: str) -> None:
        self._text = text

    async def lines(self, *_: object, **__: object) -> LogBatch:
        if not self._text:
            raise Unreachable(f"Cannot connect: {WORDS}", next_step=WORDS)
        return LogBatch((LogLine(self._text),), None)


@pytest.mark.parametrize("length", [10, 2 * MAX_INLINE_CHARS])
async def test_reader_redacts_short_and_long_answers(length: int) -> None:
    reader = RedactingReader(Told(f"{'word ' * (length // 5)}{WORDS}"))  # type: ignore[arg-type]
    batch = await reader.lines(LogSource(JobId("/ada/x")), after=None, at_most=10)
    assert SECRET not in batch.lines[0].text
    assert "word" in batch.lines[0].text


async def test_reader_redacts_errors() -> None:
    reader = RedactingReader(Told(""))  # type: ignore[arg-type]
    with pytest.raises(Unreachable) as fault:
        await reader.lines(LogSource(JobId("/ada/x")), after=None, at_most=10)
    assert SECRET not in f"{fault.value} {fault.value.sentence} {fault.value.next_step}"
