"""A log text as an observation: what a watch would have seen of a job of which this text is all there is.

The lines have their own times; a line without a clock has that of the line before it. The jobs are those
that `task=` prefixes name; without any it is one job, and a coordinator when Zephyr speaks in it. "Now" is
the time of the last line plus its age.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from babysitter.diagnosis.frame.skeleton import without_digits
from babysitter.diagnosis.frame.structured_lines import unwrap_text
from babysitter.diagnosis.frame.thread_dump_text import read_dump
from babysitter.diagnosis.timeline.counts.elapsed_clock import elapsed_times_s
from babysitter.diagnosis.timeline.entries import Entry, read_entries
from babysitter.diagnosis.timeline.pipelines.zephyr_jobs import role_of
from babysitter.model.ids import JobId, TaskId, job_of
from babysitter.model.job import Attempt, Job, JobState, JobTree, Resources, Task, TaskState
from babysitter.model.job_facts import JobFacts
from babysitter.model.log import LogLine, Role
from babysitter.model.observation import Excerpt, Observation
from babysitter.model.seen import Seen

MAX_LINES = 10_000  # of the end of a text whose progress is read; what is older is history
UNNAMED_JOB = JobId("/text/job")
UNNAMED_COORDINATOR = JobId("/text/zephyr-text-00000000-p0-a0")

_FIRST_MOMENT_S = 86_400.0  # of a log whose lines have no date
_TASK = re.compile(r"^\s{0,4}(?:\[?[\d:T.\- ]{5,30}Z?\]? )?task=(?P<task>/\S+)(?:\s*\|)?\s?")
_ZEPHYR = re.compile(
    r"(?:^|[\s\]|])(?:(?P<logger>zephyr(?:\.\w+)*)(?::\d+)?|execution\.py:\d+)[\]:]?(?:\s+-)*\s+(?P<message>\S.*)$"
)
_REPORT = re.compile(
    r"^(?:\[?[\d:. -]{5,30}\]?\s+)?(?P<message>\[.{1,200}\]\s+\d+/\d+ complete, \d+ in-flight, .*)$"
)
_LOGGER_WITHIN = 120  # characters of a line's head


def observation_of_text(
    text: str, facts: JobFacts | None = None, *, dumps: Sequence[str] = (), source: str = "log"
) -> Observation:
    """Return what a log text, and what is told beside it, shows of a job."""
    facts = facts or JobFacts()
    texts = text.rsplit("\n", MAX_LINES + 1)  # of a long text the first piece is all that is older
    is_ended = not texts[-1]
    if is_ended:
        texts.pop()
    texts = texts[-MAX_LINES:]
    first_line = text.count("\n") + (not is_ended) - len(texts)
    lines = _lines(texts)
    tree = _tree(lines, facts)
    last_at = datetime.fromtimestamp(lines[-1].at_ms / 1000 if lines else _FIRST_MOMENT_S, UTC)
    taken_at = last_at + timedelta(seconds=facts.last_line_age_s or 0.0)
    shown = tuple(read_dump(dump, taken_at=taken_at) for dump in dumps if dump.strip())
    excerpt = Excerpt(text.encode("utf-8", "replace"), facts, shown, source, first_line)
    return Observation(tree.root.id, taken_at, Seen(tree, taken_at), Seen(lines, taken_at), excerpt=excerpt)


def _lines(printed: Sequence[str]) -> tuple[LogLine, ...]:
    texts = [unwrap_text(text) for text in printed]
    named = _tasks(texts)
    entries = _timed(read_entries(texts))
    first_s = next((entry.at_s for entry in entries if entry.at_s is not None), _FIRST_MOMENT_S)
    has_loggers = any("zephyr" in text or "execution.py:" in text for text in texts) and any(
        _zephyrs_message(text) is not None for text in texts
    )
    is_coordinator = has_loggers or any(_REPORT.match(text) for text in texts if " complete, " in text)
    unnamed = TaskId(f"{UNNAMED_COORDINATOR if is_coordinator else UNNAMED_JOB}/0")
    lines: list[LogLine] = []
    for entry, task in zip(entries, named, strict=True):
        at_s = _after_the_epoch(entry, first_s)
        text = _TASK.sub("", entry.frame.text, count=1) if task else entry.frame.text
        lines.append(LogLine(_in_its_own_dress(text, at_s, has_loggers), int(at_s * 1000), task or unnamed))
    return tuple(lines)


def _timed(entries: list[Entry]) -> list[Entry]:
    """The entries; where no line prints a time, with those that the bars among them tell."""
    if any(entry.at_s is not None for entry in entries):
        return entries
    times = elapsed_times_s(entries)
    return entries if times is None else [e._replace(at_s=at) for e, at in zip(entries, times, strict=True)]


def _after_the_epoch(entry: Entry, first_s: float) -> float:
    """When a line was printed: never 0, which stands for not known."""
    at_s = first_s if entry.at_s is None else entry.at_s
    return at_s + _FIRST_MOMENT_S if first_s < _FIRST_MOMENT_S else at_s


def _tasks(texts: Iterable[str]) -> list[TaskId]:
    """Whose line each is; a line without a prefix goes on with the one before it."""
    tasks: list[TaskId] = []
    task = TaskId("")
    for text in texts:
        if "task=" in text[:60] and (found := _TASK.match(text)):
            task = TaskId(found["task"].partition(":")[0])
        tasks.append(task)
    return tasks


def _in_its_own_dress(text: str, at_s: float, has_loggers: bool) -> str:
    """A line of Zephyr's with the header that a cluster keeps, whatever showed it; others as they are."""
    message = _zephyrs_message(text)
    if message is None and not has_loggers and " complete, " in text and (found := _REPORT.match(text)):
        message = found["message"]
    if message is None:
        return text
    return f"I{_stamp(int(at_s))} zephyr.execution {message}"


@lru_cache(maxsize=256)  # many lines are printed in one second
def _stamp(at_s: int) -> str:
    return f"{datetime.fromtimestamp(at_s, UTC):%Y%m%d %H:%M:%S}"


def _zephyrs_message(text: str) -> str | None:
    if "zephyr" not in text and "execution.py:" not in text:
        return None
    start = _start_of_zephyrs_message(without_digits(text[: 2 * _LOGGER_WITHIN]))
    return None if start is None else text[start:]


@lru_cache(maxsize=4096)
def _start_of_zephyrs_message(skeleton: str) -> int | None:
    """Where the message begins in all lines of one shape; None where the line is not Zephyr's."""
    if "zephyr" not in skeleton[:_LOGGER_WITHIN] and "execution.py:" not in skeleton[:_LOGGER_WITHIN]:
        return None
    found = _ZEPHYR.search(skeleton)
    return found.start("message") if found and found.start() <= _LOGGER_WITHIN else None


def _tree(lines: Sequence[LogLine], facts: JobFacts) -> JobTree:
    """The jobs that print in the text. Given facts belong to the root."""
    jobs = list(dict.fromkeys(job_of(line.task) for line in lines)) or [UNNAMED_JOB]
    root = min(jobs, key=lambda job: (job.count("/"), jobs.index(job)))
    children = [job for job in jobs if job != root]
    newest = next((job for job in reversed(children) if role_of(job, root) is Role.COORDINATOR), None)
    return JobTree(_root(root, facts), tuple(_child(job, root, newest) for job in children))


def _root(root: JobId, facts: JobFacts) -> Job:
    state = facts.state or JobState.RUNNING
    task = Task(TaskId(f"{root}/0"), TaskState(state.value), memory_peak_bytes=facts.memory_peak_bytes)
    if state.ended_badly and facts.error:
        tried = Attempt(facts.failure_count, task.state, facts.exit_code or 0, facts.error)
        task = Task(task.id, task.state, facts.exit_code or 0, facts.error, attempts=(tried,))
    return Job(
        root,
        state,
        error=facts.error,
        pending_reason=facts.pending_reason,
        failure_count=facts.failure_count,
        preemption_count=facts.preemption_count,
        task_count=1,
        resources=Resources(memory_bytes=facts.memory_limit_bytes or 0),
        tasks=(task,),
    )


def _child(job: JobId, root: JobId, newest: JobId | None) -> Job:
    """A job that a text names. Which of several coordinators is over is not known: the newest speaks last."""
    is_older = role_of(job, root) is Role.COORDINATOR and job != newest
    return Job(job, JobState.OTHER if is_older else JobState.RUNNING, task_states={TaskState.RUNNING: 1})
