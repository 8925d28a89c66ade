"""A Python function as files that a task runs: the pickled call, and the program that makes it."""

import importlib.util
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from babysitter.errors import UserError
from babysitter.launch.job_request import CallableEntrypoint

CALL_FILE, RUNNER_FILE = "_callable.pkl", "_callable_runner.py"
# In a task the folder and the interpreter are known only there.
TASK_COMMAND = ("bash", "-c", f"exec $IRIS_PYTHON -u $IRIS_WORKDIR/{RUNNER_FILE}")
_RUNNER = f'''\
"""Makes the pickled call that lies beside this file; exits with 1 where it raises."""
import logging
import pathlib
import sys
import traceback

import cloudpickle

LEVELS = {{"DEBUG": "D", "INFO": "I", "WARNING": "W", "ERROR": "E", "CRITICAL": "C"}}


class Lines(logging.Formatter):
    def format(self, record):
        record.letter = LEVELS.get(record.levelname, "?")
        return super().format(record)


printed = logging.StreamHandler(sys.stderr)
printed.setFormatter(Lines("%(letter)s%(asctime)s %(name)s %(message)s", "%Y%m%d %H:%M:%S"))
logging.basicConfig(level=logging.INFO, handlers=[printed], force=True)
here = pathlib.Path(__file__).parent
try:
    function, args, kwargs = cloudpickle.loads((here / "{CALL_FILE}").read_bytes())
    function(*args, **kwargs)
except Exception:
    traceback.print_exc()
    sys.exit(1)
'''


def callable_files(entry: CallableEntrypoint, *, unpickler: str = "cloudpickle") -> Mapping[str, bytes]:
    """The files by name. `unpickler`: the module of the task that reads the call.

    Raises UserError for a call that cannot be pickled.
    """
    try:
        import cloudpickle
    except ImportError as fault:
        raise UserError(
            "A Python function is submitted with cloudpickle, which is not installed here.",
            next_step="Install it (pip install cloudpickle), or submit a command: Entrypoint.from_command.",
        ) from fault
    call = (entry.callable, tuple(entry.args), dict(entry.kwargs))
    with _pickled_by_value(sys.modules.get(getattr(entry.callable, "__module__", "") or "")):
        try:
            pickled = cloudpickle.dumps(call)
        except Exception as fault:
            name = getattr(entry.callable, "__qualname__", repr(entry.callable))
            raise UserError(
                f"The call of {name} cannot be sent to another process: {fault}.",
                next_step="Pass plain values, and open files and connections inside the function.",
            ) from fault
    return {
        CALL_FILE: pickled,
        RUNNER_FILE: _RUNNER.replace("import cloudpickle", f"import {unpickler}").encode(),
    }


@contextmanager
def _pickled_by_value(module: ModuleType | None) -> Iterator[None]:
    """Within this, functions of a module that no other process can import travel with their code."""
    import cloudpickle

    if module is None or module.__name__ == "__main__" or _is_importable(module):
        yield
        return
    cloudpickle.register_pickle_by_value(module)
    try:
        yield
    finally:
        cloudpickle.unregister_pickle_by_value(module)


def _is_importable(module: ModuleType) -> bool:
    """Whether another process finds the module by its name, and it is not a test."""
    path = Path(getattr(module, "__file__", "") or "")
    if "tests" in path.parts or path.name.startswith("test_"):
        return False
    try:
        return importlib.util.find_spec(module.__name__) is not None
    except (ImportError, ValueError):
        return False
