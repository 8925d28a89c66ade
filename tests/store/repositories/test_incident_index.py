"""The index of words: what is nearest, and what happens at its edges."""

import json

import pytest

from babysitter.store.repositories.incident_index import IncidentIndex

DOCUMENTS = {
    "i-disk": {"disk": 3.0, "full": 3.0, "write": 1.0, "frame:a.py:flush": 1.0},
    "i-oom": {"memory": 3.0, "kill": 3.0, "write": 1.0},
    "i-net": {"connect": 3.0, "reset": 3.0, "write": 1.0, "code:104": 1.0},
}


@pytest.fixture
def index():
    made = IncidentIndex()
    made.add((name, json.dumps(terms)) for name, terms in DOCUMENTS.items())
    yield made
    made.close()


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ({"disk": 3.0, "write": 1.0}, "i-disk"),
        ({"memory": 1.0, "kill": 1.0, "disk": 1.0}, "i-oom"),
        ({"code:104": 1.0}, "i-net"),
        ({"frame:a.py:flush": 2.0}, "i-disk"),
        ({'"reset" OR *': 1.0, "reset": 1.0}, "i-net"),
    ],
)
def test_search_finds_the_nearest(index: IncidentIndex, query: dict[str, float], first: str):
    assert index.search(query, at_most=3)[0].id == first


@pytest.mark.parametrize("query", [{}, {"unheard": 1.0}])
def test_search_without_a_known_word(index: IncidentIndex, query: dict[str, float]):
    assert index.search(query, at_most=3) == []


def test_search_leaves_out(index: IncidentIndex):
    assert [ranked.id for ranked in index.search({"disk": 1.0}, at_most=3, leave_out=["i-disk"])] == []


def test_forgotten_incidents_are_not_found(index: IncidentIndex):
    index.forget("i-disk")
    index.forget("i-disk")
    assert index.search({"disk": 1.0}, at_most=3) == []
    index.add([("i-disk", json.dumps({"disk": 1.0}))])
    assert index.search({"disk": 1.0}, at_most=3)[0].id == "i-disk"


def test_search_of_nothing():
    assert IncidentIndex().search({"disk": 1.0}, at_most=3) == []
