"""The bodies of our questions, per generation: the wrong form is answered with nothing, silently."""

from datetime import UTC, datetime

import pytest

from babysitter.backends.iris.answers import request_bodies
from babysitter.backends.iris.connection.generation import DIALECTS, Generation
from babysitter.model.ids import JobId, TaskId
from babysitter.model.log import Cursor, LogLevel, LogSource

JOB = JobId("/ada/my.job")
TASK = TaskId("/ada/my.job/0")
APRIL, MAY, AUGUST = (DIALECTS[generation] for generation in Generation)


@pytest.mark.parametrize(
    ("dialect", "source", "expected"),
    [
        (APRIL, LogSource(JOB), {"source": r"/ada/my\.job/.*"}),
        (APRIL, LogSource(JOB, include_children=False), {"source": r"/ada/my\.job/[0-9]+:.*"}),
        (APRIL, LogSource(JOB, task=TASK), {"source": r"/ada/my\.job/0:.*"}),
        (APRIL, LogSource(JOB, task=TASK, attempt=3), {"source": "/ada/my.job/0:3"}),
        (MAY, LogSource(JOB), {"source": "/ada/my.job/", "matchScope": "MATCH_SCOPE_PREFIX"}),
        (
            MAY,
            LogSource(JOB, include_children=False),
            {"source": r"/ada/my\.job/[0-9]+:.*", "matchScope": "MATCH_SCOPE_REGEX"},
        ),
        (MAY, LogSource(JOB, task=TASK), {"source": "/ada/my.job/0:", "matchScope": "MATCH_SCOPE_PREFIX"}),
        (
            MAY,
            LogSource(JOB, task=TASK, attempt=3),
            {"source": "/ada/my.job/0:3", "matchScope": "MATCH_SCOPE_EXACT"},
        ),
        (
            AUGUST,
            LogSource(JOB, include_children=False),
            {"source": "/ada/my.job/", "matchScope": "MATCH_SCOPE_PREFIX"},
        ),
    ],
)
def test_log_sources(dialect, source, expected):
    body = request_bodies.log_lines(dialect, source, after=None, at_most=100, newest=False)
    assert body == expected | {"maxLines": 100}


def test_filters_are_sent_only_when_asked_for():
    since = datetime(2026, 11, 20, 12, tzinfo=UTC)
    source = LogSource(JOB, containing="complete, ", at_least=LogLevel.WARNING, since=since)
    body = request_bodies.log_lines(MAY, source, after=Cursor("41"), at_most=1, newest=True)
    assert body["cursor"] == "41"
    assert body["tail"] is True
    assert body["substring"] == "complete, "
    assert body["minLevel"] == "WARNING"
    assert body["sinceMs"] == str(int(since.timestamp() * 1000))


def test_aprils_older_call_asks_for_all_attempts_explicitly():
    body = request_bodies.task_logs(LogSource(JOB, task=TASK), after=None, at_most=7, newest=False)
    assert body == {"id": TASK, "includeChildren": False, "maxTotalLines": "7", "attemptId": -1}
    assert (
        request_bodies.task_logs(LogSource(JOB), after=None, at_most=7, newest=False)["includeChildren"]
        is True
    )


def test_april_is_asked_by_name_and_later_ones_by_prefix():
    assert request_bodies.jobs_under(APRIL, JOB, offset=0) == {
        "query": {"nameFilter": "my.job", "scope": "JOB_QUERY_SCOPE_ALL", "limit": 500}
    }
    assert request_bodies.jobs_under(MAY, JOB, offset=500) == {
        "query": {
            "jobIdPrefix": "/ada/my.job",
            "scope": "JOB_QUERY_SCOPE_ALL",
            "limit": 500,
            "offset": 500,
        }
    }
