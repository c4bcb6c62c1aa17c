"""Mails made to cost much: each a command line and a text of a size that is given."""

from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Costly:
    """A kind of mail that grows with a number."""

    line: Callable[[int], str]
    text: Callable[[int], str] = lambda size: ""
    headers: Callable[[int], tuple[str, ...]] = lambda size: ()


LOGIN = "alice wonderland"

COSTLY = {
    "words in the Subject": Costly(lambda size: "x " * size),
    "words of ours": Costly(lambda size: "oust " * size),
    "boards": Costly(lambda size: "oust show " + "1 " * size),
    "subjects of the help": Costly(lambda size: "help " + "oust " * size),
    "userids": Costly(lambda size: "oust games " + " ".join(f"u{n}" for n in range(size))),
    "placements": Costly(lambda size: f"oust move 1 {LOGIN} " + "D4," * size),
    "clauses": Costly(lambda size: f"oust queue 1 {LOGIN} " + "if D4 then E5;" * size),
    "options": Costly(lambda size: "oust challenge alice bob " + "-size=5 " * size),
    "a long word": Costly(lambda size: "x" * size),
    "ligatures": Costly(lambda size: "\ufdfa" * (size // 4)),
    "marks out of order": Costly(
        lambda size: "a" + "\u0301" * (size // 8) + "\u0323" * (size // 8)
    ),
    "reply prefixes": Costly(lambda size: "Re: " * (size // 4) + "help"),
    "words on the first line": Costly(lambda size: "", lambda size: "x " * size),
    "a message of our words": Costly(
        lambda size: f"message {LOGIN} bob", lambda size: "oust " * size
    ),
    "a message of misspelt commands": Costly(
        lambda size: f"message {LOGIN} bob",
        lambda size: " ".join(f"oust mov{chr(97 + n % 26)} 1 {n} secret" for n in range(size // 4)),
    ),
    "a message of commands": Costly(
        lambda size: f"message {LOGIN} bob", lambda size: f"oust move 1 {LOGIN} D4\r\n" * size
    ),
    "a message of addresses": Costly(
        lambda size: f"message {LOGIN} bob", lambda size: "http://example.org/x " * size
    ),
    "a message of empty lines": Costly(
        lambda size: f"message {LOGIN} bob", lambda size: "x\r\n\r\n" * size
    ),
    "quotes": Costly(lambda size: "help", lambda size: "> x\r\n" * size),
    "deep quotes": Costly(lambda size: "help", lambda size: ">" * size + "x"),
    "lines that end in a colon": Costly(
        lambda size: "help", lambda size: "On 1.1.2026 x:\r\n" * size
    ),
    "recipients": Costly(
        lambda size: "help",
        headers=lambda size: ("To: " + ",".join(f"a{n}@x.org" for n in range(size // 8)),),
    ),
    "headers": Costly(lambda size: "help", headers=lambda size: ("X-Some: x",) * size),
    "languages": Costly(
        lambda size: "help", headers=lambda size: ("Accept-Language: " + "en;q=0.1," * (size // 8),)
    ),
    "HTML": Costly(
        lambda size: "help",
        lambda size: "<div><b>x</b>" * size,
        lambda size: ("Content-Type: text/html",),
    ),
    "several commands": Costly(lambda size: "multiple", lambda size: "help\r\n" * min(20, size)),
    "several drawn boards": Costly(
        lambda size: "multiple", lambda size: "oust show 1\r\n" * min(20, size)
    ),
    "several signed commands": Costly(
        lambda size: "multiple", lambda size: f"settings {LOGIN}\r\n" * min(20, size)
    ),
    "encoded words": Costly(lambda size: "=?utf-8?q?help?= " * (size // 16)),
    "a folded Subject": Costly(lambda size: "help" + "\r\n oust" * (size // 8)),
    "parts": Costly(
        lambda size: "help",
        lambda size: "--b\r\nContent-Type: text/plain\r\n\r\nx\r\n" * min(90, size // 10),
        lambda size: ("Content-Type: multipart/mixed; boundary=b",),
    ),
    "base64": Costly(
        lambda size: "help",
        lambda size: b64encode(b"x y\n" * size).decode(),
        lambda size: ("Content-Transfer-Encoding: base64",),
    ),
    "quoted printable": Costly(
        lambda size: "help",
        lambda size: "=C3=A9=\r\n" * size,
        lambda size: (
            "Content-Type: text/plain; charset=utf-8",
            "Content-Transfer-Encoding: quoted-printable",
        ),
    ),
    "references": Costly(
        lambda size: "help",
        headers=lambda size: ("References: " + " ".join(f"<{n}@x>" for n in range(size // 8)),),
    ),
}
"""The kinds of mails by their names."""
