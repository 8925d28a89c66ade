from dataclasses import replace

from babysitter.diagnosis.learned.read_words import MIN_WORDS, lines_for, read_words
from babysitter.diagnosis.text_observation import observation_of_text
from babysitter.diagnosis.timeline.update_memory import update_memory
from babysitter.model.job import JobState
from babysitter.model.job_facts import JobFacts
from babysitter.model.memory import Memory
from babysitter.model.word_weights import WordWeights

NAMES = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "mu", "nu")
ORDINARY = [f"{name} goes on" for name in NAMES]
WEIGHTS = WordWeights(
    ("calm", "disk-full"),
    {
        "space left": {"disk-full": 1.0, "calm": -0.5},
        **{word: {"calm": 0.1} for name in NAMES for word in (name, f"{name} goes")},
        "goes": {},
        "on": {},
        "goes on": {},
        "no": {},
        "no space": {"disk-full": 0.2},
    },
    sharpness=6.0,
)


def reading_of(lines):
    observation = observation_of_text("\n".join(lines) + "\n")
    memory = update_memory(Memory(), observation)
    return read_words(memory, observation, JobFacts(), WEIGHTS)


def test_words_speak_for_classes():
    reading = reading_of([*ORDINARY, "no space left"])
    calm = reading_of([*ORDINARY, "no end"])
    assert reading.scores["disk-full"] > calm.scores.get("disk-full", 0.0) + 0.1
    assert reading.scores["calm"] < calm.scores["calm"]


def test_the_lines_that_decide_are_quoted_with_their_numbers():
    reading = reading_of([*ORDINARY[:5], "no space left", *ORDINARY[5:]])
    (line,) = lines_for("disk-full", reading)
    assert (line.text, line.line_number, line.source) == ("no space left", 6, "log")
    assert lines_for("code-error", reading) == ()


def test_a_few_words_are_not_read():
    assert WEIGHTS.known({"goes", "on"}) < MIN_WORDS
    assert reading_of(["no space left"]) is None


def test_a_watched_job_that_lives_is_judged_by_rules_alone():
    text = observation_of_text("\n".join([*ORDINARY, "no space left"]) + "\n")
    memory, watched = update_memory(Memory(), text), replace(text, excerpt=None)
    assert read_words(memory, watched, JobFacts(state=JobState.RUNNING), WEIGHTS) is None
    assert read_words(memory, watched, JobFacts(state=JobState.FAILED), WEIGHTS) is not None


def test_few_words_say_less_than_many_and_unknown_ones_nothing():
    one, two = WEIGHTS.score_text({"space left"}), WEIGHTS.score_text({"space left", "unheard"})
    assert one == two
    assert one["disk-full"] < 0.5


def test_shares_are_of_one_whole():
    shares = WEIGHTS.probabilities({"calm": 0.4, "disk-full": 0.1}, {"disk-full": 0.5})
    assert abs(sum(shares.values()) - 1.0) < 1e-9
    assert shares["disk-full"] > shares["calm"]
