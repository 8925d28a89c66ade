"""Commands in processes of their own for the cost of a fork; starting Python anew costs a second.

A server per process of the test run imports the command line once and forks for each command. What runs in
place of the command is a client, which hands over its words, folder, environment and open files, passes
signals on, and ends as the command ended. To kill the client ends the command.
"""

# ruff: noqa: T201, SIM115, BLE001 - prints that it is ready; becomes the command for good; ends as Python would
import contextlib
import json
import os
import selectors
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

PROGRAMS = {  # name -> module; both have `main`
    "babysit": "babysitter.__main__",
    "simulated-iris": "babysitter.sim.iris.__main__",
    "crippled": "tests.support.iris_command",
}
OWN_PROCESS = (
    "TESTS_OWN_PROCESS"  # in the environment: start Python anew, as at a terminal with its job control
)
PASSED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_REQUEST_LIMIT = 1 << 20


def command_line(program: str, *words: str) -> tuple[str, ...]:
    """What runs this program with these words first, forked from the server of this process."""
    return (sys.executable, "-I", "-S", __file__, _server(), program, *words)


def script(program: str, *words: str) -> str:
    """A shell script that does so with its own arguments behind; without a fork where OWN_PROCESS is set."""
    own = shlex.join((sys.executable, "-m", PROGRAMS[program].removesuffix(".__main__"), *words))
    forked = shlex.join(command_line(program, *words))
    return f'#!/bin/sh\n[ -n "${OWN_PROCESS}" ] && exec {own} "$@"\nexec {forked} "$@"\n'


@cache
def _server() -> str:
    """The socket of the server, which ends with this process."""
    path = str(Path(tempfile.mkdtemp(prefix="babysit-fork-"), "socket"))
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.support.fork_server", "--serve", path],
        cwd=Path(__file__).parents[2],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert server.stdout is not None
    assert server.stdout.readline() == b"ready\n", "the fork server did not start"
    _SERVERS.append(server)
    return path


_SERVERS: list["subprocess.Popen[bytes]"] = []  # kept: closing its standard input ends it


# The client; it imports nothing of ours.


def ask(path: str, program: str, words: list[str]) -> int:
    """Have the command run; its exit code. A signal that ended it ends this process too."""
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(path)
    request = {"program": program, "words": words, "folder": os.getcwd(), "environment": dict(os.environ)}
    data = json.dumps(request).encode()
    socket.send_fds(connection, [len(data).to_bytes(4, "big")], [0, 1, 2])
    for signals in PASSED_ON:
        signal.signal(signals, lambda number, _: connection.send(bytes([number])))
    connection.sendall(data)
    answer = connection.recv(4)
    code = int.from_bytes(answer, "big", signed=True) if answer else 70
    if code < 0:
        with contextlib.suppress(OSError):  # SIGKILL has no handler to reset
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    return code


# The server.


class Server:
    """Forks for every request; ends with its standard input."""

    def __init__(self, listening: socket.socket) -> None:
        self._listening = listening
        self._selector = selectors.DefaultSelector()
        self._clients: dict[int, socket.socket] = {}  # process id of a command -> who asked for it
        self._woken, waking = os.pipe()
        os.set_blocking(waking, False)
        signal.set_wakeup_fd(waking)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for item in (listening, sys.stdin, self._woken):
            self._selector.register(item, selectors.EVENT_READ)

    def serve(self) -> None:
        while True:
            for key, _ in self._selector.select():
                if key.fileobj is sys.stdin:
                    self._end()
                    return
                if key.fileobj is self._listening:
                    self._begin(self._listening.accept()[0])
                elif key.fileobj == self._woken:
                    os.read(self._woken, 4096)
                    self._collect()
                else:
                    self._hear(key.fileobj, key.data)

    def _begin(self, client: socket.socket) -> None:
        try:
            head, files, _, _ = socket.recv_fds(client, 4, 3)
            data = b""
            while len(data) < int.from_bytes(head, "big"):
                data += client.recv(_REQUEST_LIMIT)
            request = json.loads(data)
        except (OSError, ValueError):  # killed while it asked
            client.close()
            return
        child = os.fork()
        if child == 0:
            self._selector.close()
            self._listening.close()
            client.close()
            for item in self._clients.values():
                item.close()
            run_command(request, files)
        for file in files:
            os.close(file)
        self._clients[child] = client
        self._selector.register(client, selectors.EVENT_READ, child)

    def _hear(self, client: object, child: int) -> None:
        assert isinstance(client, socket.socket)
        with contextlib.suppress(OSError):
            if heard := client.recv(1):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(child, heard[0])
                return
        self._selector.unregister(client)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)

    def _collect(self) -> None:
        with contextlib.suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                client = self._clients.pop(ended[0])
                with contextlib.suppress(KeyError, ValueError):
                    self._selector.unregister(client)
                with contextlib.suppress(OSError):
                    client.sendall(os.waitstatus_to_exitcode(ended[1]).to_bytes(4, "big", signed=True))
                client.close()

    def _end(self) -> None:
        for child in self._clients:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)


def run_command(request: dict[str, object], files: list[int]) -> None:
    """In the child: become the command, and end as it ends."""
    import atexit
    import runpy
    import threading
    import time
    from importlib import import_module

    os.setpgid(0, 0)
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    os.environ.clear()
    os.environ.update(request["environment"])  # type: ignore[call-overload]
    time.tzset()
    os.chdir(str(request["folder"]))
    sys.stdin = open(0, encoding="utf-8", closefd=False)
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False, buffering=1 if os.isatty(1) else -1)
    sys.stderr = open(2, "w", encoding="utf-8", closefd=False, buffering=1, errors="backslashreplace")
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = sys.stdin, sys.stdout, sys.stderr  # type: ignore[misc]
    code = 1
    try:
        if "TESTS_CLOCK" in os.environ:
            runpy.run_path(str(Path(__file__).parent / "child" / "sitecustomize.py"))
        words = [str(word) for word in request["words"]]  # type: ignore[attr-defined]
        module = import_module(PROGRAMS[str(request["program"])])
        sys.argv = [str(module.__file__), *words]
        main = module.crippled if request["program"] == "crippled" else module.main
        code = (main() if request["program"] == "babysit" else main(words)) or 0
    except SystemExit as done:
        code = done.code if isinstance(done.code, int) else int(done.code is not None)
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        with contextlib.suppress(BaseException):
            threading._shutdown()  # type: ignore[attr-defined]  # as Python does at its end
            atexit._run_exitfuncs()
            sys.stderr.flush()
            sys.stdout.flush()
        os._exit(code)


def _serve(path: str) -> None:
    import pkgutil
    from importlib import import_module

    import babysitter.surfaces.cli as command_line_package
    from babysitter.surfaces.cli.serving import serve
    from tests.support.before_fork import prepare
    from tests.support.quick_database import quicken

    for module in pkgutil.iter_modules(command_line_package.__path__):
        import_module(f"{command_line_package.__name__}.{module.name}")
    for name in (*PROGRAMS.values(), "babysitter.engine.service"):
        import_module(name)
    serve.THIS_PROGRAM = (sys.executable, "-I", "-S", __file__, path, "babysit")  # a service is forked too
    quicken()
    prepare()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path)
        listening.listen(64)
        print("ready", flush=True)
        Server(listening).serve()


if __name__ == "__main__":
    if sys.argv[1] == "--serve":
        _serve(sys.argv[2])
    else:
        sys.exit(ask(sys.argv[1], sys.argv[2], sys.argv[3:]))
