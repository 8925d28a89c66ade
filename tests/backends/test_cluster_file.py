"""Cluster files: found by name, read with all their faults at once, and never starting a cluster."""

import pytest

from babysitter.backends.cluster_spec import ClusterSpec
from babysitter.backends.iris.connection.cluster_file import (
    ControllerAccess,
    find_cluster,
    read_cluster,
)
from babysitter.backends.iris.connection.connect import iris_command, open_line
from babysitter.backends.iris.connection.http_transport import HttpTransport
from babysitter.backends.registry import open_cluster, spec_from_options
from babysitter.errors import BadConfig
from tests.support.clock import FakeClock

GCP = """
name: marin
platform: {gcp: {project_id: some-project}, label_prefix: marin}
controller: {gcp: {zone: us-central1-a, port: 10001}}
defaults: {ssh: {auth_mode: os_login, key_file: ~/.ssh/other, impersonate_service_account: robot@example.org}}
"""
PROXY = """
controller: {gcp: {zone: us-central1-a}}
auth:
  iap: {url: 'https://iris.example.org/', oauth_client_id: made-up, programmatic_audiences: [made-up-aud]}
"""


@pytest.fixture
def places(tmp_path):
    """(home, working directory)"""
    home, work = tmp_path / "home", tmp_path / "work"
    for folder in (home / ".config/marin/clusters", work / "lib/iris/config", work / "lib/iris/examples"):
        folder.mkdir(parents=True)
    return home, work


def write(folder, text, name="marin.yaml"):
    path = folder / name
    path.write_text(text)
    return path


def test_a_name_is_looked_up_in_three_places_the_users_own_first(places):
    home, work = places
    example = write(work / "lib/iris/examples", GCP)
    assert find_cluster("marin", home=home, working_dir=work) == example
    config = write(work / "lib/iris/config", GCP)
    assert find_cluster("marin", home=home, working_dir=work) == config
    own = write(home / ".config/marin/clusters", GCP)
    assert find_cluster("marin", home=home, working_dir=work) == own


def test_an_unknown_name_says_what_is_known(places):
    home, work = places
    write(work / "lib/iris/examples", GCP, "marin-dev.yaml")
    with pytest.raises(BadConfig, match="no cluster 'marin'") as caught:
        find_cluster("marin", home=home, working_dir=work)
    assert "marin-dev" in caught.value.next_step


def test_a_cluster_behind_ssh(tmp_path):
    found = read_cluster(write(tmp_path, GCP))
    assert (found.reach, found.name, found.project, found.zone, found.port, found.label_prefix) == (
        ControllerAccess.GCP,
        "marin",
        "some-project",
        "us-central1-a",
        10001,
        "marin",
    )
    assert (found.ssh_key, found.impersonate) == ("~/.ssh/other", "robot@example.org")


def test_a_cluster_behind_a_proxy_is_asked_there(tmp_path):
    found = read_cluster(write(tmp_path, PROXY))
    assert (found.reach, found.url, found.audience) == (
        ControllerAccess.PROXY,
        "https://iris.example.org",
        "made-up-aud",
    )
    assert found.name == "marin"  # the file's


@pytest.mark.parametrize(
    ("text", "reach", "url"),
    [
        ("controller: {manual: {host: 10.0.0.5}}", ControllerAccess.MANUAL, "http://10.0.0.5:10000"),
        ("controller: {manual: {host: h, port: 9}}", ControllerAccess.MANUAL, "http://h:9"),
        ("controller: {coreweave: {service_name: iris-controller}}", ControllerAccess.COREWEAVE, ""),
        ("controller: {local: {}}", ControllerAccess.LOCAL, ""),
        ("controller: {local: null}", ControllerAccess.LOCAL, ""),
    ],
)
def test_other_ways(tmp_path, text, reach, url):
    found = read_cluster(write(tmp_path, text))
    assert (found.reach, found.url) == (reach, url)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[1, 2]", ["a mapping"]),
        ("controller: {}", ["holds none"]),
        ("controller: {gcp: {}, manual: {host: x}}", ["not gcp, manual"]),
        ("controller: {gcp: {}}", ["platform.gcp.project_id", "platform.label_prefix"]),
        ("controller: {manual: {port: 99999}}", ["port number", "controller.manual.host"]),
        ("controller: {manual: {host: 5}}", ["should be text"]),
        ("controller: [gcp]", ["`controller` should be a mapping"]),
        ("a: b: c", ["line 1", "YAML"]),
        ("[" * 2_000, ["YAML"]),
        ("a: !!python/object:os.system {}", ["YAML"]),
    ],
)
def test_every_fault_is_told_with_the_file(tmp_path, text, says):
    path = write(tmp_path, text)
    with pytest.raises(BadConfig) as caught:
        read_cluster(path)
    for item in (str(path), *says):
        assert item in caught.value.sentence


def test_a_missing_file_is_told(tmp_path):
    with pytest.raises(BadConfig, match="no such file"):
        read_cluster(tmp_path / "gone.yaml")


@pytest.mark.parametrize("transport", ["rpc", "cli"])
def test_a_local_clusters_file_is_never_opened(tmp_path, transport):
    path = write(tmp_path, "controller: {local: {port: 0}}", "local.yaml")
    spec = ClusterSpec("local", config=str(path), transport=transport)
    with pytest.raises(BadConfig, match="would start a new one") as caught:
        open_cluster(spec, home=tmp_path, working_dir=tmp_path)
    assert "--controller-url" in caught.value.next_step


def test_the_commands_options_stand_before_its_subcommand(places):
    home, work = places
    path = write(work / "lib/iris/config", GCP)
    where = {"home": home, "working_dir": work}
    uv = ("uv", "run", "iris")
    assert iris_command(ClusterSpec("m", cluster="marin", iris_command=uv), **where) == (
        *uv,
        "--cluster",
        "marin",
    )
    assert iris_command(ClusterSpec("m", config=str(path)), **where) == ("iris", "--config", str(path))
    assert iris_command(ClusterSpec("m", url="http://h:1"), **where) == (
        "iris",
        "--controller-url",
        "http://h:1",
    )


async def test_an_opened_cluster_contacts_nobody_and_sends_the_stored_token(places):
    home, work = places
    (home / ".iris").mkdir()
    (home / ".iris/tokens.json").write_text('{"clusters": {"other": {"url": "", "token": "made-up-other"}}}')
    path = write(work, "name: mine\ncontroller: {manual: {host: h}}", "mine.yaml")
    spec = ClusterSpec("mine", config=str(path))
    line = open_line(spec, clock=FakeClock(), home=home, working_dir=work)
    assert isinstance(line, HttpTransport)
    assert line.place == "http://h:10000"
    assert "authorization" not in await line._credentials.headers()  # another cluster's token stays here
    cluster = open_cluster(spec, home=home, working_dir=work)
    await cluster.close()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({}, "exactly one"),
        ({"controller_url": "http://h:1", "cluster": "marin"}, "exactly one"),
        ({"controller_url": "h:10000"}, "not an address"),
        ({"controller_url": "ftp://h"}, "not an address"),
        ({"controller_url": "http://h:99999"}, "not an address"),
        ({"controller_url": "http://[::1"}, "not an address"),
        ({"controller_url": "http://h h"}, "not an address"),
        ({"cluster": "marin", "transport": "carrier-pigeon"}, "rpc or cli"),
    ],
)
def test_a_spec_that_cannot_work_is_refused(options, says):
    with pytest.raises(BadConfig, match=says):
        spec_from_options(**options)


def test_a_password_in_an_address_is_not_shown(places):
    home, work = places
    spec = ClusterSpec("x", url="http://ada:made-up@h:1/base")
    line = open_line(spec, clock=FakeClock(), home=home, working_dir=work)
    assert line.place == "http://h:1/base"


def test_a_spec_takes_its_name_from_what_was_given():
    assert spec_from_options(cluster="marin").name == "marin"
    assert spec_from_options(config="/x/marin-dev.yaml").name == "marin-dev"
    assert spec_from_options(controller_url="http://127.0.0.1:10000").name == "127.0.0.1:10000"
    spec = spec_from_options(cluster="m", iris_command="uv run iris", token="made-up")
    assert spec.iris_command == ("uv", "run", "iris")
    assert "made-up" not in repr(spec)


def test_a_password_in_an_address_is_no_part_of_a_clusters_name():
    assert spec_from_options(controller_url="http://ada:made-up@h:10000/base").name == "h:10000"
