"""Tokens: exchanged when refused, never shown, never sent to another cluster."""

import json
from datetime import timedelta

import pytest

from babysitter.backends.iris.connection.auth import Credentials, EdgeIdentity, stored_token
from babysitter.backends.iris.connection.http_transport import DirectEndpoint, HttpTransport
from babysitter.errors import NotAuthorised
from tests.support.clock import FakeClock
from tests.support.controller import connect_error, controller

REFUSED = (401, connect_error("unauthenticated", "Authentication failed"))
URL = "http://controller.example.org:8080"


class Guarded:
    """A controller that takes a static token only in exchange for a JWT, as recorded in 20-auth-jwt."""

    def __init__(self, *jwts):
        self.jwts = list(jwts)
        self.valid = ""
        self.server = None

    def login(self, body):
        if body.get("identityToken") != "made-up-static" or not self.jwts:
            return 401, connect_error("unauthenticated", "Identity verification failed")
        self.valid = self.jwts.pop(0)
        return 200, {"token": self.valid, "keyId": "k", "userId": "ada"}

    def list_jobs(self, _body):
        sent = self.server.headers[-1].get("Authorization", "")
        return (200, {"totalCount": 0}) if self.valid and sent == f"Bearer {self.valid}" else REFUSED


async def ask_guarded(guarded, token, times=1):
    async with controller({"Login": guarded.login, "ListJobs": guarded.list_jobs}) as server:
        guarded.server = server
        line = HttpTransport(DirectEndpoint(server.url), place="x", credentials=Credentials(token=token))
        try:
            for _ in range(times):
                await line.ask("ListJobs", {})
        finally:
            await line.close()
        return [method for method, _ in server.asked]


async def test_a_static_token_is_exchanged_once():
    asked = await ask_guarded(Guarded("made-up-jwt-1"), "made-up-static", times=3)
    assert asked == ["ListJobs", "Login", "ListJobs", "ListJobs", "ListJobs"]


async def test_an_expired_exchange_is_renewed():
    guarded = Guarded("made-up-jwt-1", "made-up-jwt-2")
    async with controller({"Login": guarded.login, "ListJobs": guarded.list_jobs}) as server:
        guarded.server = server
        line = HttpTransport(
            DirectEndpoint(server.url), place="x", credentials=Credentials(token="made-up-static")
        )
        await line.ask("ListJobs", {})
        guarded.valid = "expired"
        await line.ask("ListJobs", {})
        await line.close()
    assert guarded.valid == "made-up-jwt-2"


@pytest.mark.parametrize("token", ["", "made-up-wrong"])
async def test_a_refused_token_is_one_clear_error(token):
    with pytest.raises(NotAuthorised) as caught:
        await ask_guarded(Guarded("made-up-jwt-1"), token)
    assert "iris login" in caught.value.next_step
    assert "made-up" not in str(caught.value)


def test_tokens_are_not_printed():
    assert "made-up" not in repr(Credentials(token="made-up-static"))


@pytest.mark.parametrize(
    ("cluster", "expected"),
    [
        ("marin", "made-up-marin"),
        ("gone", ""),  # the command would take any; we do not
        ("elsewhere", "made-up-by-address"),
        ("newer", "made-up-newer"),
    ],
)
def test_only_this_clusters_stored_token_is_used(tmp_path, cluster, expected):
    stored = {
        "marin": {"url": "http://x", "token": "made-up-marin"},
        "controller.example.org-8080": {"url": URL, "token": "made-up-by-address"},
    }
    (tmp_path / ".iris").mkdir()
    (tmp_path / ".iris/tokens.json").write_text(json.dumps({"clusters": stored}))
    newer = tmp_path / ".config/marin/credentials"
    newer.mkdir(parents=True)
    (newer / "newer.json").write_text(json.dumps({"cluster": "newer", "app_token": "made-up-newer"}))
    url = URL if cluster == "elsewhere" else ""
    assert stored_token(cluster, url, home=tmp_path) == expected


@pytest.mark.parametrize("content", ["", "{", "[]", '{"clusters": 5}', '{"clusters": {"marin": "x"}}'])
def test_a_broken_token_store_holds_no_token(tmp_path, content):
    (tmp_path / ".iris").mkdir()
    (tmp_path / ".iris/tokens.json").write_text(content)
    assert stored_token("marin", "", home=tmp_path) == ""


async def test_the_proxys_token_comes_from_gcloud_and_is_kept_for_a_while(tmp_path):
    gcloud = tmp_path / "gcloud"
    gcloud.write_text(
        f'#!/bin/sh\necho "$@" >> {tmp_path}/asked\necho made-up-edge-$(wc -l < {tmp_path}/asked)\n'
    )
    gcloud.chmod(0o755)
    clock = FakeClock()
    edge = EdgeIdentity("made-up-aud", "robot@example.org", gcloud=(str(gcloud),))
    credentials = Credentials(edge=edge, clock=clock)
    for _ in range(2):
        assert await credentials.headers() == {"proxy-authorization": "Bearer made-up-edge-1"}
    clock.advance(timedelta(hours=1).total_seconds())
    assert await credentials.headers() == {"proxy-authorization": "Bearer made-up-edge-2"}
    asked = (tmp_path / "asked").read_text()
    assert "--audiences=made-up-aud" in asked
    assert "--impersonate-service-account=robot@example.org" in asked


async def test_gcloud_without_a_login_is_not_authorised(tmp_path):
    gcloud = tmp_path / "gcloud"
    gcloud.write_text("#!/bin/sh\necho 'ERROR: no active account' >&2\nexit 1\n")
    gcloud.chmod(0o755)
    with pytest.raises(NotAuthorised, match="no active account"):
        await Credentials(edge=EdgeIdentity("a", gcloud=(str(gcloud),))).headers()
