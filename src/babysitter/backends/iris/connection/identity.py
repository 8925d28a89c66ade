"""Who a submission is filed under, and whether the cluster accepts our credentials.

With authentication the controller replaces the user of a root job by the caller; August lets administrators,
and callers on its own machine, name any user. Without it the client names the user.
"""

import getpass
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from babysitter.backends.iris.answers.json_fields import JsonNode, UnexpectedField
from babysitter.backends.iris.connection.transport import NoSuchMethod, Transport
from babysitter.errors import ExternalError, NotAuthorised
from babysitter.preflight.facts import Fact, Known, Login, NotKnown

NO_AUTHENTICATION = "none"


@dataclass(frozen=True, slots=True)
class Caller:
    """`user`: who the controller takes us for; "" = it asks nobody. `may_name_others`: a job of any user."""

    user: str
    may_name_others: bool


async def read_caller(line: Transport, *, authentication: str) -> Fact[Caller | Login]:
    """The caller, or Login.REFUSED if our credentials are not accepted."""
    if authentication == NO_AUTHENTICATION:
        return Known(Caller("", may_name_others=True))
    try:
        answer = JsonNode.of(await line.ask("GetCurrentUser", {}))
        user, role = answer.text("userId"), answer.text("role")
    except NotAuthorised:
        return Known(Login.REFUSED)
    except (NoSuchMethod, UnexpectedField):
        return NotKnown("The controller does not say who it takes us for.")
    except ExternalError as error:
        return NotKnown(error.sentence, may_pass=True)
    return Known(Caller(user, may_name_others=authentication == "edge" and role in ("admin", "")))


def client_user(option: str, environment: Mapping[str, str], *, generation: str) -> str:
    """The user that the client names: --user, in August IRIS_USER, else the one it runs as."""
    if option:
        return option
    if generation == "august" and (named := environment.get("IRIS_USER", "").strip()):
        return named
    for variable in ("LOGNAME", "USER", "LNAME", "USERNAME"):  # the order of Python's getpass.getuser
        if name := environment.get(variable):
            return name
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "root"  # as the client does


def has_stored_login(home: Path) -> bool:
    """Whether the iris client has any token; it takes another cluster's where it has none for this one."""
    if any((home / ".config" / "marin" / "credentials").glob("*.json")):
        return True
    try:
        stored = json.loads((home / ".iris" / "tokens.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(stored, dict) and bool(stored.get("clusters"))
