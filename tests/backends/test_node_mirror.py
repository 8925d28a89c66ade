"""Folders of other machines, read by a command: bounded, read only, quoted, and with a time limit."""

import asyncio
import os
import re
import shlex
import tempfile
from pathlib import Path

import pytest

from babysitter.backends.ray.sessions import node_mirror
from babysitter.backends.ray.sessions.mirror_folder import MirrorFolder
from babysitter.backends.ray.sessions.node_mirror import NodeMirror
from babysitter.backends.ray.sessions.node_mirrors import open_mirrors
from babysitter.backends.ray.sessions.remote_folder import parse_template, remote_command, remote_folder
from babysitter.backends.ray.sessions.session_choice import choose_session, read_paths
from babysitter.backends.ray.sessions.session_folder import HEAD_BYTES, list_session
from babysitter.backends.ray.sessions.session_pages import read_on
from babysitter.backends.ray.sessions.session_reader import SessionReader
from babysitter.errors import BadConfig, Unreachable, UserError
from babysitter.model.ids import JobId
from babysitter.model.log import LogSource
from tests.support.clock import FakeClock
from tests.support.session_folder import NOW, session_in

READ_ONLY = {
    "cd",
    "echo",
    "pwd",
    "date",
    "head",
    "base64",
    "tr",
    "find",
    "sort",
    "tail",
    "exit",
    "}",
    "[",
    "wc",
    "]",
}
RUN = JobId("kimi25_3node_train_20261120_110005")


@pytest.mark.parametrize(
    ("text", "host", "path"),
    [
        ("10.0.0.2:/tmp/ray/session_latest", "10.0.0.2", "/tmp/ray/session_latest"),
        ("ada@gpu-2.example:/tmp/a b", "ada@gpu-2.example", "/tmp/a b"),
        ("//10.0.0.2/tmp/ray", "10.0.0.2", "/tmp/ray"),
    ],
)
def test_remote_folder_as_typed_and_as_kept(text, host, path):
    found = remote_folder(text)
    assert (found.host, found.path) == (host, path)
    assert remote_folder(str(found)) == found
    assert read_paths(f"/tmp/here{os.pathsep}{found}")[0] == (Path("/tmp/here"), Path(str(found)))


@pytest.mark.parametrize(
    "text", ["/tmp/ray", "ray", "-oProxyCommand=x:/tmp", "a b:/tmp", "host:relative", "a;b:/x", "$(x):/x"]
)
def test_remote_folder_is_none_of_these(text):
    assert remote_folder(text) is None


@pytest.mark.parametrize(
    ("text", "words"), [("ssh x", "where the host stands"), ("", "host"), ("ssh '", "cannot be read")]
)
def test_template_refused(text, words):
    with pytest.raises(UserError, match=words):
        parse_template(text)


def test_remote_command_is_words_and_one_script():
    assert remote_command(parse_template("ssh -p 2 {host}"), "a.b", "cd 'x y'") == (
        "ssh",
        "-p",
        "2",
        "a.b",
        "cd 'x y'",
    )
    pod = parse_template("kubectl exec pod-{host} -- sh -c {command}")
    assert remote_command(pod, "a", "date") == ("kubectl", "exec", "pod-a", "--", "sh", "-c", "date")
    with pytest.raises(BadConfig):
        remote_command(("ssh", "{host}"), "-oProxyCommand=x", "date")


class Machine:
    """Another machine, whose files are below a folder of this one; its `ssh` writes down what it runs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.session = session_in(folder / "o'dd  dir", node="10.0.0.9")
        self.session.write("raylet.out", "x\n", age_s=10)
        self.log = folder / "asked"
        self.log.write_text("")
        self.ssh = folder / "ssh"
        self.does('exec /bin/sh -c "$2"')

    def does(self, line: str) -> None:
        self.ssh.write_text(f'#!/bin/sh\nprintf "%s\\n---\\n" "$2" >> {shlex.quote(str(self.log))}\n{line}\n')
        self.ssh.chmod(0o755)

    @property
    def remote(self):
        return remote_folder(f"node-9:{self.session.root}")

    def mirror(self, clock: FakeClock) -> NodeMirror:
        return NodeMirror(self.remote, (str(self.ssh), "{host}"), self.folder / "copies", clock)

    @property
    def asked(self) -> list[str]:
        return self.log.read_text().split("\n---\n")[:-1]


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


async def test_mirror_copies_once_and_then_what_was_added(machine):
    clock = FakeClock(NOW)
    path = machine.session.worker("SglEngine", 7, "one\n", age_s=30)
    mirror = machine.mirror(clock)
    await mirror.refresh()
    copy = mirror.folder / path.name
    assert copy.read_bytes() == path.read_bytes()
    with path.open("a") as more:
        more.write("two\n")
    clock.advance(10)
    await mirror.refresh()
    assert copy.read_bytes() == path.read_bytes()
    last = machine.asked[-1]
    assert "head -c 4 " in last
    assert "raylet.out" not in last, "only what was added is read"
    clock.advance(1)
    before = len(machine.asked)
    await mirror.refresh()
    assert len(machine.asked) == before, "several questions of one check share a look"


async def test_mirror_ignores_what_a_login_prints(machine):
    machine.does('echo Welcome; exec /bin/sh -c "$2"')
    path = machine.session.worker("SglEngine", 7, "one\n")
    mirror = machine.mirror(FakeClock(NOW))
    await mirror.refresh()
    assert (mirror.folder / path.name).read_bytes() == path.read_bytes()


async def test_mirror_is_refreshed_once_for_two_at_once(machine):
    mirror = machine.mirror(FakeClock(NOW))
    await asyncio.gather(mirror.refresh(), mirror.refresh())
    assert len(machine.asked) == 2, "one listing, one reading"


async def test_mirror_of_a_large_file_is_bounded(machine, monkeypatch):
    monkeypatch.setattr(node_mirror, "FIRST_BYTES", 20_000)
    clock = FakeClock(NOW)
    path = machine.session.worker("SglEngine", 7, "line\n" * 200_000)
    mirror = machine.mirror(clock)
    await mirror.refresh()
    copy = mirror.folder / path.name
    assert copy.stat().st_size == path.stat().st_size
    assert copy.stat().st_blocks * 512 < 100_000, "a hole is not copied"
    assert copy.read_bytes()[:HEAD_BYTES] == path.read_bytes()[:HEAD_BYTES]
    assert copy.read_bytes()[-10_000:] == path.read_bytes()[-10_000:]


async def test_mirror_of_a_replaced_file_begins_anew(machine):
    clock = FakeClock(NOW)
    path = machine.session.worker("SglEngine", 7, "one\n" * 100)
    mirror = machine.mirror(clock)
    await mirror.refresh()
    path.unlink()
    machine.session.worker("SglEngine", 7, "new\n")
    clock.advance(10)
    await mirror.refresh()
    assert (mirror.folder / path.name).read_bytes() == path.read_bytes()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("echo 'Permission denied (publickey).' >&2; exit 255", "Permission denied"),
        ("sleep 60", "no answer within"),
        ('exec /bin/sh -c "cd /; $2" nothing', ""),
    ],
)
async def test_mirror_that_cannot_be_read(machine, monkeypatch, line, words):
    monkeypatch.setattr(node_mirror, "LIMIT_S", 0.3 if "sleep" in line else 20.0)
    machine.does(line)
    if not words:
        machine.session.root.rename(machine.folder / "gone")
        words = "is not a session folder of Ray"
    mirror = machine.mirror(FakeClock(NOW))
    with pytest.raises(Unreachable, match=words):
        await mirror.refresh()


async def test_mirror_does_not_ask_at_once_after_a_failure(machine):
    clock = FakeClock(NOW)
    machine.does("echo 'Host key verification failed.' >&2; exit 255")
    mirror = machine.mirror(clock)
    for _ in range(3):
        with pytest.raises(Unreachable, match="Host key verification failed") as told:
            await mirror.refresh()
        assert "accept it" in told.value.next_step
    assert len(machine.asked) == 1, "three tries of one check cost one"
    machine.does('exec /bin/sh -c "$2"')
    path = machine.session.worker("SglEngine", 7, "one\n")
    clock.advance(node_mirror.FAILED_INTERVAL.total_seconds())
    await mirror.refresh()
    assert (mirror.folder / path.name).exists(), "it is read as soon as it answers again"


async def test_mirror_goes_on_where_the_connection_broke(machine):
    clock = FakeClock(NOW)
    path = machine.session.worker("SglEngine", 7, "one\n")
    mirror = machine.mirror(clock)
    await mirror.refresh()
    machine.does("echo 'Connection to node-9 closed by remote host.' >&2; exit 255")
    clock.advance(10)
    await mirror.refresh()
    assert "closed by remote host" in mirror.fault
    assert "Try `" in mirror.fault, "the next step"
    machine.does('exec /bin/sh -c "$2"')
    with path.open("a") as more:
        more.write("two\n")
    clock.advance(30)
    await mirror.refresh()
    assert ((mirror.folder / path.name).read_bytes(), mirror.fault) == (path.read_bytes(), "")


async def test_mirror_of_a_folder_without_rights(machine):
    machine.does("exit 4")
    with pytest.raises(Unreachable, match="has no right to read the folder") as told:
        await machine.mirror(FakeClock(NOW)).refresh()
    assert "USER@HOST:/PATH" in told.value.next_step


async def test_mirror_counts_files_without_rights(machine):
    machine.does('/bin/sh -c "$2" | sed "s/^hidden .*/hidden 3/"')
    mirror = machine.mirror(FakeClock(NOW))
    await mirror.refresh()
    assert "no right to read 3 files of node-9" in mirror.fault
    assert not mirror.has_failed, "the others are read"


async def test_odd_names_and_rows_are_never_asked_for(machine):
    for name in ("worker-$(touch x).err", "worker-a b.err", "worker-';x;'.err"):
        machine.session.write(name, "x\n")
    mirror = machine.mirror(FakeClock(NOW))
    await mirror.refresh()
    assert sorted(path.name for path in mirror.folder.iterdir()) == ["mirrored.json", "raylet.out"]
    assert "touch" not in "".join(machine.asked)
    parts = (part.split() for line in machine.asked for part in re.split(r"[;|&{]+", line))
    assert {words[0] for words in parts if words} <= READ_ONLY


async def test_reader_reads_several_machines(machine, tmp_path):
    head = session_in(tmp_path / "head", node="10.0.0.1")
    head.write("raylet.out", "x\n", age_s=10)
    log = tmp_path / f"{RUN}.log"
    log.write_text("started\n")
    os.utime(log, (NOW.timestamp() - 30,) * 2)
    machine.session.worker("SglEngine", 514, "one\n", age_s=20)
    choice = choose_session([head.root, Path(f"node-9:{machine.session.root}")], log, environ={}, uid=1)
    clock = FakeClock(NOW)
    mirrors = open_mirrors(choice.remotes, (str(machine.ssh), "{host}"), clock)
    reader = SessionReader(choice, clock, mirrors=mirrors)
    first = await reader.lines(LogSource(RUN), after=None, at_most=10, newest=True)
    assert {line.text for line in first.lines} >= {"started", "(SglEngine pid=514, ip=10.0.0.9) one"}
    job = (await reader.tree(RUN, tasks_of=(RUN,))).root
    assert [(task.id, task.worker) for task in job.tasks[1:]] == [(f"{RUN}/SglEngine-514", "10.0.0.9")]
    assert "nvidia-smi --query-gpu=" in machine.asked[-1], "of that machine, with its tasks"
    machine.does("exit 255")
    clock.advance(10)
    job = (await reader.tree(RUN, tasks_of=(RUN,))).root
    assert "cannot be read" in job.tasks[1].status_text, "the others are read all the same"
    await reader.close()
    assert not mirrors._mirrors[0].folder.exists()


async def test_hole_of_a_copy_is_not_read(machine, monkeypatch):
    monkeypatch.setattr(node_mirror, "FIRST_BYTES", 20_000)
    path = machine.session.worker("SglEngine", 7, "line\n" * 20_000)
    mirror = machine.mirror(FakeClock(NOW))
    await mirror.refresh()
    logs = list_session([mirror.folder])
    lines, ends = [], {}
    for _ in range(10):
        placed, ends, is_full = read_on(logs, ends, 100_000)
        lines += [placed_line.text for placed_line in placed if placed_line.file.name == path.name]
        if not is_full:
            break
    assert not is_full
    assert "\0" not in "".join(lines)
    assert len(lines) > 25_000 / len("line\n")


@pytest.mark.parametrize("host", ["-oProxyCommand=x", "$(id)", "a;b", "ada@[fd00::1]"])
def test_odd_host_is_refused_by_name(host):
    with pytest.raises(UserError, match="is not the name of a host") as told:
        choose_session([Path(f"{host}:/tmp/ray")], None, environ={}, uid=1)
    assert "USER@HOST:/PATH" in told.value.next_step


def test_head_node_is_read_here():
    with pytest.raises(UserError, match="of another machine"):
        choose_session([Path("node-9:/tmp/ray")], None, environ={}, uid=1)


def test_machines_need_a_template():
    with pytest.raises(BadConfig, match="Nobody said how node-9 is reached"):
        open_mirrors([remote_folder("node-9:/tmp")], (), FakeClock(NOW))


def test_folder_of_a_killed_process_is_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    killed, unclear = tmp_path / "babysit-nodes-killed", tmp_path / "babysit-nodes-unclear"
    for folder in (killed, unclear):
        folder.mkdir()
        (folder / "raylet.out").touch()
    (killed / "alive").touch()  # nobody has its lock
    (tmp_path / "babysit-nodes-link").symlink_to(tmp_path / "elsewhere")
    first = MirrorFolder()
    assert not killed.exists()
    second = MirrorFolder()
    assert first.path.exists()
    assert (first.path.parent, unclear.exists()) == (tmp_path, True)
    for folder in (first, second, second):
        folder.close()
    assert not first.path.exists()
