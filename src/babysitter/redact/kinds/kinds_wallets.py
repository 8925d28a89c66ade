"""Private keys of wallets and of accounts without a server."""

from babysitter.redact.kinds.kind import SecretKind

_BASE58 = "1-9A-HJ-NP-Za-km-z"
_SAMPLE = "K7mN2pQ9rS4tU6vW8xY3zA5bC"
KINDS = (
    SecretKind(
        "bitcoin-key-uncompressed",
        "",
        "",
        49,
        "https://en.bitcoin.it/wiki/Wallet_import_format",
        (f"5J{_SAMPLE}{_SAMPLE[:24]}",),
        pattern=rf"\b5[HJK][{_BASE58}]{{49}}\b",
    ),
    SecretKind(
        "bitcoin-key",
        "",
        "",
        51,
        "https://en.bitcoin.it/wiki/Wallet_import_format",
        (f"wif {_SAMPLE}{_SAMPLE}L2",),
        pattern=rf"[KL][{_BASE58}]{{51}}\b",
        near="wif",
    ),
    SecretKind(
        "extended-private-key",
        "",
        "",
        60,
        "https://github.com/bitcoin/bips/blob/master/bip-0032.mediawiki",
        (f"xprv9s21ZrQH143K{_SAMPLE}{_SAMPLE}{_SAMPLE}{_SAMPLE[:20]}",),
        pattern=rf"\b[xyzt]prv[{_BASE58}]{{60,}}",
    ),
    SecretKind(
        "nostr-key",
        "",
        "",
        58,
        "https://github.com/nostr-protocol/nips/blob/master/19.md",
        ("nsec1" + "q3z8r7y6x5w4v2t9s0" * 3 + "q3z8",),
        pattern=r"\bnsec1[02-9ac-hj-np-z]{58}\b",
    ),
)
