"""The playbook language: what a YAML file may say, completely. `docs/playbooks.md` explains it with examples.

Pydantic at the door, frozen values behind it. Nothing here looks at logs; `match_rules.py` gives the words
meaning.
"""

import re
from collections.abc import Mapping
from string import Formatter
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    field_validator,
    model_validator,
)

from babysitter.diagnosis.causes.comparisons import (
    CaptureTest,
    Comparison,
    ProgressTest,
    Window,
    parse_comparison,
    parse_progress,
    parse_where,
    parse_window,
)
from babysitter.diagnosis.signatures.pattern import Pattern, parse_pattern
from babysitter.diagnosis.stance.vocabulary import Stance
from babysitter.model.finding import ActionKind, Cause, Retry, Severity
from babysitter.model.job import JobState, TaskState
from babysitter.model.log import LogLevel, Role

# What a rule may let a restart set.
SETTING = re.compile(r"memory|disk|max-retries|region|tpu|extra|env\.[A-Za-z_]\w*|flag\.[a-z][a-z-]*")


class StrictModel(BaseModel):
    """A closed mapping: unknown keys are errors, values never change afterwards."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, arbitrary_types_allowed=True, populate_by_name=True, defer_build=True
    )


def _many(value: Any) -> Any:
    """One value or a list of them."""
    return value if isinstance(value, list | tuple) or value is None else [value]


def _pattern(value: Any) -> Pattern:
    if isinstance(value, Pattern):
        return value
    if not isinstance(value, str):
        raise ValueError(f"a pattern is a text or a /regex/, not {value!r}; put it in quotes")
    return parse_pattern(value)


def _roles(value: Any) -> Any:
    roles = _many(value)
    return () if roles is None or "any" in roles else roles


Text = Annotated[Pattern, BeforeValidator(_pattern)]
Texts = Annotated[tuple[Text, ...], BeforeValidator(_many)]
Words = Annotated[tuple[str, ...], BeforeValidator(_many)]
Number = Annotated[Comparison, BeforeValidator(parse_comparison)]
Roles = Annotated[tuple[Role, ...], BeforeValidator(_roles)]  # empty = anybody's
Slug = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*(-[a-z0-9_]+)*$")]


class LogMatch(StrictModel):
    """Lines of the log. Everything that is given must hold."""

    any: Texts = ()  # lines that hold one of these
    all: Texts = ()  # each of these occurs
    sequence: Texts = ()  # these occur in this order
    not_followed_by: Texts = ()  # void when one of these follows the last line that counted
    source: Roles = ()
    level: LogLevel | None = None  # at least; lines of unknown level stay
    stream: Words = ()
    min_count: Annotated[int, Field(ge=1, le=10_000)] = 1
    same: Words = ()  # the lines that count agree in these captures, or in "task"
    within: Annotated[Window | None, BeforeValidator(parse_window)] = None
    where: Annotated[tuple[CaptureTest, ...], BeforeValidator(parse_where)] = ()  # of the captures of a line
    near_end: Annotated[int, Field(ge=0, le=10_000)] = 0  # only among the last N lines of their task
    stance: Annotated[tuple[Stance, ...], BeforeValidator(_many)] = ()  # lines of these stances count too

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, value: Any) -> Any:
        return {"any": value} if isinstance(value, str | list) else value

    @model_validator(mode="after")
    def _says_something(self) -> "LogMatch":
        if not (self.any or self.all or self.sequence):
            raise ValueError("needs `any`, `all` or `sequence`")
        if self.min_count > 1 and not self.any:
            raise ValueError("`min_count` counts the lines of `any`, which is missing")
        known = {"task"}.union(*(pattern.names for pattern in (*self.any, *self.all, *self.sequence)))
        for name in self.same:
            if name not in known:
                raise ValueError(
                    f"`same: {name}` names no capture of these patterns (known: {', '.join(sorted(known))})"
                )
        return self

    @property
    def patterns(self) -> tuple[Pattern, ...]:
        return (*self.any, *self.all, *self.sequence, *self.not_followed_by)


class TracebackMatch(StrictModel):
    """A Python traceback as one unit. All that is given must hold for one exception of its chain."""

    exception: Texts = ()  # name of its type; a literal is the whole last segment, e.g. OutOfMemoryError
    message: Texts = ()
    frame: Texts = ()  # any frame, written "path/file.py:function"
    chain: Literal["any", "first", "last"] = "any"  # first = where it began, last = what was seen
    near_end: Annotated[int, Field(ge=0, le=10_000)] = 0  # only among the last N lines of their task
    source: Roles = ()
    min_count: Annotated[int, Field(ge=1, le=10_000)] = 1

    @model_validator(mode="after")
    def _says_something(self) -> "TracebackMatch":
        if not (self.exception or self.message or self.frame):
            raise ValueError("needs `exception`, `message` or `frame`")
        return self


class DumpMatch(StrictModel):
    """A thread dump. Frames are function names (a literal is the whole name without its class) or /regex/."""

    process: Roles = ()
    thread: Texts = ()  # only threads with such a name
    present: Texts = ()  # each is a frame of one of these threads
    absent: Texts = ()  # none is a frame of any of these threads
    all_in: Texts = ()  # every one of these threads has one of these frames
    innermost: Texts = ()  # one of these threads has it on top

    @model_validator(mode="after")
    def _says_something(self) -> "DumpMatch":
        if not (self.present or self.absent or self.all_in or self.innermost):
            raise ValueError("needs `present`, `absent`, `all_in` or `innermost`")
        return self


class Condition(StrictModel):
    """Facts that must all hold. Fields of the job hold when they hold for the job or for one of its tasks."""

    logs: LogMatch | None = None
    traceback: TracebackMatch | None = None
    dump: DumpMatch | None = None
    progress: Annotated[tuple[ProgressTest, ...], BeforeValidator(parse_progress)] = ()
    state: Annotated[tuple[JobState, ...], BeforeValidator(_many)] = ()
    task_state: Annotated[tuple[TaskState, ...], BeforeValidator(_many)] = ()
    exit_code: Number | None = None
    error: Texts = ()  # error field of the job or a task
    pending_reason: Texts = ()
    failure_count: Number | None = None
    preemption_count: Number | None = None
    memory_peak: Number | None = None  # peak as a part of the limit: "> 0.95"
    last_log_age_s: Number | None = None  # seconds, or "> 15m"
    all: tuple["Condition", ...] = ()
    any: tuple["Condition", ...] = ()
    unless: Annotated[tuple["Condition", ...], BeforeValidator(_many)] = ()  # none of these may hold

    @model_validator(mode="after")
    def _says_something(self) -> "Condition":
        if not self.model_fields_set:
            raise ValueError("is empty and would always hold")
        return self


class SuggestedAction(StrictModel):
    """What to do. `change`: for restart-with-change, what should be different, in words.

    `sets`: settings of the submission, by what is changed (`env.NAME`, `memory`, `flag.NAME`, ...), which the
    proposed restart carries. Fixed values only: nothing that a job printed gets into a command.
    """

    kind: ActionKind
    change: str = ""
    sets: Mapping[str, str] = {}

    @field_validator("sets")
    @classmethod
    def _can_be_set(cls, sets: Mapping[str, str]) -> Mapping[str, str]:
        for what, value in sets.items():
            if not SETTING.fullmatch(what):
                raise ValueError(f"`sets` names {what!r}, which no submission can set")
            if placeholders(value):
                raise ValueError(f"`sets` of {what!r} takes a fixed value, without braces")
        return sets

    @model_validator(mode="after")
    def _sets_in_a_restart(self) -> "SuggestedAction":
        if self.sets and self.kind is not ActionKind.RESTART_WITH_CHANGE:
            raise ValueError("only restart-with-change has `sets`")
        return self

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, value: Any) -> Any:
        return {"kind": value} if isinstance(value, str) else value


class AppliesTo(StrictModel):
    """Empty = everything. A log file without a known kind is held against every rule."""

    backend: Annotated[tuple[Slug, ...], BeforeValidator(_many)] = ()
    kind: Annotated[tuple[Slug, ...], BeforeValidator(_many)] = ()

    def covers(self, backend: str, kind: str) -> bool:
        """Whether a job of this backend and kind ("" = not known) is meant."""
        return (not backend or not self.backend or backend in self.backend) and (
            not kind or not self.kind or kind in self.kind
        )


class Example(StrictModel):
    """Facts to try a rule on. A plain string is its `logs`."""

    logs: str = ""
    source: Role | None = None  # whose lines they are; None = not known, as in a file
    kind: str = ""
    state: JobState | None = None
    task_state: TaskState | None = None
    exit_code: int | None = None
    error: str = ""
    pending_reason: str = ""
    failure_count: int | None = None
    preemption_count: int | None = None
    memory_peak: float | None = None
    last_log_age_s: float | None = None
    thread_dump: str = ""
    progress: Mapping[str, Any] = Field(default_factory=dict)  # motion: stuck, dead_ratio: 0.6, ...

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, value: Any) -> Any:
        if isinstance(value, str):
            return {"logs": value}
        if isinstance(value, Mapping) and isinstance(value.get("logs"), list):
            return {**value, "logs": "\n".join(str(line) for line in value["logs"])}
        return value


class Examples(StrictModel):
    """Facts on which the rule must find something, and facts on which it must not."""

    match: Annotated[tuple[Example, ...], BeforeValidator(_many)] = ()
    no_match: Annotated[tuple[Example, ...], BeforeValidator(_many)] = ()


def _rule_id(value: str) -> str:
    playbook, dot, name = value.partition(".")
    if not (playbook and dot and name):
        raise ValueError(
            f"{value!r} should be <playbook>.<what-happened>, e.g. zephyr.shard-failed-repeatedly"
        )
    return value


KNOWN_NAMES = frozenset(
    {"count", "task", "state", "exit_code", "error", "pending_reason", "failure_count", "preemption_count"}
    | {"memory_peak", "last_log_age_s", "exception", "message", "frame"}
)


def captured(condition: Condition) -> set[str]:
    """Names of everything that the patterns of a condition capture."""
    patterns: list[Pattern] = [*condition.error, *condition.pending_reason]
    if condition.logs:
        patterns += [*condition.logs.any, *condition.logs.all, *condition.logs.sequence]
    if condition.traceback:
        patterns += [*condition.traceback.message, *condition.traceback.exception, *condition.traceback.frame]
    inner = (captured(inner_condition) for inner_condition in (*condition.all, *condition.any))
    return set[str]().union(*(pattern.names for pattern in patterns), *inner)


def placeholders(text: str) -> list[str]:
    """The {names} of a text. Raises ValueError for a brace that closes nothing."""
    try:
        return [name for _, name, _, _ in Formatter().parse(text) if name is not None]
    except ValueError as error:
        raise ValueError(f"{text!r}: {error}; write {{{{ and }}}} for plain braces") from None


class Rule(StrictModel):
    """Evidence wanted, cause, severity, advice, examples."""

    id: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]*$"), AfterValidator(_rule_id)]
    cause: Cause
    severity: Severity
    match: Condition
    explain: str = Field(min_length=1)
    advice: str = ""  # what a person should do next
    look_at: Words = ()
    action: SuggestedAction
    retry: Retry = Retry.UNKNOWN
    confidence: Annotated[float, Field(ge=0, le=1)] = 0.8
    consequence: bool = False  # only ever follows from something else
    with_traceback: bool = False  # of a harmless line: the traceback that it introduces is so too
    applies_to: AppliesTo = AppliesTo()

    @model_validator(mode="after")
    def _names_are_captured(self) -> "Rule":
        known = KNOWN_NAMES.union(captured(self.match))
        for where, text in (
            ("explain", self.explain),
            ("advice", self.advice),
            ("action", self.action.change),
        ):
            for name in placeholders(text):
                if name not in known:
                    raise ValueError(f"`{where}` names {{{name}}}, which no pattern of `match` captures")
        return self

    @model_validator(mode="after")
    def _action_fits(self) -> "Rule":
        if self.action.kind is ActionKind.RESTART_WITH_CHANGE and not (self.action.change or self.advice):
            raise ValueError("restart-with-change says what to change: `action: {kind: ..., change: ...}`")
        if self.severity is Severity.BENIGN and self.action.kind.restarts:
            raise ValueError("a benign finding never restarts anything")
        return self


def _cause_or_none(value: Any) -> Any:
    if value == "none":
        raise ValueError("write `nothing: true` when nothing above info is expected")
    return value


class Expectation(StrictModel):
    """What a scenario's step should yield. Lists name rule ids."""

    rules: Words = ()
    not_rules: Words = ()
    cause: Annotated[Cause | None, BeforeValidator(_cause_or_none)] = None
    nothing: bool = False  # no finding above info
    severity: Severity | None = None


class ScenarioStep(Example):
    """New facts of one look, and what they should mean."""

    expect: Expectation


class RuleScenario(StrictModel):
    """A story in steps; logs are carried from step to step as in a running watch."""

    name: str
    kind: str = ""
    steps: Annotated[tuple[ScenarioStep, ...], Field(min_length=1)]


class ScenarioFile(StrictModel):
    """A `*.test.yaml`: lines of signatures by their ids, facts of rules by their ids, and stories."""

    specimens: dict[str, Words] = Field(default_factory=dict)
    examples: dict[str, Examples] = Field(default_factory=dict)
    scenarios: tuple[RuleScenario, ...] = ()
