"""A second opinion on a verdict: build the question, consult a reader, weigh its answer against the rules."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from babysitter.advisor.anthropic_client import AnthropicAdvisor, ModelService
from babysitter.advisor.combine import combine
from babysitter.advisor.consultation import Advisor, Usage
from babysitter.advisor.evidence_pack import build_pack
from babysitter.advisor.exchange import ExchangeFolder
from babysitter.advisor.material import Material, RulesVerdict
from babysitter.advisor.question import Question, ask_about
from babysitter.advisor.spending import ModelPrice, SpendingLimits
from babysitter.config import Settings, secret
from babysitter.errors import UserError
from babysitter.model.job_facts import JobFacts
from babysitter.model.opinion import Combined
from babysitter.usecases.advice_material import good_run_remarks, material_of_text, rules_verdict
from babysitter.usecases.advice_of_job import material_of_job, verdict_of_rules
from babysitter.usecases.classify_text import Examined
from babysitter.usecases.diagnose_job import Looked

__all__ = ["Advised", "Advisor", "advise", "advise_on_look", "advise_on_text", "open_advisor"]


TERMINAL_TIMEOUT_S = 60.0  # a person waits


@dataclass(frozen=True, slots=True)
class Advised:
    """What is displayed, what was asked, and what it cost."""

    combined: Combined
    question: Question
    usage: Usage


def open_advisor(
    settings: Settings, exchange: Path | None = None, *, is_at_terminal: bool = False
) -> Advisor:
    """Return the advisor that settings and options name. Raises UserError if they name none.

    An exchange folder goes before a key: who sets one wants to see what would be sent.
    """
    wishes = settings.advisor
    folder = exchange or wishes.exchange
    if folder is not None:
        return ExchangeFolder(folder)
    key = secret(wishes.api_key, wishes.api_key_file, what="advisor's key")
    if not key:
        raise UserError(
            "Nobody is named who could give a second opinion.",
            next_step="Give --advisor-exchange DIR, or set advisor.exchange or advisor.api_key_file.",
        )
    return AnthropicAdvisor(
        ModelService(
            key,
            wishes.model,
            wishes.base_url,
            timeout_s=min(wishes.timeout_s, TERMINAL_TIMEOUT_S) if is_at_terminal else wishes.timeout_s,
            limits=SpendingLimits(wishes.calls, wishes.tokens, wishes.cost_usd),
            prices={
                name: ModelPrice(price.input_usd, price.output_usd) for name, price in wishes.prices.items()
            },
        )
    )


async def advise_on_text(
    advisor: Advisor, text: str, facts: JobFacts | None, examined: Examined, *, dumps: Sequence[str] = ()
) -> Advised:
    """Consult a reader on a log text that the rules have judged."""
    remarks = good_run_remarks(examined.verdict.comparison)
    material = material_of_text(text, facts, examined.findings, dumps=dumps, remarks=remarks)
    return await advise(advisor, material, rules_verdict(examined.diagnosis, facts))


async def advise_on_look(advisor: Advisor, looked: Looked) -> Advised:
    """Consult an advisor on a job that was looked at once."""
    remarks = good_run_remarks(looked.verdict.comparison)
    material = material_of_job(looked.verdict, looked.lines, looked.observation, remarks=remarks)
    return await advise(advisor, material, verdict_of_rules(looked.verdict, looked.diagnosis))


async def advise(advisor: Advisor, material: Material, rules: RulesVerdict) -> Advised:
    """Consult a reader on an incident, and weigh what it says."""
    question = ask_about(build_pack(material))
    consultation = await advisor.consult(question, material)
    return Advised(combine(rules, consultation.opinion), question, consultation.usage)
