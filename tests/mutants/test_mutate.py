"""The mutants themselves: each differs and compiles."""

import pytest

from tests.mutants.mutate import mutants
from tests.mutants.targets import TARGETS

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
    for part in ("age < limit -> age <= limit", "not asked -> bool(asked)", "tell(age) -> pass"):
        assert part in keys


@pytest.mark.parametrize("target", TARGETS, ids=lambda each: each.path)
def test_target_and_its_mutants_compile(target) -> None:
    for each in mutants(target.path, target.file.read_text(encoding="utf-8")):
        compile(each.text, each.path, "exec")
