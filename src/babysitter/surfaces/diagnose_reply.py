"""One look at a job as a reply: the same for `diagnose` and for the MCP tool."""

from typing import TypeVar

from babysitter.model.opinion import Combined
from babysitter.surfaces.diagnosis_view import DiagnosisView, QuotedLineView, ReasonView
from babysitter.surfaces.opinion_views import OpinionView
from babysitter.surfaces.printable import safe_lines
from babysitter.surfaces.views import DiagnoseReply, OutlookView
from babysitter.usecases.looking.diagnose_job import Looked

R = TypeVar("R", bound=DiagnoseReply)


def reply_of(kind: type[R], job: str, looked: Looked, combined: Combined | None = None) -> R:
    """What was seen, as a reply of this kind, with a second opinion where one was asked for."""
    verdict = looked.verdict
    return kind(
        job=job,
        phase=verdict.phase,
        is_blind=bool(verdict.blind),
        diagnosis=DiagnosisView.of(looked.diagnosis),
        outlook=OutlookView.of(verdict.outlook),
        reasons=[ReasonView.of(reason) for reason in verdict.reasons],
        quoted=[QuotedLineView.of(quoted) for quoted in looked.quoted],
        followed=safe_lines(looked.followed),
        opinion=OpinionView.of(combined),
    )
