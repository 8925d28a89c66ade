"""The whole offline way: texts in, causes out; and the figures that `babysit eval` prints."""

from pathlib import Path

import pytest

from babysitter.errors import UserError
from babysitter.model.job import JobState
from babysitter.model.job_facts import JobFacts
from babysitter.model.past_incident import FINGERPRINT_VERSION, Origin
from babysitter.playbook.load import load
from babysitter.usecases.looking.classify_text import examine
from babysitter.workbench.evaluate import EvaluationReport, evaluate, grade, read_cases
from babysitter.workbench.learn_cases import learned_incident
from tests.support.build import NOON

FIXTURES = Path(__file__).parents[2] / "fixtures"
CODE_PARTS = 4
MAX_WRONG_CODES = 2  # of about 190 in a part


@pytest.fixture(scope="module")
def playbook():
    return load()


def rows(name: str) -> list[list[str]]:
    return [line.split("\t") for line in (FIXTURES / name).read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("case", read_cases(FIXTURES / "diagnosis.yaml"), ids=lambda case: case.id)
def test_our_own_cases_are_judged_as_labelled(case, playbook):
    graded = grade(case, playbook)
    assert graded.is_lenient, f"said {graded.cause}, {graded.text}"
    assert not graded.is_false_alarm
    assert not graded.is_missed_fatal


@pytest.mark.parametrize("row", rows("messages.tsv"), ids=lambda row: row[1][:50])
def test_a_last_line_names_its_cause(row, playbook):
    accepted = {row[0], *(row[2].split(",") if len(row) > 2 else ())}
    facts = JobFacts(state=JobState.FAILED, exit_code=1)
    assert examine(f"I starting\n{row[1]}", playbook, facts).diagnosis.cause.value in accepted


@pytest.mark.parametrize("part", range(CODE_PARTS))
def test_a_code_or_status_names_its_cause(part, playbook):
    """Every errno, exception, status and reason of common programs, as the last line of a failed job."""
    facts, wrong = JobFacts(state=JobState.FAILED, exit_code=1), []
    table = [row for row in rows("codes.tsv") if not row[0].startswith("# ")][part::CODE_PARTS]
    for row in table:
        said = examine(f"starting\n{row[1]}", playbook, facts).diagnosis.cause.value
        if said not in row[0].split(","):
            wrong.append((said, *row))
    assert len(wrong) <= MAX_WRONG_CODES, wrong


@pytest.mark.parametrize("row", rows("calm-messages.tsv"), ids=lambda row: row[2][:50])
def test_frightening_words_alone_alarm_nobody(row, playbook):
    causes, state, text = row
    diagnosis = examine(f"I starting\n{text}", playbook, JobFacts(state=JobState(state))).diagnosis
    assert diagnosis.cause.value in causes.split(",")
    assert not diagnosis.action.restarts


def test_figures_count_what_they_say(playbook):
    report = evaluate(read_cases(FIXTURES / "diagnosis.yaml")[:60], playbook)
    benign = sum(case.case.label.severity.value == "benign" for case in report.graded)
    assert report.false_alarms.of == benign
    assert report.lenient.right >= report.strict.right
    assert sum(share.of for _, _, share in report.calibration) == len(report.graded)
    assert EvaluationReport(()).strict.of == 0


def test_secrets_of_a_case_do_not_leave(tmp_path, playbook):
    token = "hf_" + "made" * 9
    (tmp_path / "a.yaml").write_text(
        f"id: leak-1\nevidence:\n  job_state: failed\n  logs: 'ValueError: bad token {token} in url'\n"
        f"label: {{cause: code-error, severity: fatal, action: escalate}}\nmust_redact: ['{token}']\n",
        encoding="utf-8",
    )
    (graded,) = evaluate(read_cases(tmp_path), playbook).graded
    assert graded.leaked == ()
    assert "ValueError" in graded.text


def test_repeats_are_unfolded(tmp_path):
    (tmp_path / "a.yaml").write_text(
        "id: r\nevidence:\n  logs: 'a @@P@@ b'\n  repeat: {placeholder: '@@P@@', text: xy, count: 3}\n"
        "label: {cause: healthy, severity: benign, action: ignore}\n",
        encoding="utf-8",
    )
    assert read_cases(tmp_path)[0].evidence.text == "a xyxyxy b"


def test_a_folder_without_cases_says_so(tmp_path):
    with pytest.raises(UserError, match=r"no \*\.yaml case"):
        read_cases(tmp_path)
    (tmp_path / "a.yaml").write_text("id: only\n", encoding="utf-8")
    (tmp_path / "b.yaml").write_text("[" * 2_000, encoding="utf-8")
    with pytest.raises(UserError, match=r"a\.yaml: evidence: Field required") as raised:
        read_cases(tmp_path)
    assert "b.yaml: nested too deeply" in raised.value.sentence
    assert raised.value.next_step


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("- {id: a}\n- {id: b}\n", "not a case, which has the fields id, evidence and label"),
        ("12:00 INFO a\n12:01 ERROR: [b\n", "line 2: not YAML: "),
        ("id: [a\n", "line 2: not YAML: "),
    ],
)
def test_a_file_of_another_kind_is_named(text, fault, tmp_path):
    (tmp_path / "a.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(UserError) as raised:
        read_cases(tmp_path)
    assert fault in raised.value.sentence


def test_cases_are_learned_with_their_labels(playbook):
    case = read_cases(FIXTURES / "diagnosis.yaml")[0]
    past = learned_incident(case, playbook, at=NOON, by="ada")
    assert (past.id, past.origin, past.true_cause) == (f"case-{case.id}", Origin.LEARNED, case.label.cause)
    assert (past.taught_by, past.fingerprint.version) == ("ada", FINGERPRINT_VERSION)
