"""Folders of playbooks: every fault with its place, overriding, switching off, reloading."""

import os
from pathlib import Path

import pytest

from babysitter.errors import BadPlaybook
from babysitter.playbook.load import examine, load, read_file
from babysitter.playbook.reload import PlaybookSource

GOOD = """\
playbook: own
rules:
  - id: own.thing-broke
    cause: code-error
    severity: fatal
    match: {logs: ['thing broke']}
    explain: "The thing broke."
    action: escalate
    examples: {match: ["E thing broke"], no_match: ["thing works"]}
"""

RULE = GOOD.replace("playbook: own\nrules:\n", "")

# name -> (text, [(line, words)...]); every pair must be reported
BROKEN: dict[str, tuple[str, list[tuple[int, str]]]] = {
    "unknown key": (
        GOOD.replace("explain:", "explian:"),
        [(7, "did you mean `explain`"), (3, "`explain` is missing")],
    ),
    "unknown cause": (GOOD.replace("code-error", "code-eror"), [(4, "did you mean `code-error`")]),
    "unknown severity": (GOOD.replace("fatal", "deadly"), [(5, "one of benign, info, degraded, fatal")]),
    "two faults at once": (
        GOOD.replace("fatal", "deadly").replace("escalate", "restrat"),
        [(5, "'deadly'"), (8, "did you mean `restart`")],
    ),
    "backtracking": (GOOD.replace("'thing broke'", r"'/thing (?!not) broke/'"), [(6, "negative lookahead")]),
    "backreference": (GOOD.replace("'thing broke'", r"'/(\w+) \1/'"), [(6, "backreference")]),
    "matches everything": (GOOD.replace("'thing broke'", "'/x*/'"), [(6, "every line")]),
    "twice the same id": (GOOD + RULE, [(10, "taken already")]),
    "twice the same key": (
        GOOD.replace("    action:", "    explain: again\n    action:"),
        [(8, "stands here twice")],
    ),
    "no examples": (GOOD.replace(', no_match: ["thing works"]', ""), [(9, "`no_match` is missing")]),
    "uncaptured name": (GOOD.replace("The thing", "The {what}"), [(3, "{what}")]),
    "empty condition": (GOOD.replace("{logs: ['thing broke']}", "{}"), [(6, "would always hold")]),
    "no comparison": (GOOD.replace("{logs:", "{exit_code: about 3, logs:"), [(6, "no comparison")]),
    "no window": (GOOD.replace("['thing broke']", "{any: [x y], within: soon}"), [(6, "30 lines")]),
    "no progress test": (GOOD.replace("{logs:", "{progress: stukc, logs:"), [(6, "no progress test")]),
    "no scope": (
        GOOD.replace("    action:", "    explains: {what: '*', scope: near}\n    action:"),
        [(8, "no scope")],
    ),
    "dangling": (
        GOOD.replace("    action:", "    explains: [own.other]\n    action:"),
        [(3, "neither a rule nor")],
    ),
    "not YAML": ("playbook: [x\n", [(2, "not YAML")]),
    "not a mapping": ("- a\n- b\n", [(1, "the file")]),
    "no change": (GOOD.replace("escalate", "restart-with-change"), [(3, "what to change")]),
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
    assert len(files) >= len(BROKEN) - 1  # those that only clash with another file may be told there


def folder(path: Path, text: str) -> Path:
    path.mkdir()
    (path / "own.yaml").write_text(text)
    return path


def test_later_folders_override_and_switch_off(tmp_path: Path) -> None:
    first = folder(tmp_path / "first", GOOD + RULE.replace("thing-broke", "other-thing"))
    second = folder(
        tmp_path / "second", GOOD.replace("The thing broke.", "Mine.") + "switch_off: [own.other-thing]\n"
    )
    playbook = load([first, second])
    assert [(rule.id, rule.explain) for rule in playbook.rules] == [("own.thing-broke", "Mine.")]


def test_switching_off_what_nobody_has_is_a_fault(tmp_path: Path) -> None:
    first = folder(tmp_path / "first", GOOD)
    second = folder(tmp_path / "second", "playbook: mine\nswitch_off: [own.thing-brok]\n")
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
