"""The signs that may stand between the name of a setting and its value, in every way of writing settings."""

import re

from babysitter.lazy_regex import lazy_regex

_CLOSE = (
    r"(?:\\*[\"'`]|[’”»]|\]|\)|&quot;|&\#(?:34|39);|%2[27]|\\+u002[27]"
    r"|\*\*|</(?:b|strong|em|i|code|dt|label)>){0,4}"
)
ASSIGN = lazy_regex(
    # `name: type = "value"` first
    # `key 1:`, `name (str):`, `name (of somebody):`
    rf"{_CLOSE}(?: #?\d{{1,2}}(?=[ \t]{{0,8}}[:=])| \([^()\n]{{1,40}}\)(?=[ \t]?[:=]))?"
    rf"[ \t]{{0,40}}(?::[ \t]{{0,4}}[A-Za-z_][\w.\[\], |]{{0,60}}[ \t]=[ \t]{{0,4}}(?=[bru]?[\"'])"
    r"|=>|->|→|:=|\?=|\+=|==?(?!=)|:(?!//|:)|::(?=[ \t])|：|＝|%(?:25){0,3}3[dDaA]|\\u003[dD]|&\#(?:61"
    r"|x3[dD]);)"
    r"(?:\\*[\"'],[ ]?(?=[bru]?\\*[\"']))?"  # a list of words: `'Token:', 'value'`
    r"(?:[ \t]|%20|\+(?=[^\s])|&nbsp;){0,40}(?:\*\*[ \t]{0,4}|<code>)?"
    r"(?:\\\n[ \t]{0,40}|\n[ \t]{0,40}(?=\\*[\"']))?"
    r"(?:(?:(?:[A-Za-z]\w{0,40}(?:::|\.)){0,2}[A-Z]\w{0,40}\(\s{0,80}&?){1,3}(?=[bru]?[\"']))?"
    r"(?:\([\w.*]{1,40}\) (?:\(len=\d{1,6}(?: cap=\d{1,6})?\) )?(?=\"))?"  # Go's spew
    r"(?:0x[0-9a-fA-F]{1,16} (?:<[^<>\n]{1,80}> )?(?=\"))?"  # where gdb finds the string
    # a tag or an anchor of YAML
    r"(?:(?<=[ \t])(?:!{1,2}[A-Za-z][A-Za-z_:,.]{0,40}|&[A-Za-z][\w\-]{0,40})[ \t]{1,4})?"
    r"(?:&quot;|&\#(?:34|39);|%2[27]|\\+u002[27])?"
)
# An object around the value; of one that does not say so (`Field("...")`) the value may be a description.
OBJECT = lazy_regex(r"([A-Z]\w*)\(\s*&?$")
OBJECT_OF_VALUE = lazy_regex(
    r"Some|Just|Ok|Optional|String|Text|.*(?:Secret|Token|Password|Passphrase|Key)\w*"
)
WEAK_SIGNS = lazy_regex(r"==|->|→|[\"'],|^[^:=]* \((?!str|string|text|bytes)[^()\n]{1,40}\)[ \t]?[:=]")
TUPLE = lazy_regex(r"\\*[\"'](?:\s{0,64},\s{0,64}|;s:\d{1,6}:)(?=[bru]?\\*[\"'])")
PAIR = lazy_regex(r",\s{0,4}(?:<<)?(?=\")")  # Erlang's `{name,"value"}`
XML = lazy_regex(
    r"(?:\\*[\"']?>|&gt;(?!&lt;)|&\#62;(?!&\#60;)|\\+u003[eE](?!\\+u003))(?:\s{0,80}<(?:[vV]alue|[sS]tring|text)>\s{0,8})?"
    r"(?:<!\[CDATA\[)?(?=[^<\s])"
)
XML_ATTRIBUTES = lazy_regex(r"(?:\s[\w:.\-]{1,64}=\\*\"[^\"\n]{0,200}\"){1,4}>(?:<!\[CDATA\[)?(?=[^<\s])")
COLUMN = lazy_regex(
    r"[\"'`]?[ \t]{0,200}(?:[│┃║|╎▏]|(?<=[ \t])[.·]{3,200}(?=[ \t]))[ \t]{0,200}(?=\S)"
    r"|[\"'`]?(?:[ \t]{2,200}|\t|\\{1,4}t)(?=[^\s\\])"
)
# In a list of a shell the next item has its number: `[1]="..."`.
ARGUMENT = lazy_regex(
    r"(?:\\*[\"'],?)?(?:[ \t]{0,4}\\\n[ \t]{0,40}|[ \t]{1,4})(?:\[\d{1,4}\]=(?=[\"']))?(?=\S)"
)
NO_VALUE = lazy_regex(r"=|--|-[\w-]{0,11}(?:[\s\"',=]|$)")  # the next option
PROSE = lazy_regex(
    r"[\"'`]? (?:(?:is|was|used|provided|given|value|set|of|to|as|equals|reads|now|called|with|resolved|"
    r"for [\w./@-]{1,60})\b ?){0,3}"
    r"(?:[:=] ?)?(?=\S)"
)
CALLED = lazy_regex(r"\(\s{0,8}(?=[bru]?[\"'])")
GIVES = lazy_regex(
    r"(?i)(?:\w{0,40}[._])?(?:set|with|use|add|put|password|passphrase|apikey|api_key|secret_key)"
)
# What a shell or a tool sets to the next word.
SETS = lazy_regex(r"(?:(?:setenv|set -\w{1,3}|-e|--env|--env-vars?|--set-env-vars|ENV|ARG) |\bset \$)$")
DASH = lazy_regex(r"[ \t]{1,3}[–—\-][ \t]{1,3}(?=[A-Za-z0-9+/_=.\-]{12,}[ \t]*(?:\n|$))")
QUERY_VALUE = lazy_regex(r"=(?=[^&\s\"'<>`\\]*%(?:2[0267]|3[bB]))([^&\s\"'<>`\\]+)")
CONTINUED = lazy_regex(r"[ \t]{0,4}(?:\n[ \t]{1,80})?(?=[\"'])")
LINK = lazy_regex(r"(?:is|was|set|equals|reads|now|to|as)\b")
ROW = lazy_regex(r",(?=[^\s,;\"']{6,2000}$)", re.MULTILINE)
SAYS_SO = lazy_regex(r"\b(?:is|was|set|equals|reads|now)\b|[:=]")
NAME_VALUE = lazy_regex(
    r"(?:\\*[\"'])?(?:(?:\s[\w:]{1,40}=\"[^\"\n]{0,120}\"){1,4}\s?>)?"
    r"(?:</\w+>)?\s{0,64}[,;]?\s{0,64}(?:- )?(?:\\*[\"']|<)?"
    r"(?:type\\*[\"']\s{0,8}:\s{0,8}\\*[\"']\w{1,40}\\*[\"'],\s{0,64}\\*[\"'])?"
    r"(?:\w{0,20}value|val|content|default|string|data)"
    r"(?:\\*[\"'])?\s{0,8}(?:=>|[:=>])\s{0,8}(?![\w.\-]{1,80}:(?:\s|$))",  # no mapping
    re.IGNORECASE,
)
VALUE_NAME = lazy_regex(
    r"(?i)value(?:\\*[\"'])?\s{0,8}[:=]\s{0,8}(\\*[\"']?)([^\"'\\\n]{1,2000}?)\1\s{0,4}[,;]\s{0,64}"
    r"(?:\\*[\"'])?(?:name|key|variable|field)(?:\\*[\"'])?\s{0,8}[:=]\s{0,8}(?:\\*[\"'])?$"
)
