"""Work whose regular line stopped while others go on."""

import pytest

from babysitter.diagnosis.last_good.build_profile import add_lines
from babysitter.diagnosis.timeline.count_history import entries_of
from babysitter.diagnosis.timeline.counts.counters import read_counters
from babysitter.diagnosis.timeline.repetition.stopped_work import StoppedWork, find_stopped_work
from babysitter.diagnosis.timeline.repetition.wordings import is_regular
from babysitter.model.run_profile import RunProfile
from tests.support.build import at
from tests.support.jobs import raw

Printed = list[tuple[float, str]]


def every(step_s: float, until_s: float, text: str, since_s: float = 0.0) -> Printed:
    count = int((until_s - since_s) / step_s)
    return [
        (since_s + number * step_s, text.format(n=number, m=389 * number % 997)) for number in range(count)
    ]


def found(printed: Printed, now_s: float) -> StoppedWork | None:
    lines = [raw(seconds, text) for seconds, text in sorted(printed)]
    work = read_counters(entries_of(lines, 0)).work
    return find_stopped_work(add_lines(RunProfile(), lines), work, at(now_s).timestamp())


STEP = "wrote block {n} of the ledger to the shelf"
STEPS = every(10, 600, STEP)
SAMPLER = every(30, 2000, "gpu sampler says power {m} watts on each card")


def test_stopped_work_beside_chatter() -> None:
    stopped = found([*STEPS, *SAMPLER], 1500)
    assert stopped is not None
    assert stopped.line.example.startswith("wrote block")
    assert [template.example[:11] for template in stopped.goes_on] == ["gpu sampler"]
    assert stopped.worked_at_s == at(590).timestamp()
    assert stopped.begun == ()


PAUSED = [*STEPS[:30], *every(10, 900, STEP, 510)]
FAILURES = every(10, 600, "failed to reach the shelf {n}")


@pytest.mark.parametrize(
    ("name", "printed", "now_s"),
    [
        ("it still comes", [*STEPS, *SAMPLER], 605),
        ("a pause as it had before", [*PAUSED, *SAMPLER], 1250),
        ("a short series", [*every(6, 96, STEP), *SAMPLER], 1500),
        ("requests from outside", [*every(10, 600, "POST /v1/embeddings 200 OK"), *SAMPLER], 1500),
        ("too few to have a pace", [*STEPS[:4], *SAMPLER], 1500),
        ("a line that reports a failure", [*FAILURES, *SAMPLER], 1500),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_nothing_stopped(name: str, printed: Printed, now_s: float) -> None:
    assert found(printed, now_s) is None, name


def test_other_work_that_began_counts() -> None:
    stopped = found([*STEPS, *SAMPLER, (605, "merging the blocks on disk"), (1300, "index is written")], 1500)
    assert stopped is not None
    assert [template.example for template in stopped.begun] == [
        "merging the blocks on disk",
        "index is written",
    ]
    assert not stopped.is_complete
    assert stopped.worked_at_s == at(1300).timestamp()


def test_a_count_that_rises_counts() -> None:
    shards = every(60, 1500, "shard {n}/400 of the second corpus is done")
    stopped = found([*STEPS, *shards], 1500)
    assert stopped is not None
    assert stopped.worked_at_s == at(1440).timestamp()


def test_an_uneven_line_has_no_pace() -> None:
    lines = [raw(seconds, f"wrote block {seconds}") for seconds in (0, 1, 2, 3, 4, 5, 100)]
    (template,) = add_lines(RunProfile(), lines).templates
    assert not is_regular(template)
