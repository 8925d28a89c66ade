"""Folders of playbooks: every fault with its place, overriding, switching off, reloading."""

import os
from pathlib import Path

import pytest

from babysitter.errors import BadPlaybook
from babysitter.model.cause_info import about
from babysitter.model.finding import Cause
from babysitter.playbook.load import examine, load, read_file
from babysitter.playbook.reload import PlaybookSource

GOOD = """\
program: own
source: https://example.org/manual
says:
  thing-broke:
    means: code-error as sign
    explain: "The thing broke."
    action: escalate
    lines: ['thing broke']
    specimens: ["E thing broke"]
"""

RULES = """\
cause: code-error
rules:
  own.thing-broke-twice:
    strength: hint
    when: {says: own.thing-broke, at_least: 2}
"""

# name -> (text, [(line, words)...]); every pair must be reported
BROKEN: dict[str, tuple[str, list[tuple[int, str]]]] = {
    "unknown key": (GOOD.replace("explain:", "explian:"), [(6, "did you mean `explain`")]),
    "unknown cause": (GOOD.replace("code-error", "code-eror"), [(5, "did you mean `code-error`")]),
    "unknown strength": (GOOD.replace("as sign", "as truth"), [(5, "proof, sign, hint, guess")]),
    "no strength": (GOOD.replace(" as sign", ""), [(5, "<cause> as proof")]),
    "no source": (GOOD.replace("source: https://example.org/manual\n", ""), [(1, "`source` is missing")]),
    "two faults at once": (
        GOOD.replace("as sign", "as truth").replace("escalate", "restrat"),
        [(5, "'truth'"), (7, "did you mean `restart`")],
    ),
    "unclosed hole": (GOOD.replace("'thing broke'", "'thing {broke'"), [(8, "opens no hole")]),
    "too long": (GOOD.replace("'thing broke'", f"'{'thing ' * 30}'"), [(8, "at most 120")]),
    "says next to nothing": (GOOD.replace("'thing broke'", "'{x} # {y}'"), [(8, "in a row")]),
    "a word of stance": (GOOD.replace("'thing broke'", "'thing broke, retrying'"), [(8, "stance")]),
    "regex without a reason": (
        GOOD.replace("'thing broke'", "{regex: 'a[bc]+d'}"),
        [(8, "needs `regex`")],
    ),
    "backtracking": (
        GOOD.replace("'thing broke'", "{regex: 'a(?=b)bc', why: no template can say it}"),
        [(8, "lookahead")],
    ),
    "twice the same key": (
        GOOD.replace("    action:", "    explain: again\n    action:"),
        [(7, "stands here twice")],
    ),
    "uncaptured name": (GOOD.replace("The thing", "The {what}"), [(4, "{what}")]),
    "rule without a cause": (RULES.replace("cause: code-error\n", ""), [(1, "`cause` is missing")]),
    "rule without a name": (RULES.replace("own.thing", "thing"), [(4, "<program>.<what-happened>")]),
    "no such signature": (RULES, [(3, "no file has a signature `own.thing-broke`")]),
    "unknown condition": (RULES.replace("says: own.thing-broke, at_least", "sais"), [(3, "sais")]),
    "no comparison": (RULES.replace("says: own.thing-broke, at_least: 2", "exit_code: about 3"), [(3, "3")]),
    "the language before": ("playbook: own\nrules: []\n", [(1, "docs/playbooks.md")]),
    "a text": ("some words\n", [(1, "must hold names with values")]),
    "not YAML": ("program: [x\n", [(2, "not YAML")]),
    "not a mapping": ("- a\n- b\n", [(1, "the file")]),
}


@pytest.mark.parametrize("name", BROKEN)
def test_every_fault_is_told_with_file_and_line(name: str, tmp_path: Path) -> None:
    text, expected = BROKEN[name]
    path = tmp_path / "broken.yaml"
    path.write_text(text)
    _, faults = examine([path])
    told = [(fault.place.line, str(fault)) for fault in faults]
    for line, words in expected:
        assert any(at == line and words in sentence for at, sentence in told), told
    assert all(sentence.startswith(f"{path}:") for _, sentence in told)


def test_all_faults_of_all_files_come_at_once(tmp_path: Path) -> None:
    for number, (text, _) in enumerate(BROKEN.values()):
        (tmp_path / f"{number:02}.yaml").write_text(text)
    with pytest.raises(BadPlaybook) as refused:
        load([tmp_path])
    files = {line.split(":")[0] for line in str(refused.value).splitlines() if line.startswith(str(tmp_path))}
    assert len(files) >= len(BROKEN) - 4  # those that only fail together with another file may pass here


def folder(path: Path, text: str) -> Path:
    path.mkdir()
    (path / "own.yaml").write_text(text)
    return path


def test_rule_file_names_signatures_of_any_folder(tmp_path: Path) -> None:
    first, second = folder(tmp_path / "first", GOOD), folder(tmp_path / "second", RULES)
    assert [rule.id for rule in load([first, second]).rules] == ["own.thing-broke", "own.thing-broke-twice"]


def test_a_broken_signature_file_is_told_once(tmp_path: Path) -> None:
    own = folder(tmp_path / "own", GOOD.replace("'thing broke'", "'thing {broke'"))
    (own / "rules.yaml").write_text(RULES)
    _, faults = examine([own])
    assert {fault.place.path.name for fault in faults} == {"own.yaml"}


def test_later_folders_override_and_switch_off(tmp_path: Path) -> None:
    first = folder(tmp_path / "first", GOOD + GOOD.split("says:\n")[1].replace("thing-broke", "other-thing"))
    second = folder(tmp_path / "second", GOOD.replace("The thing broke.", "Mine."))
    (second / "off.yaml").write_text("switch_off: [own.other-thing]\n")
    playbook = load([first, second])
    assert [(rule.id, rule.explain) for rule in playbook.rules] == [("own.thing-broke", "Mine.")]


def test_overridden_signature_changes_rules_that_name_it(tmp_path: Path) -> None:
    first = folder(tmp_path / "first", GOOD)
    (first / "rules.yaml").write_text(RULES)
    second = folder(tmp_path / "second", GOOD.replace("thing broke", "thing snapped"))
    rule = load([first, second]).by_id["own.thing-broke-twice"]
    assert rule.match.logs is not None
    assert [pattern.text for pattern in rule.match.logs.any] == ["thing snapped"]


def test_signature_inherits_from_the_row_of_its_cause(tmp_path: Path) -> None:
    bare = GOOD.replace('    explain: "The thing broke."\n    action: escalate\n', "")
    rule = load([folder(tmp_path / "rules", bare)]).by_id["own.thing-broke"]
    row = about(Cause.CODE_ERROR)
    assert (rule.severity, rule.action.kind, rule.retry) == (row.severity, row.action, row.retry)
    assert (rule.explain, rule.advice) == (row.explain, row.advice)


def test_signature_without_a_meaning_is_no_rule(tmp_path: Path) -> None:
    silent = GOOD.replace("    means: code-error as sign\n", "")
    playbook = load([folder(tmp_path / "rules", silent)])
    assert playbook.rules == ()
    assert "own.thing-broke" in playbook.signatures


def test_same_rule_in_two_files_of_a_folder_is_a_fault(tmp_path: Path) -> None:
    path = folder(tmp_path / "rules", GOOD)
    (path / "again.yaml").write_text(GOOD)
    _, faults = examine([path])
    assert "taken already" in str(faults[0])


def test_switching_off_what_nobody_has_is_a_fault(tmp_path: Path) -> None:
    first = folder(tmp_path / "first", GOOD)
    second = folder(tmp_path / "second", "switch_off: [own.thing-brok]\n")
    _, faults = examine([first, second])
    assert "did you mean `own.thing-broke`" in str(faults[0])


def test_a_broken_edit_never_takes_down_the_rules_in_force(tmp_path: Path) -> None:
    path = folder(tmp_path / "rules", GOOD) / "own.yaml"
    source = PlaybookSource([path.parent])
    good = source.playbook
    assert not source.refresh()

    path.write_text(GOOD.replace("code-error", "nonsense-of-mine"))
    assert source.refresh()
    assert source.playbook is good
    assert "nonsense-of-mine" in str(source.faults[0])

    path.write_text(GOOD.replace("The thing broke.", "Corrected."))
    assert source.refresh()
    assert source.playbook.rules[0].explain == "Corrected."
    assert not source.faults

    path.unlink()
    assert source.refresh()
    assert source.playbook.rules == ()


def test_a_service_does_not_begin_with_broken_rules(tmp_path: Path) -> None:
    with pytest.raises(BadPlaybook, match="did you mean `code-error`"):
        PlaybookSource([folder(tmp_path / "rules", GOOD.replace("code-error", "code-eror"))])


@pytest.mark.parametrize(
    "raw",
    [
        b"\xff\xfe\x00",
        b"a: &x [*x]\n",
        b"{" * 2000,
        b"a: " + b"[" * 3000,
        b"[" * 200_000,
        b"- " * 200_000,
        b"",
        b"\x00",
        b"!!python/object:os.x {}",
    ],
)
def test_no_bytes_crash_the_reader(raw: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_bytes(raw)
    assert read_file(path).faults


def test_kept_rules_equal_fresh_ones_and_damage_is_harmless(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    rules = folder(tmp_path / "rules", GOOD)
    fresh = load([rules])
    assert load([rules]) == fresh
    (kept,) = (tmp_path / "cache" / "babysit").glob("rules-*")
    kept.write_bytes(b"damaged")
    os.chmod(kept, 0o600)
    assert load([rules]) == fresh


def test_the_shipped_rules_are_faultless() -> None:
    assert len(load().rules) >= 150
