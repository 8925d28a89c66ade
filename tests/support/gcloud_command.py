"""A stand-in `gcloud` for tunnels: lists one machine, and forwards a port instead of calling ssh.

Environment: GCLOUD_LOG (every call is appended), GCLOUD_TARGET (port of the "controller"), GCLOUD_MACHINES
(the list it prints), GCLOUD_LIST_FAILS (listing ends with this text), GCLOUD_FAILS (a file: while it exists,
ssh ends with its text), GCLOUD_DELAY_S (how long ssh takes to open).
"""

# ruff: noqa: T201 - a command prints
import asyncio
import os
import sys
import time
from pathlib import Path


async def forward(local_port: int, target: int) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            upstream_reader, upstream_writer = await asyncio.open_connection("127.0.0.1", target)
        except OSError:
            writer.close()
            return
        await asyncio.gather(pump(reader, upstream_writer), pump(upstream_reader, writer))

    server = await asyncio.start_server(serve, "127.0.0.1", local_port)
    print(f"Forwarding from 127.0.0.1:{local_port}", flush=True)
    await server.serve_forever()


async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while piece := await reader.read(65536):
            writer.write(piece)
            await writer.drain()
    except OSError:
        pass
    finally:
        writer.close()


def main(words: list[str]) -> None:
    with open(os.environ["GCLOUD_LOG"], "a") as log:
        log.write(f"{os.getpid()} {' '.join(words)}\n")
    if words[:3] == ["compute", "instances", "list"]:
        if failure_text := os.environ.get("GCLOUD_LIST_FAILS"):
            sys.exit(failure_text)
        print(os.environ["GCLOUD_MACHINES"])
        return
    failure = Path(os.environ["GCLOUD_FAILS"])
    if failure.exists():
        sys.exit(failure.read_text())
    time.sleep(float(os.environ.get("GCLOUD_DELAY_S", "0")))
    local_port = int(words[words.index("-L") + 1].split(":")[1])
    asyncio.run(forward(local_port, int(os.environ["GCLOUD_TARGET"])))


if __name__ == "__main__":
    main(sys.argv[1:])
