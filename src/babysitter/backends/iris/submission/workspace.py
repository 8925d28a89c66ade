"""What the folder of a new submission ships and declares. It blocks."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from babysitter.backends.environment_file import read_environment_file
from babysitter.backends.iris.submission.bundle import bundle_files, git_output, is_repository
from babysitter.backends.iris.submission.file_status import ShippedFiles
from babysitter.backends.iris.submission.projects import project_file, read_projects
from babysitter.errors import UserError
from babysitter.preflight.client.client_environment import variables_of_file
from babysitter.preflight.facts import FileStatus, Workspace
from babysitter.preflight.program.program_files import bare_names, named_files
from babysitter.preflight.program.program_runs import shell_script
from babysitter.preflight.program.wrapped_program import unwrapped

MAX_SCRIPT_BYTES = 512 * 1024
BASH_LIMIT_S = 5.0
_SETS = re.compile(r"""os\.environ(?:\.setdefault\(|\[)\s*["']([A-Z][A-Z0-9_]*)["']\s*(?:,|\]\s*=[^=])""")
_READS = re.compile(r"""\bos\.environ\[\s*["'](?P<name>[A-Z][A-Z0-9_]*)["']\s*\](?!\s*=[^=])""")


def read_workspace(
    folder: Path, program: Sequence[str], *, generation: str, left_out: Sequence[str]
) -> Workspace:
    """What is known of the folder. Raises UserError for one that cannot be shipped at all."""
    shipped = frozenset(
        path.relative_to(folder).as_posix()
        for path in bundle_files(folder, generation=generation, left_out=left_out)
    )
    env, fault = _env_file(folder)
    known = ShippedFiles(folder, shipped)
    files = {word: known.status(word) for word in named_files(program)}
    files |= dict.fromkeys(_started_files(program, shipped), FileStatus.SHIPPED)
    changed, unpushed = _tree(folder)
    projects = read_projects(folder, shipped)
    project, project_fault = project_file(folder, shipped)
    return Workspace(
        project=project,
        project_fault=project_fault,
        files=files,
        extras=projects.extras if projects else None,
        groups=projects.groups if projects else None,
        projects=projects.names if projects else None,
        commands=projects.commands if projects else frozenset(),
        shell_fault=_shell_fault(program),
        reads=_reads(folder, shipped, files),
        env=env,
        env_fault=fault,
        changed_files=changed,
        unpushed_commits=unpushed,
    )


def _started_files(program: Sequence[str], shipped: frozenset[str]) -> Iterator[str]:
    """Files of the bundle that are started by a bare name; a setup.py may install programs of any name."""
    installs_more = bool(shipped & {"setup.py", "setup.cfg"})
    for name in bare_names(program):
        if name in shipped and ("." in name or not installs_more):
            yield name


def _reads(folder: Path, shipped: frozenset[str], files: Mapping[str, FileStatus]) -> frozenset[str]:
    """Variables that the scripts named in the command take from os.environ without a default."""
    found: set[str] = set()
    for word, status in files.items():
        if status is not FileStatus.SHIPPED:
            continue
        for name in (os.path.normpath(word), f"{word.removeprefix('-m ').replace('.', '/')}.py"):
            if not name.endswith(".py") or name not in shipped:
                continue
            path = folder / name
            try:
                if path.stat().st_size > MAX_SCRIPT_BYTES:
                    continue
                text = path.read_text(encoding="utf-8", errors="replace")
            except OSError:
                continue
            set_here = set(_SETS.findall(text))
            found |= {use["name"] for use in _READS.finditer(text)} - set_here
    return frozenset(found)


def _env_file(folder: Path) -> tuple[Mapping[str, str], str]:
    """The variables of the project's file, and what is wrong with it."""
    try:
        file = read_environment_file(folder)
    except UserError as fault:
        return {}, fault.sentence
    faults: list[str] = []
    return variables_of_file(file, faults), " ".join(faults)


def _tree(folder: Path) -> tuple[int | None, int | None]:
    """Files that differ from the commit, and commits that no remote branch has; None outside of git."""
    if not is_repository(folder):
        return None, None
    changed = git_output(folder, "status", "--porcelain", "--untracked-files=all", ".")
    ahead = git_output(folder, "rev-list", "--count", "@{upstream}..HEAD").strip()
    return len(changed.splitlines()), int(ahead) if ahead.isdigit() else None


def _shell_fault(program: Sequence[str]) -> str:
    """Why bash cannot read the line that the program gives it, "" if it can. Nothing is run."""
    words = unwrapped(program).words
    line = shell_script(words)
    if not line or words[0].rpartition("/")[2] != "bash" or sys.platform == "darwin":  # an old bash there
        return ""
    try:
        done = subprocess.run(
            ["bash", "--norc", "--noprofile", "-n", "-c", line],
            capture_output=True,
            check=False,
            env={"PATH": os.defpath, "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            timeout=BASH_LIMIT_S,
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return ""
    told = done.stderr.decode("utf-8", errors="replace").strip()
    if not done.returncode or not told:
        return ""
    return re.sub(r"^bash: (?:-c: )?(?:line \d+: )?", "", told.splitlines()[0])
