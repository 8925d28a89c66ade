"""The table of kinds: every secret that can be recognised by its own look, with its source and specimens."""

from babysitter.redact.kinds import (
    kinds_clouds,
    kinds_models,
    kinds_services,
    kinds_tools,
    kinds_wallets,
    kinds_webhooks,
)
from babysitter.redact.kinds.kind import SecretKind

KINDS: tuple[SecretKind, ...] = (
    *kinds_models.KINDS,
    *kinds_clouds.KINDS,
    *kinds_tools.KINDS,
    *kinds_services.KINDS,
    *kinds_webhooks.KINDS,
    *kinds_wallets.KINDS,
)
