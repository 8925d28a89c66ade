"""The rules of one content, made once in a process of the tests: loading them again takes 60 ms a time."""

from functools import cache
from typing import Any

import babysitter.playbook.load as loading
from babysitter.diagnosis.causes.rules_in_force import Playbook
from babysitter.diagnosis.signatures.compile_cache import read_kept


class _NotKept(Exception):
    """Nothing is kept under this name yet; not remembered."""


@cache
def _kept(name: str) -> Playbook:
    kept = read_kept(name)
    if not isinstance(kept, Playbook):
        raise _NotKept
    return kept


def _read_shared(name: str) -> Any:
    try:
        return _kept(name)
    except _NotKept:
        return None


def share_rules() -> None:
    """Let every loading of rules of the same content in this process give the same playbook."""
    loading.read_kept = _read_shared
