"""Slack's limits on what a message may hold. Says what Slack would object to; changes nothing.

Numbers: docs.slack.dev/reference/block-kit. The limit over a whole message is not documented; it was
measured by users of the official libraries (slackapi/bolt-js issue 2509: 13,172 to 13,297 characters).
"""

from collections.abc import Callable, Iterator
from typing import Any

MAX_BLOCKS = 50
MAX_ACTIONS = 25
MAX_CONTEXT = 10
MAX_FIELDS = 10
MAX_SECTION_CHARS = 3000
MAX_FIELD_CHARS = 2000
MAX_HEADER_CHARS = 150
MAX_BUTTON_CHARS = 75
MAX_ID_CHARS = 255
MAX_VALUE_CHARS = 2000
MAX_PLACEHOLDER_CHARS = 150
MAX_OPTIONS = 100
MAX_OPTION_CHARS = 75
MAX_OPTION_VALUE_CHARS = 150
MAX_BLOCKS_CHARS = 13_200
MAX_TEXT_CHARS = 40_000
MAX_EDIT_TEXT_CHARS = 4_000
BUTTON_STYLES = ("primary", "danger")

_Faults = Iterator[tuple[str, str]]


def fault_of_blocks(blocks: object) -> tuple[str, list[str]] | None:
    """Slack's error code and its explanations, or None when the blocks are fine."""
    if not isinstance(blocks, list):
        return "invalid_blocks_format", []
    if len(blocks) > MAX_BLOCKS:
        return "invalid_blocks", [f"no more than {MAX_BLOCKS} items allowed [json-pointer:/blocks]"]
    faults = [f"{what} [json-pointer:{where}]" for what, where in _check_all(blocks)]
    if faults:
        return "invalid_blocks", faults
    if sum(len(text) for text in texts_in(blocks)) > MAX_BLOCKS_CHARS:
        return "msg_blocks_too_long", []
    return None


def fault_of_metadata(metadata: object) -> str | None:
    """Slack's error code, or None."""
    if not isinstance(metadata, dict):
        return "invalid_metadata_format"
    if metadata == {}:  # an empty object removes what was there
        return None
    well_formed = isinstance(metadata.get("event_type"), str) and isinstance(
        metadata.get("event_payload"), dict
    )
    return None if well_formed and metadata["event_type"] else "invalid_metadata_format"


def texts_in(node: object) -> Iterator[str]:
    """Every text a reader would see, of blocks of any depth."""
    if isinstance(node, list):
        for child in node:
            yield from texts_in(child)
    elif isinstance(node, dict):
        for key, value in node.items():
            if key == "text" and isinstance(value, str):
                yield value
            elif isinstance(value, (dict, list)):
                yield from texts_in(value)


def _check_all(blocks: list[Any]) -> _Faults:
    seen_ids: set[str] = set()
    for number, block in enumerate(blocks):
        where = f"/blocks/{number}"
        if not isinstance(block, dict):
            yield "must be an object", where
            continue
        check = _CHECKS.get(str(block.get("type")))
        if check is None:
            yield f"unsupported type: {block.get('type')}", f"{where}/type"
            continue
        block_id = block.get("block_id")
        if block_id is not None:
            yield from _length(block_id, MAX_ID_CHARS, f"{where}/block_id")
            if block_id in seen_ids:
                yield "block_id must be unique", f"{where}/block_id"
            seen_ids.add(block_id)
        yield from check(block, where)


def _section(block: dict[str, Any], where: str) -> _Faults:
    fields = block.get("fields")
    if "text" not in block and not fields:
        yield "missing required field: text", where
    if "text" in block:
        yield from _text(block["text"], MAX_SECTION_CHARS, f"{where}/text")
    if fields is not None:
        yield from _count(fields, MAX_FIELDS, f"{where}/fields")
        for number, field in enumerate(fields):
            yield from _text(field, MAX_FIELD_CHARS, f"{where}/fields/{number}")
    if "accessory" in block:
        yield from _element(block["accessory"], f"{where}/accessory")


def _header(block: dict[str, Any], where: str) -> _Faults:
    yield from _text(block.get("text"), MAX_HEADER_CHARS, f"{where}/text", plain_only=True)


def _context(block: dict[str, Any], where: str) -> _Faults:
    elements = block.get("elements") or []
    yield from _count(elements, MAX_CONTEXT, f"{where}/elements")
    for number, element in enumerate(elements):
        yield from _text(element, MAX_FIELD_CHARS, f"{where}/elements/{number}")


def _actions(block: dict[str, Any], where: str) -> _Faults:
    elements = block.get("elements") or []
    yield from _count(elements, MAX_ACTIONS, f"{where}/elements")
    ids = [element.get("action_id") for element in elements if isinstance(element, dict)]
    if len(ids) != len(set(ids)):
        yield "action_id must be unique within a block", f"{where}/elements"
    for number, element in enumerate(elements):
        yield from _element(element, f"{where}/elements/{number}")


def _rich_text(block: dict[str, Any], where: str) -> _Faults:
    elements = block.get("elements")
    if not isinstance(elements, list) or not elements:
        yield "must have at least one element", f"{where}/elements"
        return
    for number, part in enumerate(elements):
        at = f"{where}/elements/{number}"
        if not isinstance(part, dict) or part.get("type") not in _RICH_PARTS:
            yield "unsupported type", f"{at}/type"
            continue
        for inner, leaf in enumerate(part.get("elements") or []):
            if leaf.get("type") not in ("text", "link", "emoji", "user", "broadcast", "usergroup"):
                yield f"unsupported type: {leaf.get('type')}", f"{at}/elements/{inner}/type"
            elif leaf["type"] == "text" and not leaf.get("text"):
                yield "must be more than 0 characters", f"{at}/elements/{inner}/text"
            elif leaf["type"] == "link" and not str(leaf.get("url", "")).startswith(("http://", "https://")):
                yield "invalid url", f"{at}/elements/{inner}/url"


def _divider(_block: dict[str, Any], _where: str) -> _Faults:
    return iter(())


def _menu(element: dict[str, Any], where: str) -> _Faults:
    placeholder = element.get("placeholder")
    yield from _text(placeholder, MAX_PLACEHOLDER_CHARS, f"{where}/placeholder", plain_only=True)
    yield from _length(element.get("action_id", ""), MAX_ID_CHARS, f"{where}/action_id")
    options = element.get("options") or []
    yield from _count(options, MAX_OPTIONS, f"{where}/options")
    for number, option in enumerate(options):
        at = f"{where}/options/{number}"
        yield from _text(option.get("text"), MAX_OPTION_CHARS, f"{at}/text", plain_only=True)
        yield from _length(option.get("value", ""), MAX_OPTION_VALUE_CHARS, f"{at}/value")


def _element(element: object, where: str) -> _Faults:
    """Buttons and menus: this workspace has no other interactive parts."""
    if isinstance(element, dict) and element.get("type") == "static_select":
        yield from _menu(element, where)
        return
    if not isinstance(element, dict) or element.get("type") != "button":
        yield "unsupported element", where
        return
    yield from _text(element.get("text"), MAX_BUTTON_CHARS, f"{where}/text", plain_only=True)
    yield from _length(element.get("action_id", ""), MAX_ID_CHARS, f"{where}/action_id")
    yield from _length(element.get("value", ""), MAX_VALUE_CHARS, f"{where}/value")
    if element.get("style", "primary") not in BUTTON_STYLES:
        yield "style must be primary or danger", f"{where}/style"
    if "confirm" in element:
        confirm = element["confirm"]
        yield from _text(confirm.get("title"), 100, f"{where}/confirm/title", plain_only=True)
        yield from _text(confirm.get("text"), 300, f"{where}/confirm/text")
        yield from _text(confirm.get("confirm"), 30, f"{where}/confirm/confirm", plain_only=True)
        yield from _text(confirm.get("deny"), 30, f"{where}/confirm/deny", plain_only=True)


def _text(text: object, most: int, where: str, *, plain_only: bool = False) -> _Faults:
    if not isinstance(text, dict):
        yield "missing required field: text", where
        return
    kinds = ("plain_text",) if plain_only else ("plain_text", "mrkdwn")
    if text.get("type") not in kinds:
        yield f"unsupported type: {text.get('type')}", f"{where}/type"
    if not text.get("text"):
        yield "must be more than 0 characters", f"{where}/text"
    yield from _length(text.get("text", ""), most, f"{where}/text")


def _length(text: object, most: int, where: str) -> _Faults:
    if not isinstance(text, str):
        yield "must be a string", where
    elif len(text) > most:
        yield f"must be less than {most + 1} characters", where


def _count(elements: object, most: int, where: str) -> _Faults:
    if not isinstance(elements, list) or not elements:
        yield "must have at least one element", where
    elif len(elements) > most:
        yield f"no more than {most} items allowed", where


_RICH_PARTS = ("rich_text_section", "rich_text_preformatted", "rich_text_quote", "rich_text_list")
_CHECKS: dict[str, Callable[[dict[str, Any], str], _Faults]] = {
    "section": _section,
    "header": _header,
    "context": _context,
    "actions": _actions,
    "rich_text": _rich_text,
    "divider": _divider,
}
