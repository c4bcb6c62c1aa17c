"""Commands that are one module and a page of the help each: nothing else has to name them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

TOY = '''
"""The commands that wave at the other player of a board: wave, nod, and at the end of it bow."""

from pbm_oust.accounts.asks import Topic
from pbm_oust.grammar.form import Command, Form, AnsweredBy
from pbm_oust.grammar.notation import Heading
from pbm_oust.grammar.values import OF_BOARD, OWN, only_word
from pbm_oust.play.unit_of_work import ForPlayer
from pbm_oust.play.context import Context, Outcome
from pbm_oust.play.request import Ending
from pbm_oust.refusal import NotAllowed, NotAllowedReason, Refusal
from pbm_oust.rules.position import Kind

HEADING = Heading.TALKING


class TooShy(NotAllowedReason, frozen=True):
    """A player wants to wave twice."""


def less_heartily(command: Command, refusal: Refusal) -> Command | None:
    """Return the same with less heart."""
    if isinstance(refusal.reason, TooShy):
        return command.with_values(is_heartily=False)
    return None


def nod(on: Context) -> Outcome:
    """Nod to everybody."""
    return Outcome(Ending.DONE, board=on.own.userid)


def bow(on: Context, kind: Kind, board: int) -> Outcome:
    """Bow to the other player."""
    return Outcome(Ending.DONE, board=f"{kind.name} {board}, {on.request.chat.strip()}")


def wave(on: Context, kind: Kind, board: int, is_heartily: bool) -> Outcome:
    """Wave at the other player, but not heartily."""
    if is_heartily:
        raise NotAllowed(TooShy())
    return Outcome(Ending.DONE, board=f"{kind.name} {board}")


FORMS = (
    Form(
        "wave",
        OF_BOARD,
        only_word("heartily", "is_heartily"),
        instead=less_heartily,
        run=ForPlayer(wave),
    ),
    Form(
        "bow",
        OF_BOARD,
        plays_again=True,
        answers={Topic.CHAT: AnsweredBy.NAME},
        run=ForPlayer(bow),
    ),
    Form(
        "nod",
        OWN,
        is_of_kind=False,
        answers={Topic.PLAY: AnsweredBy.NAME},
        run=ForPlayer(nod),
    ),
)
'''

SHOW = """
import sys
from pathlib import Path
from pbm_oust.service.table import next_in
from tests.support.conversation import Conversation
from tests.support.home_by_mail import ALICE, BOB, Talk

print("wave" in next_in(["oust"]).words, next_in(["oust", "wave"]).place)
print(next_in(["oust", "wave", "17", "alice", "wonderland"]).words)
home, lines = map(Path, sys.argv[1:])
said = [line for line in lines.read_text().split("\\n") if line and line[0] != "#"]
Conversation(Talk.begin(home, ALICE, BOB)).say(said)
"""
"""Prints what a shell completes, and has a conversation."""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """The program with a module of commands more, their pages of the help, and a refusal."""
    folder = tmp_path / "source"
    package = shutil.copytree(
        ROOT / "pbm_oust", folder / "pbm_oust", ignore=shutil.ignore_patterns("__pycache__")
    )
    templates = shutil.copytree(ROOT / "templates", package / "templates")
    (package / "commands" / "wave.py").write_text(TOY)
    (templates / "help" / "wave.txt").write_text("{% trans %}Waves.{% endtrans %}\n")
    (templates / "help" / "bow.txt").write_text("{% trans %}Bows.{% endtrans %}\n")
    (templates / "help" / "nod.txt").write_text("{% trans %}Nods.{% endtrans %}\n")
    (templates / "refusals" / "commands" / "wave.txt").write_text(
        "{% macro too_shy(why, word) -%}{% trans %}You are too shy.{% endtrans %}{%- endmacro %}\n"
    )
    shutil.copytree(ROOT / "tests" / "support", folder / "tests" / "support")
    (folder / "tests" / "__init__.py").touch()
    return folder


@pytest.mark.slow
def test_a_module_of_commands_is_known_everywhere(source: Path, tmp_path: Path) -> None:
    conversation = Path(__file__).with_suffix(".txt")
    done = subprocess.run(
        [sys.executable, "-c", SHOW, tmp_path / "home", conversation],
        env=os.environ | {"PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": ""},
        cwd=source,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["True BOARD", "('heartily',)"]
