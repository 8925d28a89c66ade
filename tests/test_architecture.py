"""Who may import whom. The table below is the architecture; a new package gets a row."""

import re
from collections import Counter, defaultdict
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src" / "babysitter"
# each may import those before it
DIAGNOSIS = ("frame", "signatures", "stance", "timeline", "last_good", "learned", "causes", "judge")
VALUES = {"model", "errors", "shipped", "lazy_regex"}
# single files that need nothing else
TOP_LEVEL = {
    "clock",
    "private_files",
    "process_lock",
    "waits",
    "retry_after",
}
DIAGNOSIS_PACKAGES = {f"diagnosis/{name}" for name in DIAGNOSIS} | {"diagnosis"}
BELOW_ENGINE = VALUES | TOP_LEVEL | DIAGNOSIS_PACKAGES
BELOW_ENGINE |= {
    "redact",
    "config",
    "policy",
    "preflight",
    "messages",
    "playbook",
    "backends",
    "store",
    "notify",
}
BELOW_ENGINE |= {"advisor", "launch"}

MAY_IMPORT: dict[str, set[str]] = {
    "model": {"shipped"},
    "shipped": set(),  # where the installed playbooks are
    "errors": set(),
    "lazy_regex": set(),  # regular expressions that are compiled when first used
    "clock": set(),
    "private_files": set(),
    "process_lock": set(),
    "waits": set(),
    "retry_after": set(),
    "redact": {"lazy_regex"},
    "config": VALUES | {"private_files"},
    **{
        f"diagnosis/{name}": VALUES | {f"diagnosis/{earlier}" for earlier in DIAGNOSIS[:place]}
        for place, name in enumerate(DIAGNOSIS)
    },
    "diagnosis": VALUES | DIAGNOSIS_PACKAGES,
    "preflight": VALUES,
    "policy": VALUES | {"preflight"},  # a proposed command must be one that the client accepts
    "messages": VALUES | {"redact"},
    "playbook": VALUES | DIAGNOSIS_PACKAGES | {"redact"},
    # a writer checks a submission before it makes it
    "backends": VALUES
    | {"clock", "private_files", "process_lock", "redact", "retry_after", "waits", "preflight"},
    "store": VALUES | {"clock", "private_files", "redact", "waits"},
    "notify": VALUES | {"clock", "messages", "redact", "retry_after"},
    "advisor": VALUES | {"clock", "redact"},
    "launch": VALUES | {"clock", "redact", "preflight", "backends"},
    "engine": BELOW_ENGINE,
    "usecases": BELOW_ENGINE | {"engine"},
    "workbench": BELOW_ENGINE | {"engine", "usecases"},
    "slack": VALUES
    | {"clock", "redact", "retry_after", "config", "messages", "notify", "usecases", "engine"},
    "wiring": BELOW_ENGINE | {"engine", "usecases", "workbench", "slack"},
    "surfaces": VALUES
    | {"clock", "private_files", "waits", "redact", "config", "messages", "notify"}
    | {"engine", "usecases", "workbench", "slack", "wiring"},
    "sim": set(),
}

# Files that need one thing more than their package, each with its reason.
EXCEPTIONS: dict[str, set[str]] = {
    "usecases/doctor.py": {"slack", "wiring"},  # tries every part for real, Slack's token and the store too
    "backends/detached_process.py": {"private_files"},  # keeps what a command prints, for its owner only
    "backends/ray/sessions/driver_runs.py": {"private_files"},  # the same
    "launch/ladder_files/ladder_file.py": {
        "playbook"
    },  # the reader of YAML that knows the line of every value
    "messages/whole_command.py": {"slack"},  # whether a command fits is a question of Slack's card
    "surfaces/cli/diagnosing/classify.py": {"playbook"},  # --playbooks names folders of rules
    "surfaces/cli/diagnosing/eval.py": {"playbook"},  # the same
    "surfaces/cli/serving/demo.py": {"sim"},  # the demo brings its own cluster
    "surfaces/cli/serving/sim.py": {"sim"},
}

PURE = ("model", "diagnosis", "policy", "preflight", "messages")
OUTSIDE_WORLD = {
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

BACKEND_WORDS = re.compile(r"(?<![a-z])(iris|ray)(?![a-z])", re.IGNORECASE)
FREE_OF_BACKENDS = ("model", "diagnosis", "policy", "preflight", "messages", "engine", "usecases")
# Files that still name a backend. The list may only shrink.
NAMES_A_BACKEND: dict[str, str] = {
    "diagnosis/frame/header_formats.py": "header formats are data",
    "diagnosis/pipeline.py": "the backend of a watch that names none",
    "diagnosis/stance/printed_text.py": "program names are data",
    "diagnosis/timeline/placement.py": "names of programs, and where their facts were read",
    "diagnosis/timeline/processes/process_activity.py": "names of programs, and where their facts were read",
    "diagnosis/timeline/processes/traceback.py": "names of programs, and where their facts were read",
    "engine/restarting/approval_preconditions.py": "reads the state of the job's folder through the backend",
    "engine/cluster_pool.py": "the setting of the command's name",
    "engine/restarting/find_resubmission.py": "reads the state of the job's folder through the backend",
    "messages/proposal_text.py": "names the client whose constant is shown",
    "model/launch_request.py": "the fields of a stored request, in the words of its controller",
    "model/submission.py": "an example of a command",
    "policy/command_differences.py": "options of the command that the client reads",
    "policy/resource_change.py": "options of the command that the client reads",
    "preflight/client/bundle_limit.py": "options and limits of the client that submits",
    "preflight/client/client_age.py": "options and limits of the client that submits",
    "preflight/command_line.py": "options and limits of the client that submits",
    "preflight/client/environment.py": "options and limits of the client that submits",
    "preflight/client/flags.py": "options and limits of the client that submits",
    "preflight/resources/gpu_name.py": "options and limits of the client that submits",
    "preflight/client/job_owner.py": "options and limits of the client that submits",
    "preflight/client/login.py": "options and limits of the client that submits",
    "preflight/program/program_words.py": "options and limits of the client that submits",
    "preflight/resources/sizes.py": "options and limits of the client that submits",
    "usecases/submitting/check_command.py": "the next step names a command",
    "usecases/doctor.py": "runs the checks of a connection",
    "usecases/incidents/explain.py": "the backend whose rules are listed",
    "usecases/submitting/resubmit_command.py": "reads the job's folder, and shows an example of a command",
}

# Parallel files of backends; every other file name stands once.
REPEATED_FILE_NAMES = {"__init__", "reader", "writer", "submit_syntax"}


def files() -> list[Path]:
    return sorted(path for path in SOURCE.rglob("*.py") if path.parent != SOURCE or path.stem in MAY_IMPORT)


def name_of(path: Path) -> str:
    """The place of a file as messages and lists name it: `engine/check.py`."""
    return path.relative_to(SOURCE).as_posix()


def module_of(path: Path) -> str:
    return "babysitter." + name_of(path).removesuffix(".py").removesuffix("/__init__").replace("/", ".")


# By lines: every worker of a run collects this file, and syntax trees of all sources take it seconds.
IMPORT = re.compile(r"^[ \t]*(?:from (\S+) import (\([^)]*\)|[^\n#]+)|import ([^\n#]+))", re.MULTILINE)
CLASS = re.compile(r"^class (\w+)", re.MULTILINE)


def imports_in(text: str) -> frozenset[str]:
    """Every absolute name that this source imports, at any depth, with its module."""
    names: set[str] = set()
    for module, imported, whole in IMPORT.findall(text):
        listed = [part.split()[0] for part in (imported or whole).strip("() \n").split(",") if part.strip()]
        names.update(f"{module}.{item}" if module else item for item in listed)
    return frozenset(names)


TEXTS = {path: path.read_text(encoding="utf-8") for path in files()}
IMPORTS = {path: imports_in(text) for path, text in TEXTS.items()}
MODULES = {module_of(path): path for path in files()}


def package_of(path: Path) -> str:
    parts = name_of(path).removesuffix(".py").split("/")
    if parts[0] == "diagnosis" and len(parts) > 2:
        return "/".join(parts[:2])
    return parts[0]


def imported_files(path: Path) -> set[Path]:
    """Our files that this file imports."""
    found = set()
    for name in IMPORTS[path]:
        target = MODULES.get(name) or MODULES.get(name.rpartition(".")[0])
        if target is not None and target != path:
            found.add(target)
    return found


def public_classes(path: Path) -> list[str]:
    return [name for name in CLASS.findall(TEXTS[path]) if not name.startswith("_")]


def test_imports_follow_the_table():
    forbidden = {}
    for path in files():
        package = package_of(path)
        allowed = MAY_IMPORT[package] | {package} | EXCEPTIONS.get(name_of(path), set())
        if beyond := {package_of(target) for target in imported_files(path)} - allowed:
            forbidden[name_of(path)] = sorted(beyond)
    assert forbidden == {}


def test_exceptions_are_still_needed():
    idle = {
        name: sorted(extra - used)
        for name, extra in EXCEPTIONS.items()
        if extra - (used := {package_of(target) for target in imported_files(SOURCE / name)})
    }
    assert not idle


def test_the_pure_core_does_no_io():
    pure = [path for path in files() if package_of(path).split("/")[0] in PURE]
    reaching_out = {
        name_of(path): sorted(beyond)
        for path in pure
        if (beyond := {name.split(".")[0] for name in IMPORTS[path]} & OUTSIDE_WORLD)
        and path.stem != "scanner_hyperscan"  # stores its compiled database
    }
    assert reaching_out == {}


def test_no_surface_imports_another():
    crossing = [
        (name_of(path), name_of(target))
        for path in files()
        if package_of(path) == "surfaces" and len(name_of(path).split("/")) > 2
        for target in imported_files(path)
        if package_of(target) == "surfaces"
        and len(name_of(target).split("/")) > 2
        and name_of(target).split("/")[1] != name_of(path).split("/")[1]
        and (name_of(path), name_of(target)) not in STARTS_ANOTHER_SURFACE
    ]
    assert not crossing


# Commands that start another surface, and read nothing else of it.
STARTS_ANOTHER_SURFACE = {
    ("surfaces/cli/serving/mcp.py", "surfaces/mcp/tool_context.py"),
    ("surfaces/cli/serving/mcp.py", "surfaces/mcp/tool_server.py"),
    ("surfaces/cli/serving/mcp.py", "surfaces/mcp/transports.py"),
    ("surfaces/cli/serving/serve.py", "surfaces/web/web_server.py"),
    ("surfaces/cli/watching/start.py", "surfaces/web/web_server.py"),
}


ONLY_PEOPLE = {"usecases/incidents/teach_incident.py", "usecases/answering/approvals.py"}


def test_no_tool_of_mcp_approves_or_teaches():
    tools = [path for path in files() if name_of(path).startswith("surfaces/mcp/")]
    used = {name_of(target) for path in tools for target in imported_files(path)}
    assert not used & ONLY_PEOPLE


def test_no_cycle_between_files():
    assert not cycles({path: imported_files(path) for path in files()})


def cycles(graph: dict[Path, set[Path]]) -> list[list[str]]:
    """Groups of files that import each other, at any depth."""
    left = {path: set(targets) & graph.keys() for path, targets in graph.items()}
    while True:  # remove what imports nothing that is left, and what is imported by nothing that is left
        imported = Counter(target for targets in left.values() for target in targets)
        removable = {path for path, targets in left.items() if not targets or not imported[path]}
        if not removable:
            return [sorted(name_of(path) for path in left)] if left else []
        left = {path: targets - removable for path, targets in left.items() if path not in removable}


def test_public_class_names_stand_once():
    places = defaultdict(list)
    for path in files():
        if package_of(path) != "sim":
            for name in public_classes(path):
                places[name].append(name_of(path))
    assert not {name: found for name, found in places.items() if len(found) > 1}


def test_file_names_stand_once():
    places = defaultdict(list)
    for path in files():
        if path.stem not in REPEATED_FILE_NAMES and package_of(path) != "sim":
            places[path.stem].append(name_of(path))
    assert not {name: found for name, found in places.items() if len(found) > 1}


def test_the_core_does_not_name_a_backend():
    naming = {
        name_of(path)
        for path in files()
        if package_of(path).split("/")[0] in FREE_OF_BACKENDS and BACKEND_WORDS.search(TEXTS[path])
    }
    assert naming <= NAMES_A_BACKEND.keys(), "name the backend in backends/, or pass its words in"
    assert NAMES_A_BACKEND.keys() <= naming, "these may leave the list"


def test_files_are_short():
    long = {name_of(path): count for path in files() if (count := len(TEXTS[path].splitlines())) > 400}
    assert not long


def test_loop_variables_name_their_item():
    pattern = re.compile(r"\bfor [\w, (]*\beach(, \w+)*\)? in\b|\blambda [\w, ]*\beach\b")
    assert not [name_of(path) for path in files() if pattern.search(TEXTS[path])]
