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
    assert len({mutant.text for mutant in made} | {SOURCE}) > len(made) * 0.9
    assert len({mutant.key for mutant in made}) == len(made)
    for mutant in made:
        compile(mutant.text, mutant.path, "exec")
    keys = " ".join(mutant.key for mutant in made)
    for part in ("age < limit -> age <= limit", "not asked -> bool(asked)", "tell(age) -> pass"):
        assert part in keys


@pytest.mark.parametrize("target", TARGETS, ids=lambda candidate: candidate.path)
def test_target_and_its_mutants_compile(target) -> None:
    for mutant in mutants(target.path, target.file.read_text(encoding="utf-8")):
        compile(mutant.text, mutant.path, "exec")
