"""Log lines as the timeline reads them: message, speaker, and a clock that never runs backwards.

Four rules make one clock of the times that lines print. A line without a time has that of the line before. A
time of day that falls by more than half a day has passed midnight. A time that falls by less is late: it is
simultaneous with the line before it. A printed time far from the time at which the log service got it is of
another time zone, or quoted, and does not count.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from babysitter.diagnosis.frame.line import Frame, read_frame

DAY_S = 86_400.0
MAX_CHARACTERS = 2000
MAX_APART_S = 1200.0  # the printed time and the source's time of one line


class Entry(NamedTuple):
    """One line of a log.

    `place`: its number in the log, from 0. `at_s`: seconds on the log's clock; None before the first time.
    `speaker`: the rank, actor, pod or task that printed it, as far as the line or its source says.
    """

    place: int
    frame: Frame
    message: str
    at_s: float | None = None
    speaker: str = ""

    @property
    def text(self) -> str:
        """The line without terminal escapes."""
        return self.frame.text


def read_entries(
    texts: Iterable[str],
    *,
    first_place: int = 0,
    places: Sequence[int] | None = None,
    times_s: Sequence[float | None] | None = None,
    speakers: Sequence[str] | None = None,
) -> list[Entry]:
    """Return the lines of one log as entries, oldest first.

    `places`: how far behind the first place each line stands, where some are left out. `times_s`: times from
    the log's source, used where a line prints none. `speakers`: likewise.
    """
    entries: list[Entry] = []
    clock = _Clock()
    for index, text in enumerate(texts):
        frame = read_frame(text if len(text) <= MAX_CHARACTERS else _newest_drawing(text))
        at_s = clock.read(frame, times_s[index] if times_s is not None else None)
        source = speakers[index] if speakers is not None else ""
        speaker = f"{source} {frame.speaker}".strip() if source else frame.speaker
        place = first_place + (index if places is None else places[index])
        entries.append(Entry(place, frame, frame.message, at_s, speaker))
    return entries


def _newest_drawing(text: str) -> str:
    """The beginning of a long line; of a line that was drawn again and again, of what stands in the end."""
    return text.rstrip("\r\n").rpartition("\r")[2][:MAX_CHARACTERS]


class _Clock:
    """Reads the times of lines, oldest first."""

    def __init__(self) -> None:
        self._now_s: float | None = None
        self._passed_s = 0.0  # midnights passed by times without a date

    def read(self, frame: Frame, given_s: float | None) -> float | None:
        at_s = given_s
        if frame.at_s is not None:
            if given_s is None:
                at_s = frame.at_s if frame.has_date else self._after_midnight(frame.at_s)
            elif frame.has_date and abs(frame.at_s - given_s) <= MAX_APART_S:
                at_s = frame.at_s
        if at_s is not None and (self._now_s is None or at_s > self._now_s):
            self._now_s = at_s
        return self._now_s

    def _after_midnight(self, at_s: float) -> float:
        if self._now_s is None:
            return at_s
        if self._now_s > 400 * DAY_S:  # the log also prints dates: the time belongs to the newest of them
            day_s = self._now_s - self._now_s % DAY_S
            return day_s + at_s + (DAY_S if day_s + at_s < self._now_s - DAY_S / 2 else 0.0)
        if at_s + self._passed_s < self._now_s - DAY_S / 2:
            self._passed_s += DAY_S
        return at_s + self._passed_s
