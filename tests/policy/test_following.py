from dataclasses import replace

import pytest

from babysitter.model.follow import Follow
from babysitter.model.ids import JobId, Person
from babysitter.model.job import JobState
from babysitter.policy.following import FollowDecision, KnownRuns, follow_decision, shared_prefix
from tests.support.build import NOON, at
from tests.support.jobs import job

MINE = Follow("f-1", "/ada/*", "marin", Person("U0ADA"), NOON)
RUNNING = job("/ada/a", since_s=-60)
ENDED_BEFORE = job("/ada/a", JobState.SUCCEEDED, since_s=-60)
NOTHING = KnownRuns({})
DONE = KnownRuns({RUNNING.id: RUNNING.submitted_at})


@pytest.mark.parametrize(
    ("found", "known", "free", "expected"),
    [
        (RUNNING, NOTHING, 1, FollowDecision.WATCH),
        (job("/ada/a", JobState.PENDING, since_s=5), NOTHING, 1, FollowDecision.WATCH),
        (job("/ada/a", JobState.FAILED, since_s=5), NOTHING, 1, FollowDecision.WATCH),
        (job("/bob/a"), NOTHING, 1, FollowDecision.NO_MATCH),
        (ENDED_BEFORE, NOTHING, 1, FollowDecision.ENDED_BEFORE),
        (replace(ENDED_BEFORE, submitted_at=None), NOTHING, 1, FollowDecision.ENDED_BEFORE),
        (RUNNING, DONE, 1, FollowDecision.KNOWN),
        (replace(RUNNING, submitted_at=at(60)), DONE, 1, FollowDecision.WATCH),
        (RUNNING, KnownRuns({}, {RUNNING.id}), 1, FollowDecision.BEING_SUBMITTED),
        (RUNNING, NOTHING, 0, FollowDecision.BEYOND_LIMIT),
    ],
)
def test_follow_decision(found, known: KnownRuns, free: int, expected: FollowDecision):
    assert follow_decision(found, MINE, known, free=free) is expected


@pytest.mark.parametrize(
    ("pattern", "matching"), [("/*", True), ("/ada/a", True), ("/ada/[bc]", False), ("/ADA/*", False)]
)
def test_pattern_is_of_the_whole_id(pattern: str, matching: bool):
    decision = follow_decision(RUNNING, replace(MINE, pattern=pattern), NOTHING, free=1)
    assert (decision is FollowDecision.WATCH) is matching


@pytest.mark.parametrize(
    ("patterns", "prefix"),
    [
        (["/ada/*"], "/ada/"),
        (["/ada/dedup"], "/ada/dedup"),
        (["/ada/*", "/ada/x?"], "/ada/"),
        (["/ada/*", "/bob/*"], "/"),
        (["/ada/abc*", "/ada/abd*"], "/ada/ab"),
        (["[a]*", "/x"], ""),
    ],
)
def test_shared_prefix_lists_every_pattern_once(patterns: list[str], prefix: str):
    assert shared_prefix([replace(MINE, pattern=JobId(pattern)) for pattern in patterns]) == prefix
