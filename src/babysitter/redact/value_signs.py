"""The signs that may stand between the name of a setting and its value, in every way of writing settings."""

import re

_CLOSE = r"(?:\\*[\"'`]|\]|\)|&quot;|&\#(?:34|39);|%2[27]){0,4}"
ASSIGN = re.compile(
    # `name: type = "value"` first
    rf"{_CLOSE}[ \t]{{0,40}}(?::[ \t]{{0,4}}[A-Za-z_][\w.\[\], |]{{0,60}}[ \t]=[ \t]{{0,4}}(?=[bru]?[\"'])"
    r"|=>|->|→|:=|\?=|\+=|==?(?!=)|:(?!//|:)|%3[dDaA]|\\u003[dD]|&\#(?:61|x3[dD]);)"
    r"(?:[ \t]|%20|\+(?=[^\s])|&nbsp;){0,40}(?:\\?\n[ \t]{0,40}(?=\\*[\"']))?"
    r"(?:(?:Some|Just|Ok|Secret(?:Str|Bytes)?|Optional|String|Text)\(\s{0,80}(?=[bru]?[\"']))?"
    r"(?:!{1,2}[A-Za-z][\w:,.]{0,40}[ \t]{1,4})?(?:&quot;|&\#(?:34|39);|%2[27])?"
)
WEAK_SIGNS = re.compile(r"==|->|→")
TUPLE = re.compile(r"\\*[\"']\s{0,64},\s{0,64}(?=[bru]?\\*[\"'])")
XML = re.compile(r"\\*[\"']?>(?=[^<\s])")
COLUMN = re.compile(
    r"[\"'`]?[ \t]{0,200}(?:[│┃║|╎▏]|(?<=[ \t])[.·]{3,200}(?=[ \t]))[ \t]{0,200}(?=\S)"
    r"|[\"'`]?(?:[ \t]{2,200}|\t)(?=\S)"
)
ARGUMENT = re.compile(r"(?:\\*[\"'],?)?(?:[ \t]{0,4}\\\n[ \t]{0,40}|[ \t]{1,4})(?=\S)")
NO_VALUE = re.compile(r"=|--|-[\w-]{0,11}(?:[\s\"',=]|$)")  # the next option
PROSE = re.compile(
    r" (?:(?:is|was|used|provided|given|value|set|of|to|as|equals|reads|now|called|with|"
    r"for [\w./@-]{1,60})\b ?){0,3}"
    r"(?:[:=] ?)?(?=\S)"
)
LINK = re.compile(r"(?:is|was|set|equals|reads|now|to|as)\b")
ROW = re.compile(r",(?=[^\s,;\"']{6,2000}$)", re.MULTILINE)
SAYS_SO = re.compile(r"\b(?:is|was|set|equals|reads|now)\b|[:=]")
NAME_VALUE = re.compile(
    r"(?:\\*[\"'])?(?:</\w+>)?\s{0,64}[,;]?\s{0,64}(?:- )?(?:\\*[\"']|<)?"
    r"(?:\w{0,20}value|val|content|default|string|data)"
    r"(?:\\*[\"'])?\s{0,8}(?:=>|[:=>])\s{0,8}",
    re.IGNORECASE,
)
VALUE_NAME = re.compile(
    r"(?i)value(?:\\*[\"'])?\s{0,8}[:=]\s{0,8}(\\*[\"']?)([^\"'\\\n]{1,2000}?)\1\s{0,4}[,;]\s{0,64}"
    r"(?:\\*[\"'])?(?:name|key|variable|field)(?:\\*[\"'])?\s{0,8}[:=]\s{0,8}(?:\\*[\"'])?$"
)
