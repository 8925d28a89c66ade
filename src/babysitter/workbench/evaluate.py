"""Labelled cases -> how good the diagnosis is: accuracy, false alarms, missed fatal ones, leaked secrets.

A case is YAML with `id`, `evidence` and `label` (see docs/diagnosis-accuracy.md); a folder holds one or many
of them per file. Nothing of a case's label is seen by the diagnosis.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from babysitter.diagnosis.causes.rules_in_force import Playbook
from babysitter.errors import UserError
from babysitter.model.cause_info import about
from babysitter.model.finding import ActionKind, Cause, Severity
from babysitter.model.job import JobState
from babysitter.model.job_facts import JobFacts
from babysitter.model.opinion import Combined
from babysitter.redact import redact
from babysitter.usecases.looking.classify_text import Examined, examine, words_of

ALARMS = frozenset({ActionKind.ESCALATE, ActionKind.RESTART, ActionKind.RESTART_WITH_CHANGE})
CONFIDENCE_STEPS = (0.0, 0.5, 0.65, 0.8, 0.9, 1.01)


class _Door(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, allow_inf_nan=False)


class Repeat(_Door):
    """Text that stands many times in place of a placeholder, so that files stay small."""

    placeholder: str
    text: str
    count: int


class CaseEvidence(_Door):
    """What a babysitter would see; every key is optional."""

    job_state: Literal["running", "failed", "killed", "pending", "succeeded"] | None = None
    exit_code: int | None = None
    error: str = ""
    pending_reason: str = ""
    failure_count: int = 0
    preemption_count: int = 0
    last_log_age_s: float | None = None
    memory_peak_bytes: int | None = None
    memory_limit_bytes: int | None = None
    logs: str = ""
    thread_dump: str = ""
    repeat: Repeat | None = None

    @property
    def text(self) -> str:
        if self.repeat is None:
            return self.logs
        return self.logs.replace(self.repeat.placeholder, self.repeat.text * self.repeat.count)

    @property
    def facts(self) -> JobFacts:
        return JobFacts(
            state=JobState(self.job_state) if self.job_state else None,
            exit_code=self.exit_code,
            error=self.error,
            pending_reason=self.pending_reason,
            failure_count=self.failure_count,
            preemption_count=self.preemption_count,
            last_line_age_s=self.last_log_age_s,
            memory_peak_bytes=self.memory_peak_bytes,
            memory_limit_bytes=self.memory_limit_bytes,
        )


class CaseLabel(_Door):
    """What a reasonable engineer would say."""

    cause: Cause
    also_acceptable: tuple[Cause, ...] = ()
    severity: Severity
    action: ActionKind

    @property
    def accepted(self) -> frozenset[Cause]:
        return frozenset({self.cause, *self.also_acceptable})


class LabelledCase(_Door):
    """One labelled incident."""

    id: str
    backend: str = ""
    evidence: CaseEvidence
    label: CaseLabel
    adversarial: str = ""
    must_redact: tuple[str, ...] = ()

    def as_log_alone(self) -> "LabelledCase":
        """The same without state and exit code, as somebody has it who was given a file."""
        evidence = self.evidence.model_copy(update={"job_state": None, "exit_code": None})
        return self.model_copy(update={"evidence": evidence})


@dataclass(frozen=True, slots=True)
class GradedCase:
    """One case, what was said about it, and how right that is."""

    case: LabelledCase
    examined: Examined
    text: str  # what would be posted, redacted
    leaked: tuple[str, ...]
    combined: Combined | None = None  # with a second opinion, if one was asked for

    @property
    def cause(self) -> Cause:
        """The displayed cause."""
        return self.combined.cause if self.combined else self.examined.diagnosis.cause

    @property
    def action(self) -> ActionKind:
        """The displayed action."""
        return self.combined.action if self.combined else self.examined.diagnosis.action

    @property
    def is_strict(self) -> bool:
        return self.cause is self.case.label.cause

    @property
    def is_lenient(self) -> bool:
        return self.cause in self.case.label.accepted

    @property
    def is_false_alarm(self) -> bool:
        """Something is demanded, or held wrong, where nobody needs to look."""
        if self.case.label.severity is not Severity.BENIGN:
            return False
        return self.action in ALARMS or (not about(self.cause).is_benign and not self.is_lenient)

    @property
    def is_missed_fatal(self) -> bool:
        """Nothing is said about a job that will not finish."""
        if self.case.label.severity is not Severity.FATAL:
            return False
        return self.action not in ALARMS or (about(self.cause).is_benign and not self.is_lenient)

    @property
    def prediction(self) -> dict[str, str]:
        return {
            "id": self.case.id,
            "cause": self.cause.value,
            "action": self.action.value,
            "text": self.text,
        }


@dataclass(frozen=True, slots=True)
class Ratio:
    """So many of so many."""

    right: int
    of: int

    def __str__(self) -> str:
        return f"{self.right}/{self.of} ({self.right / self.of:.0%})" if self.of else "0/0"


@dataclass(frozen=True, slots=True)
class EvaluationReport:
    """The figures of one evaluation."""

    graded: tuple[GradedCase, ...]

    @property
    def strict(self) -> Ratio:
        return self._share(graded_case.is_strict for graded_case in self.graded)

    @property
    def lenient(self) -> Ratio:
        return self._share(graded_case.is_lenient for graded_case in self.graded)

    @property
    def action(self) -> Ratio:
        return self._share(graded_case.action is graded_case.case.label.action for graded_case in self.graded)

    @property
    def false_alarms(self) -> Ratio:
        benign = [
            graded_case for graded_case in self.graded if graded_case.case.label.severity is Severity.BENIGN
        ]
        return self._share(graded_case.is_false_alarm for graded_case in benign)

    @property
    def missed_fatal(self) -> Ratio:
        fatal = [
            graded_case for graded_case in self.graded if graded_case.case.label.severity is Severity.FATAL
        ]
        return self._share(graded_case.is_missed_fatal for graded_case in fatal)

    @property
    def leaked(self) -> int:
        return sum(len(graded_case.leaked) for graded_case in self.graded)

    @property
    def per_cause(self) -> dict[str, tuple[Ratio, Ratio, str]]:
        """For each labelled cause: strict, lenient, and what was said instead."""
        groups: defaultdict[str, list[GradedCase]] = defaultdict(list)
        for graded_case in self.graded:
            groups[graded_case.case.label.cause.value].append(graded_case)
        table = {}
        for cause, members in sorted(groups.items()):
            instead = Counter(member.cause.value for member in members if not member.is_strict)
            table[cause] = (
                self._share(member.is_strict for member in members),
                self._share(member.is_lenient for member in members),
                ", ".join(f"{name} {count}" for name, count in instead.most_common()),
            )
        return table

    @property
    def calibration(self) -> list[tuple[str, float, Ratio]]:
        """How often each level of confidence was right (leniently): level, mean confidence, share."""
        rows = []
        for low, high in pairwise(CONFIDENCE_STEPS):
            members = [
                graded_case
                for graded_case in self.graded
                if low <= graded_case.examined.diagnosis.confidence < high
            ]
            if members:
                mean = sum(member.examined.diagnosis.confidence for member in members) / len(members)
                share = self._share(member.is_lenient for member in members)
                rows.append((f"{low:.2f} to {min(high, 1.0):.2f}", mean, share))
        return rows

    @staticmethod
    def _share(flags: Iterable[bool]) -> Ratio:
        values = list(flags)
        return Ratio(sum(values), len(values))


def read_cases(place: Path) -> tuple[LabelledCase, ...]:
    """All cases of a file or a folder, by id. Raises UserError that names every file that is no case."""
    if not place.exists():
        raise UserError(f"{place} does not exist.", next_step="Give a folder of labelled cases (*.yaml).")
    files = [place] if place.is_file() else sorted(place.glob("*.yaml"))
    cases: list[LabelledCase] = []
    faults: list[str] = []
    for path in files:
        try:
            documents = [
                document for document in yaml.safe_load_all(path.read_text(encoding="utf-8")) if document
            ]
            if any(not isinstance(document, dict) for document in documents):
                faults.append(f"{path}: not a case, which has the fields id, evidence and label")
                continue
            cases += [LabelledCase.model_validate(document) for document in documents]
        except ValidationError as error:
            places = (
                f"{'.'.join(map(str, detail['loc'])) or 'the file'}: {detail['msg']}"
                for detail in error.errors()
            )
            faults += [f"{path}: {place}" for place in places]
        except OSError as error:
            faults.append(f"{path}: {error.strerror}")
        except RecursionError:
            faults.append(f"{path}: nested too deeply")
        except yaml.MarkedYAMLError as error:
            line = f" line {error.problem_mark.line + 1}:" if error.problem_mark else ""
            faults.append(f"{path}:{line} not YAML: {error.problem}")
        except (yaml.YAMLError, ValueError) as error:
            faults.append(f"{path}: {str(error).splitlines()[0]}")
    if faults:
        raise UserError(
            "Some files are not labelled cases:\n" + "\n".join(faults),
            next_step="Correct these places, or leave these files out. For a log use `babysit classify`.",
        )
    if not cases:
        raise UserError(f"{place} holds no *.yaml case.", next_step="Give a folder of labelled cases.")
    return tuple(sorted(cases, key=lambda case: case.id))


def grade(case: LabelledCase, playbook: Playbook) -> GradedCase:
    """Judge one case as if it were met now, and hold it against its label."""
    evidence = case.evidence
    examined = examine(evidence.text, playbook, evidence.facts, dumps=(evidence.thread_dump,))
    text = redact(words_of(examined))
    return GradedCase(case, examined, text, tuple(word for word in case.must_redact if word in text))


def evaluate(cases: Sequence[LabelledCase], playbook: Playbook) -> EvaluationReport:
    """Judge all cases."""
    return EvaluationReport(tuple(grade(case, playbook) for case in cases))


def as_json(report: EvaluationReport) -> dict[str, Any]:
    """The figures for programs."""

    def share(value: Ratio) -> dict[str, int]:
        return {"right": value.right, "of": value.of}

    return {
        "schema_version": 1,
        "cases": len(report.graded),
        "strict": share(report.strict),
        "lenient": share(report.lenient),
        "action": share(report.action),
        "false_alarms": {"count": report.false_alarms.right, "of": report.false_alarms.of},
        "missed_fatal": {"count": report.missed_fatal.right, "of": report.missed_fatal.of},
        "leaked": report.leaked,
        "per_cause": {
            cause: {"strict": share(strict), "lenient": share(lenient), "instead": instead}
            for cause, (strict, lenient, instead) in report.per_cause.items()
        },
        "calibration": [
            {"confidence": level, "mean": round(mean, 3), **share(right)}
            for level, mean, right in report.calibration
        ],
    }
