"""The lines that were added to the files of a session since a cursor, in pages."""

import json
from collections.abc import Mapping
from dataclasses import replace

from babysitter.backends.ray.sessions.session_folder import (
    HEAD_BYTES,
    SessionFile,
    SessionLogs,
    read_part,
    shares,
)
from babysitter.backends.ray.sessions.session_lines import PlacedLine, in_order, lines_of_part
from babysitter.model.log import Cursor

PAGE_BYTES = 150_000  # of all files together


def read_on(
    logs: SessionLogs, offsets: Mapping[str, int], at_most: int
) -> tuple[list[PlacedLine], dict[str, int], bool]:
    """New lines of every file: lines, where to go on, and whether more may wait."""
    grown = [file for file in logs.files if file.size != offsets.get(file_key(file), 0)]
    ends = {file_key(file): file.size for file in logs.files if file not in grown}
    begins = {file.path: _begin(file, offsets) for file in grown}
    rest = [replace(file, size=file.size - begins[file.path]) for file in grown]
    shared = shares(rest, PAGE_BYTES)
    quota = max(1, at_most // max(1, len(grown)))
    lines: list[PlacedLine] = []
    is_full = False
    for file in grown:
        begin = begins[file.path]
        end = begin + shared[file.path]
        if begin < HEAD_BYTES < file.readable_from:
            end = min(end, HEAD_BYTES)  # behind it is a hole
        part = read_part(file, begin, end - begin)
        ends[file_key(file)] = begin
        whole = max(part.rfind(b"\n"), part.rfind(b"\r")) + 1
        if not whole and begin + len(part) >= file.size:
            continue  # the line is still being written
        part = part[:whole] if whole else part  # without an end of a line it is longer than a part
        found = lines_of_part(file, part, first_number=None, is_end=False)
        kept = found[:quota]
        is_cut = len(kept) < len(found)
        is_full = is_full or is_cut or end < file.size
        ends[file_key(file)] = begin + (kept[-1].stop if is_cut else len(part))
        lines += kept
    return in_order(lines, logs.files), ends, is_full


def _begin(file: SessionFile, offsets: Mapping[str, int]) -> int:
    before = offsets.get(file_key(file), 0)
    if before > file.size:  # a smaller file is another one
        before = 0
    return before if before < HEAD_BYTES else max(before, file.readable_from)


def file_key(file: SessionFile) -> str:
    """The name of a file in a cursor."""
    return f"{file.node}/{file.name}"


def read_cursor(cursor: Cursor | None) -> Mapping[str, int] | None:
    """How far each file was read; None for a cursor that `write_cursor` did not write."""
    try:
        found = json.loads(cursor) if cursor else {}
    except ValueError:
        return None
    return (
        found
        if isinstance(found, dict) and all(isinstance(offset, int) for offset in found.values())
        else None
    )


def write_cursor(ends: Mapping[str, int]) -> Cursor:
    return Cursor(json.dumps(ends))
