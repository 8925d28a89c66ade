"""When does a connected socket count as deaf?"""

from datetime import timedelta

import pytest

from babysitter.slack.socket_health import SocketActivity, SocketHealth
from tests.support.build import at

Story = list[tuple[str, float]]


def after(story: Story) -> SocketActivity:
    hearing = SocketActivity()
    for what, second in story:
        getattr(hearing, what)(at(second))
    return hearing


@pytest.mark.parametrize(
    ("story", "second", "ear"),
    [
        ([], 0, SocketHealth.CLOSED),
        ([("connected", 0)], 29, SocketHealth.WELL),
        ([("connected", 0)], 31, SocketHealth.NO_PONGS),
        ([("connected", 0), ("ponged", 25)], 44, SocketHealth.WELL),
        ([("connected", 0), ("ponged", 40)], 46, SocketHealth.UNSURE),
        ([("connected", 0), ("ponged", 40), ("heard", 20)], 64, SocketHealth.WELL),
        ([("connected", 0), ("ponged", 40), ("said", 20)], 49, SocketHealth.WELL),
        ([("connected", 0), ("ponged", 40), ("said", 20)], 51, SocketHealth.NO_EVENTS),
        ([("connected", 0), ("ponged", 40), ("said", 20), ("said", 45)], 51, SocketHealth.NO_EVENTS),
        ([("connected", 0), ("ponged", 40), ("said", 20), ("heard", 22)], 51, SocketHealth.WELL),
        # The echo overtook the answer to the call that caused it.
        ([("connected", 0), ("ponged", 60), ("heard", 20), ("said", 21)], 60, SocketHealth.WELL),
        ([("connected", 0), ("ponged", 60), ("heard", 20), ("said", 26)], 60, SocketHealth.NO_EVENTS),
        ([("connected", 0), ("said", 20), ("gave_up", 51), ("connected", 52)], 60, SocketHealth.WELL),
        ([("connected", 0), ("gave_up", 30)], 31, SocketHealth.CLOSED),
    ],
)
def test_hearing(story: Story, second: float, ear: SocketHealth) -> None:
    assert after(story).judge(at(second)) is ear


def test_deafness_without_a_word_said_is_noticed_within_90_s() -> None:
    hearing = after([("connected", 0), ("heard", 0)])
    now, noticed_at = at(0), None
    while noticed_at is None:
        now += timedelta(seconds=2)
        hearing.ponged(now)  # pings are answered all the time
        ear = hearing.judge(now)
        if ear is SocketHealth.UNSURE:
            hearing.said(now)  # the poke
        noticed_at = now if ear.is_deaf else None
    assert noticed_at - at(0) <= timedelta(seconds=90)


def test_a_workspace_that_sends_no_events_is_not_reconnected_for_ever() -> None:
    hearing = after(
        [("connected", 0), ("said", 10), ("gave_up", 41), ("connected", 42), ("said", 50), ("gave_up", 81)]
    )
    hearing.connected(at(82))
    hearing.said(at(90))
    hearing.ponged(at(1_000))
    assert hearing.has_no_echo
    assert hearing.judge(at(1_001)) is SocketHealth.WELL
    hearing.heard(at(1_002))
    assert not hearing.has_no_echo
