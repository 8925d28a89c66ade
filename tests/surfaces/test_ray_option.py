"""`--ray` and RAY_API_SERVER_ADDRESS choose a Ray cluster; other options and defaults come first."""

import pytest

from babysitter.config import Settings
from babysitter.errors import UserError
from babysitter.surfaces.cli.terminal.options import ClusterOptions, cluster_from, cluster_if_named


def chosen(**options):
    return cluster_from(Settings(), ClusterOptions(**options))


def test_ray_option_names_the_dashboard(capsys):
    spec = chosen(ray="http://head:8265")
    assert (spec.backend, spec.url, spec.name) == ("ray", "http://head:8265", "head:8265")
    assert capsys.readouterr().err == ""


def test_ray_option_says_what_it_guessed(capsys):
    assert chosen(ray="ray://head").url == "http://head:8265"
    assert "http://head:8265 is tried" in capsys.readouterr().err


def test_ray_option_excludes_other_clusters():
    with pytest.raises(UserError, match="--ray"):
        chosen(ray="http://head:8265", cluster="marin")


def test_ray_address_of_the_environment_comes_last(monkeypatch):
    monkeypatch.setenv("RAY_API_SERVER_ADDRESS", "http://head:8265")
    assert chosen().backend == "ray"
    assert chosen(cluster="marin").backend == "iris"
    monkeypatch.delenv("RAY_API_SERVER_ADDRESS")
    with pytest.raises(UserError, match="--ray URL"):
        chosen()


@pytest.mark.parametrize(
    ("address", "settings", "means"),
    [
        ("http://head:8265", Settings(), "ray"),
        ("http://head:8265", Settings(default_cluster="marin"), "iris"),
        ("", Settings(), None),
    ],
)
def test_ray_address_names_an_optional_cluster(monkeypatch, address, settings, means):
    monkeypatch.setenv("RAY_API_SERVER_ADDRESS", address)
    spec = cluster_if_named(settings, ClusterOptions())
    assert (spec.backend if spec else None) == means
