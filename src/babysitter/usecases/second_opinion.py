"""A second opinion on a verdict: build the question, consult a reader, weigh its answer against the rules."""

from collections.abc import Sequence
from dataclasses import dataclass

from babysitter.advisor.combine import combine
from babysitter.advisor.consultation import Advisor, Usage
from babysitter.advisor.evidence_pack import build_pack
from babysitter.advisor.material import Material, RulesVerdict
from babysitter.advisor.question import Question, ask_about
from babysitter.engine.advice_material import good_run_remarks, material_of_text, rules_verdict
from babysitter.engine.advice_of_job import material_of_job, verdict_of_rules
from babysitter.engine.open_advisor import open_advisor
from babysitter.model.job_facts import JobFacts
from babysitter.model.opinion import Combined
from babysitter.usecases.classify_text import Examined
from babysitter.usecases.diagnose_job import Looked

__all__ = ["Advised", "Advisor", "advise", "advise_on_look", "advise_on_text", "open_advisor"]


@dataclass(frozen=True, slots=True)
class Advised:
    """What is displayed, what was asked, and what it cost."""

    combined: Combined
    question: Question
    usage: Usage


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
