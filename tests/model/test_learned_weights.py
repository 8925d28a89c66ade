from babysitter.model.learned_weights import LineWeights, VerdictWeights

LINES = LineWeights(("calm", "disk-full"), {"space left": {"disk-full": 1.0}, "left": {"disk-full": 1.0}})
VERDICTS = VerdictWeights(
    ("calm", "disk-full"), {"failed": {"disk-full": 0.4}}, {"disk-full": {"disk-full": 1.0}}, sharpness=6.0
)


def test_few_words_say_less_than_many_and_unknown_ones_nothing():
    one, two = LINES.score({"space left"}), LINES.score({"space left", "left"})
    assert one == LINES.score({"space left", "unheard"})
    assert 0 < one["disk-full"] < two["disk-full"]
    assert LINES.score({"unheard"}) == {}


def test_shares_are_of_one_whole():
    shares = VERDICTS.shares({"failed"}, {"disk-full": 0.5})
    assert abs(sum(shares.values()) - 1.0) < 1e-9
    assert shares["disk-full"] > shares["calm"]


def test_a_line_that_means_more_speaks_for_more():
    weak, strong = (VERDICTS.shares({"failed"}, {"disk-full": score}) for score in (0.1, 0.6))
    assert strong["disk-full"] > weak["disk-full"]


def test_without_weights_nothing_has_a_share():
    assert VerdictWeights().shares({"failed"}, {"disk-full": 0.5}) == {}
