"""Secrets in forms of HTML and in elements of XML."""

import pytest

from babysitter.redact import redact

WORD = "Quartz_maple830"


@pytest.mark.parametrize(
    "text",
    [
        f'<input type="password" name="p" value="{WORD}">',
        f"<input value='{WORD}' name=p type=password>",
        f'<input name="authenticity_token" type="hidden" value="{WORD}==">',
        f'<input type="hidden" value="{WORD}" name="csrf_token">',
        f'<meta name="csrf-token" content="{WORD}">',
        f"<AdministratorPassword><Value>{WORD}</Value></AdministratorPassword>",
        f"<Password>\n  <Value>{WORD}</Value>\n</Password>",
        f'<setting name="ApiKey" serializeAs="String"><value>{WORD}</value></setting>',
    ],
)
def test_secret_of_a_field_is_redacted(text: str):
    shown = redact(text)
    assert WORD not in shown
    assert shown.count("\n") == text.count("\n")
    assert redact(shown) == shown


@pytest.mark.parametrize(
    "text",
    [
        '<input type="text" name="run" value="llama-8b">',
        '<input type="password" name="p" placeholder="your password">',
        '<input name="sort_key" value="created_at">',
        '<meta name="viewport" content="width=device-width">',
        "<Key><Value>loss</Value></Key>",
        '<setting name="ApiVersion" serializeAs="String"><value>v2</value></setting>',
    ],
)
def test_other_fields_stay(text: str):
    assert redact(text) == text
