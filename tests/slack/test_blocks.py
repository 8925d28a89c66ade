"""Words become blocks that Slack accepts and that nothing a job prints can bring to life."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babysitter.model.message import Button, ButtonKind, MessageContent
from babysitter.sim.slack.validate import fault_of_blocks, texts_in
from babysitter.slack import blocks
from tests.notify.hostile import HARMFUL, texts

ALL_BUTTONS = tuple(Button(kind, "p-0a1b") for kind in ButtonKind)
SHOWING = (Button(ButtonKind.SHOW_COMMAND, "p-0a1b"),)  # in the plain form instead of an approval
ALIVE = re.compile(r"<(?:[!@#/]|[a-z][a-z0-9+.-]*:|www\.)", re.IGNORECASE)

lines = st.lists(texts, max_size=12).map(tuple)
words = st.builds(
    MessageContent,
    title=texts,
    sentence=texts,
    cause=st.sampled_from(["", "zombie-coordinator"]),
    severity=st.sampled_from(["", "fatal", "degraded", "benign"]),
    confidence=st.one_of(st.none(), st.floats(0, 1)),
    evidence=lines,
    recovery=texts,
    price=texts,
    commands=lines,
    change=texts,
    budget=texts,
    expires_at=st.sampled_from([None, datetime(2026, 11, 20, 12, tzinfo=UTC)]),
    progress=lines,
    decided=texts,
    footer=texts,
    fields=st.lists(st.tuples(texts, texts), max_size=12).map(tuple),
)


@settings(max_examples=150, deadline=None)
@given(
    words=words,
    buttons=st.sets(st.sampled_from(ALL_BUTTONS)).map(tuple),
    mentions=st.sampled_from([(), ("U0ADA",), ("S0ONCALL", "U0ADA", "ada")]),
)
def test_whatever_the_words_the_payload_is_harmless_and_within_limits(
    words: MessageContent, buttons: tuple[Button, ...], mentions: tuple[str, ...]
) -> None:
    for rendered in (blocks.render(words, buttons, mentions=mentions), blocks.render_plainly(words, buttons)):
        shown = list(rendered.blocks)
        assert fault_of_blocks(shown) is None
        assert sum(len(text) for text in texts_in(shown)) <= blocks.MAX_BLOCKS_CHARS + 500
        assert len(rendered.text) <= 3_900
        assert set(buttons_of(shown)) <= {
            (button.kind.value, button.target) for button in (*buttons, *SHOWING)
        }
        for text in [*texts_in(shown), rendered.text]:
            assert not ALIVE.search(without_ours(text)), text
        assert not ALIVE.search(rendered.surplus)


@settings(max_examples=60, deadline=None)
@given(lines=lines)
def test_replies_with_more_evidence_are_harmless_too(lines: tuple[str, ...]) -> None:
    rendered = blocks.render_lines("More evidence", lines)
    if rendered.blocks:
        assert fault_of_blocks(list(rendered.blocks)) is None
    for text in texts_in(list(rendered.blocks)):
        assert not ALIVE.search(text)


def without_ours(text: str) -> str:
    """A text without the three live parts that only we can write: a date, a mention, who decided."""
    return re.sub(r"<!date\^\d+\^[^|<>]*\|[^<>]*>|<@U[A-Z0-9]+>|<!subteam\^S0ONCALL>", "", text)


def buttons_of(shown: list[blocks.Block]) -> Iterator[tuple[str, str]]:
    for block in shown:
        if block["type"] == "actions":
            for element in block["elements"]:  # type: ignore[attr-defined]
                values = [option["value"].partition("|")[0] for option in element.get("options", ())]
                yield element["action_id"], element.get("value") or values[0]


@pytest.mark.parametrize("harm", HARMFUL[:12])
def test_a_mention_of_a_person_who_decided_is_the_only_mention(harm: str) -> None:
    rendered = blocks.render(
        MessageContent("t", harm, decided=f"Approved by U0ADA at 12:00 UTC (slack). {harm}")
    )
    joined = " ".join(texts_in(list(rendered.blocks)))
    assert re.findall(r"<[!@#][^>]*>", joined) == ["<@U0ADA>"]


def test_escaped_text_is_never_cut_inside_an_entity() -> None:
    for most in range(10, 40):
        cut = blocks.escape("a<b>&" * 20, most)
        assert len(cut) <= most
        assert re.fullmatch(r"(?:[ab…]|&lt;|&gt;|&amp;)*", cut)


def test_evidence_that_does_not_fit_goes_whole_into_the_surplus() -> None:
    evidence = tuple(f"line {number} " + "x" * 1_000 for number in range(8))
    rendered = blocks.render(MessageContent("t", "s", evidence=evidence))
    assert all(line in rendered.surplus for line in evidence)
    assert len(blocks.replies(rendered.surplus)) == 3
    assert "".join(blocks.replies(rendered.surplus)) == rendered.surplus


def test_short_evidence_has_no_surplus() -> None:
    assert blocks.render(MessageContent("t", "s", evidence=("one", "two"))).surplus == ""


def test_a_command_too_long_for_the_card_says_where_the_whole_is() -> None:
    command = "iris job run -- " + " ".join(f"--flag-{number}=value" for number in range(300))
    rendered = blocks.render(MessageContent("t", "s", commands=("stop /ada/x", command)))
    assert command in rendered.surplus
    assert any("whole command in the thread" in text for text in texts_in(list(rendered.blocks)))


def test_buttons_carry_an_opaque_id_only() -> None:
    rendered = blocks.render(MessageContent("t", "s", evidence=("e",)), ALL_BUTTONS)
    assert {value for _, value in buttons_of(list(rendered.blocks))} == {"p-0a1b"}


def test_only_a_slack_id_can_be_mentioned() -> None:
    for mention in ("!channel", "U0ADA> <!channel", "ada", ""):
        assert "<" not in blocks.render(MessageContent("t", "s"), mentions=[mention]).text
    assert blocks.render(MessageContent("t", "s"), mentions=["S0ONCALL", "ada", "U0ADA"]).text.startswith(
        "<!subteam^S0ONCALL> <@U0ADA> t"
    )


def test_who_said_something_of_the_cause_is_mentioned() -> None:
    notes = (("People say", "it was really host-oom (U0ADA)"), ("Seen before", "Seen once (U0EVE)."))
    shown = str(blocks.render(MessageContent("t", "s", notes=notes)).blocks)
    assert "it was really host-oom (<@U0ADA>)" in shown
    assert "Seen once (U0EVE)." in shown


def test_menu_of_causes_ends_with_taking_back() -> None:
    shown = blocks.render(MessageContent("t", "s"), [Button(ButtonKind.REALLY, "i-1")]).blocks
    (menu,) = [element for block in shown for element in block.get("elements", ()) if "options" in element]
    assert menu["options"][-1]["value"] == "i-1|take-back"
    assert fault_of_blocks(list(shown)) is None
