"""What followed a report: each row is a log in which `!` marks the report, and what became of it."""

import pytest

from babysitter.diagnosis.timeline.aftermath import (
    AftermathKind,
    JobEnd,
    LogEnd,
    Report,
    find_completion,
    read_aftermath,
    says_completed,
)
from babysitter.diagnosis.timeline.counts.counters import read_counters
from babysitter.diagnosis.timeline.entries import read_entries
from babysitter.model.cause_info import about
from babysitter.model.finding import Cause

ENDED, ON, QUIET, UNKNOWN = (
    AftermathKind.ENDED,
    AftermathKind.WENT_ON,
    AftermathKind.WENT_QUIET,
    AftermathKind.UNKNOWN,
)
SHARED = [cause for cause in Cause if about(cause).is_shared]
LINGERING = [cause for cause in Cause if about(cause).lingers and not about(cause).heals]
REPORT = "ValueError: cannot parse the record"


def _log_end(texts, first_place=0):
    entries = read_entries(texts, first_place=first_place)
    rise = read_counters(entries).last_rise
    completed = find_completion(texts)
    return LogEnd(
        entries, rise.place if rise else None, None if completed is None else first_place + completed
    )


def _after(texts, cause=Cause.CODE_ERROR, end=None):
    place = next(index for index, text in enumerate(texts) if text.startswith("!"))
    log_end = _log_end([text.removeprefix("!") for text in texts])
    entry = log_end.entries[place]
    return read_aftermath(log_end, Report(place, cause, entry.message, entry.speaker), end or JobEnd())


_ROWS = [
    # work
    (["step 1", f"!{REPORT}", "step 2"], ON),
    (["3/40 files", f"!{REPORT}", "4/40 files"], ON),
    (["step 1", "step 2", f"!{REPORT}", "step 2"], UNKNOWN),
    (["step 1", f"!{REPORT}", "reloading at step 2"], UNKNOWN),
    (["step 1", f"!{REPORT}"], UNKNOWN),
    ([f"!{REPORT}"], UNKNOWN),
    # normal work
    ([f"!{REPORT}", "wrote the index to disk", "next file opened", "merging the index"], ON),
    ([f"!{REPORT}", "wrote the index to disk", "next file opened"], UNKNOWN),
    (
        [f"!{REPORT}", "wrote the index", "next file opened", "merging the index", "OSError: no space"],
        UNKNOWN,
    ),
    ([f"!{REPORT}", "OSError: no space", "wrote the index", "next file opened", "merging the index"], ON),
    ([f"!{REPORT}", "waiting for workers", "waiting for workers", "waiting for workers"], UNKNOWN),
    ([f"!{REPORT}", "heartbeat sent", "heartbeat sent", "heartbeat sent"], UNKNOWN),
    ([f"!{REPORT}", "shutting down", "closing the pool", "cleaned up the folder"], UNKNOWN),
    ([f"![rank1]: {REPORT}", *["[rank0]: wrote the index to disk"] * 5], UNKNOWN),
    ([f"![rank1]: {REPORT}", *["[rank1]: wrote the index to disk"] * 5], ON),
    ([f"!{REPORT}", *["ERROR wrote the index badly"] * 4], UNKNOWN),
    ([f"!{REPORT}", *["wrote the index to disk"] * 4, "OSError: no space"], UNKNOWN),
    ([f"!{REPORT}", *["wrote the index to disk"] * 5, "OSError: no space"], ON),
    # an answer
    (["!cw-rno2a: connection refused", "cw-rno2a is ready"], ON),
    (["!worker w-17 failed to heartbeat", "worker w-17 registered again"], ON),
    (["!worker w-17 failed to heartbeat", "worker w-18 registered again"], UNKNOWN),
    (["!cw-rno2a: connection refused", "cw-rno2a is not ready"], UNKNOWN),
    (["!cw-rno2a: connection refused", "waiting until cw-rno2a is ready"], UNKNOWN),
    (["!10.0.0.7:8080 refused the connection", "connected to 10.0.0.7:8080"], ON),
    # completed before
    (["pipeline completed", f"!{REPORT}"], ON),
    (["Training finished.", "closing", f"!{REPORT}"], ON),
    (["stage 3 completed", f"!{REPORT}"], UNKNOWN),
    (["step 5 completed", f"!{REPORT}"], UNKNOWN),
    (["task finished", f"!{REPORT}"], UNKNOWN),
    (["pipeline has not completed", f"!{REPORT}"], UNKNOWN),
    (["eval run completed for step 5", f"!{REPORT}"], UNKNOWN),
    # an end
    ([f"!{REPORT}", "exit code 1"], ENDED),
    ([f"!{REPORT}", "process exited with status 1"], ENDED),
    ([f"!{REPORT}", "container train terminated"], ENDED),
]


@pytest.mark.parametrize(("texts", "kind"), _ROWS)
def test_aftermath_of_a_report(texts, kind):
    assert _after(texts).kind is kind


@pytest.mark.parametrize("cause", SHARED)
def test_aftermath_of_what_is_shared_needs_proof(cause):
    chatter = ["wrote the index to disk", "next file opened", "merging the index"]
    assert _after([f"!{REPORT}", *chatter], cause).kind is UNKNOWN
    assert _after(["pipeline completed", f"!{REPORT}"], cause).kind is UNKNOWN
    assert _after(["step 1", f"!{REPORT}", *chatter, "step 2"], cause).kind is ON
    assert _after(["!node cw-rno2a lost", "cw-rno2a is reachable"], cause).kind is ON


@pytest.mark.parametrize(
    ("texts", "end", "kind"),
    [
        ([f"!{REPORT}"], JobEnd(is_over=True), ENDED),
        (["pipeline completed", f"!{REPORT}"], JobEnd(is_over=True), ENDED),
        (["step 1", f"!{REPORT}", "step 2"], JobEnd(is_over=True), ON),
        ([f"!{REPORT}"], JobEnd(is_quiet=True), QUIET),
        ([f"!{REPORT}"], JobEnd(), UNKNOWN),
        ([f"!{REPORT}", *["wrote the index to disk"] * 4], JobEnd(is_quiet=True), QUIET),
        ([f"!{REPORT}", *["wrote the index to disk"] * 4], JobEnd(), ON),
    ],
)
def test_aftermath_by_how_the_log_ends(texts, end, kind):
    assert _after(texts, end=end).kind is kind


@pytest.mark.parametrize("cause", LINGERING)
@pytest.mark.parametrize(
    ("work", "kind"),
    [
        ([(10, "step 2")], UNKNOWN),
        ([(10, "step 2"), (290, "step 3")], UNKNOWN),
        ([(10, "step 2"), (310, "step 3")], ON),
        ([(10, "wrote the index"), (20, "next file opened"), (30, "merging the index")], UNKNOWN),
        ([(10, "wrote the index"), (200, "next file opened"), (310, "merging the index")], ON),
        ([(400, "wrote the index")], UNKNOWN),
    ],
)
def test_aftermath_of_what_does_not_mend_itself(cause, work, kind):
    texts = ["step 1", REPORT, *(text for _, text in work)]
    entries = read_entries(texts, times_s=[0.0, 0.0, *(float(at_s) for at_s, _ in work)])
    rise = read_counters(entries).last_rise
    log_end = LogEnd(entries, rise.place if rise else None, None, rise.at_s if rise else None)
    report = Report(1, cause, REPORT, at_s=0.0)
    assert read_aftermath(log_end, report, JobEnd()).kind is kind


@pytest.mark.parametrize("cause", SHARED)
@pytest.mark.parametrize(("last_s", "is_enough"), [(1700.0, False), (1900.0, True)])
def test_aftermath_of_what_is_shared_after_long(cause, last_s, is_enough):
    texts = [REPORT, "wrote the index", "next file opened", "merging the index"]
    entries = read_entries(texts, times_s=[0.0, 10.0, 20.0, last_s])
    went_on = is_enough and not about(cause).is_silent
    found = read_aftermath(LogEnd(entries), Report(0, cause, REPORT, at_s=0.0), JobEnd())
    assert found.kind is (ON if went_on else UNKNOWN)


@pytest.mark.parametrize(("lines_after", "kind"), [(1, UNKNOWN), (2, ON)])
def test_aftermath_of_a_warning_needs_less(lines_after, kind):
    log_end = _log_end([REPORT, "wrote the index", "next file opened"][: 1 + lines_after])
    report = Report(0, Cause.NETWORK_TIMEOUT, REPORT, is_warning=True)
    assert read_aftermath(log_end, report, JobEnd()).kind is kind


@pytest.mark.parametrize(("last_s", "kind"), [(50, UNKNOWN), (70, ON)])
def test_aftermath_of_a_wait_that_the_cluster_ends(last_s, kind):
    entries = read_entries(["step 1", REPORT, "step 2", "step 3"], times_s=[0.0, 0.0, 10.0, float(last_s)])
    rise = read_counters(entries).last_rise
    log_end = LogEnd(entries, rise.place if rise else None, None, rise.at_s if rise else None)
    assert read_aftermath(log_end, Report(1, Cause.CAPACITY_WAIT, REPORT, at_s=0.0), JobEnd()).kind is kind


def test_aftermath_names_the_line_that_shows_it():
    assert _after(["step 1", f"!{REPORT}", "x", "step 2"]).place == 3
    assert _after(["pipeline completed", f"!{REPORT}"]).place == 0


@pytest.mark.parametrize(
    ("texts", "end", "kind"),
    [
        (["wrote the index to disk"] * 3, JobEnd(), ON),
        (["wrote the index to disk"] * 2, JobEnd(), UNKNOWN),
        (["cw-rno2a is ready"], JobEnd(), ON),
        (["step 1", "step 2"], JobEnd(), ON),
        ([], JobEnd(), UNKNOWN),
        ([], JobEnd(is_quiet=True), QUIET),
        ([], JobEnd(is_over=True), ENDED),
        (["pipeline completed"], JobEnd(), UNKNOWN),
    ],
)
def test_aftermath_of_an_earlier_look(texts, end, kind):
    report = Report(3, Cause.CODE_ERROR, "cw-rno2a refused the connection")
    assert read_aftermath(_log_end(texts, 10), report, end).kind is kind


@pytest.mark.parametrize(
    ("message", "is_complete"),
    [
        ("Pipeline completed successfully", True),
        ("training is done", True),
        ("the run has finished", True),
        ("Job succeeded", True),
        ("stage 3 of the pipeline completed", False),
        ("pipeline 3/4 done", False),
        ("training step finished", False),
        ("job will be done when all shards are finished", False),
        ("pipeline failed", False),
        ("nothing of the kind", False),
    ],
)
def test_completion_is_of_the_whole_job(message, is_complete):
    assert says_completed(message) is is_complete


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        (["sent 812 of the messages"] * 3, UNKNOWN),  # a count that stands
        (["wrote the index", "wrote the table", "wrote the list"], ON),
    ],
)
def test_work_after_what_lingers_is_not_one_line(texts, kind):
    entries = read_entries(texts, times_s=[1000.0 * (index + 1) for index in range(len(texts))])
    report = Report(-1, Cause.DISK_FULL, "disk alarm raised", at_s=0.0)
    assert read_aftermath(LogEnd(entries), report, JobEnd()).kind is kind


@pytest.mark.parametrize(("crawls_from", "kind"), [(None, ON), (0, UNKNOWN), (1, ON)])
def test_read_aftermath_of_work_that_crawls(crawls_from: int | None, kind: AftermathKind):
    """A count that still rises shows no recovery while it does so at a small part of its pace."""
    entries = read_entries(["3/40 files", f"{REPORT}", "4/40 files"])
    log_end = LogEnd(entries, risen_place=2, crawls_from=crawls_from)
    report = Report(1, Cause.STORAGE_ERROR, REPORT, "")
    assert read_aftermath(log_end, report, JobEnd()).kind is kind
