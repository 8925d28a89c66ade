"""The data of a Kubernetes Secret in JSON."""

import json

import pytest

from babysitter.redact import redact

DATA = {"host": "ZGItcHJvZC5sYW4K", "url": "aHR0cDovL3guZXhhbXBsZQo="}
SECRET = {"apiVersion": "v1", "data": DATA, "kind": "Secret", "metadata": {"name": "db"}}
CONFIG = {"apiVersion": "v1", "data": {"mode": "ZmFzdAo1234567"}, "kind": "ConfigMap"}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(SECRET),
        json.dumps(SECRET, indent=2),
        json.dumps(dict(reversed(SECRET.items()))),
        json.dumps({"kind": "List", "items": [CONFIG, SECRET, CONFIG]}),
        json.dumps({"log": json.dumps(SECRET)}),
        json.dumps(SECRET)[:-20],
        '} 5" {x} done\n' + json.dumps({"kind": "Secret", "stringData": DATA}),
    ],
)
def test_every_value_of_a_secret_is_redacted(text: str):
    shown = redact(text)
    assert not any(value in shown for value in DATA.values())
    assert shown.count("ZmFzdAo1234567") == text.count("ZmFzdAo1234567")
    assert redact(shown) == shown


def test_data_of_other_objects_stay():
    text = json.dumps({"items": [CONFIG, {"kind": "Secret", "metadata": {"name": "db"}}]})
    assert redact(text) == text
