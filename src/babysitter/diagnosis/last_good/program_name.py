"""The name under which runs of one program are compared: a job's name without what a run alone has."""

import re

_RESTART = re.compile(r"-r\d+$")
_DATE = re.compile(r"(?<!\d)20\d\d[-_.]?[01]\d[-_.]?[0-3]\d(?:[-_.T]?\d{4,6})?(?!\d)")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_PARTS = re.compile(r"([-_.])")
_HASH = re.compile(r"(?=.*\d)[0-9a-fA-F]{6,}|\d{6,}|(?=.*\d)(?=.*[A-Z])(?=.*[a-z])[0-9A-Za-z]{10,}")
_GENERATED = frozenset({"raysubmit", "job", "run", ""})  # what is left of a name that a cluster made up


def program_of(job: str) -> str:
    """`/ada/dedup-3f2a91c0-r2` -> `/ada/dedup`; "" for a name that says nothing about the program."""
    folder, _, name = job.rpartition("/")
    name = _UUID.sub("", _DATE.sub("", _RESTART.sub("", name)))
    parts = [part for part in _PARTS.split(name)[::2] if part and not _HASH.fullmatch(part)]
    name = "-".join(parts)
    if name in _GENERATED:
        return ""
    return f"{folder}/{name}" if folder else name
