"""A relay that drops each letter. Prints its port, and runs until killed.

It is as quick as it can be. A letter to `stall..` is answered only after a minute.
"""

import asyncio

STALL_SECONDS = 60


async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Take letters from a client."""
    writer.write(b"220 relay\r\n")
    try:
        while line := await reader.readline():
            word = line[:4].upper()
            if word == b"EHLO":
                writer.write(b"250-relay\r\n250-PIPELINING\r\n250-8BITMIME\r\n250 SIZE\r\n")
            elif word == b"DATA":
                writer.write(b"354 go on\r\n")
                await reader.readuntil(b"\r\n.\r\n")
                writer.write(b"250 2.0.0 OK\r\n")
            elif word == b"QUIT":
                writer.write(b"221 bye\r\n")
                break
            else:
                if line.upper().startswith(b"RCPT TO:<STALL"):
                    await asyncio.sleep(STALL_SECONDS)
                writer.write(b"250 OK\r\n")
    except (OSError, EOFError):
        pass
    writer.close()


async def serve() -> None:
    """Take letters at a free port."""
    server = await asyncio.start_server(converse, "127.0.0.1", 0, limit=1 << 20)
    print(f"at 127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve())
