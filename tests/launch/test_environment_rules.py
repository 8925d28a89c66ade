import pytest

from babysitter.errors import UserError
from babysitter.launch.environment_rules import job_variables, with_standard_variables

TOKENS = {"HF_TOKEN": "hf-made-up", "WANDB_API_KEY": "wandb-made-up", "HOME": "/home/ada"}

TABLE = [
    # file, flags, environment, variables
    (None, [], {}, {}),
    ({"env": {"FOO": "bar"}}, [], {}, {"FOO": "bar"}),
    ({"env": {"FOO": None, "N": 3, "ON": True}}, [], {}, {"FOO": "", "N": "3", "ON": "True"}),
    ({"env": None}, [], {}, {}),
    ({"other": 1}, [], {}, {}),
    ({"env": {"FOO": "file"}}, [("FOO", "flag")], {}, {"FOO": "flag"}),
    (None, [("FOO",)], {}, {"FOO": ""}),
    (None, [("FOO", "a"), ("FOO", "b")], {}, {"FOO": "b"}),
    (None, [("FOO", "a=b c")], {}, {"FOO": "a=b c"}),
    (None, [], TOKENS, {"HF_TOKEN": "hf-made-up", "WANDB_API_KEY": "wandb-made-up"}),
    ({"env": {"HF_TOKEN": "of-the-file"}}, [], {"HF_TOKEN": "x"}, {"HF_TOKEN": "of-the-file"}),
    ({"env": {"HF_TOKEN": ""}}, [], {"HF_TOKEN": "x"}, {"HF_TOKEN": ""}),
    (None, [("HF_TOKEN", "flag")], {"HF_TOKEN": "x"}, {"HF_TOKEN": "flag"}),
    (None, [("HF_TOKEN",)], {"HF_TOKEN": "x"}, {"HF_TOKEN": ""}),
    (None, [], {"HF_TOKEN": ""}, {}),
]


@pytest.mark.parametrize(("file", "flags", "environ", "expected"), TABLE)
def test_job_variables(file, flags, environ, expected):
    assert job_variables(file, flags, environ) == expected


@pytest.mark.parametrize(
    ("file", "flags", "words"),
    [
        (None, [("A=1",)], ["cannot contain '=': A=1", "-e A 1"]),
        (None, [("A", "1", "2")], ["Too many values", "A: 1 2"]),
        (None, [("",)], ["has no name"]),
        (None, [("A B", "1")], ["cannot contain spaces"]),
        (None, [("A=1",), ("B", "1", "2")], ["A=1", "B: 1 2"]),
        ([1], [], ["does not hold a mapping"]),
        ({"env": ["A"]}, [], ["not a mapping of names"]),
        ({"env": {"A": {"B": 1}}}, [], ["`env.A`", "not a single value"]),
        ({"env": {"A=1": "x"}}, [], [".marin.yaml", "A=1"]),
    ],
)
def test_job_variables_refused(file, flags, words):
    with pytest.raises(UserError) as refused:
        job_variables(file, flags, {})
    assert all(word in str(refused.value) for word in words)


def test_standard_variables_are_defaults():
    found = with_standard_variables({"PYTHONPATH": "src", "HF_HOME": ""}, {"GCS_RESOLVE_REFRESH_SECS": "9"})
    assert found["PYTHONPATH"] == "src"
    assert found["HF_HOME"] == ""
    assert found["TOKENIZERS_PARALLELISM"] == "false"
    assert found["GCS_RESOLVE_REFRESH_SECS"] == "9"


def test_standard_variables_of_functions_are_fewer():
    assert set(with_standard_variables({}, {}, is_command=False)) == {
        "HF_DATASETS_TRUST_REMOTE_CODE",
        "TOKENIZERS_PARALLELISM",
    }
