"""Tests on facts that are no log lines: fields of jobs and tasks, progress in numbers, thread dumps.

Each answers None (does not hold, or is not known) or evidence with captures.
"""

from collections.abc import Iterable, Sequence

from babysitter.diagnosis.causes.comparisons import ProgressTest
from babysitter.diagnosis.causes.rule import Condition, DumpMatch
from babysitter.diagnosis.causes.rule_fields import Fields, PaceFields
from babysitter.diagnosis.signatures.pattern import Pattern
from babysitter.model.finding import Evidence
from babysitter.model.log import Role
from babysitter.model.thread_dump import StackFrame, Thread, ThreadDump

Found = tuple[list[Evidence], dict[str, str]]

NUMBERS = ("exit_code", "failure_count", "preemption_count", "memory_peak", "last_log_age_s")
TEXTS = ("error", "pending_reason")


def field_evidence(condition: Condition, fields: Fields) -> Found | None:
    """The fields of a condition, all of which must hold for some job or task."""
    evidence: list[Evidence] = []
    captures: dict[str, str] = {}
    if condition.state:
        state = next((state for state in fields.states if state in condition.state), None)
        if state is None:
            return None
        evidence.append(Evidence(f"state {state.value}", "job"))
        captures["state"] = state.value
    if condition.task_state:
        task_state = next((state for state in fields.task_states if state in condition.task_state), None)
        if task_state is None:
            return None
        evidence.append(Evidence(f"task state {task_state.value}", "job"))
    for name in NUMBERS:
        wanted = getattr(condition, name)
        if wanted is None:
            continue
        held = next(((value, at) for value, at in fields.numbers.get(name, ()) if wanted.holds(value)), None)
        if held is None:
            return None
        captures[name] = f"{held[0]:.4g}" if name == "memory_peak" else f"{held[0]:g}"
        evidence.append(Evidence(f"{name.replace('_', ' ')} {captures[name]}", held[1]))
    for name in TEXTS:
        patterns: Sequence[Pattern] = getattr(condition, name)
        if not patterns:
            continue
        hit = _text_hit(patterns, fields.texts.get(name, ()))
        if hit is None:
            return None
        captures.update({name: hit[0].text, **hit[1]})
        evidence.append(hit[0])
    return evidence, captures


def _text_hit(
    patterns: Sequence[Pattern], texts: Iterable[tuple[str, str]]
) -> tuple[Evidence, dict[str, str]] | None:
    for text, source in texts:
        for pattern in patterns:
            captures = pattern.captures_in(text)
            if captures is not None:
                return Evidence(text[:2000], source), captures
    return None


def progress_evidence(tests: Sequence[ProgressTest], measures: PaceFields) -> Found | None:
    """Progress tests, all of which must hold; an unknown number never holds."""
    told: list[str] = []
    for test in tests:
        if test.motion is not None:
            if measures.motion is not test.motion:
                return None
            told.append(test.motion.value)
            continue
        value = measures.numbers.get(test.field)
        if value is None or test.comparison is None or not test.comparison.holds(value):
            return None
        told.append(f"{test.field} {value:g}")
    return [Evidence("progress: " + ", ".join(told), "progress")], {}


def dump_evidence(wanted: DumpMatch, dumps: Iterable[tuple[ThreadDump, Role | None]]) -> Found | None:
    """A dump of the wanted process in which everything that is given holds."""
    for dump, role in dumps:
        if wanted.process and role is not None and role not in wanted.process:
            continue
        shown = _threads_that_show(wanted, list(dump.threads()))
        if shown:
            return [
                Evidence(_words(thread), f"dump of {dump.target or 'the process'}") for thread in shown[:3]
            ], {}
    return None


def _threads_that_show(wanted: DumpMatch, threads: list[Thread]) -> list[Thread]:
    """The threads that make the matcher hold; empty when it does not."""
    meant = [thread for thread in threads if _is_named(wanted, thread)]
    if not meant:
        return []
    shown: list[Thread] = []
    for pattern in wanted.present:
        holder = next((t for t in meant if any(_is_frame(pattern, frame) for frame in t.frames)), None)
        if holder is None:
            return []
        shown.append(holder)
    if any(_is_frame(p, frame) for p in wanted.absent for t in meant for frame in t.frames):
        return []
    if wanted.all_in and not all(
        any(_is_frame(p, f) for p in wanted.all_in for f in t.frames) for t in meant
    ):
        return []
    if wanted.innermost:
        on_top = [t for t in meant if t.frames and any(_is_frame(p, t.frames[0]) for p in wanted.innermost)]
        if not on_top:
            return []
        shown += on_top
    return shown or meant


def _is_named(wanted: DumpMatch, thread: Thread) -> bool:
    return not wanted.thread or any(
        thread.name == pattern.text if pattern.is_literal else pattern.captures_in(thread.name) is not None
        for pattern in wanted.thread
    )


def _is_frame(pattern: Pattern, frame: StackFrame) -> bool:
    """A literal is the function's whole name without its class; a /regex/ also sees its class and file."""
    name = frame.function.rpartition(".")[2]
    if pattern.is_literal:
        return pattern.text in (name, frame.function)
    return any(pattern.captures_in(text) is not None for text in (name, f"{frame.function} ({frame.file})"))


def _words(thread: Thread) -> str:
    frames = " < ".join(frame.function for frame in thread.frames[:4])
    return f"{thread.name or 'thread'}: {frames}"
