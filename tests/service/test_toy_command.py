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

from pbm_oust.grammar.form import Command, Form
from pbm_oust.grammar.notation import Heading
from pbm_oust.grammar.values import OF_BOARD, OWN, only_word
from pbm_oust.play.unit_of_work import ForPlayer
from pbm_oust.play.request import Handled, Outcome
from pbm_oust.play.request import Actor
from pbm_oust.play.unit_of_work import UnitOfWork
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


def nod(actor: Actor, work: UnitOfWork) -> Handled:
    """Nod to everybody."""
    return Handled(Outcome.DONE, actor.userid)


def bow(actor: Actor, work: UnitOfWork, kind: Kind, board: int) -> Handled:
    """Bow to the other player."""
    return Handled(Outcome.DONE, f"{kind.name} {board}, {work.request.chat.strip()}")


def wave(actor: Actor, work: UnitOfWork, kind: Kind, board: int, is_heartily: bool) -> Handled:
    """Wave at the other player, but not heartily."""
    if is_heartily:
        raise NotAllowed(TooShy())
    return Handled(Outcome.DONE, f"{kind.name} {board}")


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
        run=ForPlayer(bow),
    ),
    Form(
        "nod",
        OWN,
        is_of_kind=False,
        by_letter=True,
        run=ForPlayer(nod),
    ),
)
'''

SHOW = """
from pathlib import Path
from pbm_oust.accounts.tags import AnswerPurpose, Reply
from pbm_oust.letters.words import Words
from pbm_oust.refusal import Unreadable
from pbm_oust.service.answers import read_answer
from pbm_oust.service.table import next_in
from pbm_oust.service.table import without_passwords
from pbm_oust.service.table import parse_line
"""


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program with a module of commands more, their pages of the help, and a refusal."""
    folder = tmp_path_factory.mktemp("source")
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
    return folder


def printed(source: Path, script: str) -> str:
    """Return what Python prints with the program that has one command more."""
    done = subprocess.run(
        [sys.executable, "-c", SHOW + script],
        env=os.environ | {"PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": ""},
        cwd=source,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_it_is_read_and_written(source: Path) -> None:
    script = """
_, command = parse_line("oust wave 17 alice wonderland heartily")
print(command.form.name, command["is_heartily"], "|", command.line())
"""
    assert printed(source, script) == "wave True | oust wave 17 alice PASSWORD heartily"


def test_the_help_and_its_overview_have_it(source: Path) -> None:
    script = """
words = Words("pbmserv@example.org")
for page in ("overview", "commands"):
    print([line for line in words.help_page(page).splitlines() if "wave" in line])
print("wave" in words.help_page("help"), words.help_page("wave").splitlines()[-1])
"""
    overview, written, rest = printed(source, script).splitlines()
    assert overview == "['  wave         Waves.']"
    assert written == "['  GAME wave BOARD USERID PASSWORD [heartily]']"
    assert rest == "True Waves."


def test_an_answer_to_a_letter_says_it_in_a_word(source: Path) -> None:
    script = """
reply = Reply(AnswerPurpose.PLAY, "oust", 17, 12, "alice")
command = read_answer("", "wave heartily", reply).command
print(command.form.name, command["board"], command["userid"], "|", command.answer())
"""
    assert printed(source, script) == "wave 17 alice | wave heartily"


def test_an_answer_to_a_letter_may_be_a_command_of_no_board_that_wants_nothing_else(
    source: Path,
) -> None:
    script = """
reply = Reply(AnswerPurpose.PLAY, "oust", 17, 12, "alice")
for line in ("Nod.", "nod alice wonderland", "nod bob lookingglass", "nod D4"):
    command = read_answer("", line, reply).command
    print(command if isinstance(command, Unreadable) else command["password"] == reply)
print(read_answer("", "nod", reply).command.answer())
"""
    assert printed(source, script).splitlines() == [
        "True",
        "False",
        "unknown_answer",
        "unknown_answer",
        "nod",
    ]


def test_its_password_is_masked_in_texts_for_other_eyes(source: Path) -> None:
    script = 'print(without_passwords("I wrote oust wave 17 alice wonderland"))'
    assert printed(source, script) == "I wrote oust wave 17 alice ********"


def test_a_near_miss_is_corrected_and_its_words_are_no_passwords(source: Path) -> None:
    script = """
line, error = parse_line("oust wavee 17 alice wonderland heartily")
print(line.correction(lambda word: word in ("alice", "17")).line())
print(type(parse_line("signup carol heartily")[1].reason).__name__)
"""
    corrected, refused = printed(source, script).splitlines()
    assert corrected == "oust wave 17 alice PASSWORD heartily"
    assert refused == "BadPassword"


def test_a_shell_completes_it(source: Path) -> None:
    script = """
print("wave" in next_in(["oust"]).words, next_in(["oust", "wave"]).place)
print(next_in(["oust", "wave", "17", "alice", "wonderland"]).words)
"""
    assert printed(source, script).splitlines() == ["True BOARD", "('heartily',)"]


def test_it_is_carried_out_and_refused_with_what_to_send_instead(
    source: Path, tmp_path: Path
) -> None:
    script = f"""
from tests.support.home_by_mail import ALICE, Talk

talk = Talk.begin(Path({str(tmp_path / "home")!r}), ALICE)
talk.send(ALICE, "oust wave 17 alice wonderland")
print(talk.outcome)
talk.send(ALICE, "oust wave 17 alice wonderland heartily")
print(talk.outcome)
text = talk.text_to(ALICE)
print("You are too shy." in text, "  oust wave 17 alice PASSWORD\\n" in text)
"""
    shutil.copytree(ROOT / "tests" / "support", source / "tests" / "support", dirs_exist_ok=True)
    (source / "tests" / "__init__.py").touch()
    assert printed(source, script).splitlines() == [
        "done: wave",
        "refused: too_shy",
        "True True",
    ]


def test_the_last_letter_of_a_game_offers_what_plays_again_and_an_answer_is_a_word(
    source: Path, tmp_path: Path
) -> None:
    script = f"""
from tests.support.home_by_mail import ALICE, BOB, Talk
from tests.support.pages import Page

talk = Talk.begin(Path({str(tmp_path / "home")!r}), ALICE, BOB)
talk.send(ALICE, "oust challenge alice bob wonderland -size=3")
talk.send(ALICE, "oust move 1 alice wonderland B2")
print("bow" in talk.text_to(BOB) + talk.page_to(BOB))
talk.send(BOB, "oust resign 1 bob lookingglass")
letter = talk.letter_to(ALICE)
text = " ".join(letter.text.split())
print("To play bob again, answer this mail with:" in text, "bow Any other answer" in text)
page = Page(letter.page)
print([tap.subject for tap in page.taps() if tap.address == letter["Reply-To"]][-1])
for answer in ("Bow to you", "We bow", "bow !\\nThank you", "BOW\\nThank you"):
    talk.send(ALICE, "Re: " + letter.subject, answer, to=letter["Reply-To"])
    print(talk.outcome)
talk.send(ALICE, "bow", to=letter["Reply-To"])
print(talk.outcome)
talk.send(ALICE, "oust show 1")
print("bow" in talk.text_to(ALICE) + talk.page_to(ALICE))
"""
    shutil.copytree(ROOT / "tests" / "support", source / "tests" / "support", dirs_exist_ok=True)
    (source / "tests" / "__init__.py").touch()
    assert printed(source, script).splitlines() == [
        "False",
        "True True",
        "bow",
        "done: chat",
        "done: chat",
        "done: bow",
        "done: bow",
        "done: bow",
        "False",
    ]
