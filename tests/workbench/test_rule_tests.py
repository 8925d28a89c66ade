"""Playbooks on trial, and rules begun from incidents."""

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from babysitter.diagnosis.causes.rule import ScenarioFile
from babysitter.playbook.load import examine, load, scenario_files
from babysitter.shipped import shipped
from babysitter.surfaces.cli.commands import run
from babysitter.workbench.playbook_tools import trial
from babysitter.workbench.rule_scaffold import template_of
from babysitter.workbench.rule_tests import (
    RuleTestResult,
    read_test_files,
    run_scenarios,
    try_examples,
    try_specimens,
)
from tests.playbook.test_load import BROKEN, GOOD

SCENARIOS = """\
scenarios:
  - name: it breaks later
    steps:
      - logs: "all well"
        state: running
        expect: {nothing: true}
      - logs: "E thing broke"
        state: failed
        expect: {rules: [own.thing-broke], cause: code-error, severity: fatal, not_rules: [own.other]}
"""


def files_of(path: Path) -> list[ScenarioFile]:
    files, faults = read_test_files([path])
    assert faults == []
    return files


def troubles(outcomes: Iterable[RuleTestResult]) -> list[str]:
    return [f"{outcome.name}: {outcome.trouble}" for outcome in outcomes if not outcome.passed]


def shipped_tests() -> list[ScenarioFile]:
    files, faults = read_test_files(scenario_files([shipped()]))
    assert faults == []
    return files


def test_shipped_specimens() -> None:
    """Every line has a specimen, and no specimen loses its match through stance."""
    outcomes = list(try_specimens(load(), shipped_tests()))
    assert troubles(outcomes) == []
    assert len(outcomes) >= 900


def test_shipped_examples() -> None:
    outcomes = list(try_examples(load(), shipped_tests()))
    assert troubles(outcomes) == []
    assert len(outcomes) >= 900


def test_shipped_scenarios() -> None:
    outcomes = list(run_scenarios(load(), shipped_tests()))
    assert troubles(outcomes) == []
    assert len(outcomes) >= 30


@pytest.mark.parametrize(
    ("change", "trouble"),
    [
        (("E thing broke", "E thing bent"), "no specimen is found by its line 'thing broke'"),
        (("E thing broke", "thing broke, retrying"), "should match, but `stance.retried` explains it away"),
        (("'thing broke'", "'thing broke', 'thing bent'"), "no specimen is found by its line 'thing bent'"),
    ],
)
def test_wrong_specimens_are_told(change: tuple[str, str], trouble: str, tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text(GOOD.replace(*change))
    assert any(trouble in told for told in troubles(try_specimens(examine([tmp_path])[0], [])))


@pytest.mark.parametrize(
    ("examples", "trouble"),
    [
        ("match: ['thing broke'], no_match: ['thing works']", ""),
        ("match: ['thing bent']", "should match, but does not match"),
        ("no_match: ['thing broke']", "should stay silent, but matches"),
    ],
)
def test_wrong_examples_are_told(examples: str, trouble: str, tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text(GOOD)
    tests = tmp_path / "own.test.yaml"
    tests.write_text(f"examples: {{own.thing-broke: {{{examples}}}}}\n")
    told = troubles(try_examples(examine([tmp_path])[0], files_of(tests)))
    assert trouble in "; ".join(told) if trouble else not told


def test_tests_of_what_does_not_exist_are_told(tmp_path: Path) -> None:
    tests = tmp_path / "own.test.yaml"
    tests.write_text("specimens: {own.x: [a]}\nexamples: {own.y: {match: [b]}}\n")
    playbook, files = examine([])[0], files_of(tests)
    assert "no such signature" in troubles(try_specimens(playbook, files))[0]
    assert "no such rule" in troubles(try_examples(playbook, files))[0]


@pytest.mark.parametrize(
    ("change", "trouble"),
    [
        (("", ""), ""),
        (("E thing broke", "fine"), "expected own.thing-broke, found nothing"),
        (("all well", "thing broke"), "expected nothing above info"),
        (("cause: code-error", "cause: host-oom"), "expected cause host-oom"),
        (("severity: fatal", "severity: info"), "expected severity info, found fatal"),
        (("[own.other]", "[own.thing-broke]"), "did not expect own.thing-broke"),
    ],
)
def test_scenarios_compare_what_came(change: tuple[str, str], trouble: str, tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text(GOOD)
    path = tmp_path / "own.test.yaml"
    path.write_text(SCENARIOS.replace(*change) if change[0] else SCENARIOS)
    outcomes = run_scenarios(examine([tmp_path])[0], files_of(path))
    told = "; ".join(outcome.trouble for outcome in outcomes if outcome.trouble)
    assert trouble in told if trouble else not told


def test_the_manual_s_first_signature_works(tmp_path: Path) -> None:
    manual = (Path(__file__).parents[2] / "docs" / "playbooks.md").read_text()
    blocks = [part.split("```")[0] for part in manual.split("```yaml\n")[1:]]
    for name, block in zip(("features", "rules", "features.test"), blocks, strict=False):
        (tmp_path / f"{name}.yaml").write_text(block)
    assert run(["playbook", "lint", str(tmp_path)]) == 0
    assert run(["playbook", "test", str(tmp_path)]) == 0


def test_lint_prints_every_fault_and_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number, (text, _) in enumerate(BROKEN.values()):
        (tmp_path / f"{number:02}.yaml").write_text(text)
    assert run(["playbook", "lint", str(tmp_path)]) == 2
    shown = capsys.readouterr().out
    for number in range(10):
        assert f"{number:02}.yaml:" in shown
    assert run(["playbook", "lint", str(tmp_path), "--json"]) == 2
    faults = json.loads(capsys.readouterr().out)["faults"]
    assert all(fault["line"] >= 1 and fault["fault"] for fault in faults)


def test_list_is_readable_by_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["playbook", "list", "--cause", "host-oom", "--json"]) == 0
    rules = json.loads(capsys.readouterr().out)["rules"]
    assert rules
    assert {rule["cause"] for rule in rules} == {"host-oom"}


def test_a_path_that_is_not_there_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["playbook", "lint", "no/such/place"]) == 2
    assert "no/such/place does not exist" in capsys.readouterr().err


LOG = "I start token=madeup123\nE FrobError: cannot frob 17 shards at gs://b/x (y) token=madeup123\n"


def test_new_drafts_a_signature_that_passes_its_test(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log, to = tmp_path / "run.log", tmp_path / "own"
    log.write_text(LOG)
    command = ["playbook", "new", f"{log}:2", "--cause", "data-error", "--to", str(to)]
    assert run(command) == 0
    written = (to / "own.yaml").read_text()
    assert "FrobError: cannot frob # shards" in written
    assert "madeup123" not in written
    assert troubles(try_specimens(load([to]), [])) == []
    capsys.readouterr()
    assert run(["playbook", "lint", str(to)]) == 2  # the draft's own words are left
    assert capsys.readouterr().out.count("own.yaml:") == 3
    assert run(command) == 0  # further lines of the same program are shown, not written over it
    assert "Put this below its `says`:\n  " in capsys.readouterr().out
    assert (to / "own.yaml").read_text() == written


def test_trial_of_own_files_tries_only_those(tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text(
        "program: own\nsource: our manual\nsays:\n  full:\n    means: disk-full as sign\n"
        "    lines: ['the shelf is full']\n    specimens: ['E the shelf is full']\n"
    )
    report = trial([tmp_path])
    assert [outcome.name for outcome in report.outcomes] == ["own.full specimen 1"]
    assert report.failed == ()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "Name one line, or one incident"),
        (["x.log"], "does not name a line"),
        (["no-such.log:1"], "no-such.log does not exist"),
        (["{log}:2", "--to", "{log}"], "cannot be written: "),
        (["{log}:2", "--program", "../own"], "--program '../own' is not a name"),
        (["{log}:2", "--name", "odd name"], "--name 'odd name' is not a name"),
        (["{log}:9"], "has 2 lines"),
        (["{log}:1", "--from", "/ada/run"], "Name one line, or one incident"),
    ],
)
def test_new_says_what_it_needs(
    arguments: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "run.log"
    log.write_text(LOG)
    assert run(["playbook", "new", *[argument.format(log=log) for argument in arguments]]) == 2
    assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "template"),
    [
        ("E20261120 10:00:00 x.y cannot frob 17 shards", "cannot frob # shards"),
        ("bad (a+b) [x] {y} at gs://b/x", r"bad (a+b) \[x] \{y} at"),
        ("upload of part 3 failed: HTTP 503, will retry in 2 s", "upload of part # failed: HTTP #"),
    ],
)
def test_template_of_a_line(line: str, template: str) -> None:
    assert template_of(line) == template
