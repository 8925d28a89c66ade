"""What the terminal shows, in whatever room it has."""

import io
from dataclasses import replace

import pytest
from rich.console import Console
from rich.panel import Panel

from babysitter.model.ids import JobId
from babysitter.surfaces.cli.terminal.output_console import Card, piped_width
from babysitter.surfaces.cli.terminal.terminal_view import proposal_block, watch_page, watch_table
from babysitter.surfaces.cli.watching.phase_line import phase_line, progress_words
from babysitter.surfaces.needs import neediest_first
from babysitter.surfaces.views import OutlookView, ProposalView, StageProgress, WatchView
from tests.messages.test_compose import proposal
from tests.support import build


def drawn(what: object, width: int) -> list[str]:
    screen = io.StringIO()
    Console(file=screen, width=width).print(what)
    return screen.getvalue().splitlines()


@pytest.mark.parametrize("width", [8, 20, 40, 71, 72, 200])
def test_the_list_names_every_job_and_phase_in_any_width(width: int):
    views = [WatchView.of(build.watch(), [])] * 2
    lines = drawn(watch_table(views, now=build.NOON), width)
    assert max(map(len, lines)) <= width
    shown = "".join("".join(lines).split())
    assert shown.count(build.watch().phase.value) == 2
    if width >= 20:
        assert shown.count(build.ROOT) == 2


@pytest.mark.parametrize("width", [8, 20, 80])
def test_a_page_stays_within_its_width(width: int):
    lines = drawn(watch_page(WatchView.of(build.watch(), []), now=build.NOON), width)
    assert max(map(len, lines)) <= width


@pytest.mark.parametrize("width", [40, 100])
def test_list_tells_clusters_apart(width: int):
    views = [WatchView.of(replace(build.watch(), cluster=name), []) for name in ("marin", "lagoon")]
    shown = "\n".join(drawn(watch_table(views, now=build.NOON), width))
    assert ("marin" in shown, "lagoon" in shown) == (True, True)
    assert "marin" not in "\n".join(drawn(watch_table(views[:1], now=build.NOON), width))
    assert "on marin" in "\n".join(drawn(watch_page(views[0], now=build.NOON), width))


def test_list_folds_ended_jobs_and_puts_needs_first():
    def view(name: str, needs: str, state: str = "running") -> WatchView:
        watch = build.watch(root=JobId(f"/ada/{name}"))
        outlook = OutlookView(summary="", job_state=state)
        return replace(WatchView.of(watch), needs=needs, outlook=outlook)

    living = [view("calm", ""), view("ask", "answer"), view("sick", "person")]
    ordered = neediest_first([view("old", "ended", "failed"), *living])
    assert [watch_view.job for watch_view in ordered] == ["/ada/ask", "/ada/sick", "/ada/calm", "/ada/old"]
    shown = "\n".join(drawn(watch_table(ordered, now=build.NOON), 120))
    assert "Ended: 1 failed (/ada/old). `babysit list --all` shows them." in shown
    assert shown.count("/ada/old") == 1
    everything = "\n".join(drawn(watch_table(ordered, now=build.NOON, with_ended=True), 120))
    assert "Ended:" not in everything
    assert "/ada/old" in everything


def test_proposal_block_prints_a_long_command_whole():
    flags = [f"--flag-{number}=value" for number in range(3_000)]
    offer = proposal(
        submission=build.submission("iris", "job", "run", "--", "python", "d.py", *flags),
        differences=("--list: a → " + "b " * 2_000 + "end-of-list",),
    )
    printed = set(" ".join(drawn(proposal_block(ProposalView.of(offer)), 80)).split())
    assert set(flags) <= printed
    assert "end-of-list" in printed


@pytest.mark.parametrize(
    ("startup", "shown"),
    [
        (
            "phase 5 of 7, SglEngine loads shards, 62 %, usually 5 to 15 min, here for 9 min on 10.0.0.2",
            "phase 5 of 7, SglEngine loads shards, 62 %",
        ),
        ("phase 2 of 7, placement groups, usually seconds", "phase 2 of 7, placement groups"),
    ],
)
def test_progress_of_a_start(startup, shown):
    outlook = OutlookView(summary="x", job_state="running", startup=startup)
    assert progress_words(outlook) == shown


@pytest.mark.parametrize(
    ("outlook", "line"),
    [
        (None, "phase: steady"),
        (OutlookView(summary="x", job_state="running"), "phase: steady, job: running"),
        (
            OutlookView(
                summary="x",
                job_state="running",
                stages=[StageProgress(label="stage1-Reduce", done=8, total=12, is_current=True)],
            ),
            "phase: steady, progress: stage1-Reduce 8/12",
        ),
    ],
)
def test_phase_line_labels_every_state(outlook: OutlookView | None, line: str):
    view = replace(WatchView.of(build.watch()), outlook=outlook)
    assert phase_line(view).plain == line
    assert line in drawn(watch_table([view], now=build.NOON), 60)[1]
    assert "on marin  phase: steady" in drawn(watch_page(view, now=build.NOON), 80)[0]


@pytest.mark.parametrize(("columns", "width"), [("", 80), ("100", 100), ("0", 80), ("wide", 80)])
def test_card_without_a_terminal(columns: str, width: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("COLUMNS", columns)
    assert {len(line) for line in drawn(Card(Panel("word " * 60)), 120)} == {width}
    assert {len(line) for line in drawn(Card(Panel("word " * 60)), 40)} == {40}
    assert piped_width({"COLUMNS": columns}) == (width if columns == "100" else 120)
