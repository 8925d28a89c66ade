"""Keys and hashes as bare material: key logs of TLS, hashes of Windows, keys of wallets."""

from babysitter.redact.phrases.phrase import phrase
from babysitter.redact.settings.names import Name

MATERIAL = (
    phrase(  # from which every key of a wallet comes; a seed of random numbers is shorter
        "seed-of-wallet",
        " seed|_seed|-seed|seed (",
        r"(?i)\b(?:wallet|master|root|hd|bip-?39|recovery|signing|key|validator|account|ed25519|nkey)"
        r"[ _\-]seed(?: \([^)\n]{1,24}\))?[\"']?(?: is|\s?[:=])\s{0,4}[\"']?(?:0x)?"
        r"(?P<value>[0-9a-f]{32,128})\b",
        Name.SECRET,
        hint=r"[ _\-]seed[^\n]*[0-9a-f]{32}",
    ),
    # https://www.rfc-editor.org/rfc/rfc9850.html: label, random of the client, secret
    phrase(
        "tls-key-log",
        "client_random |_traffic_secret|exporter_secret ",
        r"\b(?:CLIENT_RANDOM|(?:CLIENT|SERVER)_(?:EARLY_|HANDSHAKE_)?TRAFFIC_SECRET(?:_\d{1,3})?"
        r"|(?:EARLY_)?EXPORTER_SECRET) (?:[0-9a-fA-F]{16,64}|\[redacted\]) (?P<value>[0-9a-fA-F]{32,128})",
        Name.SECRET,
    ),
    phrase(  # user, number, LM hash and NT hash; the empty LM hash says nothing
        "hash-of-windows",
        ":::",
        r"(?i):\d{1,10}:(?:aad3b435b51404eeaad3b435b51404ee:)?(?P<value>[0-9a-f]{32}(?::[0-9a-f]{32})?):::",
        Name.SECRET,
    ),
    phrase(  # NetNTLMv2: domain, challenge and answer; https://hashcat.net/wiki/doku.php?id=example_hashes
        "answer-of-windows",
        ":0101000000000000",
        r"(?i)::[\w.\-]{1,32}:(?P<value>[0-9a-f]{16}:[0-9a-f]{32}:0101[0-9a-f]{32,4000})",
        Name.SECRET,
    ),
    phrase(
        "cached-hash-of-windows",
        "$dcc2$",
        r"(?i)\$DCC2\$\d{1,8}#[^#\s]{1,64}#(?P<value>[0-9a-f]{32})",
        Name.SECRET,
    ),
    phrase(
        "option-of-hashes",
        "-hashes ",
        r"-hashes [\"']?(?:aad3b435b51404eeaad3b435b51404ee)?(?P<value>[0-9a-fA-F]{0,32}:[0-9a-fA-F]{32})\b",
        Name.SECRET,
    ),
    phrase(  # RFC 5803, https://www.postgresql.org/docs/current/catalog-pg-authid.html
        "verifier-of-scram",
        "scram-sha-",
        r"SCRAM-SHA-(?:1|256|512)\$\d{1,8}:[A-Za-z0-9+/=]{4,128}\$(?P<value>[A-Za-z0-9+/=]{20,128}:[A-Za-z0-9+/=]{20,128})",
        Name.SECRET,
    ),
    phrase(  # pgbouncer's userlist.txt
        "md5-of-user",
        '" "md5',
        r"\"[^\"\n]{1,64}\" \"(?P<value>md5[0-9a-f]{32})\"",
        Name.SECRET,
    ),
    phrase(  # MySQL's mysql_native_password; without quotes a checksum in binary mode looks so
        "hash-of-mysql",
        "'*|\"*",
        r"(?<=[\"'])\*(?P<value>[0-9A-F]{40})(?=[\"'])",
        Name.SECRET,
        hint=r"[\"']\*[0-9a-f]{40}",
    ),
    phrase(
        "sha2-hash-of-mysql",
        "$a$005$",
        r"\$A\$005\$(?P<value>[^\s'\"]{40,80})",
        Name.SECRET,
    ),
    # https://docs.djangoproject.com/en/stable/topics/auth/passwords, https://werkzeug.palletsprojects.com,
    # RFC 2307: `{SSHA}`
    phrase(
        "hash-with-its-scheme",
        "pbkdf2|scrypt:|{ssha|{sha|{smd5",
        r"(?i)(?:(?:pbkdf2[_:\-]sha\d{1,3}|scrypt)[$:][\d:]{1,24}\$[^\s$\"']{4,64}\$|\{(?:S?SHA(?:256|384|512)?|SMD5)\})"
        r"(?P<value>[A-Za-z0-9+/]{20,172}={0,2})",
        Name.SECRET,
    ),
    phrase(  # https://en.bitcoin.it/wiki/Wallet_import_format
        "key-of-a-wallet",
        "privkey|private key|private_key",
        r"(?i:(?:import|dump|sweep|sign\w{0,24}with)?priv(?:ate)?[_ ]?key)[\w\"']{0,8}[\s:=\[\"'\\]{1,6}"
        r"(?P<value>[5KLc9][1-9A-HJ-NP-Za-km-z]{50,51})\b",
        Name.SECRET,
    ),
)
