"""A way to ask a controller, and what its refusals mean. Both transports speak through this.

What a controller says when it says no (`code` and `message` of the Connect protocol) is translated here,
once, into the tree of babysitter.errors.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from babysitter.backends.iris.answers.log_window import LogWindow
from babysitter.errors import (
    BabysitError,
    InvalidResponse,
    NoSuchJob,
    NotAuthorised,
    Overloaded,
    SubmissionRefused,
    Unreachable,
)

CONTROLLER_SERVICE = "iris.cluster.ControllerService"

QuickReader: TypeAlias = Callable[[bytes], object | None]


Verb: TypeAlias = Literal["GET", "HEAD"]


@dataclass(frozen=True, slots=True)
class Page:
    """`beginning`: the first bytes of the body, b"" for HEAD."""

    status: int
    beginning: bytes


class Transport(Protocol):
    """Carries one question to a controller and its answer back, within a limit. Never retries."""

    @property
    def place(self) -> str:
        """Where it leads, for messages to people."""

    @property
    def transport(self) -> str:
        """rpc or cli."""

    async def ask(
        self,
        method: str,
        body: Mapping[str, object],
        *,
        service: str = CONTROLLER_SERVICE,
        limit_s: float | None = None,
        quick: QuickReader | None = None,
        window: LogWindow | None = None,
    ) -> object:
        """The decoded JSON answer. Raises NoSuchMethod, NoSuchJob or a WorldError within `limit_s`.

        `quick`: what may read the answer's text instead. A line that has no text, or keeps all of it, decodes
        as ever; so does every line when the reader gives None. `window`: drops what is more than was asked
        for while the text is read. A line that gets the text as a whole may leave it unused.
        """

    async def request_page(self, path: str, *, verb: Verb) -> Page:
        """A plain page of the controller, whatever its status, without loading more than its beginning.

        Raises NoSuchMethod on a line that knows questions only, or a WorldError within a few seconds.
        """

    async def close(self) -> None: ...


class NoSuchMethod(InvalidResponse):
    """The controller does not have this call: it is of another generation than we thought."""

    def __init__(self, place: str, method: str) -> None:
        super().__init__(
            f"The controller at {place} does not have the call {method}: it is of another generation.",
            next_step="It was probably upgraded; the next look finds out.",
        )


class BadRequest(InvalidResponse):
    """The controller could not read our question. Asking the same again is no use."""

    repeatable = False


def refusal(place: str, method: str, code: str, message: str) -> BabysitError:
    """The error that a Connect `code` stands for."""
    said = f"{method}: {message or code}".rstrip(".")
    match code:
        case "not_found":
            return NoSuchJob(
                f"The controller at {place} does not know it: {said}.",
                next_step="Check the full id (/user/job) with `iris job list`.",
            )
        case "unimplemented":
            return NoSuchMethod(place, method)
        case "unauthenticated":
            return NotAuthorised(
                f"The controller at {place} refused our token: {said}.",
                next_step="Run `iris login` for this cluster, or set clusters.NAME.token_file.",
            )
        case "permission_denied":
            return NotAuthorised(
                f"The controller at {place} does not let us do this: {said}.",
                next_step="The job may belong to somebody else; log in as its owner.",
            )
        case "resource_exhausted":
            return Overloaded(f"The controller at {place} is overloaded: {said}.")
        case "unavailable" | "deadline_exceeded" | "canceled" | "aborted":
            return Unreachable(
                f"The controller at {place} did not answer in time or not at all: {said}.",
                next_step="The jobs themselves are probably fine; it is asked again.",
            )
        case "failed_precondition" | "already_exists" | "out_of_range":
            return SubmissionRefused(f"The controller at {place} refused: {said}.")
        case "invalid_argument":
            return BadRequest(f"The controller at {place} did not accept our question: {said}.")
        case "unknown" if _is_about_our_request(message):
            # May answers 500 "unknown" to a request it cannot parse: our fault, not a sick controller.
            return BadRequest(f"The controller at {place} could not read our question: {said}.")
        case _:
            return InvalidResponse(f"The controller at {place} failed inside: {said}.")


def _is_about_our_request(message: str) -> bool:
    return any(
        sign in message
        for sign in ("has no field named", "Failed to parse", "Failed to decode", "is required", "must be")
    )
