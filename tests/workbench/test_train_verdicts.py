from babysitter.playbook.load import load
from babysitter.workbench.evaluate import LabelledCase
from babysitter.workbench.thinned_rules import thinned
from babysitter.workbench.train_verdicts import MIN_CASES, fit, read_examples

LINES = {
    "disk-full": "the scratch volume has no space left",
    "network-timeout": "the connection to the far side was refused",
}


def case(cause, number):
    lines = [f"worker {number} {name} takes part" for name in ("ada", "ben", "cyd")]
    return LabelledCase.model_validate(
        {
            "id": f"{cause}-{number}",
            "evidence": {"job_state": "failed", "logs": "\n".join([*lines, f"giving up: {LINES[cause]}"])},
            "label": {"cause": cause, "severity": "fatal", "action": "escalate"},
        }
    )


CASES = [(case(cause, number), "file") for cause in LINES for number in range(MIN_CASES + 1)]


def test_lines_of_a_class_speak_for_its_cause():
    weights = fit(read_examples(CASES, load()))
    assert weights.classes == ("disk-full", "network-timeout")
    disk, network = weights.of_meaning["disk-full"], weights.of_meaning["network-timeout"]
    assert disk["disk-full"] > disk.get("network-timeout", 0.0)
    assert network["network-timeout"] > network.get("disk-full", 0.0)


def test_a_word_of_too_few_cases_is_left_out():
    once = [case("disk-full", number) for number in range(MIN_CASES)]
    odd = once[0].model_copy(update={"evidence": once[0].evidence.model_copy(update={"exit_code": 77})})
    weights = fit(read_examples([(item, "file") for item in (odd, *once[1:])], load())[:MIN_CASES])
    assert "failed" in weights.of_word
    assert "exit 77" not in weights.of_word


def test_each_case_is_judged_twice():
    examples = read_examples(CASES, load())
    by_all, by_few = examples[: len(CASES)], examples[len(CASES) :]
    assert [judged_case.case.id for judged_case in by_all] == [judged_case.case.id for judged_case in by_few]
    assert all("verdict" in " ".join(example.words) for example in examples)


def test_thinned_leaves_a_share_of_rules_out():
    whole = load()
    few = thinned(whole, 0.75, seed=1)
    assert 0.15 < len(few.placed) / len(whole.placed) < 0.35
    assert thinned(whole, 0.75, seed=1).placed == few.placed
