"""A second opinion on a verdict: build the question, consult a reader, weigh its answer against the rules."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from babysitter.advisor.combine import combine
from babysitter.advisor.consultation import Advisor, Consultation, Usage
from babysitter.advisor.evidence_pack import build_pack
from babysitter.advisor.material import Material, RulesVerdict
from babysitter.advisor.question import Question, ask_about
from babysitter.clock import SystemClock
from babysitter.config import Settings
from babysitter.engine.advising.advice_material import good_run_remarks, material_of_text, rules_verdict
from babysitter.engine.advising.advice_of_job import material_of_job, verdict_of_rules
from babysitter.engine.advising.budgeted_advisor import BudgetedAdvisor
from babysitter.engine.advising.open_advisor import is_exchange, open_advisor
from babysitter.errors import BabysitError
from babysitter.model.job_facts import JobFacts
from babysitter.model.opinion import Combined, NoOpinion
from babysitter.store.repositories.advisor_budget import AdvicePurpose
from babysitter.store.store import open_store
from babysitter.usecases.looking.classify_text import Examined
from babysitter.usecases.looking.diagnose_job import Looked
from babysitter.usecases.state_folder import state_folder

__all__ = [
    "Advised",
    "Advisor",
    "advise",
    "advise_on_look",
    "advise_on_text",
    "command_advisor",
    "open_advisor",
]


@dataclass(frozen=True, slots=True)
class Advised:
    """What is displayed, what was asked, and what it cost."""

    combined: Combined
    question: Question
    usage: Usage


@dataclass(frozen=True, slots=True)
class _Nobody:
    """Asks nobody, and says why."""

    why: str

    async def consult(self, question: Question, material: Material) -> Consultation:  # noqa: ARG002
        return Consultation(NoOpinion(self.why))


@asynccontextmanager
async def command_advisor(
    settings: Settings, exchange: Path | None = None, *, is_evaluation: bool = False
) -> AsyncIterator[Advisor]:
    """Whom a command at a terminal asks; its cost counts in the database of the watches, made when missing.

    An evaluation may use a part of the day only. Where the database cannot be opened nobody is asked. Raises
    UserError where nobody is named.
    """
    advisor = open_advisor(settings, exchange, is_at_terminal=True)
    if is_exchange(settings, exchange):
        yield advisor
        return
    url = settings.database_url.get_secret_value() if settings.database_url else None
    try:
        store = await open_store(url or state_folder(settings.state_dir))
    except BabysitError as fault:
        yield _Nobody(f"Its cost cannot be stored: {fault.sentence}")
        return
    purpose = AdvicePurpose.EVALUATION if is_evaluation else AdvicePurpose.COMMAND
    try:
        yield BudgetedAdvisor(advisor, store, settings.advisor, SystemClock(), purpose)
    finally:
        await store.close()


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
