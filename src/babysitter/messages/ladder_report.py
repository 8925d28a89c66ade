"""A run of a ladder as a debugging log in Markdown: what was tried, what came of it, what is next. Pure.

Each attempt that was begun by a person is a hypothesis: the one before it failed of a cause, and something
was changed. Texts of jobs are quoted so that they cannot break out of their place in the document.
"""

from collections.abc import Iterator, Sequence

from babysitter.model.ladder_run import (
    CheckStatus,
    LadderRun,
    StepAttempt,
    StepOutcome,
    StepResult,
    SuccessCheckResult,
)
from babysitter.redact import redact

_MARKS = {CheckStatus.PASSED: "x", CheckStatus.FAILED: " ", CheckStatus.NOT_CHECKED: " "}
_WORDS = {CheckStatus.PASSED: "", CheckStatus.FAILED: "failed: ", CheckStatus.NOT_CHECKED: "not checked: "}


def ladder_report(run: LadderRun, attempts: Sequence[StepAttempt]) -> str:
    """The whole log of a run."""
    lines = [f"# Debugging log for {_text(run.ladder)}", ""]
    lines += [_text(run.about), ""] if run.about else []
    lines += ["## Status", "", *_status(run, attempts), ""]
    for number, attempt in enumerate(attempts, start=1):
        earlier = [
            step_attempt for step_attempt in attempts[: number - 1] if step_attempt.step == attempt.step
        ]
        lines += _attempt(number, attempt, earlier)
    lines += ["## Next", "", *_next(run, attempts), ""]
    return "\n".join(lines)


def step_words(step: str, attempts: Sequence[StepAttempt]) -> str:
    """How a step stands: `passed`, `check-failed`, `under way`, `not begun`; with the number of attempts."""
    own = [attempt for attempt in attempts if attempt.step == step]
    if not own:
        return "not begun"
    times = f" (attempt {len(own)})" if len(own) > 1 else ""
    return f"{own[-1].result.outcome.value if own[-1].result else 'under way'}{times}"


def next_steps(run: LadderRun, attempts: Sequence[StepAttempt]) -> tuple[str, ...]:
    """What a person does next, one sentence each; () if the run is complete and nothing is open."""
    newest = attempts[-1] if attempts else None
    again = f"Then go on: babysit ladder run {run.file}"
    if newest is None or newest.result is None:
        return (f"Go on: babysit ladder run {run.file}",)
    result = newest.result
    if result.outcome is StepOutcome.PASSED:
        if run.ended_at is None:
            return (f"Go on with the next step: babysit ladder run {run.file}",)
        return ("Every step has passed. Nothing is left to do.",)
    found = [f"{result.cause}: {result.advice}".removeprefix(": ")] if result.advice else []
    if any("the same cause as now" in text for text in repeated(newest, attempts[:-1])):
        found.append(f"{result.cause} has come back: the last change was not the cure.")
    found += [check.meaning for check in result.checks if check.stops and check.meaning]
    if result.is_left_running:
        found.append(f"{newest.job} was left running: stop it before another attempt, or let it go on.")
    found.append(f"{again}  (a change: -e KEY VALUE, --set NAME=VALUE, or in the file)")
    return tuple(dict.fromkeys(found))


def _status(run: LadderRun, attempts: Sequence[StepAttempt]) -> Iterator[str]:
    how = "complete" if run.ended_at else "not complete"
    yield f"{how}; began {run.begun_at:%Y-%m-%d %H:%M} UTC" + (
        f", ended {run.ended_at:%Y-%m-%d %H:%M} UTC" if run.ended_at else ""
    )
    yield ""
    for step in run.steps:
        yield f"- {_text(step)}: {step_words(step, attempts)}"


def repeated(attempt: StepAttempt, earlier: Sequence[StepAttempt]) -> tuple[str, ...]:
    """How earlier attempts at the step ended, if this one ended badly too; one sentence each."""
    result = attempt.result
    if result is None or result.outcome is StepOutcome.PASSED:
        return ()
    told = [
        step_attempt
        for step_attempt in earlier
        if step_attempt.result is not None and step_attempt.step == attempt.step
    ]
    return tuple(_ending(step_attempt, result) for step_attempt in told)


def _ending(earlier: StepAttempt, now: StepResult) -> str:
    assert earlier.result is not None, "it has ended"
    cause = f" ({earlier.result.cause})" if earlier.result.cause else ""
    same = ", the same cause as now" if now.cause and earlier.result.cause == now.cause else ""
    return f"{earlier.begun_at:%H:%M} UTC {earlier.result.outcome.value}{cause}{same}: {earlier.job}"


def _before(attempt: StepAttempt, earlier: Sequence[StepAttempt]) -> Iterator[str]:
    yield from (f"- Before: {_text(text)}" for text in repeated(attempt, earlier))


def _attempt(number: int, attempt: StepAttempt, earlier: Sequence[StepAttempt]) -> Iterator[str]:
    yield f"## {number}. {_text(attempt.step)}"
    yield ""
    if earlier and earlier[-1].result is not None:
        yield from ("### Hypothesis", "", *_hypothesis(earlier[-1].result), "")
    if attempt.changes:
        yield from ("### Changes", "", *(f"- {_code_behind(change)}" for change in attempt.changes), "")
    yield from ("### Run", "", f"- Command: {_code(attempt.command)}", f"- Job: {_code(attempt.job)}")
    yield from (f"- Warned before: {_text(warning)}" for warning in attempt.warnings)
    yield from ("", "### Results", "", *_results(attempt), *_before(attempt, earlier), "")


def _hypothesis(result: StepResult) -> Iterator[str]:
    if result.cause:
        yield f"{result.cause}: {_text(result.explanation)} {_text(result.advice)}".rstrip()
        return
    meanings = [check.meaning for check in result.checks if check.stops and check.meaning]
    yield " ".join(_text(meaning) for meaning in meanings) or f"None was found. {_text(result.sentence)}"


def _results(attempt: StepAttempt) -> Iterator[str]:
    result = attempt.result
    if result is None:
        yield "Under way."
        return
    took = ""
    if attempt.ended_at is not None and attempt.submitted_at is not None:
        minutes = (attempt.ended_at - attempt.submitted_at).total_seconds() / 60
        took = f" after {minutes:.1f} min"
    yield f"**{result.outcome.value}**{took}. {_text(result.sentence)}"
    yield ""
    if result.cause:
        yield f"- Cause: {result.cause}. {_text(result.explanation)}"
    yield from (f"- Evidence: {_code(line)}" for line in result.evidence)
    yield from (f"- Incident: {_text(event)}" for event in result.history)
    yield from (f"- {_check(check)}" for check in result.checks)
    yield from (f"- Benign: {_text(text)}" for text in result.benign)


def _check(check: SuccessCheckResult) -> str:
    required = "" if check.is_required else " (not required)"
    return (
        f"[{_MARKS[check.status]}] {_text(check.name)}{required}: "
        f"{_WORDS[check.status]}{_text(check.sentence)}"
    )


def _next(run: LadderRun, attempts: Sequence[StepAttempt]) -> Iterator[str]:
    yield from (f"- [ ] {_text(step)}" for step in next_steps(run, attempts))


def _text(text: str) -> str:
    """Foreign text on one line, without secrets, that cannot break out of its place in the document."""
    line = " ".join(redact(text).split())
    return line.replace("<", "&lt;").replace("|", "\\|")


def _code(text: str) -> str:
    return f"`{' '.join(redact(text).split()).replace('`', chr(39))}`"


def _code_behind(change: str) -> str:
    """`Added: x` with x as code."""
    word, sign, rest = change.partition(": ")
    return f"{word}: {_code(rest)}" if sign else _text(change)
