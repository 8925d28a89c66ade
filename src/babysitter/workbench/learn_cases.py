"""Labelled cases as remembered incidents: `babysit learn`. The label is what a person said it was."""

from collections.abc import Sequence
from datetime import datetime

from babysitter.diagnosis.causes.rules_in_force import Playbook
from babysitter.diagnosis.fingerprint import fingerprint_of
from babysitter.model.past_incident import Origin, PastIncident
from babysitter.usecases.looking.classify_text import look_at
from babysitter.workbench.evaluate import LabelledCase


def learned_incidents(
    cases: Sequence[LabelledCase], playbook: Playbook, *, at: datetime, by: str
) -> list[PastIncident]:
    """Judge each case as if it were met now, and keep what it looks like with its label.

    `by`: the person whose word the labels are; "" for a program, which speaks for nobody.
    """
    return [learned_incident(case, playbook, at=at, by=by) for case in cases]


def learned_incident(case: LabelledCase, playbook: Playbook, *, at: datetime, by: str) -> PastIncident:
    """One case as a remembered incident with a true cause."""
    evidence = case.evidence
    verdict, observation = look_at(evidence.text, playbook, evidence.facts, dumps=(evidence.thread_dump,))
    return PastIncident(
        id=f"case-{case.id}",
        at=at,
        cause=verdict.cause,
        fingerprint=fingerprint_of(verdict, observation),
        origin=Origin.LEARNED,
        true_cause=case.label.cause,
        taught_by=by,
        is_taught_here=bool(by),
    )
