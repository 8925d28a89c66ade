"""Payloads are untrusted: whatever they hold, reading them gives a press or nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babysitter.model.message import ButtonKind
from babysitter.slack.click import MAX_ID_CHARS, parse_click, read_back, written

json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=20,
)
payloads = st.fixed_dictionaries(
    {"type": st.just("block_actions")},
    optional={
        "actions": json_values
        | st.lists(st.dictionaries(st.sampled_from(["value", "action_id"]), json_values)),
        "user": json_values | st.fixed_dictionaries({"id": json_values}),
        "container": json_values,
        "team": json_values,
        "channel": json_values,
    },
)


@given(payload=json_values | payloads)
def test_any_payload_is_read_or_ignored(payload: object) -> None:
    press = parse_click(payload)
    assert press is None or (press.user and 0 < len(press.target) <= MAX_ID_CHARS)


def payload(**changes: object) -> dict[str, object]:
    values: dict[str, object] = {
        "type": "block_actions",
        "user": {"id": "U0ADA", "team_id": "T0SIM"},
        "team": {"id": "T0SIM"},
        "channel": {"id": "C0JOBS"},
        "container": {"message_ts": "2.0", "thread_ts": "1.0"},
        "trigger_id": "t",
        "actions": [{"action_id": "approve", "value": "p-1", "action_ts": "3.0"}],
    }
    return values | changes


@given(user=st.text(min_size=1), action=st.sampled_from([*ButtonKind, "launch-rockets"]))
def test_a_press_that_was_written_down_is_the_same(user: str, action: str) -> None:
    pressed = {"actions": [{"action_id": action, "value": "p-1", "action_ts": "3.0"}]}
    press = parse_click(payload(user={"id": user}, **pressed))
    assert press is not None
    assert read_back(written(press)) == press
    assert press.identity.isalnum()


def test_a_press_is_read() -> None:
    press = parse_click(payload())
    assert press is not None
    assert (press.user, press.kind, press.target, press.root) == ("U0ADA", ButtonKind.APPROVE, "p-1", "1.0")


@pytest.mark.parametrize(
    "changes",
    [
        {"type": "view_submission"},
        {"actions": []},
        {"actions": [{"action_id": "approve"}]},
        {"actions": [{"action_id": "approve", "value": "x" * 256}]},
        {"user": {}},
        {"user": "U0ADA"},
    ],
)
def test_what_is_no_press_is_ignored(changes: dict[str, object]) -> None:
    assert parse_click(payload(**changes)) is None


def test_two_presses_of_the_same_button_differ_and_one_press_is_itself() -> None:
    first, again = parse_click(payload()), parse_click(payload())
    later = parse_click(payload(trigger_id="t2"))
    assert first is not None
    assert again is not None
    assert later is not None
    assert first.identity == again.identity != later.identity


def test_a_choice_from_a_menu_is_read() -> None:
    chosen = {"action_id": "was-really", "selected_option": {"value": "i-1|host-oom"}, "action_ts": "3.0"}
    press = parse_click(payload(actions=[chosen]))
    assert press is not None
    assert (press.kind, press.target) == (ButtonKind.REALLY, "i-1|host-oom")
    assert press.is_an_answer
