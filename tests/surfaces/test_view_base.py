"""Views: what they print and read back, and that a table costs no pydantic."""

import json
import subprocess
import sys
from datetime import UTC, datetime

import pytest
from pydantic import ValidationError

from babysitter.surfaces.view_base import Field, View


class Part(View):
    """A part."""

    name: str
    at: datetime | None = None


class Whole(View):
    """A whole."""

    part: Part
    share: float = Field(default=0.5, description="of one")
    rows: list[Part] = Field(default=[], description="all of them")


NOON = datetime(2026, 11, 20, 12, 0, 0, 5, tzinfo=UTC)
WHOLE = Whole(part=Part(name="größe", at=NOON), rows=[Part(name="b")])


def test_view_prints_json_and_reads_it_back():
    text = WHOLE.model_dump_json()
    assert json.loads(text)["part"] == {"name": "größe", "at": "2026-11-20T12:00:00.000005Z"}
    assert Whole.model_validate_json(text) == WHOLE == Whole.model_validate(json.loads(text))


def test_view_refuses_unknown_fields_and_changes():
    with pytest.raises(ValidationError, match="nmae"):
        Part.model_validate({"name": "a", "nmae": "b"})
    with pytest.raises(AttributeError):
        WHOLE.share = 1.0


def test_view_default_list_is_not_shared():
    one, other = Whole(part=Part(name="a")), Whole(part=Part(name="a"))
    one.rows.append(Part(name="x"))
    assert other.rows == []


def test_view_schema_describes_fields_and_parts():
    schema = Whole.model_json_schema()
    assert schema["description"] == "A whole."
    assert schema["properties"]["rows"]["description"] == "all of them"
    assert schema["$defs"]["Part"]["required"] == ["name"]


def test_views_import_no_pydantic():
    command = "import sys, babysitter.surfaces.cli.terminal.terminal_view; print('pydantic' in sys.modules)"
    said = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, check=True)
    assert said.stdout == "False\n"
