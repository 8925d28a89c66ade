"""Signature files and rule files, and the rules that they mean.

`signatures/<program>.yaml` says what a program prints, `rules/<cause>.yaml` what several signatures or facts
mean together. A signature with `means` is a rule of its own, `<program>.<name>`. Whatever a signature or rule
does not say (severity, action, retry, explanation, advice) comes from the row of its cause.
"""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError, ValidationInfo, model_validator

from babysitter.diagnosis.causes.rule import AppliesTo, Slug, StrictModel, Words
from babysitter.diagnosis.signatures.pattern import BadPattern, Pattern, parse_pattern
from babysitter.diagnosis.signatures.template import MAX_CHARS, BadTemplate, to_regex
from babysitter.diagnosis.stance.template_cues import cue_in_template
from babysitter.model.cause_info import about
from babysitter.model.finding import ActionKind, Cause, Retry, Severity

# What a strength is worth in the judge's arithmetic: the means of the hand-set numbers that it replaces.
STRENGTHS: Mapping[str, float] = {
    "proof": 0.9,
    "sign": 0.72,
    "hint": 0.58,
    "guess": 0.46,
}
MIN_TELLING = 2  # characters in one piece that every line of a signature holds

Content = dict[str, Any]  # a rule in the engine's form, not yet validated


class MissingSignature(ValueError):
    """A rule names a signature that no file has. `name`: `<program>.<what-happened>`."""

    def __init__(self, name: str) -> None:
        super().__init__(f"no file has a signature `{name}`")
        self.name = name


class RegexLine(StrictModel):
    """A line that no template can say, and why."""

    regex: Annotated[str, Field(max_length=MAX_CHARS)]
    why: Annotated[str, Field(min_length=10)]


def _pattern(value: Any) -> Pattern:
    if isinstance(value, Pattern):
        return value
    if isinstance(value, Mapping):
        try:
            raw = RegexLine.model_validate(value).regex
            return _parsed(f"/{raw}/{_case_flag(raw)}")
        except ValidationError:
            limit = f"at most {MAX_CHARS} characters"
            raise ValueError(f"a raw expression needs `regex` ({limit}) and `why` (a sentence)") from None
    if not isinstance(value, str):
        raise ValueError(f"a line is a template in quotes, not {value!r}")
    try:
        regex = to_regex(value)
    except BadTemplate as error:
        raise ValueError(f"{value!r} {error}") from None
    pattern = _parsed(f"/{regex}/{_case_flag(value)}", shown=value)
    if pattern.telling < MIN_TELLING:
        raise ValueError(f"{value!r} has no {MIN_TELLING} characters in a row that every line must hold")
    return pattern


def _case_flag(template: str) -> str:
    """A template with a capital means exactly that spelling, as programs print it; another ignores case."""
    return "" if any(character.isupper() for character in template) else "i"


def _parsed(text: str, *, shown: str = "") -> Pattern:
    try:
        return parse_pattern(text, shown=shown)
    except BadPattern as error:
        raise ValueError(f"{shown or text}: {error}") from None


def _report_only(pattern: Pattern, info: ValidationInfo) -> Pattern:
    """A line without words of stance; harmless lines, and those that no rule is made of, may tolerate."""
    means = info.data.get("means")
    may_tolerate = means is None or about(means.cause).is_benign
    if (words := cue_in_template(pattern.text, may_tolerate=may_tolerate)) is not None:
        raise ValueError(
            f"{pattern.text!r} says {words!r}; whether a line reports a problem is judged by its stance"
        )
    return pattern


def _strength(value: Any) -> Any:
    if value not in STRENGTHS:
        raise ValueError(f"{value!r} is not a strength; one of {', '.join(STRENGTHS)}")
    return value


def _rule_name(value: str) -> str:
    program, dot, name = value.partition(".")
    if not (program and dot and name):
        raise ValueError(f"{value!r} should be <program>.<what-happened>, such as zephyr.stage-stuck")
    return value


RuleName = Annotated[str, AfterValidator(_rule_name)]
Line = Annotated[Pattern, BeforeValidator(_pattern), AfterValidator(_report_only)]
Strength = Annotated[str, BeforeValidator(_strength)]


class Statement(StrictModel):
    """What a signature or rule may say about itself; the row of its cause says the rest."""

    explain: str = ""
    advice: str = ""
    severity: Severity | None = None
    action: ActionKind | None = None
    retry: Retry | None = None
    sets: Mapping[str, str] = {}  # what a restart-with-change sets: env.NAME, memory, flag.NAME, ...
    look_at: Words = ()
    consequence: bool = False  # only ever follows from something else
    with_traceback: bool = False  # harmless together with the traceback that the line introduces


class Means(StrictModel):
    """`device-oom as proof`."""

    cause: Cause
    strength: Strength

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        cause, separator, strength = value.partition(" as ")
        if not separator:
            raise ValueError(f"{value!r} should be <cause> as proof, sign, hint or guess")
        return {"cause": cause.strip(), "strength": strength.strip()}


class Signature(Statement):
    """Lines that say the same thing."""

    means: Means | None = None
    lines: Annotated[tuple[Line, ...], Field(min_length=1)]
    specimens: Words = ()


class SignatureFile(StrictModel):
    """What one program prints. `source`: the public place where the words stand."""

    program: Slug
    source: Annotated[str, Field(min_length=8)]
    applies_to: AppliesTo = AppliesTo()
    says: dict[Slug, Signature]
    switch_off: Words = ()


class RuleRow(Statement):
    """A rule of several signatures or facts; `docs/playbooks.md` lists what `when` may say."""

    strength: Strength
    when: Annotated[dict[str, Any], Field(min_length=1)]


class RuleFile(StrictModel):
    """The rules of one cause, or only ids of earlier rules to switch off."""

    cause: Cause = Cause.UNKNOWN
    applies_to: AppliesTo = AppliesTo()
    rules: dict[RuleName, RuleRow] = Field(default_factory=dict)
    switch_off: Words = ()

    @model_validator(mode="after")
    def _rules_have_a_cause(self) -> "RuleFile":
        if self.rules and "cause" not in self.model_fields_set:
            raise ValueError("`cause` is missing: a rule file holds the rules of one cause")
        return self


def rules_of_signatures(file: SignatureFile) -> Iterator[tuple[str, Content]]:
    """The rules of the signatures that mean something by themselves."""
    for name, signature in file.says.items():
        if (means := signature.means) is not None:
            match = {"logs": {"any": list(signature.lines)}}
            rule_id = f"{file.program}.{name}"
            yield rule_id, _content(rule_id, means.cause, means.strength, match, signature)


def rule_of_row(rule_id: str, cause: Cause, row: RuleRow, signatures: Mapping[str, Signature]) -> Content:
    """A rule of a rule file. Raises ValueError for a signature that does not exist."""
    return _content(rule_id, cause, row.strength, condition_of(row.when, signatures), row)


def _content(rule_id: str, cause: Cause, strength: str, match: Any, said: Statement) -> Content:
    row = about(cause)
    advice = said.advice or row.advice
    action: Content = {"kind": said.action or row.action}
    if action["kind"] is ActionKind.RESTART_WITH_CHANGE:
        action["change"] = advice
    if said.sets:
        action["sets"] = said.sets
    return {
        "id": rule_id,
        "cause": cause,
        "severity": said.severity or row.severity,
        "match": match,
        "explain": said.explain or row.explain,
        "advice": advice,
        "look_at": list(said.look_at),
        "action": action,
        "retry": said.retry or row.retry,
        "confidence": STRENGTHS[strength],
        "consequence": said.consequence,
        "with_traceback": said.with_traceback,
    }


_NAMING = ("says", "says_or_error", "together", "in_order", "not_followed_by", "error", "pending_reason")
_OF_LINES: Mapping[str, str] = {"at_least": "min_count"} | {
    name: name for name in ("same", "within", "near_end", "where", "source", "level", "stream", "stance")
}


def condition_of(when: Mapping[str, Any], signatures: Mapping[str, Signature]) -> Content:
    """A `when` in the engine's form, names of signatures replaced by their lines. Raises ValueError."""
    out: Content = {}
    logs: Content = {_OF_LINES[key]: value for key, value in when.items() if key in _OF_LINES}
    for key, value in when.items():
        if key in _OF_LINES:
            continue
        if key == "says":
            logs["any"] = _lines(value, signatures)
        elif key in ("together", "in_order"):
            logs["all" if key == "together" else "sequence"] = [_any_of(name, signatures) for name in value]
        elif key == "not_followed_by":
            logs["not_followed_by"] = _lines(value, signatures)
        elif key in ("error", "pending_reason"):
            out[key] = _lines(value, signatures)
        elif key == "traceback" and "message" in value:
            out[key] = {**value, "message": _lines(value["message"], signatures)}
        elif key in ("all", "any"):
            out[key] = [condition_of(part, signatures) for part in value]
        elif key == "not":
            out["unless"] = [condition_of(part, signatures) for part in _listed(value)]
        elif key != "says_or_error":
            out[key] = value
    if "says_or_error" in when:
        patterns = _lines(when["says_or_error"], signatures)
        out["any"] = [*out.get("any", []), {"logs": {**logs, "any": patterns}}, {"error": patterns}]
        return out
    return {**out, "logs": logs} if logs else out


def signatures_in(when: Mapping[str, Any]) -> Iterator[str]:
    """The names of all signatures that a `when` refers to."""
    for key, value in when.items():
        if key in (
            "says",
            "says_or_error",
            "together",
            "in_order",
            "not_followed_by",
            "error",
            "pending_reason",
        ):
            yield from _listed(value)
        elif key == "traceback" and "message" in value:
            yield from _listed(value["message"])
        elif key in ("all", "any", "not"):
            for part in _listed(value):
                yield from signatures_in(part)


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _lines(names: Any, signatures: Mapping[str, Signature]) -> list[Pattern]:
    for name in _listed(names):
        if name not in signatures:
            raise MissingSignature(name)
    return [pattern for name in _listed(names) for pattern in signatures[name].lines]


def _any_of(name: str, signatures: Mapping[str, Signature]) -> Pattern:
    """One pattern for all lines of a signature."""
    patterns = _lines(name, signatures)
    if len(patterns) == 1:
        return patterns[0]
    bodies = "|".join(f"(?:{to_regex(pattern.text)})" for pattern in patterns)
    flag = "i" if any(pattern.ignore_case for pattern in patterns) else ""
    return _parsed(f"/{bodies}/{flag}", shown=" | ".join(pattern.text for pattern in patterns))
