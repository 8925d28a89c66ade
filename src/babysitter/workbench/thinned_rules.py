"""Rules with a random part left out: as if nobody had met what they know."""

import random

from babysitter.diagnosis.causes.rules_in_force import Playbook


def thinned(playbook: Playbook, share: float, seed: int) -> Playbook:
    """The playbook without a random share of its rules (signatures that mean something are rules too)."""
    draw = random.Random(seed)
    placed = tuple(rule for rule in playbook.placed if draw.random() >= share)
    return Playbook(
        placed, by_id={located.rule.id: located.rule for located in placed}, signatures=playbook.signatures
    )
