"""The fingerprint of an incident: decisive templates, innermost frames, program. Pure.

1. *Decisive*: the lines that the verdict quotes, and the errors that the cluster stores.
2. *Frames*: the innermost frames of tracebacks and thread dumps.
3. *The rest*: words of further lines, those that report a failure apart from the others.

Numbers, ids, addresses and hosts are taken out everywhere. The cause is not looked at.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from babysitter.diagnosis.frame.failure_words import find_failure_words
from babysitter.diagnosis.frame.line import strip_headers
from babysitter.diagnosis.frame.word_stems import read_stems
from babysitter.diagnosis.timeline.processes.traceback import Traceback, TracebackFrame, read_tracebacks
from babysitter.diagnosis.timeline.repetition.line_templates import WILD, words_of
from babysitter.model.job import JobState, JobTree
from babysitter.model.observation import Observation
from babysitter.model.past_incident import Fingerprint
from babysitter.model.seen import Seen
from babysitter.model.thread_dump import StackFrame, ThreadDump
from babysitter.model.verdict import Verdict

MAX_LINES = 400  # of the newest lines
MAX_DECISIVE = 24
MAX_TEMPLATES = 6
MAX_TRACEBACKS = 8
MAX_THREADS = 6
MAX_FRAMES = 3  # of one stack
MAX_WORDS = 200  # of the lines that decide nothing, of each kind
MAX_ERRORS = 4  # stored by the cluster
QUIET_S = 600.0  # guess: longer than the pauses of most programs

# Ids and hosts, before words are taken apart: a half of an id is not a word.
_CHANGING = re.compile(
    r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"
    r"|\b(?=[0-9a-f]*\d)(?=\d*[a-f])[0-9a-f]{6,64}\b"
    r"|\b0x[0-9a-f]+\b"
    r"|\b[a-z][\w-]*(?:\.[\w-]+)*\.(?:internal|local|svc|cluster|compute|com|net|org|io)\b(?::\d+)?"
    r"|\b(?:host|node|worker|pod|vm|gpu-node|ip)-[\w-]*\d[\w-]*",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"\b(?:Errno|errno|error code|exit code|exit status|status|signal|HTTP|code)"
    r"[ :=/]{0,3}(?P<number>-?\d{1,5})\b"
    r"|\b(?P<name>E[A-Z]{4,}|SIG[A-Z]{3,}|[A-Z]{4,}(?:_[A-Z]+)+|UNAVAILABLE|INTERNAL|ABORTED)\b"
    r"|\b(?P<status>[45]\d\d) [A-Z]"
)


def fingerprint_of(verdict: Verdict, observation: Observation | None = None) -> Fingerprint:
    """Return the fingerprint of what a check saw. `observation` None: of what the verdict itself keeps."""
    kept = [line.text for line in verdict.memory.recent_lines]
    seen = [line.text for line in observation.seen_lines] if observation is not None else []
    newest = (seen if len(seen) >= len(kept) else kept)[-MAX_LINES:]
    texts = [strip_headers(text) for text in newest]
    errors = tuple(_stored_errors(observation))
    decisive = _decisive(verdict, errors)
    told = chain.from_iterable(error.splitlines() for error in errors)
    tracebacks = read_tracebacks([*_indented(newest, observation), *told])
    templates = tuple(dict.fromkeys(filter(None, map(_template, decisive))))[:MAX_TEMPLATES]
    frames = tuple(dict.fromkeys(_frames(tracebacks, _dumps(observation))))
    others = [text for text in dict.fromkeys(texts) if text not in set(decisive)]
    reports = [text for text in others if find_failure_words(text) is not None]
    program = verdict.memory.kind
    return Fingerprint(
        key=_key(program, templates, frames),
        program=program,
        templates=templates,
        decisive=tuple(" ".join(_stems(text)) for text in decisive),
        exceptions=tuple(dict.fromkeys(_exceptions(tracebacks))),
        frames=frames,
        codes=tuple(dict.fromkeys(_codes([*decisive, *reports]))),
        facts=(*_facts(observation, verdict), *_course(texts, verdict)),
        reports=_words(reports),
        context=_words(text for text in others if find_failure_words(text) is None),
    )


def _indented(newest: Sequence[str], observation: Observation | None) -> Sequence[str]:
    """The newest lines with their indents, by which a traceback is read. Those of an excerpt lost them."""
    if observation is None or observation.excerpt is None:
        return newest
    return observation.excerpt.text.decode("utf-8", "replace").splitlines()[-MAX_LINES:]


def _decisive(verdict: Verdict, errors: Sequence[str]) -> list[str]:
    quoted = [line.text for line in verdict.diagnosis.evidence] if verdict.diagnosis else []
    lines = [strip_headers(line) for text in (*quoted, *errors) for line in text.splitlines()]
    return list(dict.fromkeys(line for line in lines if line))[:MAX_DECISIVE]


def _stored_errors(observation: Observation | None) -> Iterator[str]:
    """What the cluster says of the job, its tasks and children; each text once."""
    tree = observation.seen_tree if observation is not None else None
    if tree is None:
        return
    told = [tree.root.error, tree.root.pending_reason]
    told += [task.error for task in tree.root.tasks or ()]
    told += [job.error for job in tree.descendants if job.state.ended_badly]
    yield from [text for text in dict.fromkeys(told) if text][:MAX_ERRORS]


def _template(text: str) -> str:
    words = words_of(_CHANGING.sub("0", text))
    return " ".join(words) if any(word != WILD for word in words) else ""


def _stems(text: str) -> tuple[str, ...]:
    return read_stems(_CHANGING.sub(" ", text))


def _words(texts: Iterable[str]) -> tuple[str, ...]:
    """Each word of these lines once; of too many those of the newest lines."""
    words = dict.fromkeys(word for text in texts for word in _stems(text))
    return tuple(words)[-MAX_WORDS:]


def _key(program: str, templates: Sequence[str], frames: Sequence[str]) -> str:
    """One name for what looks alike, whatever the order of the lines."""
    parts = "\n".join([program, *sorted(templates), "", *sorted(frames)])
    return "f-" + hashlib.sha256(parts.encode("utf-8", "replace")).hexdigest()[:12]


def _exceptions(tracebacks: Sequence[Traceback]) -> Iterator[str]:
    for unit in tracebacks[-MAX_TRACEBACKS:]:
        yield from (raised.name for raised in unit.raised if raised.name)


def _frames(tracebacks: Sequence[Traceback], dumps: Sequence[ThreadDump]) -> Iterator[str]:
    """The innermost calls of every stack, innermost first."""
    raised = (raised_exception for unit in tracebacks[-MAX_TRACEBACKS:] for raised_exception in unit.raised)
    threads = (thread for dump in dumps for thread in islice(dump.threads(), MAX_THREADS))
    stacks: list[Sequence[TracebackFrame | StackFrame]] = [
        raised_exception.frames[: -MAX_FRAMES - 1 : -1] for raised_exception in raised
    ]
    for stack in [*stacks, *(thread.frames[:MAX_FRAMES] for thread in threads)]:
        yield from (f"{call.file.rpartition('/')[2]}:{call.function}" for call in stack)


def _dumps(observation: Observation | None) -> tuple[ThreadDump, ...]:
    if observation is None:
        return ()
    taken = tuple(sight.value for sight in observation.dumps.values() if isinstance(sight, Seen))
    return taken + (observation.excerpt.dumps if observation.excerpt is not None else ())


def _codes(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        yield from (str(found[found.lastgroup or 0]).lower() for found in _CODE.finditer(text))


def _facts(observation: Observation | None, verdict: Verdict) -> Iterator[str]:
    """What is known of the job beside its lines, in words."""
    yield f"kind-{verdict.memory.kind or 'unknown'}"
    if verdict.diagnosis is not None and not verdict.diagnosis.evidence:
        yield "nothing-quoted"
    if observation is None or observation.seen_tree is None:
        return
    tree, excerpt = observation.seen_tree, observation.excerpt
    # A text without a state is read as of a running job; what nobody said is not a fact.
    state = excerpt.facts.state if excerpt is not None else tree.root.state
    yield f"state-{state.value if state is not None else 'unknown'}"
    codes = [excerpt.facts.exit_code] if excerpt is not None else _exit_codes(tree)
    yield from dict.fromkeys(f"exit-{code}" for code in codes if code is not None)
    named = {
        "preempted": tree.root.preemption_count,
        "failed-tries": tree.root.failure_count,
        "pending-reason": tree.root.pending_reason,
        "stored-error": tree.root.error,
        "no-lines": not observation.seen_lines and not verdict.memory.recent_lines,
        "dump": _dumps(observation),
        "quiet": _quiet_s(observation, verdict) > QUIET_S,
    }
    yield from (name for name, holds in named.items() if holds)


def _exit_codes(tree: JobTree) -> list[int]:
    tasks = tree.root.tasks or ()
    return [task.exit_code for task in tasks if task.exit_code or tree.root.state is JobState.FAILED]


def _quiet_s(observation: Observation, verdict: Verdict) -> float:
    last = verdict.memory.last_line_at
    return (observation.taken_at - last).total_seconds() if last is not None else 0.0


def _course(texts: Sequence[str], verdict: Verdict) -> Iterator[str]:
    """Whether work was seen, and whether it went on after the last report of a failure."""
    memory = verdict.memory
    if memory.advanced_at is not None:
        yield "advanced"
    failures = [index for index, text in enumerate(texts) if find_failure_words(text) is not None]
    if not failures:
        yield "no-failure-reported"
        return
    yield "failure-is-last" if failures[-1] == len(texts) - 1 else "lines-after-failure"
    first_line = memory.lines_read - len(texts)
    if memory.advanced_position is not None and memory.advanced_position > first_line + failures[-1]:
        yield "advanced-after-failure"
