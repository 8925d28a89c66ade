"""A listing of a job's pods in which the others are done and one still runs.

Pods that began together and play a part in one job (worker, master, launcher) end together: rank 0 a little
later than the others. Pods with other names end one after another, and stages begin so.
"""

import re
from collections.abc import Iterable, Sequence

from babysitter.diagnosis.timeline.counts.durations import read_duration_s
from babysitter.diagnosis.timeline.entries import Entry
from babysitter.model.progress import LeftOver

MIN_AGE_S = 300.0  # of the pods: one that ends last does so by seconds
MIN_DONE = 2  # pods that are done, beside the one that is not
SAME_AGE = 0.1  # part by which ages of pods differ that began together
MAX_CHARACTERS = 300
MAX_KEPT = 4  # names and rows

_ROW = re.compile(
    r"\s*(?P<name>[a-z0-9][a-z0-9.-]*)\s+\d+/\d+\s+(?P<state>Running|Completed|Succeeded)"
    r"\s+\d+(?: \([^)]{1,20}\))?\s+(?P<age>(?:\d+[dhms]){1,3})\s*"
)
_PART = re.compile(
    r"(?P<job>.+)-(?:worker|master|chief|launcher|ps|evaluator|head)"
    r"(?:-[a-z0-9]+)*"
)
_OWN_POD = re.compile(r"(?P<job>.+)-[a-z0-9]{5}")  # of the job itself, which has started the others


def find_left_over(before: LeftOver | None, entries: Iterable[Entry]) -> LeftOver | None:
    """Return what the newest listing shows as left over; `before` where these lines have no listing."""
    listings: list[list[tuple[Entry, re.Match[str]]]] = []
    for entry in entries:
        row = _ROW.fullmatch(entry.text[:MAX_CHARACTERS])
        if row is None:
            continue
        if not listings or entry.place > listings[-1][-1][0].place + 1:
            listings.append([])
        listings[-1].append((entry, row))
    return _left_over(listings[-1]) if listings else before


def _left_over(listing: Sequence[tuple[Entry, re.Match[str]]]) -> LeftOver | None:
    ages = [read_duration_s(row["age"]) for _, row in listing]
    if min(ages) < max(MIN_AGE_S, (1 - SAME_AGE) * max(ages)):
        return None
    jobs = [_PART.fullmatch(row["name"]) for _, row in listing]
    done = [frame for frame in listing if frame[1]["state"] != "Running"]
    runs = [frame for frame in listing if frame[1]["state"] == "Running"]
    is_last = len(done) >= MIN_DONE and len(runs) == 1
    is_last &= all(jobs) and len({job["job"] for job in jobs if job}) == 1
    if not is_last and not (len(done) == 1 and runs and _started(done[0][1]["name"], runs)):
        return None
    return LeftOver(
        tuple(row["name"] for _, row in runs[:MAX_KEPT]),
        len(done),
        min(ages),
        tuple((entry.place, entry.text[:MAX_CHARACTERS]) for entry, _ in (*runs, *done)[:MAX_KEPT]),
        len(runs),
    )


def _started(name: str, runs: Sequence[tuple[Entry, re.Match[str]]]) -> bool:
    """Whether a pod of this name is that of a job, and the others are parts of the same job."""
    own, parts = _OWN_POD.fullmatch(name), [_PART.fullmatch(row["name"]) for _, row in runs]
    return own is not None and all(part and part["job"].startswith(f"{own['job']}-") for part in parts)
