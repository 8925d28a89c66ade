"""The bodies of our questions, per dialect. Pure."""

import re
from datetime import datetime

from babysitter.backends.iris.connection.generation import Dialect, LogStyle
from babysitter.model.ids import TaskId
from babysitter.model.log import Cursor, LogSource

PAGE_JOBS = 500  # May refuses more
LAST_OFFSET = 5000  # May refuses to page deeper

Body = dict[str, object]


def jobs_under(dialect: Dialect, root: str, *, offset: int, roots_only: bool = False) -> Body:
    """ListJobs for the root and everything below it; the answer may hold neighbours, filter it again.

    April only knows a substring of the name: the last segment of the id.
    """
    name = {"jobIdPrefix": root} if dialect.finds_by_prefix else {"nameFilter": root.rpartition("/")[2]}
    scope = "JOB_QUERY_SCOPE_ROOTS" if roots_only else "JOB_QUERY_SCOPE_ALL"
    page = {"scope": scope, "limit": PAGE_JOBS}
    return {"query": name | page | ({"offset": offset} if offset else {})}


def log_lines(
    dialect: Dialect, source: LogSource, *, after: Cursor | None, at_most: int, newest: bool
) -> Body:
    """FetchLogs for one source."""
    streams = _by_pattern(source) if dialect.log_style is LogStyle.PATTERN else _by_scope(dialect, source)
    return streams | _filters(source, after=after, newest=newest) | {"maxLines": at_most}


def task_logs(source: LogSource, *, after: Cursor | None, at_most: int, newest: bool) -> Body:
    """April's older GetTaskLogs, which the command line tool of April has instead of FetchLogs.

    `attemptId` must be -1 for all attempts: absent means attempt 0 only.
    """
    return {
        "id": source.task or source.job,
        "includeChildren": source.include_children and source.task is None,
        "maxTotalLines": str(at_most),
        "attemptId": -1 if source.attempt is None else source.attempt,
    } | _filters(source, after=after, newest=newest)


def thread_dump(task: TaskId) -> Body:
    return {"target": task, "durationSeconds": 1, "profileType": {"threads": {}}}


def _filters(source: LogSource, *, after: Cursor | None, newest: bool) -> Body:
    body: Body = {}
    if after is not None:
        body["cursor"] = after
    if newest:
        body["tail"] = True
    if source.containing:
        body["substring"] = source.containing
    if source.at_least is not None:
        body["minLevel"] = source.at_least.name
    if source.since is not None:
        body["sinceMs"] = str(_epoch_ms(source.since))
    return body


def _by_pattern(source: LogSource) -> Body:
    """April: an exact key, or a regular expression when it holds a metacharacter.

    A bare prefix such as "/u/j/" is answered with nothing at all.
    """
    if source.task is None:
        tail = "/.*" if source.include_children else "/[0-9]+:.*"
        return {"source": re.escape(source.job) + tail}
    if source.attempt is None:
        return {"source": re.escape(source.task) + ":.*"}
    return {"source": f"{source.task}:{source.attempt}"}


def _by_scope(dialect: Dialect, source: LogSource) -> Body:
    """May and later: literal, with a scope; a regular expression without its scope finds nothing."""
    if source.task is None and not source.include_children and dialect.log_scope_regex:
        return {"source": re.escape(source.job) + "/[0-9]+:.*", "matchScope": "MATCH_SCOPE_REGEX"}
    if source.task is None:
        return {"source": f"{source.job}/", "matchScope": "MATCH_SCOPE_PREFIX"}
    if source.attempt is None:
        return {"source": f"{source.task}:", "matchScope": "MATCH_SCOPE_PREFIX"}
    return {"source": f"{source.task}:{source.attempt}", "matchScope": "MATCH_SCOPE_EXACT"}


def _epoch_ms(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)
