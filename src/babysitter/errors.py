"""Everything that can go wrong, with whose fault it is, what to try next, and the exit code.

    BabysitError
      UserError          exit 2    your input; nothing was changed
        BadConfig, BadPlaybook, NoSuchJob, NoSuchWatch, MissingSubmission, AlreadyWatched,
        AlreadyServed
      WorldError         exit 3    the cluster or a service; trying again may help
        Unreachable, Overloaded, TooBusy, NotAuthorised, NonsenseAnswer, Refused
        StorageUnavailable (an Unreachable)  the database of our own state
      NotAllowed         exit 4    a person, client or bot may not do this
      FactsChanged       exit 5    the world moved since this was proposed
      Bug                exit 70   ours; says where the report was written

0 is fine; 1 is kept for "the job itself ended badly", 6 for a `wait` that reached its time limit.
"""

from typing import ClassVar


class BabysitError(Exception):
    """Something went wrong: one sentence that names the place, and the next step to try."""

    exit_code: ClassVar[int] = 70
    repeatable: ClassVar[bool] = False  # may asking the same question again help?

    def __init__(self, sentence: str, *, next_step: str = "") -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.next_step = next_step

    def __str__(self) -> str:
        return f"{self.sentence} {self.next_step}".strip()


class UserError(BabysitError):
    """The input is invalid; nothing was changed."""

    exit_code = 2


class BadConfig(UserError):
    """A configuration file, variable or flag does not fit; lists every fault with its place."""


class BadPlaybook(UserError):
    """A playbook was refused; lists every fault with file, line and what was meant."""


class NoSuchJob(UserError):
    """The cluster positively said that it does not know this job."""


class NoSuchWatch(UserError):
    """Nothing with this name is being watched."""


class AlreadyWatched(UserError):
    """The job has a watch already."""


class MissingSubmission(UserError):
    """Nobody knows the command that would start this job again."""


class AlreadyServed(UserError):
    """Another process serves this state already."""


class ExternalError(BabysitError):
    """The cluster or a service failed; the job itself is probably fine."""

    exit_code = 3
    repeatable = True


class Unreachable(ExternalError):
    """No answer came: refused, cut off, or out of time."""


class StorageUnavailable(Unreachable):
    """The database of our own state cannot be read or written now. What was to be stored did not happen.

    `reason`: what the database said, in its own words.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"The database of babysit's own state does not work: {reason}.",
            next_step="Check its disk and its server; nothing was changed, and it is tried again.",
        )
        self.reason = reason


class Overloaded(ExternalError):
    """The service asks to be left alone for a while.

    `retry_after_s`: what the service asked for; None when it did not say.
    """

    def __init__(self, sentence: str, *, next_step: str = "", retry_after_s: float | None = None) -> None:
        super().__init__(sentence, next_step=next_step)
        self.retry_after_s = retry_after_s


class TooBusy(ExternalError):
    """So many requests wait already that this one was not made; the caller said how long it would wait."""

    repeatable = False


class NotAuthorised(ExternalError):
    """The service refused our credentials; asking again with the same ones is no use."""

    repeatable = False


class InvalidResponse(ExternalError):
    """An answer came that cannot be understood, or is not of the protocol expected."""


class SubmissionRefused(ExternalError):
    """The service understood and said no (a precondition, an existing name, an old client)."""

    repeatable = False


class NotAllowed(BabysitError):
    """This person, client or bot may not do this."""

    exit_code = 4


class FactsChanged(BabysitError):
    """The facts changed since this was proposed; nothing was done."""

    exit_code = 5


class InternalError(BabysitError):
    """A fault of babysit. The sentence says where its report was written."""

    exit_code = 70
