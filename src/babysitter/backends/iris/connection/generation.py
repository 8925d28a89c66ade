"""Which dialect a controller speaks: found out once by asking, kept as data."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from babysitter.backends.backend import Abilities
from babysitter.backends.iris.answers.json_fields import JsonNode
from babysitter.backends.iris.connection.transport import NoSuchMethod, Transport
from babysitter.errors import InvalidResponse
from babysitter.preflight.client.client_environment import CLIENT_CONSTANTS

_NO_JOB = "/babysit/probe"  # a well-formed id that nobody has


class Generation(StrEnum):
    """Named after the month of 2026 whose controllers it describes."""

    APRIL = "april"
    MAY = "may"
    AUGUST = "august"


class LogStyle(StrEnum):
    """How a set of log streams is named."""

    PATTERN = "pattern"  # an exact key, or a regular expression where it looks like one
    SCOPE = "scope"  # a literal with a match scope


@dataclass(frozen=True, slots=True)
class Dialect:
    """What differs between generations, as data; the rest of the client asks this and nothing else."""

    generation: Generation
    log_style: LogStyle
    log_services: tuple[str, ...]  # tried in this order; the first that exists is kept
    finds_by_prefix: bool  # ListJobs knows `jobIdPrefix`
    log_scope_regex: bool = False  # MATCH_SCOPE_REGEX exists
    lists_all_attempts: bool = False
    has_login: bool = True
    wants_client_date: bool = True  # refuses a launch without the build date of its client
    abilities: Abilities = field(default_factory=Abilities)


_CONSTANT_NAMES = frozenset(CLIENT_CONSTANTS)

DIALECTS: Mapping[Generation, Dialect] = {
    Generation.APRIL: Dialect(
        generation=Generation.APRIL,
        log_style=LogStyle.PATTERN,
        log_services=("iris.logging.LogService",),
        finds_by_prefix=False,
        lists_all_attempts=True,
        wants_client_date=False,  # does not know the field, and refuses what it does not know
        # The request is kept, the command line is not.
        abilities=Abilities(kept_submission=False, client_constants=_CONSTANT_NAMES),
    ),
    Generation.MAY: Dialect(
        generation=Generation.MAY,
        log_style=LogStyle.SCOPE,
        log_services=("finelog.logging.LogService", "iris.logging.LogService"),
        finds_by_prefix=True,
        log_scope_regex=True,
        abilities=Abilities(status_text=True, client_constants=_CONSTANT_NAMES),
    ),
    Generation.AUGUST: Dialect(
        generation=Generation.AUGUST,
        log_style=LogStyle.SCOPE,
        log_services=(
            "finelog.logging.LogService",
            "proxy/system.log-server/finelog.logging.LogService",
        ),
        finds_by_prefix=True,
        has_login=False,
        abilities=Abilities(client_constants=_CONSTANT_NAMES),
    ),
}


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """The outcome of probing."""

    dialect: Dialect
    auth: str  # "none", "static", "gcp", "edge": who checks identities


async def probe(line: Transport) -> ProbeResult:
    """Find out which generation answers, with two or three cheap questions.

    GetTaskLogs was removed in May, GetAuthInfo in August. Raises NonsenseAnswer when what answers is
    no Iris controller at all, other WorldErrors when nothing does.
    """
    if await _exists(line, "GetTaskLogs", {"id": _NO_JOB, "maxTotalLines": "1", "attemptId": -1}) is not None:
        auth = await _exists(line, "GetAuthInfo", {})
        return ProbeResult(DIALECTS[Generation.APRIL], _provider(auth))
    if (auth := await _exists(line, "GetAuthInfo", {})) is not None:
        return ProbeResult(DIALECTS[Generation.MAY], _provider(auth))
    if await _exists(line, "GetJobState", {"jobIds": [_NO_JOB]}) is not None:
        return ProbeResult(DIALECTS[Generation.AUGUST], "edge")
    raise InvalidResponse(
        f"What answers at {line.place} is not an Iris controller: it knows none of its calls.",
        next_step="Check the address; a controller's port is 10000 unless its file says otherwise.",
    )


async def _exists(line: Transport, method: str, body: dict[str, object]) -> object | None:
    """The answer, or None when the controller has no such method."""
    try:
        return await line.ask(method, body)
    except NoSuchMethod:
        return None


def _provider(answer: object | None) -> str:
    return (JsonNode.of(answer).text("provider") if isinstance(answer, dict) else "") or "none"
