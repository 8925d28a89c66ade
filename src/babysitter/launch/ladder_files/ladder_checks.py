"""Judges the success checks of a step. Pure: what was found is handed in.

What could not be looked at is "not checked", which is never "passed".
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from babysitter.launch.ladder_files.ladder_steps import CheckKind, SuccessCheck
from babysitter.model.ladder_run import CheckStatus, StepOutcome, StepResult, SuccessCheckResult
from babysitter.preflight.facts import Fact, NotKnown

CLOCK_SKEW = timedelta(seconds=60)  # guess: between the machine that wrote a file and this one
MAX_QUOTE = 200
_BETWEEN = r"[\s_/.\-]+"
_NUMBER = r"[-+]?(?:\d[\d,]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[-+]?(?:nan|inf(?:inity)?)"
_SIGN = r"[\"']?\s*(?:is\b|was\b|[:=~≈|]|->)?\s*[~≈]?\s*[\"']?"  # between a name and its value
_SPLIT = re.compile(r"[\s_/.\-]+")


@dataclass(frozen=True, slots=True)
class FileFacts:
    """A file that exists. `modified_at` None: its age is not known. `holds`: whether it holds the text."""

    path: str
    holds: bool = True
    modified_at: datetime | None = None


# What was found for a check: the state of the job; lines, newest last; the file, None = there is none; steps.
Found = str | Sequence[str] | FileFacts | int | None


def judge_check(check: SuccessCheck, found: Fact[Found], begun_at: datetime) -> SuccessCheckResult:
    """One check against what was found for it. `begun_at`: of the attempt."""
    if isinstance(found, NotKnown):
        return _result(check, CheckStatus.NOT_CHECKED, found.reason)
    value = found.value
    match check.kind:
        case CheckKind.STATE:
            return _result(check, _status(value == check.text), f"The job ended as {value or 'unknown'}.")
        case CheckKind.LINE:
            return _line(check, _lines(value))
        case CheckKind.FILE:
            return _file(check, value if isinstance(value, FileFacts) else None, begun_at)
        case CheckKind.METRIC:
            return _metric(check, _lines(value))
        case CheckKind.STEPS:
            reached = value if isinstance(value, int) else 0
            return _result(check, _status(reached >= (check.at_least or 0)), f"{reached} steps were reached.")


def judge_checks(
    checks: Sequence[SuccessCheck], found: Mapping[SuccessCheck, Fact[Found]], begun_at: datetime
) -> tuple[SuccessCheckResult, ...]:
    """Every check, in the order of the file."""
    absent = NotKnown("It was not looked at.")
    return tuple(judge_check(check, found.get(check, absent), begun_at) for check in checks)


def result_of(ended: StepResult, checks: Sequence[SuccessCheckResult]) -> StepResult:
    """The result of an attempt whose job has ended. `ended`: what is known of it; its outcome is replaced.

    A job that was to fail, and did, has passed.
    """
    stopping = [check for check in checks if check.stops]
    states = [check for check in stopping if check.name.startswith("the job ends as")]
    if states:
        return replace(ended, outcome=StepOutcome.FAILED, checks=tuple(checks))
    if failed := [check for check in stopping if check.status is CheckStatus.FAILED]:
        sentence = f"The job ended, and a check failed: {failed[0].name}. {failed[0].sentence}"
        return replace(ended, outcome=StepOutcome.CHECK_FAILED, sentence=sentence, checks=tuple(checks))
    if stopping:
        sentence = f"The job ended, and a check could not be made: {stopping[0].name}. {stopping[0].sentence}"
        return replace(ended, outcome=StepOutcome.NOT_CHECKED, sentence=sentence, checks=tuple(checks))
    return replace(ended, outcome=StepOutcome.PASSED, checks=tuple(checks))


def metric_value(name: str, line: str) -> float | None:
    """The number behind a metric's name: 10.029 of `eval loss ~10.029` for eval/loss and eval_loss."""
    words = _BETWEEN.join(re.escape(word) for word in _SPLIT.split(name.strip()) if word)
    pattern = rf"(?<![A-Za-z0-9_/.-]){words}{_SIGN}(?P<number>{_NUMBER})(?![\w.])"
    values = [found["number"] for found in re.finditer(pattern, line, re.IGNORECASE)]
    return float(values[-1].replace(",", "")) if values else None


def metric_word(name: str) -> str:
    """A literal that every line with this metric has."""
    return max(_SPLIT.split(name.strip()), key=len)


def _lines(value: Found) -> Sequence[str]:
    return value if isinstance(value, (list, tuple)) else ()


def _line(check: SuccessCheck, lines: Sequence[str]) -> SuccessCheckResult:
    holding = [line for line in lines if check.text in line]
    if not holding:
        return _result(check, CheckStatus.FAILED, "No line of the job or its children contains it.")
    return _result(check, CheckStatus.PASSED, f"Found: {holding[-1].strip()[:MAX_QUOTE]}")


def _file(check: SuccessCheck, file: FileFacts | None, begun_at: datetime) -> SuccessCheckResult:
    if file is None:
        return _result(check, CheckStatus.FAILED, "It does not exist.")
    if not file.holds:
        return _result(check, CheckStatus.FAILED, f"{file.path} exists and does not contain it.")
    if not check.is_fresh:
        return _result(check, CheckStatus.PASSED, f"{file.path} exists.")
    if file.modified_at is None:
        reason = (
            f"{file.path} exists; whether this step wrote it cannot be told. `fresh: false` accepts any age."
        )
        return _result(check, CheckStatus.NOT_CHECKED, reason)
    written = f"{file.modified_at:%Y-%m-%d %H:%M} UTC"
    if file.modified_at < begun_at - CLOCK_SKEW:
        return _result(check, CheckStatus.FAILED, f"{file.path} is of {written}, before this step began.")
    return _result(check, CheckStatus.PASSED, f"{file.path} exists, written {written}.")


def _metric(check: SuccessCheck, lines: Sequence[str]) -> SuccessCheckResult:
    values = [value for line in lines if (value := metric_value(check.text, line)) is not None]
    if not values:
        reason = f"No line of the job or its children gives a number for {check.text}."
        return _result(check, CheckStatus.NOT_CHECKED, reason)
    last = values[-1]
    low = check.at_least is None or last >= check.at_least
    high = check.at_most is None or last <= check.at_most
    return _result(check, _status(low and high), f"{check.text} is {last:g} in its last report.")


def _status(holds: bool) -> CheckStatus:
    return CheckStatus.PASSED if holds else CheckStatus.FAILED


def _result(check: SuccessCheck, status: CheckStatus, sentence: str) -> SuccessCheckResult:
    meaning = "" if status is CheckStatus.PASSED else check.meaning
    return SuccessCheckResult(check.name, status, sentence, meaning, check.is_required)
