import numpy as np
import pytest

from babysitter.diagnosis.learned.text_model import TextModel, _gelu, read_by_shipped_model, shipped_model
from babysitter.diagnosis.learned.word_pieces import FIRST_PIECES, MAX_PIECES

WIDTH = 24  # two numbers for each head


def arrays(seed=0):
    """A model of one layer with random weights."""
    dice = np.random.default_rng(seed)
    pieces = ["[UNK]", "[CLS]", "[SEP]", "one", "two"]
    shapes = {
        "query": (WIDTH, WIDTH),
        "key": (WIDTH, WIDTH),
        "value": (WIDTH, WIDTH),
        "mixed": (WIDTH, WIDTH),
    }
    shapes |= {"wide": (2 * WIDTH, WIDTH), "narrow": (WIDTH, 2 * WIDTH)}
    made = {
        "classes": np.array(["calm", "disk-full"]),
        "pieces": np.array("\n".join(pieces)),
        "words": dice.integers(-127, 127, (len(pieces), WIDTH)).astype(np.int8),
        "words.scale": np.full(len(pieces), 0.01, np.float32),
        "positions": dice.normal(size=(MAX_PIECES, WIDTH)).astype(np.float32),
        "classes.weight": dice.normal(size=(WIDTH, 2)).astype(np.float32),
        "classes.bias": np.zeros(2, np.float32),
    }
    for name, shape in shapes.items():
        made[f"0.{name}.weight"] = dice.integers(-127, 127, shape).astype(np.int8)
        made[f"0.{name}.weight.scale"] = np.full(shape[0], 0.005, np.float32)
        made[f"0.{name}.bias"] = np.zeros(shape[0], np.float32)
    for name in ("embedded", "0.attended", "0.read"):
        made[f"{name}.weight"] = np.ones(WIDTH, np.float32)
        made[f"{name}.bias"] = np.zeros(WIDTH, np.float32)
    made["actions"] = np.array(["ignore", "restart"])
    made["actions.weight"] = dice.normal(size=(WIDTH, 2)).astype(np.float32)
    made["actions.bias"] = np.zeros(2, np.float32)
    return made


def test_shares_are_of_one_whole_and_the_same_each_time():
    model = TextModel(arrays())
    read = model.read("one two")
    assert sum(read.causes.values()) == pytest.approx(1.0)
    assert sum(read.actions.values()) == pytest.approx(1.0)
    assert read == model.read("one two")
    assert read.causes.keys() == {"calm", "disk-full"}
    assert read.actions.keys() == {"ignore", "restart"}


def test_the_order_of_words_counts():
    model = TextModel(arrays())
    one, other = (model.read(text).causes["calm"] for text in ("one two", "two one"))
    assert one != pytest.approx(other, abs=1e-6)


def test_of_a_long_text_its_first_and_last_pieces_are_read():
    model = TextModel(arrays())
    first, last = ["one"] * FIRST_PIECES, ["two"] * (MAX_PIECES - 2 - FIRST_PIECES)
    numbers = model.pieces.numbers_of(" ".join([*first, *["one", "two"] * 500, *last]))
    assert numbers == model.pieces.numbers_of(" ".join([*first, *last]))
    assert len(numbers) == MAX_PIECES


def test_a_text_without_words_is_classed():
    assert sum(TextModel(arrays()).read("").causes.values()) == pytest.approx(1.0)


def test_gelu_is_the_share_of_the_normal_distribution():
    values = np.array([-8.0, -1.0, 0.0, 0.5, 2.0], np.float32)
    wanted = [0.0, -0.158655, 0.0, 0.345731, 1.954500]
    assert _gelu(values) == pytest.approx(wanted, abs=1e-5)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "state failed exit code 1 log\nOSError: [Errno 28] No space left on device: '/scratch/x'",
            "disk-full",
        ),
        (
            "state failed log\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB",
            "device-oom",
        ),
        ("state running log\nstep 10 loss 2.1 \n step 20 loss 2.0 \n step 30 loss 1.9", "calm"),
        (
            "state failed exit code 1 log\nModuleNotFoundError: No module named 'flash_attn'",
            "missing-dependency",
        ),
        ("state killed log\n^C \n KeyboardInterrupt", "user-cancel"),
        ("state pending pending the queue has no free slots, 12 jobs are ahead log\n", "capacity-wait"),
    ],
)
def test_the_shipped_model_knows_what_is_plain(text, wanted):
    shares = read_by_shipped_model(text).causes
    assert max(shares, key=shares.get) == wanted


def test_the_shipped_model_has_a_class_for_each_cause_that_is_learned():
    assert {"calm", "stage-stuck", "unknown"} <= set(shipped_model().classes)
