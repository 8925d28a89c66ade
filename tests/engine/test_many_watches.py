"""Two hundred quiet watches of one controller that answers four log requests at a time."""

from collections import Counter
from datetime import timedelta
from pathlib import Path

from tests.support.many_watches import many_watches


async def test_checks_of_twenty_watches_share_their_states(tmp_path: Path):
    many = await many_watches(tmp_path, 20, 0.0, minutes=4)
    assert Counter(many.cluster.asked) == {"lines": 160, "states": 8}
    assert max(many.lags_s) == 0


async def test_checks_of_200_watches_begin_within_30_s(tmp_path: Path):
    """A log request that takes 1.2 s: what a machine under load was seen to need."""
    many = await many_watches(tmp_path, 200, 1.2, minutes=2.5)
    assert len(many.starts) == 200
    assert max(many.lags_s) < 30
    assert many.longest_gap_s <= 60
    assert Counter(many.cluster.asked)["lines"] <= len(many.lags_s)  # one a check at most
    newest = [watch.memory.log_read_at for watch in many.held.values()]
    assert all(item and many.clock.now() - item <= timedelta(seconds=150) for item in newest)
