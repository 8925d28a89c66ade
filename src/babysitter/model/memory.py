"""What a watch carries from check to check: enough to judge the next observation, bounded in size.

Serialised to JSON between checks, so every field has a default and old memories stay readable.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from babysitter.model.ids import JobId
from babysitter.model.log import Cursor
from babysitter.model.observation import Want
from babysitter.model.phase import Phase
from babysitter.model.sight import Source


@dataclass(frozen=True, slots=True)
class Memory:
    """The judgement's own notes. Only read/ and assess/ write it; everybody else reads the first block."""

    phase: Phase = Phase.PENDING
    phase_since_at: datetime | None = None  # None = never checked
    checks_in_phase: int = 0
    blind_since: Mapping[Source, datetime] = field(default_factory=dict)
    cursors: Mapping[str, Cursor] = field(default_factory=dict)
    wants: frozenset[Want] = frozenset()
    newest_attempt: JobId | None = None  # the coordinator (or root) job being judged
    generation: str = ""
