"""What a reader is told before the evidence: the task, the taxonomy, the rules of judging, the answer's form.

Whoever changes a word that a reader sees raises `PROMPT_VERSION`: answers belong to a version.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from babysitter.model.cause_info import about
from babysitter.model.finding import Cause

PROMPT_VERSION = 3
_DATA = Path(__file__).parent / "data"


@cache
def taxonomy() -> dict[str, dict[str, str]]:
    """Cause id -> `means`, `contrast`, `actions`. Raises ValueError if a cause has no row."""
    import yaml  # here: only who asks a reader needs it

    rows: dict[str, dict[str, str]] = yaml.safe_load((_DATA / "taxonomy.yaml").read_text(encoding="utf-8"))
    if missing := [cause.value for cause in Cause if cause.value not in rows]:
        raise ValueError(f"taxonomy.yaml has no row for {', '.join(missing)}")
    return rows


@cache
def instructions() -> str:
    """Everything before the evidence, as Markdown. `FINGERPRINT` stands for the question's own."""
    rows = taxonomy()
    text = (_DATA / "instructions.md").read_text(encoding="utf-8").strip()
    return text.replace("CAUSES", "\n".join(_row(cause, rows[cause.value]) for cause in Cause))


def _row(cause: Cause, row: Mapping[str, str]) -> str:
    parts = [
        f"- `{cause}` ({about(cause).severity}): {row['means']}",
        f"*Not to confuse:* {row['contrast']}",
        f"*Action:* {row['actions']}.",
    ]
    return " ".join(parts)
