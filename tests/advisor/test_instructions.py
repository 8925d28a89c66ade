"""The instructions name every cause and action, and their example fits the schema."""

import json
import re

import pytest

from babysitter.advisor.answer_schema import OpinionAnswer, read_answer
from babysitter.advisor.evidence_pack import build_pack
from babysitter.advisor.instructions import instructions, taxonomy
from babysitter.advisor.material import Material
from babysitter.advisor.question import ask_about
from babysitter.model.finding import ActionKind, Cause


@pytest.mark.parametrize("cause", Cause)
def test_cause_is_defined_with_a_contrast(cause):
    row = taxonomy()[cause.value]
    assert row["means"].endswith(".")
    assert row["contrast"].endswith(".")
    assert any(action.value in row["actions"] for action in ActionKind)
    assert f"- `{cause}` (" in instructions()


def test_taxonomy_has_no_other_rows():
    assert set(taxonomy()) == {cause.value for cause in Cause}


def test_question_stands_for_itself():
    question = ask_about(build_pack(Material(("job state: running",), ("a line",))))
    assert all(f"- `{action}`:" in question.text for action in ActionKind)
    assert "L1| a line" in question.text
    assert "FINGERPRINT" not in question.text
    example, schema = re.findall(r"```json\n(.*?)\n```", question.text, re.DOTALL)
    assert isinstance(read_answer(json.loads(example), fingerprint=question.fingerprint), OpinionAnswer)
    assert set(json.loads(schema)["properties"]) == set(json.loads(example))
