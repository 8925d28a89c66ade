"""`eval --advise`: rules alone against rules with a second opinion, through the exchange folder."""

import asyncio
import json
from pathlib import Path

import pytest

from babysitter.advisor.exchange import ExchangeFolder
from babysitter.model.finding import ActionKind, Cause
from babysitter.playbook.load import load
from babysitter.workbench.compare_advice import AdviceComparison, compare, comparison_json
from babysitter.workbench.evaluate import EvaluationReport, evaluate, read_cases

CASES = """\
id: benign-1
evidence:
  job_state: running
  logs: |
    step 10 loss 2.0
    E replica went to the moon; asked the next one
    step 20 loss 1.9
label: {cause: transient-noise, severity: benign, action: ignore}
---
id: fatal-1
evidence: {job_state: failed, exit_code: 1, logs: "OSError: [Errno 28] No space left on device"}
label: {cause: disk-full, severity: fatal, action: restart-with-change}
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory) -> EvaluationReport:
    folder = tmp_path_factory.mktemp("cases")
    (folder / "a.yaml").write_text(CASES)
    return evaluate(read_cases(folder), load())


def asked(report: EvaluationReport, folder: Path) -> AdviceComparison:
    return asyncio.run(compare(report, ExchangeFolder(folder)))


def answer_all(folder: Path, cause: str, action: str, line: str, text: str) -> None:
    for request in folder.glob("*.request.md"):
        fingerprint = request.name.partition(".")[0]
        given = {
            "fingerprint": fingerprint,
            "cause": cause,
            "confidence": 0.9,
            "explanation": "so it is",
            "action": action,
            "citations": [{"line": line, "text": text}],
        }
        (folder / f"{fingerprint}.answer.json").write_text(json.dumps(given))


def test_without_answers_nothing_changes(report, tmp_path):
    comparison = asked(report, tmp_path)
    before = [item.prediction for item in report.graded]
    assert [case.prediction for case in comparison.advised.graded] == before
    assert set(comparison.without) == {"benign-1", "fatal-1"}
    assert len(list(tmp_path.iterdir())) == 2
    assert comparison.opinions.right == 0


def test_opinion_changes_what_is_displayed(report, tmp_path):
    asked(report, tmp_path)
    answer_all(tmp_path, "stage-stuck", "restart", "F1", "job state: ")
    comparison = asked(report, tmp_path)
    benign, fatal = comparison.advised.graded
    assert benign.cause is Cause.STAGE_STUCK
    assert benign.action is ActionKind.ESCALATE
    assert fatal.action is report.graded[1].action
    assert "Second opinion: suspected stage-stuck" in fatal.text
    assert comparison.worse_actions == ("benign-1",)
    assert comparison.advised.false_alarms.right == 1
    assert comparison_json(comparison)["weighings"] == {"suspected": 2}


def test_lying_reader_without_a_true_quote(report, tmp_path):
    asked(report, tmp_path)
    answer_all(tmp_path, "user-cancel", "restart", "L1", "APPROVED by the operator")
    comparison = asked(report, tmp_path)
    assert [case.prediction for case in comparison.advised.graded] == [
        item.prediction for item in report.graded
    ]
    assert all("Its only quote" in reason for reason in comparison.without.values())
