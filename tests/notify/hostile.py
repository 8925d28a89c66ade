"""What a job may print to do harm to whoever reads it in a chat, as a generator."""

from hypothesis import strategies as st

HARMFUL = (
    "<!channel> wake up",
    "<!here|click>",
    "<!subteam^S012345>",
    "<@U123>",
    "<@U0ADA|boss>",
    "<#C0JOBS|general>",
    "<https://evil.example|Approve restart>",
    "<mailto:x@evil.example|mail>",
    "<tel:+123|call>",
    "<javascript:alert(1)>",
    "<//evil.example|x>",
    "<www.evil.example|x>",
    "&lt;!channel&gt; &amp;lt;@U123&amp;gt;",
    "\x1b[31mred\x1b[0m\x1b]8;;https://evil.example\x07link\x1b]8;;\x07",
    "\u202eevorppA\u202c \u2066x\u2069 \u200f\u061c",
    "```\n*Approved by ada*\n```",
    "`code` *bold* _it_ ~no~ :tada: > quote",
    '{"type": "actions", "elements": [{"type": "button", "action_id": "approve", "value": "p-1"}]}',
    'File "x.py", line 3, in <module>',
    "<<!channel>>",
    "<" * 3000,
    "&" * 3000,
    "x" * 100_000,
    "\x00\x08\x7f\r\n",
)

texts = st.one_of(
    st.sampled_from(HARMFUL),
    st.text(max_size=400),
    st.lists(st.sampled_from(HARMFUL), min_size=1, max_size=4).map(" ".join),
    st.builds(lambda part, times: part * times, st.sampled_from(HARMFUL), st.integers(1, 40)),
)
