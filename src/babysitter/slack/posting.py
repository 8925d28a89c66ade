"""Posts and edits through the real Slack client; whatever comes in from Slack is a surface, not here.

Once: every message carries its outbox id as metadata. A repeat reads the thread (or, for a first
message, the channel) back before it posts. The client's own retries are off: it would post twice.
"""

import itertools
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from babysitter.model.message import Message
from babysitter.notify.notifier import Receipt
from babysitter.slack import blocks
from babysitter.slack.api_errors import (
    CONTENT_ERRORS,
    MENDABLE_ERRORS,
    SlackRefused,
    translate,
)

if TYPE_CHECKING:  # 0.4 s of import that only a running Slack connection needs
    from slack_sdk.web.async_client import AsyncWebClient

EVENT_TYPE = "babysit_message"
CALL_TIMEOUT_S = 10
PAGE_LENGTH = 200
MAX_PAGES = 10
MAX_REPLIES_OF_SURPLUS = 2
MAX_EDIT_TEXT_CHARS = 3_900
FILE_PART = -1  # the surplus as a file, among the numbered parts of a message


def open_client(token: str, *, base_url: str = "") -> "AsyncWebClient":
    """The real client, bounded in time, without retries of its own. `base_url`: another Slack."""
    from slack_sdk.web.async_client import AsyncWebClient

    return AsyncWebClient(
        token=token,
        base_url=base_url or AsyncWebClient.BASE_URL,
        timeout=CALL_TIMEOUT_S,
        retry_handlers=[],
    )


async def identity_of(client: "AsyncWebClient") -> str:
    """Who we are to Slack, and where. Raises NotifyError."""
    import aiohttp
    from slack_sdk.errors import SlackClientError

    try:
        answer = await client.auth_test()
    except (SlackClientError, aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
        raise translate(error) from error
    return f"{answer.get('user')} in {answer.get('team')}"


class SlackNotifier:
    """Tells one channel. `on_call`: the user or user group id to mention in escalations.

    `on_said` hears of every message posted or edited: Slack sends each of them back over the socket,
    which is how a deaf socket is noticed (see slack/socket_health.py).
    """

    name = "slack"
    edits = True
    is_daily = False

    def __init__(
        self,
        client: "AsyncWebClient",
        channel: str,
        *,
        on_call: str = "",
        on_said: Callable[[], None] = lambda: None,
    ) -> None:
        self.client = client
        self._channel = channel
        self._on_call = on_call
        self.on_said = on_said
        self._pokes = itertools.count(1)
        self._newest: tuple[str, list[blocks.Block], str] | None = None  # ts, blocks, text

    @property
    def description(self) -> str:
        return f"Slack channel {self._channel}"

    async def post(self, message: Message, *, thread: Receipt | None, is_repeat: bool) -> Receipt:
        """Post once; what did not fit follows in the thread, once too."""
        rendered = self._render(message)
        root = thread.handle if thread else ""
        there = await self._parts_of(message, root) if is_repeat else {}
        main = there.get(0)
        if main is None:
            main, rendered, root = await self._say(message, rendered, root)
        elif not root:
            there |= await self._parts_of(message, main)
        if rendered.surplus:
            await self._say_surplus(message, rendered.surplus, root or main, there)
        return Receipt(self._channel, main, root)

    async def edit(self, receipt: Receipt, message: Message) -> None:
        """Replace text and blocks; the metadata of the first posting stays."""
        rendered = self._render(message, calls=False)
        try:
            await self._update(receipt.place, receipt.handle, rendered)
        except SlackRefused as error:
            if error.code not in CONTENT_ERRORS:
                raise
            plain = blocks.render_plainly(message.words, message.buttons)
            await self._update(receipt.place, receipt.handle, plain)

    async def say_more(self, channel: str, root: str, heading: str, lines: Sequence[str]) -> None:
        """Quote lines in a thread."""
        rendered = blocks.render_lines(heading, lines)
        await self._ask(
            self.client.chat_postMessage(
                channel=channel,
                thread_ts=root,
                text=rendered.text,
                blocks=list(rendered.blocks),
                unfurl_links=False,
                unfurl_media=False,
            )
        )
        self.on_said()

    async def tell(self, channel: str, user: str, sentence: str, *, thread: str) -> None:
        """Say one sentence to one person; nobody else sees it, and it is not kept."""
        await self._ask(
            self.client.chat_postEphemeral(
                channel=channel, user=user, text=blocks.escape_sentence(sentence), thread_ts=thread or None
            )
        )

    async def poke(self) -> bool:
        """Touch our newest message without changing what it shows, so that Slack must send us the change.

        False when there is nothing to touch: then no button of ours exists that could go unheard.
        """
        newest = self._newest or await self._newest_in_channel()
        if newest is None:
            return False
        handle, shown, text = newest
        touched = [{**shown[0], "block_id": f"poke-{next(self._pokes)}"}, *shown[1:]]
        await self._ask(self.client.chat_update(channel=self._channel, ts=handle, text=text, blocks=touched))
        self.on_said()
        return True

    async def close(self) -> None:
        """Nothing is kept open between calls."""

    def _render(self, message: Message, *, calls: bool = True) -> blocks.Rendered:
        mentions = (*(self._on_call,) * message.mentions_on_call, *message.mentions) if calls else ()
        return blocks.render(message.words, message.buttons, mentions=mentions)

    async def _say(
        self, message: Message, rendered: blocks.Rendered, root: str
    ) -> tuple[str, blocks.Rendered, str]:
        """Post the message; plainly when its form is refused, as a new root when the thread is gone.

        Gives its timestamp, and the form and the thread that it was posted in.
        """
        try:
            return await self._post(message, rendered, root, part=0), rendered, root
        except SlackRefused as error:
            if error.code in CONTENT_ERRORS:
                plain = blocks.render_plainly(message.words, message.buttons)
                return await self._post(message, plain, root, part=0), plain, root
            if root and error.code == "thread_not_found":
                return await self._post(message, rendered, "", part=0), rendered, ""
            raise

    async def _post(self, message: Message, rendered: blocks.Rendered, root: str, *, part: int) -> str:
        payload = {**message.metadata, "id": message.id, "part": part}
        answer = await self._ask(
            self.client.chat_postMessage(
                channel=self._channel,
                text=rendered.text,
                blocks=list(rendered.blocks),
                thread_ts=root or None,
                metadata={"event_type": EVENT_TYPE, "event_payload": payload},
                unfurl_links=False,  # no previews: a message shows what it says and nothing else
                unfurl_media=False,
            )
        )
        handle = str(answer["ts"])
        self._remember(handle, rendered)
        return handle

    async def _update(self, place: str, handle: str, rendered: blocks.Rendered) -> None:
        await self._ask(
            self.client.chat_update(
                channel=place,
                ts=handle,
                text=rendered.text[:MAX_EDIT_TEXT_CHARS],
                blocks=list(rendered.blocks),
            )
        )
        self._remember(handle, rendered)

    def _remember(self, handle: str, rendered: blocks.Rendered) -> None:
        self._newest = (handle, list(rendered.blocks), rendered.text[:MAX_EDIT_TEXT_CHARS])
        self.on_said()

    async def _say_surplus(self, message: Message, surplus: str, root: str, there: Mapping[int, str]) -> None:
        """Post what did not fit. A failure here is a doubt: the message itself has been posted."""
        pieces = blocks.replies(surplus)
        try:
            if len(pieces) > MAX_REPLIES_OF_SURPLUS:
                if FILE_PART not in there:
                    await self._upload(message, surplus, root)
                return
            for part, piece in enumerate(pieces, start=1):
                if part not in there:
                    await self._post(message, blocks.reply(piece), root, part=part)
        except SlackRefused as error:
            if error.is_final or error.code in MENDABLE_ERRORS:
                return  # the card stands; its surplus is in `babysit report`
            error.is_doubtful = True
            raise

    async def _upload(self, message: Message, content: str, root: str) -> None:
        await self._ask(
            self.client.files_upload_v2(
                channel=self._channel,
                thread_ts=root,
                filename=_file_name(message),
                title="More of the message above",
                content=content,
            )
        )
        self.on_said()

    async def _parts_of(self, message: Message, root: str) -> dict[int, str]:
        """Which parts of this message have arrived, and where."""
        found: dict[int, str] = {}
        async for reply in self._thread(root) if root else self._channel_history():
            metadata = reply.get("metadata") or {}
            payload = metadata.get("event_payload") or {}
            if metadata.get("event_type") == EVENT_TYPE and payload.get("id") == message.id:
                found.setdefault(int(payload.get("part", 0)), str(reply["ts"]))
            if any(file.get("name") == _file_name(message) for file in reply.get("files", ())):
                found[FILE_PART] = str(reply["ts"])
        return found

    async def _newest_in_channel(self) -> tuple[str, list[blocks.Block], str] | None:
        async for reply in self._channel_history():
            if (reply.get("metadata") or {}).get("event_type") == EVENT_TYPE and reply.get("blocks"):
                return str(reply["ts"]), reply["blocks"], str(reply.get("text", ""))[:MAX_EDIT_TEXT_CHARS]
        return None

    async def _thread(self, root: str) -> AsyncIterator[dict[str, Any]]:
        try:
            async for page in self._pages(
                lambda cursor: self.client.conversations_replies(
                    channel=self._channel,
                    ts=root,
                    limit=PAGE_LENGTH,
                    cursor=cursor,
                    include_all_metadata=True,
                )
            ):
                yield page
        except SlackRefused as error:
            if error.code != "thread_not_found":
                raise

    def _channel_history(self) -> AsyncIterator[dict[str, Any]]:
        return self._pages(
            lambda cursor: self.client.conversations_history(
                channel=self._channel, limit=PAGE_LENGTH, cursor=cursor, include_all_metadata=True
            )
        )

    async def _pages(self, ask: Callable[[str | None], Awaitable[Any]]) -> AsyncIterator[dict[str, Any]]:
        cursor: str | None = None
        for _ in range(MAX_PAGES):
            page = await self._ask(ask(cursor))
            for reply in page["messages"]:
                yield reply
            cursor = (page.get("response_metadata") or {}).get("next_cursor") or None
            if cursor is None:
                return

    async def _ask(self, call: Awaitable[Any]) -> Any:
        """The answer of one call, or SlackRefused, a NotifyError."""
        import aiohttp
        from slack_sdk.errors import SlackClientError

        try:
            return await call
        except (SlackClientError, aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
            raise translate(error) from error


def _file_name(message: Message) -> str:
    return f"more-{message.id}.txt"
