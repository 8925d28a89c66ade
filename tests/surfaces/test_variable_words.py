import pytest

from babysitter.surfaces.cli.submitting.variable_words import JOINT, joined_variables, split_variable

TABLE = [
    ("-e A 1 -- x", ["-e", f"A{JOINT}1", "--", "x"]),
    ("-e A -- x", ["-e", "A", "--", "x"]),
    ("-e A --cpu 2 -- x", ["-e", "A", "--cpu", "2", "--", "x"]),
    ("-e A -1.5 -- x", ["-e", f"A{JOINT}-1.5", "--", "x"]),
    ("--env_vars A 1 -e B 2 -- x", ["--env_vars", f"A{JOINT}1", "-e", f"B{JOINT}2", "--", "x"]),
    ("-e A 1 2 -- x", ["-e", f"A{JOINT}1{JOINT}2", "--", "x"]),
    ("-e A=1 -- x", ["-e", "A=1", "--", "x"]),
    ("-- x -e A 1", ["--", "x", "-e", "A", "1"]),
    ("-e -- x", ["-e", "", "--", "x"]),
]


@pytest.mark.parametrize(("line", "words"), TABLE)
def test_joined_variables(line, words):
    assert joined_variables(line.split()) == words


def test_split_variable():
    assert split_variable(f"A{JOINT}b=c") == ("A", "b=c")
