"""The change of a restart as `--json` prints it; part of the schema of views.py."""

from collections.abc import Sequence
from dataclasses import asdict

from babysitter.model.verdict import Change
from babysitter.surfaces.view_base import View


class ChangeView(View):
    """The one thing that a restart would change."""

    what: str
    before: str
    after: str
    why: str

    @classmethod
    def of(cls, change: Change | None) -> "ChangeView | None":
        return cls(**asdict(change)) if change else None

    @classmethod
    def of_all(cls, changes: Sequence[Change]) -> "list[ChangeView]":
        return [cls(**asdict(change)) for change in changes]
