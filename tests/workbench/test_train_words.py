from babysitter.playbook.load import load
from babysitter.workbench.evaluate import LabelledCase
from babysitter.workbench.thinned_rules import thinned
from babysitter.workbench.train_words import MIN_CASES, fit, read_examples

WORDS = {
    "disk-full": "the scratch volume has run out of blocks",
    "network-timeout": "the far side has not answered the call in time",
}


def case(cause, number):
    lines = [f"worker {number} {name} takes part" for name in ("ada", "ben", "cyd")]
    return LabelledCase.model_validate(
        {
            "id": f"{cause}-{number}",
            "evidence": {"job_state": "failed", "logs": "\n".join([*lines, f"giving up: {WORDS[cause]}"])},
            "label": {"cause": cause, "severity": "fatal", "action": "escalate"},
        }
    )


CASES = [(case(cause, number), "file") for cause in WORDS for number in range(MIN_CASES + 1)]


def test_words_of_one_cause_speak_for_it():
    weights = fit(read_examples(CASES, load()))
    assert weights.classes == ("disk-full", "network-timeout")
    disk, network = weights.of_text["run out"], weights.of_text["not answered"]
    assert disk["disk-full"] > disk.get("network-timeout", 0.0)
    assert network["network-timeout"] > network.get("disk-full", 0.0)


def test_a_word_of_too_few_cases_is_left_out():
    once = fit(read_examples([*CASES[:1], *CASES[MIN_CASES + 1 :]], load()))
    assert "run out" not in once.of_text
    assert "not answered" in once.of_text


def test_each_case_is_judged_twice():
    examples = read_examples(CASES, load())
    by_all, by_few = examples[: len(CASES)], examples[len(CASES) :]
    assert [each.case.id for each in by_all] == [each.case.id for each in by_few]
    assert all("verdict" in " ".join(each.verdict) for each in examples)


def test_thinned_leaves_a_share_of_rules_out():
    whole = load()
    few = thinned(whole, 0.75, seed=1)
    assert 0.15 < len(few.placed) / len(whole.placed) < 0.35
    assert thinned(whole, 0.75, seed=1).placed == few.placed
