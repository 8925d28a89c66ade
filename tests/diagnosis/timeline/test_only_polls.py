"""Work that began, and behind it nothing but polls."""

import pytest

from babysitter.diagnosis.timeline.entries import read_entries
from babysitter.diagnosis.timeline.only_polls import fold_polls
from babysitter.model.log import LogLine

POLL = 'INFO: 192.0.2.3:5150 - "GET /metrics HTTP/1.1" 200 OK'
HOUR = 3600.0


def _found(*lines: tuple[float, str]):
    """The polls, if they went on for long enough."""
    entries = read_entries([text for _, text in lines], times_s=[at_s for at_s, _ in lines])
    said = [LogLine(text) for _, text in lines]
    polls = fold_polls(None, entries, said)
    for split in range(len(lines)):
        assert fold_polls(fold_polls(None, entries[:split], said), entries[split:], said[split:]) == polls
    is_long = polls is not None and polls.polls >= 3 and polls.polled_s >= 1.5 * HOUR
    return polls if is_long else None


@pytest.mark.parametrize(
    "work",
    [
        "timer train start",
        "entering train_step",
        "step: 12 loss 2.1",
        "starting epoch 3",
        "begin train_actor",
    ],
)
@pytest.mark.parametrize("poll", [POLL, "heartbeat sent to the controller", '"GET /healthz HTTP/1.1" 200'])
def test_polls_behind_work_are_found(work, poll):
    found = _found((0, "x"), (1, work), (HOUR, poll), (2 * HOUR, poll), (2.5 * HOUR, poll))
    assert found is not None
    assert found.began.text == work


@pytest.mark.parametrize(
    "lines",
    [
        [(0, "starting epoch 3"), (10, POLL), (20, POLL), (HOUR, POLL)],  # not long enough
        [(0, "starting epoch 3"), (HOUR, POLL), (2 * HOUR, POLL)],  # two polls
        [(0, "server is up"), (HOUR, POLL), (2 * HOUR, POLL), (3 * HOUR, POLL)],  # an idle server
        [(0, "training step 3 completed"), (HOUR, POLL), (2 * HOUR, POLL), (3 * HOUR, POLL)],
        [(0, "step 3 failed"), (HOUR, POLL), (2 * HOUR, POLL), (3 * HOUR, POLL)],
        [(0, POLL), (HOUR, POLL), (2 * HOUR, POLL), (3 * HOUR, POLL)],
        [(0, "starting epoch 3"), (HOUR, POLL), (2 * HOUR, POLL), (3 * HOUR, POLL), (3 * HOUR, "step 4")],
        [],
    ],
)
def test_polls_that_mean_nothing(lines):
    assert _found(*lines) is None
