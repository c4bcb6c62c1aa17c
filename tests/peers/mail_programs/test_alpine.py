"""Alpine, somebody sitting before it."""

from collections.abc import Iterable
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.peers.mail_programs.desk import ALICE, COMMANDS, PEERS, Desk
from tests.peers.mail_programs.letters import (
    COMMAND,
    GREETING,
    SIGNATURE,
    TEXTS,
    assert_read,
    assert_reply,
)
from tests.peers.mail_programs.terminal import terminal

SEND = "\x18"
BOTTOM = "\x17\x16"
"""Go to the end of the draft: `where is`, then `bottom`."""


def sit_before(desk: Desk, steps: Iterable[tuple[str, str]], *options: str, more: str = "") -> None:
    """Wait for each text and type the keys beside it, until a letter is sent."""
    lines = (
        "personal-name=Alice Liddell",
        "user-domain=example.org",
        f"smtp-server=127.0.0.1:{desk.port}",
        f"inbox-path={desk.inbox}",
        f"customized-hdrs=From: Alice Liddell <{ALICE}>",
        'default-fcc=""',
        "last-version-used=6.26",
        more,
    )
    rc = desk.file("pinerc", "\n".join(lines) + "\n")
    command: list[str | Path] = [PEERS / "alpine/usr/bin/alpine", "-p", rc, *options]
    with terminal(command, desk.environment, desk.folder) as screen:
        for text, keys in (*steps, ("Send message?", "y")):
            screen.wait_for(text)
            screen.type(keys)
        desk.sink.wait_for(1)


def keys_of(text: str) -> str:
    return text.replace("\n", "\r")


@pytest.mark.parametrize("text", ["plain", "umlauts", "Japanese", "Russian"])
def test_a_text_is_read(text: str, desk: Desk) -> None:
    address = f"mailto:{COMMANDS}?subject={quote(COMMAND)}"
    sit_before(desk, [("Message Text", keys_of(TEXTS[text]) + SEND)], "-url", address)
    assert_read(desk.sent(), TEXTS[text])


@pytest.mark.parametrize(
    ("place", "setting"),
    [
        ("above", ""),
        ("above", "feature-list=quell-flowed-text"),
        ("above", f"literal-signature=-- \\n{SIGNATURE.split()[0]}"),
        ("below", ""),
        ("below", "feature-list=quell-flowed-text"),
    ],
)
def test_an_answer_is_read_without_quote_and_signature(
    place: str, setting: str, desk: Desk
) -> None:
    text = f"{GREETING}\n" if place == "above" else f"{BOTTOM}\n{GREETING}"
    steps = [
        ("Message 1 of 1", "R"),
        ("Include original", "y"),
        ("all recipients", "n"),
        ("COMPOSE", keys_of(text) + SEND),
    ]
    sit_before(desk, steps, "-i", more=setting)
    assert_reply(desk.sent())
