"""A player at a desk: a folder of mail, an editor, and a server that takes what is sent."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from pbm_oust.mail.reading import Mail, read_mail
from tests.peers.mail_programs.terminal import terminal
from tests.support.sink import Sink
from tests.support.waiting import PATIENCE

PEERS = Path(__file__).parents[3] / ".peers"
ALICE = "alice@example.org"
COMMANDS = "pbmserv@example.org"
EDITOR = Path(__file__).parent / "editor.py"

SEND_ANYWAY = "set abort_unmodified = no"
"""A setting of mutt and neomutt, which drop a draft as unmodified if its time is the same second
after the editor as before. So that it differs, they first set a new draft's time back; but they do
not where it is ahead of their clock, as since Linux 6.13 in the first milliseconds of a second."""

BOARD_SUBJECT = "oust 17 #5: your turn, alice"
BOARD = """It is your turn, alice: you play x and have 9 placements.
Answer with your move, for example:

  oust move 17 alice wonderland A1

   A B C
3  . . . 3
2  . o . 2
1  . . . 1
   A B C
"""
BOARD_MAIL = f"""From: pbm_oust <{COMMANDS}>
To: Alice Liddell <{ALICE}>
Subject: {BOARD_SUBJECT}
Date: Fri, 20 Nov 2026 15:36:00 +0000
Message-ID: <oust.17.5@example.org>
MIME-Version: 1.0
Content-Type: text/plain; charset=us-ascii

{BOARD}"""


@dataclass
class Desk:
    """Where a player writes; `port` is where the programs hand their mail over."""

    folder: Path
    port: int
    sink: Sink

    @property
    def inbox(self) -> Path:
        """A folder in the form mbox with one board mail in it."""
        path = self.folder / "inbox"
        if not path.exists():
            escaped = f"From {COMMANDS} Fri Nov 20 15:36:00 2026\n{BOARD_MAIL}\n"
            path.write_text(escaped)
            path.chmod(0o600)
        return path

    @property
    def environment(self) -> dict[str, str]:
        paths = ("git", "msmtp", "curl")
        path = ":".join([*(str(PEERS / name / "usr/bin") for name in paths), os.environ["PATH"]])
        return {
            "HOME": str(self.folder),
            "PATH": path,
            "LANG": "C.UTF-8",
            "LC_ALL": "C.UTF-8",
            "MAIL": str(self.inbox),
            "USER": "alice",
            "LOGNAME": "alice",
            "TMPDIR": str(self.folder),
        }

    def file(self, name: str, content: str | bytes) -> Path:
        """Write a file in the folder and return its path."""
        path = self.folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def editor(self, place: str, text: str) -> str:
        """Return a command that writes a text into a draft: above, below, or between."""
        written = self.file("written", text)
        return f"{sys.executable} {EDITOR} {place} {written}"

    def run(self, *command: str | Path, stdin: str | bytes = "", **environment: str) -> None:
        """Run a program without a terminal. Raises AssertionError if it fails."""
        done = subprocess.run(
            command,
            input=stdin.encode() if isinstance(stdin, str) else stdin,
            env=self.environment | environment,
            cwd=self.folder,
            capture_output=True,
            timeout=PATIENCE,
        )
        assert done.returncode == 0, (done.stdout + done.stderr).decode("utf-8", "replace")

    def run_in_terminal(self, *command: str | Path, **environment: str) -> None:
        """Run a program that needs a terminal but nobody before it."""
        with terminal(list(command), self.environment | environment, self.folder) as screen:
            screen.wait_until_ended()

    def sent(self) -> Mail:
        """Return what the server reads of the mail that a program has sent."""
        (taken,) = self.sink.wait_for(1)
        assert taken.rcpt_tos == [COMMANDS]
        assert isinstance(taken.content, bytes)
        (self.folder / "sent.eml").write_bytes(taken.content)
        return read_mail(taken.content, taken.mail_from or "")
