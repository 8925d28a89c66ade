"""The mutants themselves: each differs, each compiles, and the named ones still have their place."""

import pytest

from tests.mutants.mutate import mutants
from tests.mutants.targets import NAMED, TARGETS

SOURCE = """
def may(age, limit, asked):
    if age < limit and not asked:
        return True
    tell(age)
    return False
"""


def test_mutants_differ_and_compile() -> None:
    made = list(mutants("x.py", SOURCE))
    assert len({each.text for each in made} | {SOURCE}) > len(made) * 0.9
    assert len({each.key for each in made}) == len(made)
    for each in made:
        compile(each.text, each.path, "exec")
    keys = " ".join(each.key for each in made)
    for part in (
        "age < limit -> age <= limit",
        "not asked -> bool(asked)",
        "True -> False",
        "tell(age) -> pass",
    ):
        assert part in keys


@pytest.mark.parametrize("named", NAMED, ids=lambda each: each.name)
def test_named_mutant_has_its_place(named) -> None:
    target = next(each for each in TARGETS if each.path == named.path)
    assert target.file.read_text(encoding="utf-8").count(named.old) == 1


@pytest.mark.parametrize("target", TARGETS, ids=lambda each: each.path)
def test_target_and_its_mutants_compile(target) -> None:
    for each in mutants(target.path, target.file.read_text(encoding="utf-8")):
        compile(each.text, each.path, "exec")
