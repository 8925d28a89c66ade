"""Labelled cases judged without and with a second opinion: what changes, and what it costs."""

import asyncio
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Any

from babysitter.advisor.consultation import Advisor, Usage
from babysitter.messages.opinion_text import opinion_lines
from babysitter.model.opinion import Weighing
from babysitter.usecases.incidents.second_opinion import Advised, advise_on_text
from babysitter.workbench.evaluate import EvaluationReport, GradedCase, Ratio

MAX_AT_ONCE = 4  # questions to a reader


@dataclass(frozen=True, slots=True)
class AdviceComparison:
    """The same cases, graded without and with a second opinion, in the same order."""

    rules: EvaluationReport
    advised: EvaluationReport
    usage: Usage  # of all cases together
    question_tokens: int  # about, of all questions together

    @property
    def opinions(self) -> Ratio:
        """How many cases have an opinion."""
        return Ratio(sum(_has_opinion(case) for case in self.advised.graded), len(self.advised.graded))

    @property
    def weighings(self) -> Mapping[str, int]:
        """How often rules and opinion were weighed in each way."""
        found = [case.combined.weighing.value for case in self.advised.graded if case.combined]
        return dict(sorted(Counter(found).items()))

    @property
    def without(self) -> Mapping[str, str]:
        """Case id -> why it has no opinion."""
        cases = [case for case in self.advised.graded if not _has_opinion(case)]
        return {case.case.id: case.combined.no_opinion if case.combined else "" for case in cases}

    @property
    def worse_actions(self) -> tuple[str, ...]:
        """Ids of cases whose action was right before and is not any more."""
        pairs = zip(self.rules.graded, self.advised.graded, strict=True)
        return tuple(
            after.case.id
            for before, after in pairs
            if before.action is before.case.label.action and after.action is not after.case.label.action
        )

    @property
    def dropped_quotes(self) -> int:
        """Untrue quotes, over all opinions."""
        return sum(
            case.combined.opinion.dropped_quotes
            for case in self.advised.graded
            if case.combined and case.combined.opinion
        )


async def compare(report: EvaluationReport, advisor: Advisor) -> AdviceComparison:
    """Ask a reader about every case of a report, and grade what is displayed then."""
    at_once = asyncio.Semaphore(MAX_AT_ONCE)

    async def one(graded: GradedCase) -> tuple[GradedCase, Advised]:
        evidence = graded.case.evidence
        async with at_once:
            advised = await advise_on_text(
                advisor, evidence.text, evidence.facts, graded.examined, dumps=(evidence.thread_dump,)
            )
        return _regraded(graded, advised), advised

    pairs = await asyncio.gather(*(one(case) for case in report.graded))
    return AdviceComparison(
        rules=report,
        advised=EvaluationReport(tuple(graded for graded, _ in pairs)),
        usage=reduce(add, (advised.usage for _, advised in pairs), Usage()),
        question_tokens=sum(advised.question.tokens for _, advised in pairs),
    )


def _regraded(graded: GradedCase, advised: Advised) -> GradedCase:
    """The case with what is displayed now; without an opinion its text stays as it was."""
    if advised.combined.opinion is None:
        return replace(graded, combined=advised.combined)
    text = "\n".join([graded.text, *opinion_lines(advised.combined)])
    leaked = tuple(word for word in graded.case.must_redact if word in text or word in advised.question.text)
    return replace(graded, combined=advised.combined, text=text, leaked=leaked)


def _has_opinion(graded: GradedCase) -> bool:
    return graded.combined is not None and graded.combined.weighing is not Weighing.NO_OPINION


def comparison_json(comparison: AdviceComparison) -> dict[str, Any]:
    """The figures of the comparison, for programs."""
    cases = max(1, len(comparison.rules.graded))
    cost = comparison.usage.cost_usd

    def figures(report: EvaluationReport) -> dict[str, Any]:
        return {
            "strict": _share(report.strict),
            "lenient": _share(report.lenient),
            "action": _share(report.action),
            "false_alarms": {"count": report.false_alarms.right, "of": report.false_alarms.of},
            "missed_fatal": {"count": report.missed_fatal.right, "of": report.missed_fatal.of},
        }

    return {
        "rules": figures(comparison.rules),
        "advised": figures(comparison.advised),
        "opinions": _share(comparison.opinions),
        "weighings": dict(comparison.weighings),
        "without": dict(comparison.without),
        "worse_actions": list(comparison.worse_actions),
        "dropped_quotes": comparison.dropped_quotes,
        "question_tokens_per_case": round(comparison.question_tokens / cases),
        "cost_usd_per_case": None if cost is None else round(cost / cases, 5),
        "calls": comparison.usage.calls,
    }


def _share(value: Ratio) -> dict[str, int]:
    return {"right": value.right, "of": value.of}
