"""The build date of the installed client: controllers since May refuse launches that are accounted to none.

It is asked of the client itself, in its own Python: `iris.version` knows it for wheels (stamped when built)
and for editable installs (the last commit of the source). Today's date would be a lie, and is never used.
"""

import os
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from babysitter.backends.run_process import run
from babysitter.errors import BabysitError

LIMIT_S = 30.0
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
# The working folder is taken off the path: a folder named `iris` there is not the client.
_ASK = (
    "import sys; sys.path[:] = [path for path in sys.path if path]; "
    "from iris.version import client_revision_date as date; print(date())"
)


async def installed_client_date(iris: Sequence[str], *, workdir: str = "") -> str:
    """YYYY-MM-DD of the client behind this command; "" where there is none, or where it does not know.

    `workdir`: the folder in which the command is run; `uv run` finds its project there.
    """
    python = python_of(iris)
    if not python:
        return ""
    try:
        done = await run((*python, "-c", _ASK), limit_s=LIMIT_S, cwd=workdir)
    except BabysitError:
        return ""
    found = _DATE.fullmatch(done.stdout.strip())
    return found[0] if done.exit_code == 0 and found else ""


def python_of(iris: Sequence[str]) -> tuple[str, ...]:
    """How to call the Python in which this `iris` command runs; () where it cannot be told.

    `uv run iris` -> `uv run python`; a script -> the interpreter beside it, as every virtual environment has.
    """
    if not iris:
        return ()
    if Path(iris[-1]).name == "iris" and len(iris) > 1:
        return (*iris[:-1], "python")
    if Path(iris[0]).name.startswith("python"):
        return (iris[0],)
    script = shutil.which(iris[0])
    if script is None:
        return ()
    for folder in (Path(script).parent, Path(script).resolve().parent):
        for name in ("python", "python3"):
            if os.access(folder / name, os.X_OK) and (folder / name).is_file():
                return (str(folder / name),)
    return ()
