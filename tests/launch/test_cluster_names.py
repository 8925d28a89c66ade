from pathlib import Path

import pytest

from babysitter.errors import BadConfig
from babysitter.launch.cluster_names import cluster_file_of
from tests.launch.test_submit_options import CLUSTER


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "lib" / "iris" / "examples"
    folder.mkdir(parents=True)
    (folder / "marin.yaml").write_text(CLUSTER)
    (folder / "coreweave-ci.yaml").write_text(CLUSTER.replace("us-east5", "us-west4"))
    return tmp_path


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("marin", "marin"),
        ("marin_prod", "marin"),
        ("marin-prod", "marin"),
        ("coreweave_ci", "coreweave-ci"),
        ("us-east5", "marin"),
        ("us-west4-b", "coreweave-ci"),
    ],
)
def test_cluster_file_of(checkout, name, stem):
    assert cluster_file_of(name, home=checkout / "home", working_dir=checkout).stem == stem


def test_cluster_file_of_a_region_of_several(checkout):
    with pytest.raises(BadConfig, match="coreweave-ci or marin"):
        cluster_file_of("us-central2", home=checkout / "home", working_dir=checkout)


def test_cluster_file_of_an_unknown_name(checkout):
    with pytest.raises(BadConfig, match="Known here: coreweave-ci, marin"):
        cluster_file_of("mars", home=checkout / "home", working_dir=checkout)
