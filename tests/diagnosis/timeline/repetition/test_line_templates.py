"""What a job printed while healthy, and what is new."""

from hypothesis import given
from hypothesis import strategies as st

from babysitter.diagnosis.timeline.repetition.line_templates import (
    MAX_TEMPLATES,
    Templates,
    learned,
    novel,
)

HEALTHY = [
    f"I20261120 10:00:{n:02} zephyr.worker Task for shard {n} completed in {n}.2 seconds" for n in range(40)
] + [f"I20261120 10:01:{n:02} x.y uploaded gs://bucket/part-{n} to store" for n in range(40)]


def test_numbers_paths_and_names_do_not_make_a_line_new() -> None:
    templates = learned(HEALTHY)
    assert len(templates) == 2
    assert (
        novel(["I20261120 11:30:00 zephyr.worker Task for shard 999 completed in 0.1 seconds"], templates)
        == []
    )


def test_an_unknown_line_is_new_once() -> None:
    lines = [
        *HEALTHY[:3],
        "E store says quota used up for tenant 7",
        "E store says quota used up for tenant 8",
    ]
    assert novel(lines, learned(HEALTHY)) == [3]


def test_templates_survive_being_kept() -> None:
    kept = learned(HEALTHY)
    assert set(Templates.of(kept).kept()) == set(kept)
    assert set(learned(HEALTHY, kept)) == set(kept)


def test_memory_is_bounded() -> None:
    words = ["alpha", "beta", "gamma", "delta", "eps", "zeta", "eta", "theta", "iota", "kappa"]
    lines = [f"{a} {b} {c} {d}" for a in words for b in words for c in words for d in words[:2]]
    assert len(learned(lines)) <= MAX_TEMPLATES


@given(st.lists(st.text(max_size=60), max_size=40))
def test_what_was_learned_is_known(lines: list[str]) -> None:
    templates = Templates()
    for line in lines[-20:]:
        templates.learn(line)
        assert templates.knows(line)
