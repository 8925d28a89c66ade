"""Seen or unseen: "empty" and "could not look" are different types.

The third promise, never to take "I cannot see it" for "it is dead", rests on this file.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Generic, TypeAlias, TypeVar

from babysitter.model.ids import JobId

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


@dataclass(frozen=True, slots=True)
class Gone:
    """The cluster answered, and does not know the job: a fact about the job, and not blindness.

    `missing`: the watched jobs of the cluster that went missing together, this one included.
    """

    reason: str  # one sentence, fit for a person
    at: datetime  # UTC, when the answer arrived
    missing: tuple[JobId, ...] = ()
    watched: int = 1  # jobs of the cluster that are watched, and were asked for


Sight: TypeAlias = Seen[T] | Unseen
