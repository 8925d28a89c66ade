"""`make docs`: the reference pages, from the code itself. A test holds them to it."""

# ruff: noqa: E501  prose

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pydantic_core import PydanticUndefined

from babysitter.config.read_settings import ENVIRONMENT_PREFIX
from babysitter.config.settings import ClusterSettings, Settings, settings_in
from babysitter.errors import BabysitError
from babysitter.model.limits import Limits
from babysitter.preflight.checks import CHECKS
from babysitter.surfaces import memory_views, views
from babysitter.surfaces.cli.commands import COMMANDS, load
from babysitter.surfaces.cli.submitting import submit_reply
from babysitter.surfaces.cli.terminal import json_replies as replies_of_cli
from babysitter.surfaces.cli.watching import follow_replies
from babysitter.surfaces.cli.watching.start import EXIT_OF_STATE
from babysitter.surfaces.cli.watching.status import EXIT_TIME_LIMIT
from babysitter.surfaces.mcp import job_views, watch_views
from tests.support.field_meanings import MEANINGS

DOCS = Path(__file__).parents[2] / "docs"
Schema = dict[str, Any]


def json_page() -> str:
    """docs/json.md: what every `--json` prints and every tool returns, field by field."""
    rooms = (
        views.__name__,
        replies_of_cli.__name__,
        follow_replies.__name__,
        submit_reply.__name__,
        memory_views.__name__,
    )
    shared = [subclass for subclass in views.Reply.__subclasses__() if subclass.__module__ in rooms]
    replies = sorted(shared, key=lambda candidate: candidate.__name__)
    of_tools = sorted(_replies_of_tools(), key=lambda candidate: candidate.__name__)
    parts: dict[str, Schema] = {}
    lines = [
        "# What `--json` prints",
        "",
        "With `--json` a command prints one object on standard output; everything else goes to standard error. An error is a sentence on",
        "standard error and an exit code ([cli.md](cli.md#exit-codes)). The tools of `babysit mcp` return the same parts",
        "([below](#what-the-tools-of-babysit-mcp-return)).",
        "",
        "`schema_version` is 1: within it fields are only added. Times are ISO 8601 in UTC, durations are seconds. Text from jobs is redacted;",
        "it is data, never an instruction.",
        "",
    ]
    for reply in replies:
        schema = reply.model_json_schema()
        parts |= schema.get("$defs", {})
        lines += [f"## {reply.__name__}", "", _text(schema), "", *_fields(schema), ""]
    lines += ["# What the tools of `babysit mcp` return", "", "How to set them up: [mcp.md](mcp.md).", ""]
    for reply in of_tools:
        schema = reply.model_json_schema()
        parts |= schema.get("$defs", {})
        lines += [f"## {reply.__name__}", "", _text(schema), "", *_fields(schema), ""]
    lines += ["# Parts", ""]
    for name in sorted(parts):
        lines += [f"## {name}", "", _text(parts[name]), "", *_fields(parts[name]), ""]
    return "\n".join([*lines, *_PLAIN]) + "\n"


def _replies_of_tools() -> Iterator[type[views.Reply]]:
    """Every reply that is defined for the tools alone."""
    for room in (watch_views, job_views):
        for var in vars(room).values():
            is_reply = isinstance(var, type) and issubclass(var, views.Reply)
            if is_reply and var.__module__ == room.__name__ and var is not watch_views.Untrusted:
                yield var


_PLAIN = (
    "# Tables of other commands",
    "",
    "| command | object |",
    "|---|---|",
    "| `replay DIR --json` | `steps`: a list of `sample`, `t` (recorded seconds), `phase`, `blind`, `cause`, `severity`, `action`, `summary`, `evidence`; `final`: the same fields of the last step |",
    "| `eval DIR --json` | `cases`; `strict`, `lenient`, `action`: `right` and `of`; `false_alarms`, `missed_fatal`: `count` and `of`; `leaked`; `per_cause`: an object by cause; `calibration`: a list of `confidence`, `mean`, `right`, `of`; with `--advise` also `advice`: `rules` and `advised` with these figures, `opinions`, `weighings`, `without`, `worse_actions`, `dropped_quotes`, `question_tokens_per_case`, `cost_usd_per_case`, `calls` |",
    "| `playbook list --json` | `rules`: a list of `id`, `cause`, `severity`, `action`, `retry`, `confidence`, `consequence`, `place` |",
    "| `playbook lint --json` | `rules`: how many; `faults`: a list of `file`, `line`, `column`, `fault` |",
    "| `playbook test --json` | `tried`: how many examples; `failed`: a list of `name`, `trouble` |",
    "| `playbook ledger --json` | `by_signature`; `records`: a list of `rule`, `incidents`, `right`, `wrong`, `precision` (null: nobody said), `demoted` (why it counts as a hint, or empty) |",
    "| `slack check --json` | `findings`: a list of checks, each with what was found and the next step |",
)


def config_page() -> str:
    """docs/config.md: every setting with its variable, default and meaning."""
    lines = [
        "# Settings",
        "",
        "babysit works without settings. `babysit init` writes a file with all of them as comments; remove the `#` of those that you change.",
        "",
        "- The file is `$BABYSIT_CONFIG`, else `config.yaml` or `config.toml` in `$XDG_CONFIG_HOME/babysit` (`~/.config/babysit`).",
        "- An environment variable wins over the file, an option of a command over both.",
        "- A dot in a name means a section: `slack.channel` is `channel` below `slack:`.",
        "- A setting that ends in `_file` names a file that holds the secret.",
        "",
        "| setting | variable | default | unit | meaning |",
        "|---|---|---|---|---|",
        *_settings(Settings, ()),
        "",
        "[phases.md](phases.md) explains the phases and limits.",
        "",
        "## Clusters",
        "",
        "In the file only, below `clusters.<name>`. A cluster that `iris --cluster NAME` knows needs none of these settings.",
        "",
        "| setting | default | meaning |",
        "|---|---|---|",
        *(
            f"| `clusters.<name>.{setting.name}` | {_default(setting.default)} | {_cell(setting.about)} |"
            for setting in settings_in(ClusterSettings)
        ),
    ]
    return "\n".join(lines) + "\n"


def _settings(section: type, at: tuple[str, ...]) -> Iterator[str]:
    for setting in settings_in(section):
        keys = (*at, setting.name)
        if setting.section is not None:
            yield from _settings(setting.section, keys)
            continue
        variable = ENVIRONMENT_PREFIX + "_".join(keys).upper()
        name = ".".join(keys)
        yield f"| `{name}` | `{variable}` | {_default(setting.default)} | {_unit(name)} | {_cell(setting.about)} |"


def _default(value: object) -> str:
    if value is PydanticUndefined:
        return "required"
    if isinstance(value, tuple):
        value = " ".join(map(str, value))
    return "" if value in (None, "", {}) else f"`{value}`"


def _unit(name: str) -> str:
    """What a number is counted in, from the end of its name."""
    ends = {"_s": "seconds", "_bytes": "bytes", "_usd": "US dollars", "_per_day": "a day", "_port": "port"}
    return next((unit for end, unit in ends.items() if name.endswith(end)), "")


def phases_page() -> str:
    """docs/phases.md: the numbers behind each phase."""
    lines = [
        "# Phases and their numbers",
        "",
        "A watch is in one phase at a time. `babysit status` shows it.",
        "",
        "| phase | the job |",
        "|---|---|",
        "| pending | waits for machines |",
        "| smoke | has just started: does it come up? |",
        "| steady | runs, and nothing speaks against it |",
        "| suspect | shows a signal of trouble, which is examined with more data, thread dumps for example |",
        "| failing | has a confirmed incident |",
        "| acting | is being restarted or stopped after an approval |",
        "| finished | has ended |",
        "",
        "*Blind* is not a phase: while the cluster cannot be read, the phase stays and no restart is proposed.",
        "",
        "A *look* is one reading of the job. A *pipeline* is a Zephyr job with stages of shards; a *plain* job is any other. A *signal* is an",
        "open suspicion. Where several limits have the same subject, all of them must be exceeded.",
        "",
        "## The limits",
        "",
        "Every number can be set below `limits` in the settings file, or as `BABYSIT_LIMITS_<NAME>`.",
        "",
        "| name | default | unit | meaning |",
        "|---|---|---|---|",
    ]
    lines += [
        f"| `{setting.name}` | {setting.default:g} | {_unit(setting.name)} | {_cell(setting.about)} |"
        for setting in settings_in(Limits)
    ]
    return "\n".join([*lines, *_COST]) + "\n"


_COST = (
    "",
    "## What a look asks of the cluster",
    "",
    "| phase | of a plain job | of a pipeline |",
    "|---|---|---|",
    "| pending, smoke | its jobs, its log | its jobs, warnings of all its logs, the coordinator's own lines |",
    "| steady | its log; its state, in one request for all steady plain watches of the cluster; its jobs every `tree_interval_s` | its jobs, warnings of all its logs; at every other look the coordinator's own lines |",
    "| suspect | its jobs, its log, its tasks, thread dumps | the same, and the coordinator's own lines |",
    "| failing | its jobs, its log | its jobs, warnings of all its logs, the coordinator's own lines |",
    "",
    "All steady watches are looked at together, by default at every full and half minute. The whole list of jobs is read at once when",
    "a state changed, when a job or an attempt printed its first line, or when anything is suspected. So a failure is seen at the next",
    "look. A child that prints nothing and changes no state is seen within `tree_interval_s`.",
    "",
    "A controller answers four log requests at a time. Where an answer takes seconds, states must still be seen in time. So a look at a",
    "quiet plain job waits for its turn for at most an eighth of the time since its log was last read, and leaves the log out otherwise.",
    "After `busy_log_interval_s` it waits as long as it takes.",
    "",
    "20 quiet plain watches cost a real cluster 43.9 requests and 26.0 kB a minute (May 2026, over ten minutes, counted by a proxy,",
    "headers and both directions included). `python benchmarks/polling.py` counts it on the simulator, and how late checks begin with",
    "200 watches.",
)


def cli_page() -> str:
    """docs/cli.md: every command, and what its exit code means."""
    lines = ["# Commands", ""]
    panels = dict.fromkeys(entry.panel for entry in COMMANDS.values())
    for panel in panels:
        lines += [f"## {panel}", "", "| command | what it does |", "|---|---|"]
        lines += [
            f"| [`babysit {name}`](#babysit-{name}) | {_cell(entry.help)} |"
            for name, entry in COMMANDS.items()
            if entry.panel == panel
        ]
        lines.append("")
    lines += ["## Exit codes", ""]
    codes = {0: "success", 1: "the job, or the test, failed", 130: "interrupted", **_error_codes()}
    codes[EXIT_TIME_LIMIT] = "`wait`: the time limit was reached before anything happened"
    codes |= {
        code: f"with `--wait` or `--foreground`: the job ended in state {state}"
        for state, code in EXIT_OF_STATE.items()
        if code
    }
    lines += ["| code | meaning |", "|---|---|"]
    lines += [f"| {code} | {_cell(codes[code])} |" for code in sorted(codes)]
    lines.append("")
    for name, entry in COMMANDS.items():
        lines += [f"## babysit {name}", "", *_manual(load(name), f"babysit {name}"), ""]
        lines += [f"Example: `{entry.example}`", ""]
    return "\n".join(lines[:-1]) + "\n"


def _manual(command: Any, path: str) -> Iterator[str]:
    """What one command does, its options, and those of the commands below it."""
    yield inspect.cleandoc(command.help or "")
    shown = [
        param for param in command.params if param.name != "help" and not getattr(param, "hidden", False)
    ]
    if shown:
        yield from ("", "| option | meaning |", "|---|---|")
    for item in shown:
        words = item.name.upper() if item.param_type_name == "argument" else ", ".join(item.opts)
        yield f"| `{words}` | {_cell(getattr(item, 'help', None) or '')} |"
    for name, below in getattr(command, "commands", {}).items():
        yield from ("", f"### {path} {name}", "", *_manual(below, f"{path} {name}"))


def _error_codes() -> dict[int, str]:
    """What the errors with a code of their own say of themselves."""

    def all_below(kind: type[BabysitError]) -> Iterator[type[BabysitError]]:
        yield kind
        for below in kind.__subclasses__():
            yield from all_below(below)

    own = [item for item in all_below(BabysitError) if "exit_code" in vars(item) and item is not BabysitError]
    return {item.exit_code: (item.__doc__ or "").partition("\n")[0] for item in own}


def _fields(schema: Schema) -> Iterator[str]:
    """A table of a model's fields."""
    yield from ("| field | type | meaning |", "|---|---|---|")
    needed = schema.get("required", [])
    for name, field in schema.get("properties", {}).items():
        kind = _kind(field) + ("" if name in needed or "const" in field else ", optional")
        meaning = MEANINGS.get(f"{schema.get('title')}.{name}", MEANINGS.get(name, ""))
        yield f"| `{name}` | {kind} | {_cell(field.get('description') or meaning)} |"


def _kind(field: Schema) -> str:
    if "$ref" in field:
        name = field["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in field:
        return " or ".join(_kind(item) for item in field["anyOf"])
    if "enum" in field:
        return ", ".join(f"`{item}`" for item in field["enum"])
    if "const" in field:
        return f"`{field['const']}`"
    if field.get("type") == "array":
        return f"list of {_kind(field.get('items', {}))}"
    if field.get("type") == "object":
        return f"object of {_kind(field.get('additionalProperties') or {})}"
    return {"date-time": "time"}.get(field.get("format", ""), field.get("type", "anything"))


def _text(schema: Schema) -> str:
    return " ".join(schema.get("description", "").split())


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def preflight_page() -> str:
    """docs/preflight.md: what is checked before a job is submitted, and how one is submitted again."""
    grouped = [name for names in _GROUPS.values() for name in names]
    assert sorted(grouped) == sorted(CHECKS), set(grouped) ^ set(CHECKS)
    lines = list(_BEFORE_CHECKS)
    for title, names in _GROUPS.items():
        lines += ["", f"### {title}", "", "| id | what must hold |", "|---|---|"]
        lines += [f"| `{name}` | {_first_line(CHECKS[name])} |" for name in names]
    return "\n".join([*lines, *_AFTER_CHECKS]) + "\n"


def _first_line(function: Callable[..., Any]) -> str:
    return (inspect.getdoc(function) or "").split("\n\n")[0].replace("\n", " ")


_GROUPS = {
    "The command can be run": (
        *("nothing-to-submit", "command-not-runnable", "folder-missing", "folder-changed", "client-too-old"),
        *("login-missing", "cluster-not-named", "unknown-peer", "local-cluster-ends"),
    ),
    "The command line means what you meant": (
        *("unknown-flag", "bad-value", "missing-separator", "swallowed-word", "size-without-unit"),
        *("unset-variable", "no-wait"),
    ),
    "The program can start in the job": (
        *("no-program", "program-not-found", "line-for-shell", "file-not-shipped", "not-executable"),
        *("variable-not-passed", "variable-missing", "bad-env-file"),
    ),
    "The environment can be built": (
        *("no-project", "no-dev-group", "unknown-extra", "accelerator-extra", "bundle-too-large"),
        *("bundle-gone", "uncommitted-changes"),
    ),
    "The cluster has what is asked for": (
        *("extra-resources", "unknown-gpu", "unknown-tpu", "replicas-of-slice", "not-offered"),
        *("bad-reserve", "reserve-is-no-accelerator", "priority-not-allowed", "default-memory", "no-retries"),
    ),
    "Names and places": ("name-taken", "other-user", "output-prefix", "output-prefix-missing", "data-region"),
}
_BEFORE_CHECKS = """# Check a job before it is submitted

A job can fail before its first line: a wrong flag, a script that was not uploaded, a variable that it does not get. On a busy cluster you learn
that an hour later. `babysit preflight` finds such faults in seconds. It only reads: it submits nothing and stops nothing.

## Check a command

Write `babysit preflight --` in front of the command that you are about to run, in the same folder:

```console
$ babysit preflight -- iris --cluster marin job run --no-wait --memory 16GB -- python dedupe.py
BLOCK  extra-resources: --memory 16GB (from 4GB on) is refused without --enable-extra-resources.
       Add --enable-extra-resources.
       iris --cluster marin job run --enable-extra-resources --no-wait --memory 16GB -- python dedupe.py
BLOCK  file-not-shipped: The file dedupe.py is not in this folder.
       Correct the path, or submit from the right folder.
warn   not-checked: Not checked (login-missing): No controller was asked.
       Give --controller-url URL to ask it.
Blocked: correct what is marked BLOCK.
```

Each finding has three parts: the id of the check and what is wrong, what to do about it, and the corrected command where there is one.

| word | meaning |
|---|---|
| `BLOCK` | The cluster would refuse the command, or the job would fail. Correct it first. |
| `warn` | It may work, or could not be checked. Read it. |
| `info` | It works; you may want something else. |

The exit code is 0 if the job may be submitted, perhaps with warnings; 1 if something blocks it; 2 if the arguments of preflight itself are wrong. So
`babysit preflight -- iris ... && iris ...` submits only what passes. `--json` prints
`{"verdict": "ok"|"blocked", "generation": ..., "findings": [{"id", "severity", "reason", "fix", "command"}]}`.

## Tell it more

Without an option it knows the folder and your environment. What it cannot know is a finding `not-checked`, which names the option that helps.

| option | what can then be checked |
|---|---|
| `--config lib/iris/config/marin.yaml` | whether the cluster has the machines, accelerators and regions that are asked for |
| `--controller-url http://HOST:PORT` | your login, and what else only the controller knows |
| `--line 'iris job run -e TOKEN $TOKEN -- python x.py'` | variables that are not set (the shell has replaced them behind `--`) |
| `--generation may` | the rules of that generation of the cluster's programs, where no controller is asked |

A job for `babysit submit` is checked in the same way, with the options of submit: `babysit preflight --cluster marin --memory 8GB -- python x.py`.

## When the checks run by themselves

- In `babysit submit`, before the job is submitted.
- Before babysit proposes a restart. A restart that would fail is not proposed.
- After you approve a restart, before the old job is stopped. If a check fails then, the restart is called off, and nothing was stopped.

A check that cannot be made at the moment delays the restart. One that can never be made is a warning.

## How babysit submits a job again

A restart needs the submission of the job that failed. babysit takes the first of these that is possible:

1. **Your command.** The one given with `--resubmit`, run in the folder of `--workdir` (default: where `babysit start` was called). If you gave a
   command, no other way is tried.
2. **What the cluster stored.** The request of the old job with the bundle that it uploaded, over HTTP. Your folder may have changed since; this
   does not matter.
3. **The stored command line**, run in the folder of `--workdir`.

The cluster blanks the values of secret variables. babysit takes them from the environment of its service, but only the names in `--env-from` (or
`env_from` of the settings). If another value is blank, ways 2 and 3 are not possible, and the card names the variable.

## What you approve

The card of a restart shows

- the job that is stopped, and the command with its folder, commit and number of changed files (over HTTP: program, bundle, resources);
- each change, with its reason, and what differs from the stored submission;
- why an earlier approval was called off, if one was.

A command that is too long for the card is cut. Then `Show the whole command` comes before the approval ([slack.md](slack.md)). `babysit approve`
prints all of it before it asks.

## All checks

Iris packs your folder into a *bundle* and uploads it. The task unpacks it, builds the environment with `uv sync`, and starts the program.
What is not in the bundle, not in the project file, or not passed with `-e` does not exist in the job. Most checks follow from that.""".splitlines()
_AFTER_CHECKS = """
## When the submission fails after the stop

Then the old job has ended and the new one does not exist. You get one urgent message with the exact command to paste. babysit goes on
trying, at growing pauses from 10 s to 5 min, until the approval expires. Each try first looks for the computed name. If you have submitted
the job under that name yourself, babysit watches it and does not submit it twice.""".splitlines()

PAGES: dict[str, Callable[[], str]] = {
    "json.md": json_page,
    "config.md": config_page,
    "phases.md": phases_page,
    "cli.md": cli_page,
    "preflight.md": preflight_page,
}

if __name__ == "__main__":
    for file_name, page in PAGES.items():
        (DOCS / file_name).write_text(page(), encoding="utf-8")
