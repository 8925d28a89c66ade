"""The sentence about earlier incidents: how often, since when, what helped, what people say."""

from dataclasses import replace
from datetime import timedelta

import pytest

from babysitter.messages.seen_before import seen_before
from babysitter.model.finding import Cause
from babysitter.model.past_incident import (
    EarlierIncidents,
    Ending,
    Fingerprint,
    Origin,
    PastIncident,
    Recalled,
)
from tests.support.build import NOON

PAST = PastIncident("i-1", NOON - timedelta(days=2), Cause.HOST_OOM, Fingerprint("f-1"), job="/ada/dedup")
FIXED = replace(PAST, ending=Ending.FIXED, remedy="--memory 10GB", remedied_by="ada")


def earlier(*pasts: PastIncident, likeness: float = 1.0) -> EarlierIncidents:
    found = tuple(Recalled(past, likeness) for past in pasts)
    return EarlierIncidents(seen=found) if likeness >= 0.8 else EarlierIncidents(similar=found)


@pytest.mark.parametrize(
    ("remembered", "sentence"),
    [
        (EarlierIncidents(), ""),
        (earlier(PAST), "Seen once on 18 Nov (i-1 /ada/dedup)."),
        (
            earlier(
                *(replace(FIXED, id=f"i-{number}") for number in (1, 2, 3)),
                replace(PAST, id="i-4", at=NOON - timedelta(days=245), ending=Ending.RECOVERED),
            ),
            "Seen 4 times since March; 3 were fixed by --memory 10GB (ada), 1 recovered by itself "
            "(i-1 /ada/dedup, i-2 /ada/dedup, i-3 /ada/dedup).",
        ),
        (
            earlier(
                replace(
                    PAST,
                    ending=Ending.NOT_FIXED,
                    true_cause=Cause.DISK_FULL,
                    taught_by="ada",
                    is_taught_here=True,
                )
            ),
            "Seen once on 18 Nov; 1 was not fixed, ada says it was really disk-full (i-1 /ada/dedup).",
        ),
        (
            earlier(replace(PAST, origin=Origin.IMPORTED, true_cause=Cause.DISK_FULL, taught_by="ada")),
            "Seen once on 18 Nov; ada (imported) says it was really disk-full (i-1 /ada/dedup).",
        ),
        (
            earlier(
                replace(PAST, origin=Origin.IMPORTED, true_cause=Cause.DISK_FULL, taught_by="bob"),
                replace(PAST, id="i-2", true_cause=Cause.STORAGE_ERROR, taught_by="ada", is_taught_here=True),
            ),
            "Seen 2 times since 18 Nov; ada says it was really storage-error "
            "(i-1 /ada/dedup, i-2 /ada/dedup).",
        ),
        (
            earlier(
                replace(PAST, origin=Origin.IMPORTED, true_cause=Cause.DISK_FULL, taught_by="bob"),
                replace(PAST, id="i-2", true_cause=Cause.HOST_OOM, taught_by="ada", is_taught_here=True),
            ),
            "Seen 2 times since 18 Nov (i-1 /ada/dedup, i-2 /ada/dedup).",  # ada: it was judged right
        ),
        (
            earlier(replace(FIXED, origin=Origin.IMPORTED)),
            "Seen once on 18 Nov; 1 was fixed by --memory 10GB (ada, imported) (i-1 /ada/dedup).",
        ),
        (
            earlier(replace(PAST, origin=Origin.LEARNED, true_cause=Cause.DISK_FULL)),
            "Seen once on 18 Nov; its label says it was really disk-full (i-1 /ada/dedup).",
        ),
        (
            earlier(replace(FIXED, at=NOON - timedelta(days=400)), likeness=0.62),
            "Similar (62% alike) to i-1 /ada/dedup, October 2025: host-oom, fixed by --memory 10GB (ada).",
        ),
    ],
)
def test_seen_before(remembered: EarlierIncidents, sentence: str):
    assert seen_before(remembered, now=NOON) == sentence


def test_seen_before_hides_secrets():
    leaky = replace(FIXED, remedy="--env HF_TOKEN=hf_abcdefghijklmnopqrstuvwxyzABCDEFGH")
    assert "hf_abc" not in seen_before(earlier(leaky), now=NOON)
