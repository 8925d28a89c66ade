"""A failure in the place of work."""

import pytest

from babysitter.diagnosis.last_good.build_profile import add_lines
from babysitter.diagnosis.timeline.repetition.fails_instead import FailsInstead, find_failure_instead
from babysitter.model.run_profile import RunProfile
from tests.diagnosis.timeline.repetition.test_stopped_work import Printed, every
from tests.support.build import at
from tests.support.jobs import raw


def found(printed: Printed, now_s: float = 1800.0) -> FailsInstead | None:
    lines = [raw(seconds, text) for seconds, text in sorted(printed, key=lambda line: line[0])]
    return find_failure_instead(add_lines(RunProfile(), lines), at(now_s).timestamp())


ITEMS = every(30, 1800, "clip {n} of 412 was opened")
MUXED = every(30, 600, "muxed {m} frames into the clip", 20.0)
FAILED = every(30, 1800, "ERROR conversion failed: No space left on device", 620.0)


@pytest.mark.parametrize(
    "report",
    [
        "INFO could not render clip {n}: no decoder available",
        "INFO clip {n} requeued, node-3 gave no result",
    ],
)
def test_the_words_decide_not_the_level(report: str) -> None:
    assert found([*ITEMS, *MUXED, *every(30, 1800, report, 620.0)]) is not None


def test_each_item_fails_though_their_number_rises() -> None:
    pair = found([*ITEMS, *MUXED, *FAILED])
    assert pair is not None
    assert pair.work.example.startswith("muxed")
    assert "conversion failed" in pair.report.example


@pytest.mark.parametrize(
    "printed",
    [
        [*ITEMS, *every(30, 1800, "muxed {m} frames into the clip", 20.0), *FAILED],
        [*ITEMS, *MUXED, *FAILED, *every(30, 1800, "uploaded clip {n} to the archive", 640.0)],
        [*ITEMS, *MUXED, *every(30, 760, "ERROR conversion failed: No space left on device", 620.0)],
        [*ITEMS, *MUXED, *every(30, 1800, "WARNING conversion was slow", 620.0)],
        [*ITEMS, *MUXED, *every(30, 1800, "ERROR cannot push metrics: connection refused")],
    ],
    ids=["work goes on", "other work began", "it is over", "a warning", "it failed before, too"],
)
def test_work_that_no_failure_took_the_place_of(printed: Printed) -> None:
    assert found(printed) is None
