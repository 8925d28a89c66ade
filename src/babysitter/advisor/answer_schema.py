"""Validate the answer of a reader."""

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from babysitter.model.finding import ActionKind, Cause
from babysitter.model.opinion import NoOpinion

MAX_CITATIONS = 12
MAX_TEXT = 2_000
MAX_FAULT = 120  # characters of what the validator says


_FAULTS = {
    "model_type": "It must be one JSON object",
    "string_unicode": "It holds half a character; write whole ones",
}


def _label(value: Any) -> Any:
    """`12` and `"12"` mean line 12 of the log."""
    text = str(value).strip().rstrip("|").strip() if isinstance(value, int | str) else value
    return f"L{text}" if isinstance(text, str) and text.isdigit() else text


class Citation(BaseModel):
    """A quote: the label of a line, and an exact part of its text."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    line: Annotated[str, BeforeValidator(_label), Field(description="label of the line, such as L12 or F1")]
    text: str = Field(max_length=MAX_TEXT, description="copied exactly from that line, whole or a part")


class OpinionAnswer(BaseModel):
    """What a reader says. Nothing in it is believed before `verify` has checked its quotes."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    fingerprint: str = Field(default="", max_length=64, description="of the question")
    cause: Cause = Field(description="one id of the taxonomy")
    confidence: float = Field(ge=0.0, le=1.0, description="0 to 1: how sure you are of the cause")
    explanation: str = Field(
        max_length=MAX_TEXT, description="one to three sentences: what happened and why this cause"
    )
    citations: tuple[Citation, ...] = Field(
        max_length=MAX_CITATIONS, description="one to six lines that decide it, the most telling first"
    )
    action: ActionKind = Field(description="one of the list of actions")
    would_change_mind: str = Field(
        default="", max_length=MAX_TEXT, description="what seen would make you name another cause, and which"
    )
    check_next: tuple[Annotated[str, Field(max_length=500)], ...] = Field(
        default=(), max_length=8, description="what a person should look at next"
    )


def _fault(kind: str, message: str) -> str:
    """A fault in a few words; the ids of a long list are in the request."""
    if kind == "enum" and len(message) > MAX_FAULT:
        return "not one of the ids that the request lists"
    return _FAULTS.get(kind) or message.replace("Tuple", "It").replace(" after validation", "")[:MAX_FAULT]


def read_answer(value: Any, *, fingerprint: str) -> OpinionAnswer | NoOpinion:
    """Validate a parsed answer to the question with this fingerprint."""
    try:
        answer = OpinionAnswer.model_validate(value)
    except ValidationError as error:
        fault = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(map(str, fault["loc"])) or "the answer"
        return NoOpinion(
            f"The answer does not fit the schema: {place}: {_fault(fault['type'], fault['msg'])}."
        )
    if answer.fingerprint and answer.fingerprint != fingerprint:
        return NoOpinion("The answer belongs to another question: its fingerprint differs.")
    return answer
