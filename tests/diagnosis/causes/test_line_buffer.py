"""Lines of a reading: the same however they are come by, and not one more than asked for."""

from hypothesis import given
from hypothesis import strategies as st

from babysitter.diagnosis.causes.line_buffer import LineBuffer
from babysitter.diagnosis.causes.rule_fields import fields_of_facts
from babysitter.diagnosis.signatures.pattern import parse_pattern
from babysitter.model.job_facts import JobFacts

LINES = st.lists(
    st.sampled_from([b"", b"needle", b"hay", b"hay needle", b"\xff", b" "]), min_size=1, max_size=30
)
NEEDLE = parse_pattern("needle")


def reading_of(lines: list[bytes]) -> LineBuffer:
    return LineBuffer(b"\n".join(lines) + b"\n", fields_of_facts(JobFacts()))


@given(LINES, st.data())
def test_a_line_is_the_same_wherever_one_comes_from(lines: list[bytes], data: st.DataObject) -> None:
    reading = reading_of(lines)
    for line in data.draw(st.lists(st.integers(0, len(lines) + 2), max_size=20)):
        assert reading.raw(line) == (lines[line] if line < len(lines) else b"")


@given(LINES)
def test_a_search_finds_what_is_there(lines: list[bytes]) -> None:
    reading = reading_of(lines)
    found = reading.lines_with(NEEDLE)
    assert found == [number for number, line in enumerate(lines) if b"needle" in line]
    assert all(b"needle" in reading.raw(line) for line in found)


@given(LINES, st.integers(0, 8), st.integers(0, 8), st.data())
def test_a_search_nearby_looks_no_further(
    lines: list[bytes], before: int, after: int, data: st.DataObject
) -> None:
    anchors = sorted(data.draw(st.sets(st.integers(0, len(lines) - 1), max_size=3)))
    near = {line for anchor in anchors for line in range(anchor - before, anchor + after + 1)}
    expected = [number for number, line in enumerate(lines) if b"needle" in line and number in near]
    assert reading_of(lines).lines_near(NEEDLE, anchors, before=before, after=after) == expected


@given(LINES, st.data())
def test_what_comes_after_a_line_is_not_the_line_itself(lines: list[bytes], data: st.DataObject) -> None:
    line = data.draw(st.integers(0, len(lines) - 1))
    expected = any(b"needle" in item for item in lines[line + 1 :])
    assert reading_of(lines).occurs_after(NEEDLE, line) is expected
