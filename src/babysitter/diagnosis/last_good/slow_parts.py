"""Durations beside those of the good runs: named stages, stretches of one kind of work, and milestones.

A milestone is a line that every run prints once and that no work surrounds. The time to the next one says how
long a part of the run takes, whatever the program calls it.
"""

from collections.abc import Iterable

from babysitter.diagnosis.last_good.good_runs import (
    DENSE,
    ComparedRun,
    GoodRuns,
    reports_trouble,
    share_of_stretch,
)
from babysitter.diagnosis.last_good.regular_lines import find_pauses, is_heartbeat
from babysitter.diagnosis.last_good.values_in_words import runs_in_words, span_in_words
from babysitter.model.run_profile import DifferenceKind, LineTemplate, RunDifference, RunProfile

SLOWER = 3.0  # times the longest good duration
MIN_MORE_S = 30.0
MIN_STRETCH_LINES = 5
MIN_SHARE_NOW = 0.1  # of a slow stretch, where heartbeats stand between its lines
SAME_COUNT = 1.5  # times as many lines take longer without being slower
MIN_WORK_LINES = 8
MAX_SHOWN = 3


def slow_parts(run: ComparedRun, good: GoodRuns) -> tuple[RunDifference, ...]:
    """Parts of the run that take far longer than in every good run, the most telling first."""
    found = [*_stages(run, good)]
    if run.prints_times and all(profile.lasted_s for profile in good.profiles):
        found += [*_stretches(run, good), *_segments(run, good)]
    found += find_pauses(run, good)
    found.sort(key=lambda difference: -difference.weight)
    return tuple(found[:MAX_SHOWN])


def _stages(run: ComparedRun, good: GoodRuns) -> Iterable[RunDifference]:
    for stage in run.profile.stages:
        usual = [
            stage_duration.seconds
            for profile in good.profiles
            for stage_duration in profile.stages
            if stage_duration.name == stage.name
        ]
        if usual and _is_slow(stage.seconds, max(usual)):
            yield _difference(stage.name, stage.seconds, max(usual), good, base=6.0)


def _stretches(run: ComparedRun, good: GoodRuns) -> Iterable[RunDifference]:
    """Wordings whose lines, as many as usual, are spread over far more time."""
    for template in good.shared:
        now = run.by_good.get(template.words)
        if now is None or min(now.count, *good.counts(template.words)) < MIN_STRETCH_LINES:
            continue
        usual = good.templates_of(template.words)
        if is_heartbeat(template, good.profiles[0]):
            continue  # it takes as long as the run
        if min(map(share_of_stretch, usual)) < DENSE or share_of_stretch(now) < MIN_SHARE_NOW:
            continue
        if now.count > SAME_COUNT * max(line_template.count for line_template in usual):
            continue
        usual_s, seconds = max(map(_spread_s, usual)), _spread_s(now)
        if _is_slow(seconds, usual_s):
            yield _difference(template.text, seconds, usual_s, good, base=5.2)


def _spread_s(template: LineTemplate) -> float:
    return template.last_at_s - template.first_at_s


def _segments(run: ComparedRun, good: GoodRuns) -> Iterable[RunDifference]:
    milestones = [template for template in good.shared if _is_milestone(template, run, good)]
    for number, start in enumerate(milestones):
        after = milestones[number + 1] if number + 1 < len(milestones) else None
        usual = _good_durations(start, after, good)
        then = run.by_good[after.words] if after is not None else None
        if _has_another_order(
            run.by_good[start.words], then, [run.by_good[milestone.words] for milestone in milestones]
        ):
            continue
        until_s = then.first_at_s if then is not None else run.profile.last_at_s
        seconds = until_s - run.by_good[start.words].first_at_s
        if usual and _is_slow(seconds, max(usual)):
            yield _difference(start.text, seconds, max(usual), good, base=5.0)


def _has_another_order(
    start: LineTemplate, then: LineTemplate | None, all_of_run: list[LineTemplate]
) -> bool:
    """Whether this run came to other milestones in between, or to the next one first."""
    until = then.first_place if then is not None else 1 << 40
    return until < start.first_place or any(
        start.first_place < template.first_place < until for template in all_of_run
    )


def _is_milestone(template: LineTemplate, run: ComparedRun, good: GoodRuns) -> bool:
    now = run.by_good.get(template.words)
    if now is None or now.count != 1 or reports_trouble(template):
        return False
    if good.is_replaceable(template.words, run.by_good) or _is_amid_work_now(now, run, good):
        return False
    runs = zip(good.templates_of(template.words), good.profiles, strict=True)
    return all(
        line_template.count == 1 and not _is_amid_work(line_template, profile)
        for line_template, profile in runs
    )


def _is_amid_work(template: LineTemplate, profile: RunProfile) -> bool:
    """Whether lines of one kind of work stand before and behind it: it may have come by chance."""
    return any(
        _is_around(line_template, template) and not is_heartbeat(line_template, profile)
        for line_template in profile.templates
    )


def _is_amid_work_now(template: LineTemplate, run: ComparedRun, good: GoodRuns) -> bool:
    """The same in the run, for the work of the good runs."""
    newest = good.profiles[0]
    work = [
        line_template
        for line_template in newest.templates
        if line_template.count >= MIN_WORK_LINES and not is_heartbeat(line_template, newest)
    ]
    return any(
        _is_around(run.by_good[line_template.words], template)
        for line_template in work
        if line_template.words in run.by_good
    )


def _is_around(work: LineTemplate, template: LineTemplate) -> bool:
    return work.count >= MIN_WORK_LINES and work.first_place < template.first_place < work.last_place


def _good_durations(start: LineTemplate, after: LineTemplate | None, good: GoodRuns) -> list[float]:
    starts = good.templates_of(start.words)
    ends = good.templates_of(after.words) if after is not None else None
    until_s = [end.first_at_s for end in ends] if ends else [profile.last_at_s for profile in good.profiles]
    durations = [until - template.first_at_s for template, until in zip(starts, until_s, strict=True)]
    return durations if min(durations, default=-1) >= 0 else []


def _is_slow(seconds: float, usual_s: float) -> bool:
    return seconds > SLOWER * usual_s and seconds - usual_s > MIN_MORE_S


def _difference(text: str, seconds: float, usual_s: float, good: GoodRuns, *, base: float) -> RunDifference:
    ratio = seconds / max(usual_s, 1.0)
    compared = f"took {span_in_words(seconds)}; at most {span_in_words(usual_s)} in {runs_in_words(good)}"
    return RunDifference(
        DifferenceKind.DURATION, text, compared, weight=round(base + min(1.5, ratio / 20), 3)
    )
