"""What the good runs printed and this run does not: lines, work, the end."""

from collections.abc import Iterable, Sequence
from statistics import median

from babysitter.diagnosis.last_good.build_profile import Wording
from babysitter.diagnosis.last_good.chance import MAX_CHANCE, chance_of_none, chance_of_so_few
from babysitter.diagnosis.last_good.good_runs import (
    DENSE,
    ComparedRun,
    GoodRuns,
    reports_trouble,
    share_of_stretch,
)
from babysitter.diagnosis.last_good.regular_lines import is_heartbeat
from babysitter.diagnosis.last_good.values_in_words import runs_in_words
from babysitter.model.run_profile import DifferenceKind, LineTemplate, RunDifference

MIN_COUNT = 8  # lines of one good run that are its work
MIN_GOOD_RUNS = 3  # in all of which a line that stood once belongs to every run
MIN_CLOSING_SHARE = 0.5  # of the usual last wordings; with fewer the end was not reached
STEM = 5  # letters that two forms of a word share
MIN_WORD = 4
TAKES_OVER = 1.5  # times as often as usual, as names that are chosen instead of another
FEWER = 0.5  # part of the usual count
MIN_WORK_LINES = 12
MIN_RATE_LINES = 30
SLOWER_RATE = 0.5  # part of the slowest good rate


def missing_lines(run: ComparedRun, good: GoodRuns, *, is_over: bool) -> tuple[RunDifference, ...]:
    """Lines of the good runs that this run left out although it got further.

    A line that stood once in one good run may have come by chance. So it counts together with a neighbour
    that shares a word with it and is missing too.
    """
    reached = _reached(run, good)
    closing = good.closing
    missing = [
        template
        for template in good.shared
        if template.words not in run.by_good
        and template.last_place < reached
        and template.words not in closing
        and not reports_trouble(template)
        and not _is_replaced(template, run, good)
    ]
    found: list[RunDifference] = []
    for block in _blocks(missing, good):
        expected = sum(template.count for template in block)
        is_certain = (
            _is_left_out(max(template.count for template in block), run, good)
            or len(good) >= MIN_GOOD_RUNS
            or _belong_together(block)
        )
        if is_certain:
            text = block[0].text
            more = f" and {len(block) - 1} more lines of it" if len(block) > 1 else ""
            weight = 4.5 + 0.5 * min(3, len(block)) + (1.0 if expected >= MIN_COUNT else 0.0)
            found.append(
                RunDifference(
                    DifferenceKind.MISSING,
                    text,
                    f"missing{more}; {expected} in {runs_in_words(good)}",
                    weight=weight if is_over else weight - 1,
                )
            )
    return tuple(found)


def _is_left_out(count: int, run: ComparedRun, good: GoodRuns) -> bool:
    """Whether a line that the newest good run printed so often cannot be missing by chance."""
    return chance_of_none(count, good.profiles[0].lines, run.profile.lines) <= MAX_CHANCE


def _is_replaced(template: LineTemplate, run: ComparedRun, good: GoodRuns) -> bool:
    """Whether other values of the same word stand in its place: as many as usual, or far more of each."""
    if not good.is_variant_of_many(template.words):
        return False
    alike = [
        line_template
        for line_template in good.profiles[0].templates
        if _is_variant(line_template.words, template.words)
    ]
    usual = sum(line_template.count for line_template in alike) + template.count
    now = sum(
        run.by_good[line_template.words].count
        for line_template in alike
        if line_template.words in run.by_good
    )
    has_others = any(
        run.profile.templates and line_template.words not in {t.words for t in run.profile.templates}
        for line_template in alike
    )
    before = sum(line_template.count for line_template in alike if line_template.words in run.by_good)
    takes_over = bool(before) and now >= TAKES_OVER * before
    return now >= usual or takes_over or (has_others and usual < MIN_COUNT)


def _is_variant(one: Wording, other: Wording) -> bool:
    return len(one) == len(other) and sum(a != b for a, b in zip(one, other, strict=True)) == 1


def _blocks(missing: Sequence[LineTemplate], good: GoodRuns) -> Iterable[list[LineTemplate]]:
    """Missing templates that stood next to each other."""
    order = {template.words: place for place, template in enumerate(good.profiles[0].templates)}
    block: list[LineTemplate] = []
    for template in missing:
        if block and order[template.words] - order[block[-1].words] > 1:
            yield block
            block = []
        block.append(template)
    if block:
        yield block


def _belong_together(block: Sequence[LineTemplate]) -> bool:
    """Whether two of these templates share a word: lines of one part of the run."""
    stems = [{word.lower()[:STEM] for word in template.words if len(word) >= MIN_WORD} for template in block]
    return any(one & other for number, one in enumerate(stems) for other in stems[number + 1 :])


def _reached(run: ComparedRun, good: GoodRuns) -> float:
    """The place of the newest good run that this run got to."""
    places = [
        template.first_place for template in good.profiles[0].templates if template.words in run.by_good
    ]
    return max(places, default=0)


def fewer_lines(run: ComparedRun, good: GoodRuns, *, is_over: bool) -> tuple[RunDifference, ...]:
    """Frequent lines of which this run has far fewer, although it came to its usual end."""
    found = [*_slower_lines(run, good)]
    if found or not is_over or not good.closing or not_reached(run, good) is not None:
        return tuple(found)
    for template in good.shared:
        usual = min(good.counts(template.words))
        now = run.count_of(template.words)
        fewer = FEWER * usual * _scale(run, good, template)
        if usual < MIN_WORK_LINES or not 0 < now < fewer or reports_trouble(template):
            continue
        chance = chance_of_so_few(
            now, run.profile.lines, usual, min(profile.lines for profile in good.profiles)
        )
        is_random = share_of_stretch(template) < DENSE and not is_heartbeat(template, good.profiles[0])
        if not is_random or chance <= MAX_CHANCE:
            found.append(
                RunDifference(
                    DifferenceKind.COUNT,
                    template.text,
                    f"{now} now, {usual} in {runs_in_words(good)}",
                    weight=4.0,
                )
            )
    return tuple(found)


def _scale(run: ComparedRun, good: GoodRuns, but: LineTemplate) -> float:
    """How much smaller this run is than the good ones, by its other lines: at most 1."""
    ratios = [
        run.count_of(template.words) / template.count
        for template in good.shared
        if template.count > 1 and template.words != but.words and not reports_trouble(template)
    ]
    return min(1.0, median(ratios)) if ratios else 1.0


def _slower_lines(run: ComparedRun, good: GoodRuns) -> Iterable[RunDifference]:
    """The most frequent line, where it comes at less than half the rate of every good run."""
    if not run.prints_times or not all(profile.lasted_s for profile in good.profiles):
        return
    work = [template for template in good.shared if min(good.counts(template.words)) >= MIN_RATE_LINES]
    for template in sorted(work, key=lambda line_template: -line_template.count)[:2]:
        now = run.by_good.get(template.words)
        rates = [_rate_per_min(line_template) for line_template in good.templates_of(template.words)]
        if now is None or now.count < 2 or reports_trouble(template):
            continue
        rate = _rate_per_min(now)
        if rate < SLOWER_RATE * min(rates) and not _may_be_as_frequent(now, good):
            compared = f"{rate:.1f} a minute; at least {min(rates):.1f} in {runs_in_words(good)}"
            yield RunDifference(DifferenceKind.COUNT, template.text, compared, weight=4.0)
            return


def _may_be_as_frequent(now: LineTemplate, good: GoodRuns) -> bool:
    """Whether chance explains the rate of a line that comes at random."""
    usual = good.templates_of(now.words)
    return any(
        chance_of_so_few(now.count, _covered_s(now), template.count, _covered_s(template)) > MAX_CHANCE
        for template in usual
    )


def _covered_s(template: LineTemplate) -> float:
    return max(1e-3, template.last_at_s - template.first_at_s)


def _rate_per_min(template: LineTemplate) -> float:
    return 60 * (template.count - 1) / _covered_s(template)


def not_reached(run: ComparedRun, good: GoodRuns) -> RunDifference | None:
    """The usual end, where at most half of its lines stand in this run."""
    closing = good.closing
    if not closing:
        return None
    there = [words for words in closing if words in run.by_good]
    if len(there) > MIN_CLOSING_SHARE * len(closing) or (len(there) == len(closing) == 1):
        return None
    usual = [words for words in good.profiles[0].closing if words in closing]
    gone = [words for words in usual if words not in there]
    if usual[-1] in there:  # it says that it is done, and has left something out
        compared = f"missing; {len(gone)} of the last lines of {runs_in_words(good)} are"
        return RunDifference(DifferenceKind.MISSING, " ".join(gone[0]), compared, weight=4.0)
    compared = f"not reached; the end of {runs_in_words(good)}"
    return RunDifference(DifferenceKind.NOT_REACHED, " ".join(gone[-1]), compared, weight=3.0)
