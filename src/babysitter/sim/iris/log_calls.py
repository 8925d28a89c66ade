"""The two ways to ask for log lines: FetchLogs of every generation, and April's GetTaskLogs."""

import re
from typing import Any

from babysitter.sim.iris.encode import log_entry
from babysitter.sim.iris.logbook import Entry, LogBook

Json = dict[str, Any]
USUAL_LINES, MAX_TASK_LINES = 1000, 100_000
_PATTERN_SIGN = re.compile(r"[*+?\[\](){}|^$\\]")


def fetch_logs(book: LogBook, asked: Json, generation: str) -> Json:
    """A wrong form of `source` finds nothing, and says nothing of it."""
    source = asked.get("source", "")
    keys, is_exact = _keys(book, source, asked.get("matchScope", ""), generation)
    found = _find(book, keys, asked, asked.get("maxLines", 0) or USUAL_LINES)
    if pattern := asked.get("regex"):
        found = [entry for entry in found if re.search(pattern, entry.data)]
    entries = [log_entry(entry, generation, with_key=not is_exact) for entry in found]
    return ({"entries": entries} if entries else {}) | {"cursor": _cursor(found, asked)}


def task_logs(book: LogBook, asked: Json) -> Json:
    """One batch, whatever the number of tasks; without `attemptId` a task's attempt 0 only."""
    wanted, at_most = asked.get("id", ""), asked.get("maxTotalLines", 0) or MAX_TASK_LINES
    is_task = re.search(r"/\d+$", wanted) is not None
    inner = "" if is_task else r"(?:/[^:]+)?/\d+" if asked.get("includeChildren") else r"/\d+"
    attempt = asked.get("attemptId", 0 if is_task else -1)
    number = r"\d+" if attempt < 0 else str(attempt)
    pattern = re.compile(f"{re.escape(wanted)}{inner}:{number}")
    found = _find(book, [key for key in book.keys if pattern.fullmatch(key)], asked, at_most)
    logs = [log_entry(entry, "april", with_key=True) for entry in found]
    batch = {"taskId": wanted} | ({"logs": logs} if logs else {})
    return {"taskLogs": [batch], "truncated": len(found) >= at_most, "cursor": _cursor(found, asked)}


def _keys(book: LogBook, source: str, scope: str, generation: str) -> tuple[list[str], bool]:
    """The streams that are meant, and whether the question names exactly one."""
    is_pattern = scope == "MATCH_SCOPE_REGEX" or (generation == "april" and _PATTERN_SIGN.search(source))
    if is_pattern:
        pattern = re.compile(source)
        return [key for key in book.keys if pattern.fullmatch(key)], False
    if generation == "april" or scope == "MATCH_SCOPE_EXACT":
        return [key for key in book.keys if key == source], True
    return [key for key in book.keys if key.startswith(source)], False


def _find(book: LogBook, keys: list[str], asked: Json, limit: int) -> list[Entry]:
    return book.find(
        keys,
        after=asked.get("cursor", 0),
        since_ms=asked.get("sinceMs", 0),
        substring=asked.get("substring", ""),
        min_level=asked.get("minLevel", ""),
        limit=limit,
        tail=asked.get("tail", False),
    )


def _cursor(found: list[Entry], asked: Json) -> str:
    """The highest number seen; the asker's own when nothing matched, even one beyond the end."""
    return str(found[-1].number if found else asked.get("cursor", 0))
