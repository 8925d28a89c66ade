"""The exception with which a job's own code ended the job, for the first sentence about its end.

A framework that runs the job's functions wraps what they raise, and tells of its wrapper: "shard 4 failed 3
times". Which of the job's own classes was raised, and what it said, stands in the traceback below.
"""

from collections.abc import Sequence
from dataclasses import replace

from babysitter.diagnosis.frame.failure_words import reports_failure
from babysitter.diagnosis.frame.line import read_frame
from babysitter.diagnosis.frame.ordinary import is_ordinary
from babysitter.diagnosis.judge.likelihood.measured_confidence import as_measured
from babysitter.diagnosis.judge.snapshot import Snapshot
from babysitter.diagnosis.timeline.pipelines.zephyr_lines import line_at
from babysitter.diagnosis.timeline.processes.traceback import RaisedException, read_tracebacks
from babysitter.model.finding import Cause, Evidence
from babysitter.model.ids import TaskId
from babysitter.model.log import LogLine
from babysitter.model.verdict import Diagnosis

SIGN = 0.58  # weight of a verdict whose exception was found in the job's own code: a sign, no proof
NO_TASK = TaskId("")
MAX_MESSAGE_CHARACTERS = 400
MAX_LINES_AFTER = 40  # of the same process, without normal work among them
MIN_ORDINARY_LINES = 3
# What raised it may be anything; that it was raised in the job's own code says nothing of these.
_OF_OWN_CODE = (Cause.CODE_ERROR, Cause.DATA_ERROR, Cause.CONFIG_ERROR, Cause.UNKNOWN)
# Files that functions sent to other processes seem to come from.
_SENT = ("<dynamic-code>", "<stdin>", "<string>", "<ipython-input")


def with_own_exception(snapshot: Snapshot, diagnosis: Diagnosis) -> Diagnosis:
    """The diagnosis of an end with the job's own exception in it, and its line first in the evidence.

    A code error that was only guessed is at least possible then.
    """
    if diagnosis.cause not in _OF_OWN_CODE:
        return diagnosis
    lines = _lines_of(snapshot)
    raised = find_own_exception(lines)
    if raised is None:
        return diagnosis
    shown = _shown(snapshot, lines, raised.line)
    others = tuple(quote for quote in diagnosis.evidence if quote.text.strip() != shown.text)
    named = replace(diagnosis, exception=_words_of(raised), evidence=(shown, *others))
    sure = replace(named, confidence=SIGN, likelihood=None)
    is_weak = as_measured(named).confidence < as_measured(sure).confidence
    return sure if diagnosis.cause is Cause.CODE_ERROR and is_weak else named


def _lines_of(snapshot: Snapshot) -> Sequence[LogLine]:
    """The newest lines; of a text as they stand there, because a traceback is read by its indentation."""
    excerpt = snapshot.observation.excerpt
    if excerpt is None:
        return snapshot.observation.seen_lines or snapshot.memory.recent_lines
    texts = excerpt.text.decode("utf-8", "replace").splitlines()
    return [LogLine(text, 0, NO_TASK) for text in texts]


def _shown(snapshot: Snapshot, lines: Sequence[LogLine], index: int) -> Evidence:
    line, excerpt = lines[index], snapshot.observation.excerpt
    if excerpt is not None:
        return Evidence(line.text.strip(), excerpt.source, excerpt.first_line + index + 1)
    position = snapshot.memory.lines_read - len(lines) + index
    return Evidence(line.text.strip(), line.task, position + 1, at=line_at(line), attempt=line.attempt)


def find_own_exception(lines: Sequence[LogLine]) -> RaisedException | None:
    """The last exception in a log that the job's own code raised, if its process did nothing after it."""
    texts, tasks = [line.text for line in lines], [line.task for line in lines]
    units = read_tracebacks(texts, tasks)
    for unit in reversed(units):
        raised = next((raised for raised in reversed(unit.raised) if _is_own(raised)), None)
        if raised is not None:
            return None if _goes_on(lines, unit.lines[-1]) else raised
        if unit.last is not None and unit.last.frames:
            return None  # the job ended in the code of others
    return None


def _is_own(raised: RaisedException) -> bool:
    if not raised.type or not raised.frames or raised.line < 0:
        return False
    last = raised.frames[-1]
    return last.is_user or last.file.startswith(_SENT)


def _goes_on(lines: Sequence[LogLine], last: int) -> bool:
    """Whether normal work of the same process follows."""
    later = [line for line in lines[last + 1 :] if line.task == lines[last].task][:MAX_LINES_AFTER]
    frames = [read_frame(line.text) for line in later if line.text.strip()]
    return sum(not reports_failure(frame) and is_ordinary(frame) for frame in frames) >= MIN_ORDINARY_LINES


def _words_of(raised: RaisedException) -> str:
    return f"{raised.name}: {raised.message}"[:MAX_MESSAGE_CHARACTERS].rstrip(": ")
