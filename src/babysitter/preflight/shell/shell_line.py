"""Which variables a shell would put into a command line as it is typed."""

import re
from collections.abc import Iterator, Mapping

_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_USE = re.compile(rf"\$(?:\{{(?P<braced>{_NAME})(?P<rest>[^}}]*)\}}|(?P<bare>{_NAME}))")
_SET_BEFORE = re.compile(rf"(?:^|[;&\n]|\bexport\s|\bdo\s|\bthen\s)\s*(?:export\s+)?(?P<name>{_NAME})=")
_LOOP = re.compile(rf"\b(?:for|select)\s+(?P<name>{_NAME})\s+in\b|\bread\s+(?:-\w+\s+)*(?P<read>{_NAME})")
_HAS_DEFAULT = re.compile(r"^:?[-=+?]")


def unset_variables(line: str, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Names that the shell expands and that nobody sets, in the order of their use.

    Not in single quotes, not behind a backslash, not with a default (`${X:-y}`). What the line itself sets in
    a command of its own counts as set; an assignment in front of the same command comes too late.
    """
    known = {found["name"] for found in _SET_BEFORE.finditer(line) if _ends_before_use(line, found.end())}
    known |= {found["name"] or found["read"] for found in _LOOP.finditer(line)}
    found: list[str] = []
    for name in _expanded(line):
        if name not in environ and name not in known and name not in found:
            found.append(name)
    return tuple(found)


def _expanded(line: str) -> Iterator[str]:
    at, in_double = 0, False
    while at < len(line):
        character = line[at]
        if character == "\\":
            at += 2
            continue
        if character == '"':
            in_double = not in_double
        elif character == "'" and not in_double:
            end = line.find("'", at + 1)
            at = len(line) if end < 0 else end
        elif character == "$" and (use := _USE.match(line, at)):
            if not _HAS_DEFAULT.match(use["rest"] or ""):
                yield use["braced"] or use["bare"]
            at = use.end() - 1
        at += 1


def _ends_before_use(line: str, at: int) -> bool:
    """Whether the assignment that ends here is a command of its own, and not in front of another one."""
    value = re.match(r"(?:'[^']*'|\"[^\"]*\"|\\.|[^\s;&|])*", line[at:])
    rest = line[at + (value.end() if value else 0) :].lstrip(" \t")
    before = line[:at]
    return rest[:1] in (";", "\n", "&") or bool(re.search(rf"\bexport\s+{_NAME}=$", before))
