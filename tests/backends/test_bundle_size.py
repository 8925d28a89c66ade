"""The size of a bundle, against the archive that the real client would make."""

import io
import random
import zipfile

import pytest

from babysitter.backends.iris.submission.bundle_size import PACK_LIMIT_S, bundle_size
from babysitter.preflight.client.bundle_rules import is_left_out
from babysitter.preflight.facts import Known, NotKnown

LIMIT = 300_000


def archive_size(folder, files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in files:
            archive.write(path, path.relative_to(folder))
    return len(buffer.getvalue())


@pytest.fixture
def folder(tmp_path):
    chance = random.Random(7)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "words.txt").write_text("the same words again " * 20_000)
    (tmp_path / "data" / "noise.bin").write_bytes(chance.randbytes(100_000))
    (tmp_path / "empty").write_bytes(b"")
    return tmp_path


def files_of(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_packed_size_is_that_of_the_archive(folder):
    files = files_of(folder)
    size = bundle_size(folder, files, limit_bytes=LIMIT)
    assert size.value.packed_bytes == archive_size(folder, files)
    assert size.value.is_exact
    assert size.value.largest[0] == "data/words.txt (0.4 MB)"


def test_small_folder_is_not_packed(folder):
    files = files_of(folder)
    size = bundle_size(folder, files, limit_bytes=10**7).value
    assert not size.is_exact
    assert archive_size(folder, files) <= size.packed_bytes <= 10**7


def test_packing_stops_over_the_limit(folder):
    size = bundle_size(folder, files_of(folder), limit_bytes=50_000).value
    assert size.packed_bytes > 50_000
    assert not size.is_exact


def test_packing_is_bounded_in_time(folder):
    moments = iter([0.0, PACK_LIMIT_S + 1])
    size = bundle_size(folder, files_of(folder), limit_bytes=LIMIT, monotonic=lambda: next(moments))
    assert isinstance(size, NotKnown)
    assert size.may_pass


def test_file_that_vanishes_is_not_known(folder):
    files = files_of(folder)
    (folder / "empty").unlink()
    assert isinstance(bundle_size(folder, files, limit_bytes=LIMIT), NotKnown)
    assert isinstance(bundle_size(folder, files_of(folder), limit_bytes=LIMIT), Known)


@pytest.mark.parametrize(
    "path",
    [
        "clip.mov",
        "a/b.pyc",
        "a/__pycache__/b.txt",
        "venv/bin/python",
        "a/node_modules/x.js",
        "docs/images/a.png",
        "sub/docs/images/a.png",
        "marin.egg-info/PKG-INFO",
        "tests/snapshots/a.json",
    ],
)
def test_left_out_of_the_bundle(path):
    assert is_left_out(path, "may")


@pytest.mark.parametrize("path", ["a.py", "venv.py", "myvenv/a", "docs/a.png", "images/a.png", "a.movie"])
def test_kept_in_the_bundle(path):
    assert not is_left_out(path, "may")


def test_credentials_of_a_ci_are_left_out_since_august():
    found = {name: is_left_out("a/gha-creds-1f.json", name) for name in ("april", "may", "august")}
    assert found == {"april": False, "may": False, "august": True}
