"""Who a submission is filed under, as each generation decides it."""

import pytest

from babysitter.backends.iris.connection.auth import Credentials
from babysitter.backends.iris.connection.http_transport import DirectEndpoint, HttpTransport
from babysitter.backends.iris.connection.identity import Caller, client_user, has_stored_login, read_caller
from babysitter.preflight.facts import Known, Login, NotKnown
from tests.contract.test_simulator_wire import simulated

TOKEN = "made-up-token"


@pytest.mark.parametrize(
    ("option", "environment", "generation", "user"),
    [
        ("ada", {"LOGNAME": "bob"}, "may", "ada"),
        ("", {"LOGNAME": "bob", "USER": "eve"}, "may", "bob"),
        ("", {"IRIS_USER": "zed", "USER": "eve"}, "may", "eve"),
        ("", {"IRIS_USER": "zed", "USER": "eve"}, "august", "zed"),
        ("ada", {"IRIS_USER": "zed"}, "august", "ada"),
    ],
)
def test_client_user(option, environment, generation, user):
    assert client_user(option, environment, generation=generation) == user


async def test_open_cluster_asks_nobody():
    async with simulated("healthy", "may") as (simulator, _):
        line = HttpTransport(DirectEndpoint(simulator.url), place="sim")
        try:
            assert await read_caller(line, authentication="none") == Known(Caller("", may_name_others=True))
            assert simulator.requests == []
        finally:
            await line.close()


@pytest.mark.parametrize(
    ("token", "expected"),
    [
        (TOKEN, Known(Caller("bob", may_name_others=False))),
        ("", Known(Login.REFUSED)),
        ("x", Known(Login.REFUSED)),
    ],
)
async def test_caller_is_who_the_token_belongs_to(token, expected):
    async with simulated("healthy", "may", identity=TOKEN, user="bob") as (simulator, _):
        line = HttpTransport(DirectEndpoint(simulator.url), place="sim", credentials=Credentials(token))
        try:
            assert await read_caller(line, authentication="static") == expected
        finally:
            await line.close()


async def test_generation_that_does_not_say_it():
    async with simulated("healthy", "august") as (simulator, _):
        line = HttpTransport(DirectEndpoint(simulator.url), place="sim")
        try:
            assert isinstance(await read_caller(line, authentication="edge"), NotKnown)
        finally:
            await line.close()


def test_stored_login(tmp_path):
    assert not has_stored_login(tmp_path)
    (tmp_path / ".iris").mkdir()
    (tmp_path / ".iris" / "tokens.json").write_text('{"clusters": {}}')
    assert not has_stored_login(tmp_path)
    (tmp_path / ".iris" / "tokens.json").write_text('{"clusters": {"x": {"token": "t"}}}')
    assert has_stored_login(tmp_path)


def test_stored_login_of_the_newer_client(tmp_path):
    (tmp_path / ".config" / "marin" / "credentials").mkdir(parents=True)
    (tmp_path / ".config" / "marin" / "credentials" / "marin.json").write_text("{}")
    assert has_stored_login(tmp_path)
