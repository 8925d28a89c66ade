"""How python reads its own options."""

import shlex

import pytest

from babysitter.preflight.program.python_command import PythonCommand, python_command


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("python x.py -m y", PythonCommand(script="x.py", arguments=("-m", "y"))),
        ("python -mpkg.a 1", PythonCommand(module="pkg.a", arguments=("1",))),
        ("python -u -m pkg", PythonCommand(module="pkg")),
        ("python -um pkg", PythonCommand(module="pkg")),
        ("python -W ignore -Xdev -B x.py", PythonCommand(script="x.py")),
        ("python --check-hash-based-pycs always x.py", PythonCommand(script="x.py")),
        ("python -- x.py", PythonCommand(script="x.py")),
        ("python -c pass x.py", PythonCommand()),
        ("python -cpass", PythonCommand()),
        ("python - x.py", PythonCommand()),
        ("python -VV", PythonCommand()),
        ("python", PythonCommand()),
        ("python -u -m", PythonCommand(lacks_word="-m")),
        ("python -uc", PythonCommand(lacks_word="-c")),
        ("python --config a.yaml x.py", PythonCommand(unknown="--config")),
        ("python -n 4 x.py", PythonCommand(unknown="-n")),
    ],
)
def test_python_command(line, expected):
    assert python_command(shlex.split(line)) == expected
