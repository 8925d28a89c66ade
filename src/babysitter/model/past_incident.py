"""Incidents that are remembered: what they looked like, what people said of them, how they ended."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from babysitter.model.finding import Cause

FINGERPRINT_VERSION = 1


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """Numbers, ids and hosts are taken out; the judged cause is not part of it.

    `templates`: the decisive lines for a person, changing parts as <*>. `decisive`: the stems of their words,
    one text for each line. `reports` and `context`: stems of the other lines, of failures and of the rest.
    """

    key: str  # the same for two incidents that look exactly alike
    program: str = ""  # kind of job; "" = not recognised
    templates: tuple[str, ...] = ()
    decisive: tuple[str, ...] = ()
    exceptions: tuple[str, ...] = ()  # names, innermost first
    frames: tuple[str, ...] = ()  # "file:function", innermost first
    codes: tuple[str, ...] = ()  # exit codes, signals, HTTP and gRPC statuses
    facts: tuple[str, ...] = ()  # state of the job, and whether its work went on after the last report
    reports: tuple[str, ...] = ()
    context: tuple[str, ...] = ()
    version: int = FINGERPRINT_VERSION


class Ending(StrEnum):
    """How an incident ended, as far as our own events say."""

    OPEN = "open"
    FIXED = "fixed"  # a restart was approved, and the new job came up
    RECOVERED = "recovered"  # by itself
    NOT_FIXED = "not-fixed"  # a restart did not help, or the job ended
    UNKNOWN = "unknown"


class Origin(StrEnum):
    OWN = "own"  # seen by this babysit
    IMPORTED = "imported"  # from a file of another one
    LEARNED = "learned"  # from labelled cases


@dataclass(frozen=True, slots=True)
class PastIncident:
    """One incident that is remembered. `cause` was judged, `true_cause` said by a person."""

    id: str
    at: datetime
    cause: Cause
    fingerprint: Fingerprint
    job: str = ""
    cluster: str = ""
    origin: Origin = Origin.OWN
    true_cause: Cause | None = None  # None = nobody said
    taught_by: str = ""
    is_taught_here: bool = False  # by a person who answered this babysit, not by a file
    ending: Ending = Ending.UNKNOWN
    remedy: str = ""  # what fixed it: "--memory 10GB", "a restart"
    remedied_by: str = ""  # who approved it

    @property
    def fixed_by(self) -> str:
        """Who approved the remedy, "" if nobody is known; a name out of a file is marked as imported."""
        is_hearsay = self.remedied_by and self.origin is not Origin.OWN
        return f"{self.remedied_by}, imported" if is_hearsay else self.remedied_by

    @property
    def known_cause(self) -> Cause:
        """What a person said it was, else what was judged."""
        return self.true_cause or self.cause


@dataclass(frozen=True, slots=True)
class Recalled:
    """A remembered incident and how alike it is, 0 to 1."""

    past: PastIncident
    likeness: float


@dataclass(frozen=True, slots=True)
class EarlierIncidents:
    """What is remembered about an incident, most alike first.

    `seen`: the same incident at another time. `similar`: alike, and perhaps another one.
    """

    seen: tuple[Recalled, ...] = ()
    similar: tuple[Recalled, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.seen or self.similar)

    @property
    def remedies(self) -> list[tuple[str, str, int]]:
        """What fixed the same incident, by whom, how often; the most frequent first."""
        fixed = [recalled.past for recalled in self.seen if recalled.past.ending is Ending.FIXED]
        counted = Counter((past_incident.remedy, past_incident.fixed_by) for past_incident in fixed)
        return [(remedy, person, count) for (remedy, person), count in counted.most_common()]


NOTHING_EARLIER = EarlierIncidents()
