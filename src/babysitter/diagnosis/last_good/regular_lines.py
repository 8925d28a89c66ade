"""Lines that come regularly in the good runs: heartbeats that stopped, and work that pauses far longer."""

from dataclasses import dataclass

from babysitter.diagnosis.last_good.chance import longest_silence
from babysitter.diagnosis.last_good.good_runs import ComparedRun, GoodRuns, reports_trouble
from babysitter.diagnosis.last_good.values_in_words import runs_in_words, span_in_words
from babysitter.diagnosis.last_good.wording import ANY
from babysitter.model.run_profile import DifferenceKind, LineTemplate, RunDifference, RunProfile

MIN_STRICT_BEATS = 6
STRICT = 1.5  # longest gap of a heartbeat, in mean gaps
MANY_BEATS = 12  # of fewer, one in a hundred lines that come at random has gaps like that
STRICT_OF_FEW = 1.3
STRICT_SILENT_GAPS = 3.0  # mean gaps without a heartbeat after which it has stopped
MIN_LOOSE_BEATS = 8
LOOSE = 4.0
EVEN_SILENT_GAPS = 6.0  # of a line that comes evenly, where a run began or ended without it
MIN_SPAN = 0.6  # of the run, over which a regular line stands
MIN_WORK_LINES = 20
LONGER_PAUSE = 4.0  # times the longest pause of every good run


@dataclass(frozen=True, slots=True)
class Regularity:
    """How regularly a wording stands in one good run; in seconds, or in lines where no times are printed."""

    gap: float
    longest: float  # between two of them
    edge: float  # without one at the start or the end of the run
    count: int
    span: float  # part of the run

    @classmethod
    def of(cls, template: LineTemplate, profile: RunProfile, *, is_timed: bool) -> "Regularity":
        gaps = max(1, template.count - 1)
        if is_timed:
            covered = template.last_at_s - template.first_at_s
            edge = max(profile.last_at_s - template.last_at_s, template.first_at_s - profile.first_at_s)
            longest, whole = template.longest_gap_s, profile.lasted_s
        else:
            covered = float(template.last_place - template.first_place)
            edge = max(profile.lines - 1 - template.last_place, template.first_place)
            longest, whole = float(template.longest_gap_places), float(profile.lines)
        return cls(covered / gaps, longest, edge, template.count, covered / max(whole, 1e-9))

    @property
    def silent_limit(self) -> float | None:
        """Without it for longer than this, it has stopped; None for a line that is not regular."""
        if self.span < MIN_SPAN:
            return None
        longest = max(self.longest, self.edge)
        strict = STRICT if self.count >= MANY_BEATS else STRICT_OF_FEW
        if self.count >= MIN_STRICT_BEATS and longest <= strict * self.gap:
            return STRICT_SILENT_GAPS * self.gap
        if self.count < MIN_LOOSE_BEATS or longest > LOOSE * self.gap:
            return None
        is_even = self.longest <= strict * self.gap
        least = EVEN_SILENT_GAPS * self.gap if is_even else longest_silence(self.count, self.count * self.gap)
        return max(least, 2 * longest)

    @property
    def pause_limit(self) -> float:
        """A longer pause between two lines is not chance."""
        is_even = self.longest <= STRICT * self.gap
        return 0.0 if is_even else longest_silence(self.count, self.count * self.gap)


def find_stopped(run: ComparedRun, good: GoodRuns) -> tuple[RunDifference, ...]:
    """Reports that came regularly in the good runs and stopped long before the newest line."""
    found = []
    is_timed = run.prints_times and all(run_profile.lasted_s for run_profile in good.profiles)
    for template in good.shared:
        now = run.by_good.get(template.words)
        if now is None or reports_trouble(template):
            continue  # missing as a whole, or better without it
        usual = _regularities(template, good, is_timed=is_timed)
        limits = [regularity.silent_limit for regularity in usual]
        if any(limit is None for limit in limits):
            continue
        profile = run.profile
        silent = profile.last_at_s - now.last_at_s if is_timed else profile.lines - 1 - now.last_place
        if silent > max(limit for limit in limits if limit is not None):
            gap = max(regularity.gap for regularity in usual)
            compared = f"none in the last {_in_words(silent, is_timed=is_timed)}"
            every = f"every {_in_words(gap, is_timed=is_timed)} in {runs_in_words(good)}"
            found.append(
                RunDifference(DifferenceKind.STOPPED, template.text, f"{compared}; {every}", weight=6.0)
            )
    return tuple(found)


def find_pauses(run: ComparedRun, good: GoodRuns) -> tuple[RunDifference, ...]:
    """The frequent line that paused far longer than in any good run; of several the most frequent."""
    is_timed = run.prints_times and all(profile.lasted_s for profile in good.profiles)
    work = [template for template in good.shared if min(good.counts(template.words)) >= MIN_WORK_LINES]
    for template in sorted(work, key=lambda line_template: -line_template.count):
        now = run.by_good.get(template.words)
        if now is None or now.count < 2 or ANY in template.words:  # of merged wordings the gaps are not known
            continue
        usual = _regularities(template, good, is_timed=is_timed)
        longest = max(regularity.longest for regularity in usual)
        pause = _longest(now, is_timed=is_timed)
        if longest and pause > max(LONGER_PAUSE * longest, *(regularity.pause_limit for regularity in usual)):
            compared = f"paused for {_in_words(pause, is_timed=is_timed)}"
            at_most = f"at most {_in_words(longest, is_timed=is_timed)} in {runs_in_words(good)}"
            return (
                RunDifference(DifferenceKind.DURATION, template.text, f"{compared}; {at_most}", weight=4.5),
            )
    return ()


def is_heartbeat(template: LineTemplate, profile: RunProfile) -> bool:
    """Whether a wording stands regularly over the whole of a run, beside its work."""
    is_timed = profile.lasted_s > 0
    regularity = Regularity.of(template, profile, is_timed=is_timed)
    return regularity.silent_limit is not None and template.count < MAX_SHARE * profile.lines


MAX_SHARE = 0.25  # of a run's lines; more is its work


def _regularities(template: LineTemplate, good: GoodRuns, *, is_timed: bool) -> list[Regularity]:
    return [
        Regularity.of(line_template, profile, is_timed=is_timed)
        for line_template, profile in zip(good.templates_of(template.words), good.profiles, strict=True)
    ]


def _longest(template: LineTemplate, *, is_timed: bool) -> float:
    return template.longest_gap_s if is_timed else float(template.longest_gap_places)


def _in_words(value: float, *, is_timed: bool) -> str:
    return span_in_words(value) if is_timed else f"{value:.0f} lines"
