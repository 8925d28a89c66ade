"""Seen or unseen: "empty" and "could not look" are different types.

The third promise, never to take "I cannot see it" for "it is dead", rests on this file.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Generic, TypeAlias, TypeVar

T = TypeVar("T")


class Source(StrEnum):
    """What we look through or at."""

    CONTROLLER = "controller"
    TUNNEL = "tunnel"
    LOGS = "logs"
    DUMP = "dump"


@dataclass(frozen=True, slots=True)
class Seen(Generic[T]):
    """A thing we looked at, with success; an empty value is a fact."""

    value: T
    at: datetime  # UTC, when the answer arrived


@dataclass(frozen=True, slots=True)
class Unseen:
    """A thing we could not look at; nothing about it is known."""

    source: Source
    reason: str  # one sentence, fit for a person
    since: datetime  # UTC, start of this blindness


Sight: TypeAlias = Seen[T] | Unseen
