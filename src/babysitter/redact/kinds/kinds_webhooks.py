"""Addresses that anybody who knows them may post to: the secret is part of the path or of the query."""

from babysitter.redact.kinds.kind import SecretKind

_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_UUID_SPECIMEN = "{hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}"


def _address(id: str, source: str, specimen: str, pattern: str) -> SecretKind:  # noqa: A002
    return SecretKind(id, "", "", 8, source, (specimen,), pattern=pattern)


KINDS = (
    _address(
        "feishu-webhook",
        "https://open.feishu.cn/document/client-docs/bot-v3/add-custom-bot",
        f"https://open.feishu.cn/open-apis/bot/v2/hook/{_UUID_SPECIMEN}",
        rf"open-apis/bot/(?:v2/)?hook/(?:{_UUID}|[A-Za-z0-9]{{20,}})",
    ),
    _address(
        "wecom-webhook",
        "https://developer.work.weixin.qq.com/document/path/91770",
        f"https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key={_UUID_SPECIMEN}",
        rf"cgi-bin/webhook/send\?(?:debug=1&)?key={_UUID}",
    ),
    _address(
        "ifttt-webhook",
        "https://help.ifttt.com/hc/en-us/articles/115010230347-Webhooks-service-FAQ",
        "https://maker.ifttt.com/trigger/done/with/key/{url:43}",
        r"maker\.ifttt\.com/trigger/[A-Za-z0-9_\-]+/(?:json/)?with/key/[A-Za-z0-9_\-]{16,}",
    ),
    _address(
        "make-webhook",
        "https://www.make.com/en/help/tools/webhooks",
        "https://hook.eu1.make.com/{low:32}",
        r"hook\.(?:[a-z0-9]+\.)?(?:make|integromat)\.com/[a-z0-9]{24,}",
    ),
    _address(
        "google-chat-webhook",
        "https://developers.google.com/workspace/chat/quickstart/webhooks",
        "https://chat.googleapis.com/v1/spaces/A/messages?key=k&token={url:43}",
        r"chat\.googleapis\.com/v1/spaces/[A-Za-z0-9_\-]+/messages\?[A-Za-z0-9_\-=&%]{20,}",
    ),
    _address(
        "rocket-chat-webhook",
        "https://docs.rocket.chat/docs/integrations",
        "https://chat.example/hooks/{hex:24}/{an:48}",
        r"/hooks/[A-Za-z0-9]{17,24}/[A-Za-z0-9]{32,}",
    ),
    _address(
        "better-stack-heartbeat",
        "https://betterstack.com/docs/uptime/cron-and-heartbeat-monitor/",
        "https://uptime.betterstack.com/api/v1/heartbeat/{an:24}",
        r"better(?:stack|uptime)\.com/api/v1/heartbeat/[A-Za-z0-9]{16,}",
    ),
    _address(
        "cronitor-ping",
        "https://cronitor.io/docs/telemetry-api",
        "https://cronitor.link/p/{hex:32}/nightly",
        r"cronitor\.link/p/[0-9a-f]{24,}",
    ),
    _address(
        "loggly-input",
        "https://documentation.solarwinds.com/en/success_center/loggly/content/admin/http-endpoint.htm",
        f"https://logs-01.loggly.com/inputs/{_UUID_SPECIMEN}/tag/http/",
        rf"loggly\.com/(?:inputs|bulk)/{_UUID}",
    ),
    _address(
        "sumo-logic-collector",
        "https://help.sumologic.com/docs/send-data/hosted-collectors/http-source/",
        "https://endpoint1.collection.sumologic.com/receiver/v1/http/{b64:80}==",
        r"sumologic\.com/receiver/v1/http/[A-Za-z0-9+/_\-]{40,}={0,2}",
    ),
    _address(
        "sentry-cron",
        "https://docs.sentry.io/product/crons/getting-started/http/",
        "https://o1.ingest.sentry.io/api/1/cron/nightly/{hex:32}/",
        r"sentry\.io/api/\d+/cron/[A-Za-z0-9_\-]+/[0-9a-f]{32}",
    ),
)
