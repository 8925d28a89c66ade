"""How likely a difference is chance."""

import math

import pytest

from babysitter.diagnosis.last_good.chance import (
    MAX_CHANCE,
    chance_of_none,
    chance_of_so_few,
    longest_silence,
)


@pytest.mark.parametrize(("count", "is_chance"), [(13, True), (14, False)])
def test_chance_of_none_in_a_run_as_long(count: int, is_chance: bool):
    assert (chance_of_none(count, 200, 200) > MAX_CHANCE) is is_chance


def test_chance_of_none_in_nothing():
    assert chance_of_none(50, 200, 0) == 1.0
    assert chance_of_none(50, 0, 0) == 1.0


@pytest.mark.parametrize(("seen", "usual_seen"), [(0, 600), (600, 0), (-5, 600)])
def test_chance_of_so_few_in_nothing(seen: float, usual_seen: float):
    assert chance_of_so_few(0, seen, 50, usual_seen) == 1.0


def test_longest_silence_of_a_line_that_never_came():
    assert longest_silence(0, 600.0) == math.inf


@pytest.mark.parametrize("count", [8, 20, 500])
def test_longest_silence_is_where_chance_ends(count: int):
    silence_s = longest_silence(count, 600.0)
    assert chance_of_none(count, 600.0, 0.99 * silence_s) > MAX_CHANCE
    assert chance_of_none(count, 600.0, 1.01 * silence_s) < MAX_CHANCE
