"""`iris job logs` as a stand-in for FetchLogs, where the command has no such call. Pure.

Its lines are `[HH:MM:SS] task=<task id> | <text>`: UTC, no date, later ones with `attempt=<n>`. Children are
always included. There is no cursor, so one is made of what is printed: the second of the last line, and how
many lines of that second were read. A cursor is that second times a million plus that count.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, time, timedelta

_LINE = re.compile(r"\[(\d\d):(\d\d):(\d\d)\] task=(\S+)(?: attempt=(\d+))? \| (.*)")
_COUNT_LIMIT = 1_000_000
_CLOCK_SKEW = timedelta(minutes=5)


def command(body: Mapping[str, object]) -> tuple[str, ...]:
    """The options and arguments that ask for what the body of a FetchLogs asks for."""
    job, _ = _whose(str(body["source"]))
    second, count = _place_of(body)
    words = ["job", "logs", "--max-lines", str(int(str(body.get("maxLines", 1000))) + count)]
    words.append("--tail" if body.get("tail") else "--no-tail")
    if since_ms := max(second * 1000 - 1, int(str(body.get("sinceMs", 0)))):
        words += ["--since-ms", str(since_ms)]
    if level := body.get("minLevel"):
        words += ["--level", str(level).lower()]
    return (*words, job)


def answer(printed: str, body: Mapping[str, object], *, now: datetime) -> Mapping[str, object]:
    """What was printed, in the shape of an answer to FetchLogs."""
    _, task = _whose(str(body["source"]))
    second, count = _place_of(body)
    entries: list[Mapping[str, object]] = []
    for text in printed.splitlines():
        entry = _entry(text, entries, now=now)
        entries.append(entry)
    last_second = max((int(_epoch_ms(line)) // 1000 for line in entries), default=second)
    in_last = sum(1 for line in entries if int(_epoch_ms(line)) // 1000 == last_second)
    new = _unread(entries, second, count)
    wanted = [line for line in new if _is_wanted(line, task, str(body.get("substring", "")))]
    if last_second == second:
        in_last = max(in_last, count)
    return {"entries": wanted, "cursor": str(last_second * _COUNT_LIMIT + min(in_last, _COUNT_LIMIT - 1))}


def _entry(text: str, before: list[Mapping[str, object]], *, now: datetime) -> Mapping[str, object]:
    """One printed line; one without a head belongs to the line above it."""
    head = _LINE.match(text)
    if head is None:
        above = before[-1] if before else {"timestamp": {"epochMs": "0"}, "key": ""}
        return {**above, "data": text}
    hour, minute, second, task, attempt, said = head.groups()
    at = _latest(time(int(hour), int(minute), int(second)), now)
    key = f"{task}:{attempt}" if attempt else task
    return {"timestamp": {"epochMs": str(int(at.timestamp()) * 1000)}, "key": key, "data": said}


def _latest(clock_time: time, now: datetime) -> datetime:
    """The last moment with this time of day: lines carry no date."""
    at = datetime.combine((now + _CLOCK_SKEW).astimezone(UTC).date(), clock_time, tzinfo=UTC)
    return at if at <= now + _CLOCK_SKEW else at - timedelta(days=1)


def _unread(entries: list[Mapping[str, object]], second: int, count: int) -> list[Mapping[str, object]]:
    """Without the first `count` lines of the cursor's own second, which were read before."""
    unread, left = [], count
    for entry in entries:
        if left and int(_epoch_ms(entry)) // 1000 == second:
            left -= 1
        else:
            unread.append(entry)
    return unread


def _is_wanted(entry: Mapping[str, object], task: str, substring: str) -> bool:
    key = str(entry["key"])
    return substring in str(entry["data"]) and (not task or key == task or key.startswith(task + ":"))


def _whose(source: str) -> tuple[str, str]:
    """A source of FetchLogs -> (job id, task id or "")."""
    plain = re.sub(r"/\[0-9\]\+:\.\*$|/\.\*$", "/", source).replace("\\", "")
    if plain.endswith("/"):
        return plain.rstrip("/"), ""
    task = plain.rpartition(":")[0]
    return task.rpartition("/")[0], task


def _place_of(body: Mapping[str, object]) -> tuple[int, int]:
    second, count = divmod(int(str(body.get("cursor", 0))), _COUNT_LIMIT)
    return second, count


def _epoch_ms(entry: Mapping[str, object]) -> str:
    stamp = entry["timestamp"]
    assert isinstance(stamp, dict)
    return str(stamp["epochMs"])
