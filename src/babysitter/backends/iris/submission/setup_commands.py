"""The commands that set up a task before its program runs, as the clients of each generation send them.

They are a part of the launch request: a cluster runs them word for word. Public source:
lib/iris/src/iris/cluster/runtime/entrypoint.py at the revisions named in preflight/client/data/flags.yaml.
"""

import shlex
from collections.abc import Sequence

ALWAYS_INSTALLED = ("cloudpickle", "py-spy", "memray")
_LOCKED = "$([ -f uv.lock ] && echo '--frozen' || echo '')"
_NATIVE = (
    "if grep -q 'path = \"rust/' pyproject.toml 2>/dev/null; then"
    " echo 'rust-dev mode: building native extensions';"
    " for crate in rust/*/pyproject.toml; do"
    ' uv pip install {quiet} -e "$(dirname "$crate")";'
    " done;"
    " fi"
)


def setup_commands(
    *, extras: Sequence[str], pip_packages: Sequence[str], python_version: str, is_verbose: bool
) -> tuple[str, ...]:
    """The commands of April and May, one shell line each. `extras`: NAME or PACKAGE:NAME."""
    quiet = "" if is_verbose else "--quiet"
    python = f"--python {python_version}" if python_version else ""
    packages = " ".join(shlex.quote(package) for package in (*ALWAYS_INSTALLED, *pip_packages))
    return (
        "cd /app",
        "echo 'syncing deps'",
        f"uv sync {quiet} {_LOCKED} --link-mode symlink {python} {_extra_flags(extras)}".strip(),
        _NATIVE.format(quiet=quiet),
        "echo 'installing pip deps'",
        f"uv pip install {quiet} --link-mode symlink {packages}",
        "echo 'activating venv'",
        "source .venv/bin/activate",
        'echo "python=$(which python)"',
        "python -c \"import sys; print('sys.path:', sys.path)\"",
        "echo 'running user command'",
    )


def setup_scripts(
    *, extras: Sequence[str], pip_packages: Sequence[str], python_version: str
) -> tuple[str, ...]:
    """The script of August, which takes any: our own, that fills the environment at $IRIS_VENV."""
    packages = " ".join(shlex.quote(package) for package in (*ALWAYS_INSTALLED, *pip_packages))
    python = f"--python {shlex.quote(python_version)} " if python_version else ""
    lines = (
        "set -e",
        'cd "$IRIS_WORKDIR"',
        f"uv sync {_LOCKED} {python}{_extra_flags(extras)}",
        f'VIRTUAL_ENV="$IRIS_VENV" uv pip install {packages}',
    )
    return ("\n".join(lines) + "\n",)


def _extra_flags(extras: Sequence[str]) -> str:
    """Of PACKAGE:NAME only NAME is sent: every package of the workspace is synced anyway."""
    flags = [f"--extra {shlex.quote(extra.partition(':')[2] or extra)}" for extra in extras]
    return " ".join(("--all-packages --no-group dev", *flags))
