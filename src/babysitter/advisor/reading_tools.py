"""Read-only tools of a reader, over what was read already: no cluster is asked, nothing can be changed.

Every answer is redacted, numbered like the pack, and bounded. What was shown may be quoted.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from babysitter.advisor.condensed_dumps import condense
from babysitter.advisor.evidence_pack import MARGIN_LINES, MAX_RAW_CHARACTERS, one_row
from babysitter.advisor.material import Material
from babysitter.redact import redact_lines

MAX_CALLS = 8  # of one consultation
MAX_ROWS = 61  # of one answer: a line with 30 before and 30 after it
MAX_CHARACTERS = 8_000  # of one answer
MAX_WORDS = 200  # characters of what is searched for

TOOLS: tuple[dict[str, Any], ...] = (
    {
        "name": "search_log",
        "description": "Find lines of the log that hold a text, in any case. Returns the newest 61.",
        "input_schema": {
            "type": "object",
            "properties": {"text": {"type": "string"}},
            "required": ["text"],
        },
    },
    {
        "name": "read_around",
        "description": "Read 30 lines before and after a line of the log, by its number.",
        "input_schema": {
            "type": "object",
            "properties": {"line": {"type": "integer"}},
            "required": ["line"],
        },
    },
    {
        "name": "read_dump",
        "description": "Read a thread dump of the job, by its number from 1, each distinct stack once.",
        "input_schema": {
            "type": "object",
            "properties": {"number": {"type": "integer"}},
            "required": ["number"],
        },
    },
    {
        "name": "job_tree",
        "description": "Read the facts of the job and of the jobs below it, all of them.",
        "input_schema": {"type": "object", "properties": {}},
    },
    {
        "name": "earlier_incidents",
        "description": "Read what is remembered of earlier incidents like this one.",
        "input_schema": {"type": "object", "properties": {}},
    },
)


class ReadingTools:
    """The tools of one consultation. `shown`: label -> text of every line that was given out."""

    def __init__(self, material: Material) -> None:
        self._material = material
        self._calls = 0
        self.shown: dict[str, str] = {}

    def call(self, name: str, given: Mapping[str, Any]) -> str:
        """The answer of a tool. What cannot be answered is said in words; nothing is raised."""
        self._calls += 1
        if self._calls > MAX_CALLS:
            return f"No more than {MAX_CALLS} tools can be used. Give the answer now."
        material = self._material
        match name:
            case "search_log":
                return self._log_rows(self._search(str(given.get("text", ""))))
            case "read_around":
                return self._log_rows(self._around(given.get("line")))
            case "read_dump":
                return self._dump(given.get("number"))
            case "job_tree":
                return self._plain("F", material.facts)
            case "earlier_incidents":
                return self._plain("R", [row for remark in material.remarks for row in remark.lines])
        return f"There is no tool {name[:40]!r}."

    def _search(self, text: str) -> Sequence[int]:
        wanted = text[:MAX_WORDS].casefold().strip()
        if not wanted:
            return ()
        lines = self._material.lines
        return [at for at, line in enumerate(lines) if wanted in line[:MAX_RAW_CHARACTERS].casefold()]

    def _around(self, number: Any) -> Sequence[int]:
        count = len(self._material.lines)
        if not isinstance(number, int) or not 1 <= number <= count:
            return ()
        return range(max(0, number - 31), min(count, number + 30))

    def _dump(self, number: Any) -> str:
        dumps = self._material.dumps
        if not isinstance(number, int) or not 1 <= number <= len(dumps):
            return f"There are {len(dumps)} dumps." if dumps else "There is no dump."
        rows = list(condense(dumps[number - 1 : number]))
        return _bounded(one_row(line) for line in redact_lines(rows[: 4 * MAX_ROWS]))

    def _log_rows(self, indices: Sequence[int]) -> str:
        """These lines, redacted with their neighbours, so that a key in several lines is recognised."""
        chosen = indices[-MAX_ROWS:]
        if not chosen:
            return "No such line."
        lines = self._material.lines
        wanted = sorted(
            {
                near
                for index in chosen
                for near in range(max(0, index - MARGIN_LINES), min(len(lines), index + MARGIN_LINES + 1))
            }
        )
        plain = dict(
            zip(wanted, redact_lines([lines[at][:MAX_RAW_CHARACTERS] for at in wanted]), strict=True)
        )
        rows = {f"L{index + 1}": one_row(plain[index]) for index in chosen}
        self.shown |= rows
        return _bounded(f"{label}| {row}" for label, row in rows.items())

    def _plain(self, letter: str, texts: Sequence[str]) -> str:
        rows = [row for text in texts for row in text.splitlines() if row.strip()]
        shown = [one_row(line) for line in redact_lines([row[:MAX_RAW_CHARACTERS] for row in rows])]
        return _bounded(f"{letter}: {row}" for row in shown) or "Nothing is known."


def _bounded(rows: Iterator[str]) -> str:
    kept, left = [], MAX_CHARACTERS
    for row in rows:
        left -= len(row) + 1
        if left < 0:
            kept.append("... the rest is left out ...")
            break
        kept.append(row)
    return "\n".join(kept)
