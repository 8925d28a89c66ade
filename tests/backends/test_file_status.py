"""Whether a file or module reaches the job, by the names of what is shipped."""

import pytest

from babysitter.backends.iris.submission.file_status import ShippedFiles
from babysitter.preflight.facts import FileStatus

SHIPPED, IGNORED, OUTSIDE = FileStatus.SHIPPED, FileStatus.IGNORED, FileStatus.OUTSIDE
MISSING, NOT_RUNNABLE = FileStatus.MISSING, FileStatus.NOT_RUNNABLE
NAMES = frozenset(
    (
        *("pyproject.toml", "x.py", "pkg/__init__.py", "pkg/train.py", "app/__init__.py", "app/__main__.py"),
        *("ns/deep/mod.py", "src/lib/__init__.py", "src/lib/run.py", "wandb/run-1/files/code.py"),
        *("member/pyproject.toml", "member/src/core/__init__.py", "member/src/core/main.py"),
    )
)


@pytest.mark.parametrize(
    ("word", "status"),
    [
        ("x.py", SHIPPED),
        ("./pkg/../x.py", SHIPPED),
        ("/app/x.py", SHIPPED),
        ("/usr/share/x.py", SHIPPED),  # of the image
        ("app", SHIPPED),  # python runs its __main__
        ("pkg", MISSING),
        ("y.py", MISSING),
        ("secret.py", IGNORED),
        ("../x.py", OUTSIDE),
        ("pkg/", SHIPPED),
        ("./", SHIPPED),
        ("nowhere/", MISSING),
        ("-m pkg.train", SHIPPED),
        ("-m app", SHIPPED),
        ("-m ns.deep.mod", SHIPPED),
        ("-m lib.run", SHIPPED),
        ("-m core.main", SHIPPED),
        ("-m http.server", SHIPPED),  # installed
        ("-m wandb.cli", SHIPPED),  # a folder of that name is not the package
        ("-m secret", IGNORED),
        ("-m pkg", NOT_RUNNABLE),
        ("-m pkg.trian", MISSING),
        ("-m pkg/train.py", MISSING),
        ("-m x.py", MISSING),
        ("-m ns.deep.mdo", MISSING),
        ("-m .pkg.train", MISSING),
        ("-m pkg..train", MISSING),
        ("-m Pkg.train", MISSING),
        ("-m lib.rnu", MISSING),
        ("-m core.mian", MISSING),
    ],
)
def test_status_of_a_word(word, status, tmp_path):
    (tmp_path / "secret.py").touch()
    assert ShippedFiles(tmp_path, NAMES).status(word) is status
