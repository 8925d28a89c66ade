"""Secrets in settings of servers and network devices, where a keyword and a blank stand before the value."""

from babysitter.redact.phrases.phrase import phrase
from babysitter.redact.settings.names import Name

SETTINGS = (
    phrase(  # redis.conf, ldap.conf, slapd.conf
        "keyword-and-password",
        "requirepass|masterauth|bindpw|rootpw",
        r"(?i)\b(?:requirepass|masterauth|bindpw|rootpw)[\"']?\s{1,40}(?:--\w{1,20}\s{1,4}){0,3}"
        r"[\"']?(?P<value>(?![=\-])[^\s\"']{3,256})",
    ),
    # Cisco IOS and its like: an optional number says how the value is stored.
    phrase(
        "device-secret",
        "enable secret|enable password|key-string|server key|pre-shared-key|server-key",
        r"(?i)\b(?:enable (?:secret|password)|key-string|(?:radius|tacacs)-server key|server-key"
        r"|pre-shared-key(?: address \S{1,64} key| local| remote)?)\s{1,4}"
        r"(?:level \d{1,2}\s{1,4})?(?:\d\s{1,4})?(?P<value>[^\s=:]{3,256})",
        Name.LIKELY_PASSWORD,
    ),
    phrase(
        "device-user",
        "username |neighbor ",
        r"(?i)\b(?:username|neighbor) \S{1,64}(?: (?:privilege \d{1,2}|algorithm-type \w{1,12}))? "
        r"(?:password|secret)(?: \d)? (?P<value>\S{3,256})",
        Name.LIKELY_PASSWORD,
        hint=r"(?:username|neighbor) [^\n]+ (?:password|secret) ",
    ),
    phrase(  # https://net-snmp.sourceforge.io/docs/man/snmpd.conf.html
        "snmp-community",
        "community|createuser ",
        r"(?i)\b(?:snmp-server community|r[ow]community6?|community string[:=]?|community[:=]) "
        r"(?P<value>[^\s:=]{3,64})",
        Name.PROBABLE,
    ),
    phrase(
        "snmp-user",
        "createuser ",
        r"(?i)\bcreateUser \S{1,64} (?:MD5|SHA\S{0,4}) [\"']?(?P<value>[^\s\"']{8,128})",
    ),
    phrase(  # HAProxy, Monit
        "admin-of-page",
        "stats auth|allow ",
        r"(?:stats auth|\ballow) [\"']?[\w.\-]{1,64}:(?P<value>[^\s\"']{3,128})",
        hint=r"(?:stats auth|allow) [\\\"']?[\w.\-]+:[^\s:]",
    ),
    phrase(  # the header that carries an API key of Honeycomb does not say so
        "header-of-vendor",
        "x-honeycomb-team",
        r"(?i)x-honeycomb-team[\"'\\]{0,4}\s{0,4}[:=,]\s{0,4}[\"'\\]{0,4}(?P<value>[\w\-]{16,128})",
        Name.SECRET,
    ),
    phrase(  # https://www.algolia.com/doc/guides/security/api-keys
        "key-of-algolia",
        "algolia",
        r"(?i)algolia[^\n]{0,120}?\b(?P<value>[0-9a-f]{32})\b",
        Name.SECRET,
    ),
    phrase(  # https://developer.hashicorp.com/consul/docs/secure/encryption/gossip
        "gossip-key",
        "encrypt",
        r"\bencrypt[\"']?\s?[:=]\s?[\"'](?P<value>[A-Za-z0-9+/]{43}=|[A-Za-z0-9+/]{22}==)",
    ),
    phrase(
        "wep-key",
        "wep key|wep_key|key1=s:",
        r"(?i)wep[ _]key\d?[:= ]{1,3}[\"']?(?P<value>[0-9a-f]{10}|[0-9a-f]{26}|[0-9a-f]{58})\b",
    ),
    phrase(  # Postfix: host, user and password
        "mail-relay",
        ":587|:465|:25",
        r"(?m):(?:25|465|587)\s{1,8}[\w.@+\-]{1,128}:(?P<value>\S{3,256})[ \t]*$",
    ),
    phrase(  # pppd
        "chap-secrets",
        "chap|pap-secrets",
        r"(?i)(?:chap|pap)-secrets[^\n*]{0,200}\*\s{1,8}(?P<value>[^\s*]{3,128})",
    ),
    phrase(
        "digest-of-user",
        "digest",
        r"(?i)\bdigest[\"']?[:, ]{1,3}[\"']?(?!sha|md5)\w{1,32}:(?P<value>[A-Za-z0-9+/]{27}=)",
    ),
    phrase(  # https://cloudinit.readthedocs.io/en/latest/reference/modules.html#set-passwords
        "cloud-init-users",
        "chpasswd:",
        r"(?m)^[ \t]{1,40}(?:- )?[a-z_][\w\-]{0,31}:(?P<value>\S{3,256})[ \t]*$",
        Name.LIKELY_PASSWORD,
        after=8,
    ),
    phrase(  # the text of a QR code; https://github.com/zxing/zxing/wiki/Barcode-Contents
        "wifi-code",
        "wifi:",
        r"WIFI:[^\n]{0,200}?\bP:(?P<value>[^;\n]{8,63});",
    ),
)
