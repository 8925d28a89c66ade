"""What a preflight check found: a stable id, severity, reason, fix and corrected command."""

import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

NOT_CHECKED = "not-checked"


class PreflightSeverity(StrEnum):
    BLOCK = "block"  # the submission would be refused, or the job would not come back as it was
    WARN = "warn"
    INFO = "info"


@dataclass(frozen=True, slots=True)
class PreflightFinding:
    """One fault of one submission.

    `reason` and `fix`: one sentence each. `command`: the corrected command, () where no command corrects it.
    For NOT_CHECKED: `about` is the id of the check that could not be made, and `may_pass` says whether it
    can perhaps be made later.
    """

    id: str
    severity: PreflightSeverity
    reason: str
    fix: str = ""
    command: tuple[str, ...] = ()
    about: str = ""
    may_pass: bool = False

    @property
    def blocks(self) -> bool:
        return self.severity is PreflightSeverity.BLOCK

    @property
    def sentence(self) -> str:
        """Reason, fix and corrected command as one text."""
        parts = (self.reason, self.fix, f"Corrected: {shlex.join(self.command)}" if self.command else "")
        return " ".join(part for part in parts if part)


def blocking(findings: Iterable[PreflightFinding]) -> tuple[PreflightFinding, ...]:
    """The findings that forbid the submission."""
    return tuple(finding for finding in findings if finding.blocks)


def undecided(findings: Iterable[PreflightFinding]) -> tuple[PreflightFinding, ...]:
    """The checks that could not be made now and may be made later: nothing may be stopped meanwhile."""
    return tuple(finding for finding in findings if finding.id == NOT_CHECKED and finding.may_pass)
