"""Lines by which a trainer says that it saved a checkpoint: read, and the newest one remembered.

A line that says so for certain ("saved", "finished saving") outranks one by which saving only begins: many
trainers print nothing but the latter.
"""

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache

from babysitter.diagnosis.frame.line import strip_headers
from babysitter.diagnosis.frame.skeleton import without_digits
from babysitter.lazy_regex import lazy_regex
from babysitter.model.log import LogLine
from babysitter.model.memory import Memory
from babysitter.model.observation import Observation
from babysitter.model.progress import CheckpointNote

MAX_CHARACTERS = 300
_HINT = lazy_regex(r"(?i)check-?points?|ckpt|saving (?:model|current state)|mp_rank_\d+_model_states")
_OBJECT = r"(?:[\w'\[\]-]+ ){0,4}?\S*(?:check-?point|ckpt|model_states)"
_DONE = lazy_regex(
    rf"(?i)(?:^|[\]:\s])(?:successfully )?(?:saved|wrote|written|committed) {_OBJECT}"
    rf"|finished (?:\w+ )?(?:saving|writing|save of) {_OBJECT}"
    r"|check-?point\S* (?:\S+ ){0,4}?(?:was |has been )?(?:successfully )?(?:saved|written|committed)\b"
)
_BEGUN = lazy_regex(rf"(?i)(?:^|[\]:,\s])(?:saving|writing) {_OBJECT}|saving (?:model|current state) to \S")
_NOT_SAVED = lazy_regex(
    r"(?i)\b(?:fail\w*|errors?|exception|cannot|can't|could not|unable|skip\w*|disabled|will|would|every"
    r"|if|no|not (?:be |been )?(?:saved?|saving|written)|delet\w+|remov\w+|load\w*|restor\w*|resum\w*)\b"
)
_STEP = lazy_regex(
    r"(?i)(?:global[_ ]?step|steps?|iteration|iter|checkpoints for)[\s=:_#-]*(\d[\d,]*)"
    r"|@ (\d+) updates|checkpoint[-_](\d+)\b|/(\d+)[`'\"]?\.?$"
)


def read_checkpoint(line: LogLine) -> CheckpointNote | None:
    """The checkpoint that this line speaks of; None where it does not say that one is saved."""
    if not _speaks_of_checkpoint(without_digits(line.text[:MAX_CHARACTERS])):
        return None
    text = strip_headers(line.text[: 2 * MAX_CHARACTERS])[:MAX_CHARACTERS].strip()
    if _NOT_SAVED.search(text):
        return None
    is_done = _DONE.search(text) is not None
    if not is_done and not _BEGUN.search(text):
        return None
    at = datetime.fromtimestamp(line.at_ms / 1000, UTC) if line.at_ms else None
    return CheckpointNote(text, at, _step_of(text), is_done)


@lru_cache(maxsize=4096)
def _speaks_of_checkpoint(skeleton: str) -> bool:
    return _HINT.search(skeleton) is not None


def newest_checkpoint(
    lines: Iterable[LogLine], before: CheckpointNote | None = None
) -> CheckpointNote | None:
    """The last checkpoint of these lines, oldest first; `before` where they speak of none."""
    newest = before
    for line in lines:
        found = read_checkpoint(line)
        if found is None or (newest is not None and newest.is_done and not found.is_done):
            continue
        if newest is not None and found.step is None and found.is_done and not newest.is_done:
            found = replace(found, step=newest.step)  # the step stands in the line by which it began
        newest = found
    return newest


def with_checkpoint(memory: Memory, observation: Observation) -> Memory:
    """The memory with the newest checkpoint among the new lines."""
    before = None if observation.is_reread else memory.checkpoint
    found = newest_checkpoint(observation.seen_lines, before)
    return memory if found is None else replace(memory, checkpoint=found)


def _step_of(text: str) -> int | None:
    """The last step that the line names: a folder's name repeats it."""
    found = [next(group for group in match.groups() if group) for match in _STEP.finditer(text)]
    return int(found[-1].replace(",", "")) if found else None
