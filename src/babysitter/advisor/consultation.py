"""Who answers questions: files in an exchange folder, or a model behind an interface."""

from dataclasses import dataclass
from typing import Protocol

from babysitter.advisor.material import Material
from babysitter.advisor.question import Question
from babysitter.model.opinion import NoOpinion, Opinion


@dataclass(frozen=True, slots=True)
class Usage:
    """What a consultation cost. `cost_usd`: None where the price of the model is not known."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = 0.0

    def __add__(self, other: "Usage") -> "Usage":
        known = self.cost_usd is not None and other.cost_usd is not None
        return Usage(
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            (self.cost_usd or 0.0) + (other.cost_usd or 0.0) if known else None,
        )


@dataclass(frozen=True, slots=True)
class Consultation:
    """What came of a question."""

    opinion: Opinion | NoOpinion
    usage: Usage = Usage()
    transcript: str = ""  # what was said, redacted; "" where nobody was asked


class Advisor(Protocol):
    """Reads a question and gives an opinion, or says in one sentence why there is none."""

    async def consult(self, question: Question, material: Material) -> Consultation:
        """Ask within a limited time. Safe to repeat; a repetition may cost again.

        `material`: what tools may search further. Never raises for what a reader or its service does; raises
        UserError where the set-up cannot work.
        """
