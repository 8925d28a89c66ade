"""The recorded clusters in fixtures/, and what is true of them."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from babysitter.diagnosis.causes.rules_in_force import Playbook
from babysitter.playbook.load import load
from babysitter.shipped import shipped

FIXTURES = Path(__file__).parents[2] / "fixtures"


@dataclass(frozen=True)
class Labelled:
    """A recording and what a good verdict of it is."""

    name: str
    causes: tuple[str, ...]
    actions: tuple[str, ...]
    must_see: tuple[str, ...]
    never: tuple[str, ...]
    time_scale: float

    def __str__(self) -> str:
        return self.name

    @property
    def folder(self) -> Path:
        return FIXTURES / self.name


def labelled() -> tuple[Labelled, ...]:
    told = yaml.safe_load((FIXTURES / "labels.yaml").read_text())
    return tuple(
        Labelled(
            name,
            tuple(label["final"]["cause"]),
            tuple(label["final"]["action"]),
            tuple(label.get("must_see", ())),
            tuple(label.get("never_action", ())),
            label["time_scale"],
        )
        for name, label in told.items()
    )


@cache
def rules() -> Playbook:
    """The shipped playbooks."""
    return load([shipped()])
