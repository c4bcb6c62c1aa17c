"""The program in docs/house.md that plays by mail as any player does."""

import os
import smtplib
import subprocess
import sys
from pathlib import Path

from pbm_oust.board import Game
from pbm_oust.rules import KINDS
from pbm_oust.store.home import Home
from tests.support.accounts import make_account
from tests.support.core import needs_core
from tests.support.document import block
from tests.support.mails import mail
from tests.support.server import ADDRESS, PROGRAM, running
from tests.support.website import website

ROBOT, ALICE = "robot@example.net", "alice@example.org"


@needs_core
def test_a_program_plays_by_mail(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    home.prepare()
    (home.path / "pbm_oust.toml").write_text(f'address = "{ADDRESS}"\n')
    make_account(home, "robot", "wonderland", ROBOT)
    make_account(home, "alice", "wonderland", ALICE)
    environment = {**os.environ, "PATH": f"{Path(PROGRAM).parent}:{os.environ['PATH']}"}

    def game() -> Game:
        return home.ask(lambda snapshot: home.boards.read(snapshot, KINDS["oust"], 1).game)

    with running(home.path) as server, website(home.path) as pages:
        program = block(
            "mailplayer.py",
            {
                "https://games.example.com": f"http://127.0.0.1:{pages.port}",
                '"localhost", 25': f'"127.0.0.1", {server.port}',
            },
        )

        def write(sender: str, line: str) -> None:
            with smtplib.SMTP("127.0.0.1", server.port) as smtp:
                smtp.sendmail(sender, ADDRESS, mail(f"From: {sender}", f"Subject: {line}", text=""))

        write(ALICE, "oust challenge robot alice wonderland -size=5 -noswap")
        for number in (1, 3):
            letters = server.letters_to(ROBOT).values()
            (letter,) = (each for each in letters if f"oust.1.{number}." in str(each["Reply-To"]))
            subprocess.run(
                [sys.executable, "-c", program],
                input=letter.as_bytes(),
                check=True,
                env=environment,
            )
            assert [record.by for record in game().records][number - 1 :] == ["x"]
            if number == 1:
                taken = game().header.grid.names(game().position.occupied)
                corner = "E5" if "A1" in taken else "A1"
                write(ALICE, f"oust move 1 alice wonderland {corner}")
    home.close()
