import pytest

from babysitter.errors import UserError
from babysitter.workbench.evaluate import LabelledCase
from babysitter.workbench.train_lines import LabelledLine, calm_lines, fit_lines, read_lines

LINES = [
    LabelledLine(("disk-full",), "the volume of part {n} is full to the brim"),
    LabelledLine(("network-timeout", "storage-error"), "the far side of part {n} did not answer"),
    LabelledLine(("storage-error",), "bucket of part {n} went away"),
    LabelledLine(("calm",), "part {n} is done"),
]
CORPUS = [LabelledLine(line.labels, line.text.format(n=number)) for line in LINES for number in range(4)]


def test_words_of_one_label_speak_for_it():
    weights = fit_lines(CORPUS)
    assert weights.classes == ("calm", "disk-full", "network-timeout", "storage-error")
    assert weights.of_word["brim"]["disk-full"] > 0.1
    assert "disk-full" not in weights.of_word.get("part", {})


def test_a_second_label_counts_for_less():
    answer = fit_lines(CORPUS).of_word["answer"]
    assert answer["network-timeout"] > answer.get("storage-error", 0.0)


def test_a_word_of_one_line_is_left_out():
    assert "brim" not in fit_lines(CORPUS[3:]).of_word


def test_rows_are_read(tmp_path):
    path = tmp_path / "some.tsv"
    path.write_text("# a note\n\nhealthy\tall is well\ndisk-full,storage-error\tno space\tleft\n")
    assert list(read_lines(path)) == [
        LabelledLine(("calm",), "all is well"),
        LabelledLine(("disk-full", "storage-error"), "no space\tleft"),
    ]


@pytest.mark.parametrize("row", ["no tab here", "disk-full\t ", "broken-disk\tno space"])
def test_a_row_that_is_none_is_named(tmp_path, row):
    path = tmp_path / "some.tsv"
    path.write_text(f"calm\tall is well\n{row}\n")
    with pytest.raises(UserError, match=r"some\.tsv:2"):
        list(read_lines(path))


def test_lines_of_a_calm_incident_are_calm():
    def case(cause, *also):
        logs = "read part 7 of the error list\nread part 8 of the error list\nbye"
        label = {"cause": cause, "also_acceptable": list(also), "severity": "benign", "action": "ignore"}
        return LabelledCase.model_validate({"id": "c", "evidence": {"logs": logs}, "label": label})

    calm = [
        case("healthy"),
        case("transient-noise", "healthy"),
        case("disk-full"),
        case("healthy", "unknown"),
    ]
    assert list(calm_lines(calm)) == [LabelledLine(("calm",), "read part 7 of the error list")]
