"""A suspicion that comes and goes is as old as when it first came."""

from babysitter.model.memory import Memory
from babysitter.model.verdict import SignalKind
from tests.diagnosis.judge.test_judgement import report, story, up
from tests.support.jobs import look, pipeline, tree

SEEN = tree(*pipeline())


def frozen(until_s: float) -> Memory:
    """A pipeline whose stage has not moved since 50 s, looked at until here."""
    looks = [look(s, SEEN, report(s - 1, 2)) for s in range(60, int(until_s), 30)]
    return story(*looks, start=up())[-1].memory


def test_suspicion_that_is_out_of_sight_keeps_its_age():
    before = frozen(3900)
    (since,) = [at for kind, at in before.suspicious_since.items() if kind == SignalKind.STUCK]
    blind = story(look(3930, SEEN, logs=False), start=before)[-1].memory
    again = story(look(3960, SEEN, report(3959, 2)), start=blind)[-1].memory
    assert again.suspicious_since[SignalKind.STUCK] == since


def test_suspicion_that_progress_refutes_begins_anew():
    before = frozen(3900)
    moved = story(look(3930, SEEN, report(3929, 3)), start=before)[-1].memory
    assert SignalKind.STUCK not in moved.suspicious_since
