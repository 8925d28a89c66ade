"""Who may import whom. The table below is the architecture; a new room gets a row."""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "babysitter"
EVERYBODY = {"model", "errors", "shipped"}

MAY_IMPORT: dict[str, set[str]] = {
    "model": {"shipped"},
    "shipped": set(),
    "errors": set(),
    "clock": set(),
    "redact": set(),
    "private_files": set(),
    "waits": set(),
    "retry_after": set(),
    "config": EVERYBODY | {"private_files"},
    "read": EVERYBODY,
    "classify": EVERYBODY | {"read"},
    "assess": EVERYBODY | {"read"},
    "diagnosis": EVERYBODY,
    "decide": EVERYBODY | {"preflight"},  # a proposed command must be one that the client accepts
    "preflight": EVERYBODY,
    "backends": EVERYBODY | {"clock", "private_files", "redact", "retry_after", "waits", "preflight"},
    "store": EVERYBODY | {"clock", "private_files", "redact", "waits"},
    "notify": EVERYBODY | {"clock", "redact", "retry_after"},
    "service": EVERYBODY
    | {
        "clock",
        "private_files",
        "redact",
        "waits",
        "config",
        "read",
        "classify",
        "assess",
        "decide",
        "preflight",
    }
    | {"backends", "store", "notify"},
    "surfaces": EVERYBODY | {"service", "config", "clock", "private_files", "redact", "waits"},
    "sim": set(),
    "slacksim": set(),
}

# Doors that need one thing more than their room, each with its reason.
EXCEPTIONS: dict[str, set[str]] = {
    "surfaces/cli/playbook.py": {"classify"},  # linting rules is the command
    "surfaces/cli/classify.py": {"classify"},
    "surfaces/cli/serve.py": {"notify"},  # this terminal is told too
    "surfaces/cli/slack.py": {"notify"},  # checks the notifier's own connection
    "slack/click_handler.py": {"notify"},  # Slack is one place: what speaks there and what listens
    "slack/setup_check.py": {"notify"},
    "slack/run_interactivity.py": {"notify"},
    "slack/socket_mode.py": {"notify"},
    "slack/interactivity.py": {"notify"},
    "workbench/rule_scaffold.py": {"redact"},  # a rule begun from an incident leaves the machine
    "surfaces/cli/demo.py": {"sim", "slacksim"},  # the demo brings its own cluster
    "surfaces/cli/sim.py": {"sim"},
}

PURE = ("model", "diagnosis", "read", "classify", "assess", "decide", "preflight")
OF_THE_WORLD = {
    "asyncio",
    "socket",
    "subprocess",
    "aiohttp",
    "sqlalchemy",
    "time",
    "random",
    "threading",
    "requests",
}


def files() -> list[Path]:
    return sorted(path for path in SOURCE.rglob("*.py") if path.parent != SOURCE or path.stem in MAY_IMPORT)


def read_imports(path: Path) -> frozenset[str]:
    """Every absolute module name that this file imports, at any depth."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            if node.module == "babysitter":
                names.update(f"babysitter.{alias.name}" for alias in node.names if alias.name in MAY_IMPORT)
    return frozenset(names)


# Read before any test runs: Python 3.11 counts the depth of a parse wrongly when other threads are about.
IMPORTS = {path: read_imports(path) for path in files()}


def room_of(path: Path) -> str:
    relative = path.relative_to(SOURCE)
    return relative.parts[0].removesuffix(".py")


@pytest.mark.parametrize("path", files(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_follow_the_table(path):
    room = room_of(path)
    allowed = MAY_IMPORT[room] | {room} | EXCEPTIONS.get(path.relative_to(SOURCE).as_posix(), set())
    shared_words = {"babysitter.messages.compose"}  # every surface renders the same words
    ours = {name for name in IMPORTS[path] if name.startswith("babysitter.")} - shared_words
    used = {name.split(".")[1] for name in ours}
    assert used <= allowed, f"{room} must not import {sorted(used - allowed)}"


@pytest.mark.parametrize(
    "path", [each for each in files() if room_of(each) in PURE], ids=lambda path: path.stem
)
def test_the_inner_rooms_touch_no_world(path):
    if path.relative_to(SOURCE).as_posix().startswith("classify/") and path.stem in {
        "load",
        "engine_hyperscan",
    }:
        return  # reading playbook files and the engine's database is their business
    used = {name.split(".")[0] for name in IMPORTS[path]}
    assert not used & OF_THE_WORLD


def test_no_file_is_more_than_a_head_holds():
    long = {
        str(path.relative_to(SOURCE)): count
        for path in files()
        if (count := len(path.read_text().splitlines())) > 400
    }
    assert not long
