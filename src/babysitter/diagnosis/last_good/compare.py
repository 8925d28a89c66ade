"""A run beside its good runs: every difference that says something, the most telling first.

A line that no good run printed is evidence when it reports an error, when it comes in a burst, or when the
run shows in another way that something is wrong: a bad end, missing work, a stage that takes long. Else it
came by chance, as lines do in every run.
"""

from babysitter.diagnosis.last_good.build_profile import variant_keys
from babysitter.diagnosis.last_good.good_runs import ComparedRun, GoodRuns
from babysitter.diagnosis.last_good.missing import (
    fewer_lines,
    missing_lines,
    not_reached,
)
from babysitter.diagnosis.last_good.new_lines_of_run import NewLine, read_new_lines
from babysitter.diagnosis.last_good.regular_lines import find_stopped
from babysitter.diagnosis.last_good.slow_parts import slow_parts
from babysitter.model.job import JobState
from babysitter.model.run_profile import (
    DifferenceKind,
    LineTemplate,
    RunComparison,
    RunDifference,
    RunProfile,
)

SHOWN = 5  # on the first screen
MAX_DIFFERENCES = 20
MAX_CHANGES_SHOWN = 2  # of the first five, where new lines could take their place
MIN_GOOD_RUNS_FOR_WARNINGS = 3  # that never printed it make a new warning telling by itself
OPENING_LINES = 10
SHORT_RUN = 0.92  # part of the lines of the shortest good run
FAR_SHORTER_RUN = 0.6
CUT_OFF_LINES = 9  # behind a new line, with which a run without a usual end stops
MIN_GOOD_LINES = 5  # a shorter good run says nothing


def compare_runs(
    profile: RunProfile, good: GoodRuns, *, state: JobState | None = None, is_over: bool = True
) -> RunComparison:
    """Compare a run with its good runs.

    `state`: of the job, where it is known. `is_over`: nothing more will be printed; of a run under way it is
    no difference that its end was not reached.
    """
    usable = (
        GoodRuns([run_profile for run_profile in good.profiles if run_profile.lines >= MIN_GOOD_LINES])
        if any(run_profile.lines < MIN_GOOD_LINES for run_profile in good.profiles)
        else good
    )
    if not len(usable) or not profile.lines:
        return RunComparison(0)
    run = ComparedRun.of(profile, usable)
    changes = [*find_stopped(run, usable), *slow_parts(run, usable)]
    if _has_whole_run(run, usable):
        changes += [*missing_lines(run, usable, is_over=is_over), *fewer_lines(run, usable, is_over=is_over)]
    new = read_new_lines(run, usable)
    end = not_reached(run, usable) if is_over else None
    is_cut_off = _is_cut_off(run, usable, new) if is_over else False
    is_in_trouble = bool(changes) or end is not None or is_cut_off
    if state is not None and state.is_terminal:
        is_in_trouble = state.ended_badly
    is_telling = len(usable) >= MIN_GOOD_RUNS_FOR_WARNINGS
    shown = [new_line for new_line in new if is_in_trouble or new_line.is_telling(warnings=is_telling)]
    differences = [*(new_line.difference for new_line in shown), *changes]
    if end is not None:
        differences.append(end)
    return RunComparison(len(usable), _ranked(differences), end is None and not is_cut_off)


def _has_whole_run(run: ComparedRun, good: GoodRuns) -> bool:
    """Whether the lines begin as those of the good runs do; else the first were not read."""
    usual = {
        template.words for profile in good.profiles for template in profile.templates if _is_opening(template)
    }
    return any(_is_opening(template) for words, template in run.by_good.items() if words in usual)


def _is_opening(template: LineTemplate) -> bool:
    return template.first_place < OPENING_LINES


def _is_cut_off(run: ComparedRun, good: GoodRuns, new: tuple[NewLine, ...]) -> bool:
    """Whether a run of a program without a usual end stops soon behind a new line, or is far shorter."""
    if good.closing or not new:
        return False
    usual = min(profile.lines for profile in good.profiles)
    near_end = [
        new_line.template
        for new_line in new
        if run.profile.lines - new_line.template.last_place <= CUT_OFF_LINES
    ]
    stops_there = run.profile.lines < SHORT_RUN * usual and not all(
        _was_survived(template, new) for template in near_end
    )
    return stops_there or run.profile.lines < FAR_SHORTER_RUN * usual


def _was_survived(template: LineTemplate, new: tuple[NewLine, ...]) -> bool:
    """Whether the run went on behind an earlier line of this wording, or of one that differs in a word."""
    if template.longest_gap_places > CUT_OFF_LINES:
        return True
    keys = set(variant_keys(template.words))
    earlier = (new_line.template for new_line in new if new_line.template.words != template.words)
    return any(
        template.last_place - line_template.last_place > CUT_OFF_LINES
        and not keys.isdisjoint(variant_keys(line_template.words))
        for line_template in earlier
    )


def _ranked(differences: list[RunDifference]) -> tuple[RunDifference, ...]:
    """By weight; of the first five at most two are changes where enough new lines are left."""
    ranked = sorted(differences, key=lambda difference: -difference.weight)
    first: list[RunDifference] = []
    changes = 0
    has_new = any(difference.kind is DifferenceKind.NEW for difference in ranked)
    for difference in ranked:
        is_change = difference.kind is not DifferenceKind.NEW
        if is_change and has_new and changes == MAX_CHANGES_SHOWN:
            continue
        changes += is_change
        first.append(difference)
        if len(first) == SHOWN:
            break
    return (*first, *(difference for difference in ranked if difference not in first))[:MAX_DIFFERENCES]
