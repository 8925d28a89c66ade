"""From what people call their Ray cluster to the address of its dashboard, and the token it may want."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from babysitter.errors import BadConfig

DASHBOARD_PORT = 8265  # Ray's default
_NEXT_STEP = "Write the dashboard's address: --ray http://HOST:8265."


@dataclass(frozen=True, slots=True)
class DashboardAddress:
    """`note`: a sentence for the user where the address is a guess, else ""."""

    url: str
    note: str = ""


def dashboard_address(text: str) -> DashboardAddress:
    """The dashboard that this text means: a URL, `ray://HOST`, `HOST:6379` or `HOST`. Raises BadConfig.

    Only a URL names the dashboard. The other forms name Ray's own ports on the head node, where the dashboard
    is expected on its default port.
    """
    text = text.strip()
    scheme, separator, rest = text.partition("://")
    try:
        parts = urlsplit(text if separator else f"//{text}")
        host, port = parts.hostname or "", parts.port
    except ValueError as fault:
        raise BadConfig(f"'{text[:80]}' is not an address of a Ray cluster.", next_step=_NEXT_STEP) from fault
    if scheme in ("http", "https") and separator and host:
        return DashboardAddress(text.rstrip("/"))
    if not host or text == "auto" or (separator and scheme != "ray") or "/" in (rest if separator else text):
        raise BadConfig(f"'{text[:80]}' is not an address of a Ray cluster.", next_step=_NEXT_STEP)
    shown = f"[{host}]" if ":" in host else host
    url = f"http://{shown}:{DASHBOARD_PORT}"
    if port == DASHBOARD_PORT and not separator:
        return DashboardAddress(url)
    return DashboardAddress(url, f"{text} is not the dashboard's address; {url} is tried. {_NEXT_STEP}")


def ray_token(given: str, *, home: Path, environ: Mapping[str, str] = os.environ) -> str:
    """The bearer token: the given one, else where Ray's own client looks; "" when there is none.

    Raises BadConfig for a file named in RAY_AUTH_TOKEN_PATH that cannot be read.
    """
    if given or environ.get("RAY_AUTH_TOKEN"):
        return (given or environ["RAY_AUTH_TOKEN"]).strip()
    named = environ.get("RAY_AUTH_TOKEN_PATH", "")
    path = Path(named).expanduser() if named else home / ".ray" / "auth_token"
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as fault:
        if not named:
            return ""
        raise BadConfig(
            f"The token file {path} of RAY_AUTH_TOKEN_PATH cannot be read.",
            next_step="Correct the variable, or give the token in RAY_AUTH_TOKEN.",
        ) from fault
