"""Who we are to a controller: a bearer token, its exchange for a short-lived one, and an edge token.

Three worlds: no authentication at all; an identity token that `Login` exchanges for a JWT; a proxy before
the controller that wants an OIDC token of its own. Tokens are never logged and never sent to another
cluster than the one they were stored for.
"""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from urllib.parse import urlparse

from babysitter.backends.iris.answers.json_fields import JsonNode, UnexpectedField
from babysitter.backends.run_process import run
from babysitter.clock import Clock, SystemClock
from babysitter.errors import ExternalError, NotAuthorised

_EDGE_TOKEN_LIFE = timedelta(minutes=45)  # Google's last an hour
_GCLOUD_LIMIT_S = 30.0

Login = Callable[[str], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class EdgeIdentity:
    """How to get the token that an identity-aware proxy wants."""

    audience: str
    service_account: str = ""  # to impersonate; "" = whoever gcloud is logged in as
    gcloud: tuple[str, ...] = ("gcloud",)


@dataclass(slots=True)
class Credentials:
    """The headers of every question, and how to get better ones when they are refused."""

    token: str = field(default="", repr=False)  # sent as it is, until a controller wants it exchanged
    edge: EdgeIdentity | None = None
    clock: Clock = field(default_factory=SystemClock)
    _exchanged: str = field(default="", repr=False)
    _edge_token: str = field(default="", repr=False)
    _edge_token_until: datetime | None = None

    async def headers(self) -> Mapping[str, str]:
        headers: dict[str, str] = {}
        if bearer := self._exchanged or self.token:
            headers["authorization"] = f"Bearer {bearer}"
        if self.edge is not None:
            headers["proxy-authorization"] = f"Bearer {await self._fresh_edge_token(self.edge)}"
        return headers

    async def renew(self, login: Login) -> bool:
        """Exchange our token for a new JWT. False when there is nothing to exchange or it is refused."""
        if not self.token:
            return False
        self._exchanged = ""
        try:
            answer = JsonNode.of(await login(self.token))
            self._exchanged = answer.text("token")
        except (ExternalError, UnexpectedField):
            return False
        return bool(self._exchanged)

    async def _fresh_edge_token(self, edge: EdgeIdentity) -> str:
        now = self.clock.now()
        if self._edge_token_until is None or now > self._edge_token_until:
            self._edge_token = await _print_identity_token(edge)
            self._edge_token_until = now + _EDGE_TOKEN_LIFE
        return self._edge_token


async def _print_identity_token(edge: EdgeIdentity) -> str:
    argv: Sequence[str] = (
        *edge.gcloud,
        "auth",
        "print-identity-token",
        f"--audiences={edge.audience}",
        "--quiet",
        *([f"--impersonate-service-account={edge.service_account}"] if edge.service_account else []),
    )
    done = await run(argv, limit_s=_GCLOUD_LIMIT_S)
    if done.exit_code != 0 or not done.stdout.strip():
        raise NotAuthorised(
            f"gcloud gave no identity token for the proxy: {done.last_error_line or 'no reason given'}.",
            next_step="Run `gcloud auth login`, or configure a service account to impersonate.",
        )
    return done.stdout.strip()


def stored_token(cluster: str, url: str, *, home: Path) -> str:
    """The token that the `iris` command stored for exactly this cluster; "" when there is none.

    Looked for under the cluster's name, then under the name the command derives from the address. Other
    clusters' tokens are left alone (the command itself falls back to any). The newer store keeps one file
    per cluster.
    """
    for name in (cluster, _name_of(url)):
        newer = _read_json(home / ".config" / "marin" / "credentials" / f"{name}.json") if name else {}
        older = _read_json(home / ".iris" / "tokens.json").get("clusters")
        entry = older.get(name) if isinstance(older, dict) else None
        token = newer.get("app_token") or (entry.get("token") if isinstance(entry, dict) else None)
        if isinstance(token, str) and token:
            return token
    return ""


def _name_of(url: str) -> str:
    """http://host:10000 -> host-10000"""
    parts = urlparse(url)
    return f"{parts.hostname}-{parts.port}" if parts.port else parts.hostname or ""


def _read_json(path: Path) -> dict[str, object]:
    try:
        content = json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}
