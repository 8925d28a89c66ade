"""Random strings that a sentence in another language than English calls a key or a token."""

from babysitter.redact.phrases.phrase import phrase
from babysitter.redact.settings.names import Name

# German, French, Spanish, Portuguese, Italian, Dutch, Scandinavian, Polish, Czech, Turkish, Russian.
_KEYS = (
    "schlüssel|schluessel|jeton|clé|clave|chave|chiave|sleutel|nyckel|nøkkel|nøgle|klucz|klíč|anahtar"
    "|ключ|токен"
)
_SAYS = r"\s(?:lautet|ist|is|est|es|è|é|är|er|to|je|jest|это|доступа)\s?:?\s"
_NEAR_TOKEN = (
    "zugriffstoken|zugangstoken|token lautet|token ist |token de |token di |token d'|token d’|token jest"
    "|token är |token er "
)
LANGUAGES = (
    phrase(
        "random-string-of-a-key-in-another-language",
        f"{_KEYS}|{_NEAR_TOKEN}",
        rf"(?i)(?:{_KEYS}|token)\w{{0,4}}\b[^\n:=]{{0,60}}?(?:\s?[:=] ?|{_SAYS})[\"'`]?"
        r"(?P<value>(?=[^\s]{0,200}[g-zG-Z])[A-Za-z0-9+/_\-]{20,200}={0,2})(?=[\"'`]?(?:[\s,;.)]|$))",
        Name.POSSIBLE,
    ),
)
