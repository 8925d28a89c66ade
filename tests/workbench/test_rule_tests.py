"""Playbooks on trial, and rules begun from incidents."""

import json
from pathlib import Path

import pytest

from babysitter.playbook.load import examine, load
from babysitter.surfaces.cli.commands import run
from babysitter.workbench.rule_scaffold import pattern_of
from babysitter.workbench.rule_tests import run_rule_examples, run_scenarios
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


def test_every_shipped_example_holds() -> None:
    outcomes = list(run_rule_examples(load()))
    assert [f"{outcome.name}: {outcome.trouble}" for outcome in outcomes if not outcome.passed] == []
    assert len(outcomes) >= 300


def test_every_shipped_scenario_holds() -> None:
    from babysitter.shipped import shipped

    outcomes, faults = run_scenarios(sorted(shipped().glob("*.test.yaml")), load())
    assert [outcome for outcome in outcomes if not outcome.passed] == []
    assert faults == []


@pytest.mark.parametrize(
    ("change", "trouble"),
    [
        (("E thing broke", "E thing bent"), "should match, but does not match"),
        (("thing works", "thing broke too"), "should stay silent, but matches"),
    ],
)
def test_wrong_examples_are_told(change: tuple[str, str], trouble: str, tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    path.write_text(GOOD.replace(*change))
    playbook, _ = examine([path])
    assert [trouble in outcome.trouble for outcome in run_rule_examples(playbook) if not outcome.passed] == [
        True
    ]


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
    outcomes, _ = run_scenarios([path], examine([tmp_path])[0])
    told = "; ".join(outcome.trouble for outcome in outcomes if outcome.trouble)
    assert trouble in told if trouble else not told


def test_the_manual_s_first_rule_works(tmp_path: Path) -> None:
    manual = (Path(__file__).parents[2] / "docs" / "playbooks.md").read_text()
    blocks = [part.split("```")[0] for part in manual.split("```yaml\n")[1:]]
    (tmp_path / "features.yaml").write_text(blocks[0])
    (tmp_path / "features.test.yaml").write_text(blocks[1])
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


def test_list_and_coverage_are_readable_by_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["playbook", "list", "--cause", "host-oom", "--json"]) == 0
    rules = json.loads(capsys.readouterr().out)["rules"]
    assert rules
    assert {rule["cause"] for rule in rules} == {"host-oom"}
    assert run(["playbook", "test", "--coverage", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["coverage"]) >= 150


def test_a_path_that_is_not_there_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["playbook", "lint", "no/such/place"]) == 2
    assert "no/such/place does not exist" in capsys.readouterr().err


def test_a_rule_begun_from_an_incident_passes_its_own_trial(tmp_path: Path) -> None:
    log = tmp_path / "run.log"
    log.write_text(
        "I start token=madeup123\nTraceback (most recent call last):\n"
        '  File "/app/x.py", line 3, in main\n    go()\nFrobError: cannot frob 17 shards at gs://b/x (y)\n'
    )
    to = tmp_path / "own"
    assert (
        run(
            [
                "playbook",
                "from-incident",
                str(log),
                "--name",
                "frob",
                "--to",
                str(to),
                "--cause",
                "data-error",
            ]
        )
        == 0
    )
    written = (to / "own.yaml").read_text()
    assert "FrobError" in written
    assert "madeup123" not in written
    assert run(["playbook", "test", str(to)]) == 0
    assert run(["playbook", "from-incident", str(log), "--name", "frob", "--to", str(to)]) == 2


@pytest.mark.parametrize(
    ("line", "pattern"),
    [
        ("E20261120 10:00:00 x.y cannot frob 17 shards", r"/cannot frob \S+ shards/"),
        ("bad (a+b) [x]", r"/bad \(a\+b\) \[x\]/"),
    ],
)
def test_patterns_keep_words_and_free_what_changes(line: str, pattern: str) -> None:
    assert pattern_of(line) == pattern
