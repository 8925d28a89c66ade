"""Secrets that a program puts together from strings."""

import pytest

from babysitter.redact import redact

FIRST, SECOND = "sk-" + "proj-ubh8e5urzufc2GtVG85aJ2", "y1EpGSkiE3wtKB0ekMtC9"


@pytest.mark.parametrize(
    "between", ['" + "', '" +\n    "', '"\n    + "', '" . "', '" .. "', '" & "', '" \\\n  "']
)
def test_every_piece_is_redacted(between: str):
    text = f'const k = "{FIRST}{between}{SECOND}"; // of lake-2'
    shown = redact(text)
    assert FIRST not in shown
    assert SECOND not in shown
    assert shown.endswith('"; // of lake-2')
    assert shown.count("\n") == text.count("\n")
    assert redact(shown) == shown


def test_other_strings_stay():
    shown = redact(f'k = "{FIRST}" + "-production"; x = ["{FIRST}", "{SECOND}"]')
    assert '"-production"' in shown
    assert f'"{SECOND}"' in shown
