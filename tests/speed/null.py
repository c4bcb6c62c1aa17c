"""A mail server that drops each mail: aiosmtpd as it comes. Prints its port, and runs until killed.

All figures of speed are ratios to what it does.
"""

import asyncio

from aiosmtpd.smtp import SMTP, Envelope, Session


class Drop:
    """Takes everything and keeps nothing."""

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        """Take a mail."""
        return "250 OK"


async def serve() -> None:
    """Take mail at a free port."""
    server = await asyncio.get_running_loop().create_server(
        lambda: SMTP(Drop(), hostname="localhost"), "127.0.0.1", 0
    )
    print(f"at 127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve())
