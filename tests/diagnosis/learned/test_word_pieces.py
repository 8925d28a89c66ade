import pytest

from babysitter.diagnosis.learned.word_pieces import MAX_WORD_CHARACTERS, WordPieces

PIECES = ("[UNK]", "out", "of", "memo", "##ry", "##r", "##y", "naive", "/", "_", "!", "日")
KNOWN = WordPieces({piece: number for number, piece in enumerate(PIECES)})


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("out of memory", ["out", "of", "memo", "##ry"]),  # the longest piece first
        ("OUT Of", ["out", "of"]),
        ("naïve", ["naive"]),
        ("out/of_memory!", ["out", "/", "of", "_", "memo", "##ry", "!"]),
        ("日日", ["日", "日"]),
        ("memorx", ["[UNK]"]),  # a word that is known in part says nothing
        ("out" * MAX_WORD_CHARACTERS, ["[UNK]"]),
        (" \t\n", []),
        ("", []),
    ],
)
def test_text_is_split_into_known_pieces(text, pieces):
    assert [PIECES[number] for number in KNOWN.split(text)] == pieces
