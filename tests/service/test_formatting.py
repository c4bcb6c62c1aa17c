"""Commands written as lines and as answers: what is written is read as the same command again.

A word that is taken as a password is one wherever a password stands, and others are refused.
"""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.accounts.asks import Ask, Topic
from pbm_oust.accounts.password import Secret
from pbm_oust.board.record import WISHED
from pbm_oust.grammar.form import Command
from pbm_oust.grammar.values import BadPassword, read_new_password
from pbm_oust.languages import LANGUAGES, Language
from pbm_oust.play.unit_of_work import ForPlayer
from pbm_oust.refusal import Unreadable
from pbm_oust.rules import KINDS, Kind
from pbm_oust.service.answers import read_answer
from pbm_oust.service.table import FORMS, AnyForm, parse_line
from tests.support import tables

tabled = tables.tabled(__file__)

REPLY = Ask.on_board(Topic.PLAY, "oust", 17, 12, "alice")

USERIDS = st.sampled_from(("alice", "bob", "pass", "really", "move", "x-9"))
NUMBERS = st.integers(1, 99999).map(str)
SECRETS = ("wonderland", "MOTDEPASSE", "PASSWORD", "Rabbit-Hole")
PASSWORDS = st.sampled_from(SECRETS)
TAKEN = (
    "-secret1",
    "--s3cret!",
    "-9lives99",
    "-my/secret",
    "---------",
    "\u2013dash\u20131",
    "=-=-=-=",
)
"""Passwords that resemble options."""
GUARDS = st.one_of(st.just(""), NUMBERS.map("#{}".format))
CELLS = st.lists(
    st.builds("{}{}".format, st.sampled_from("ABCDEFGHJ"), st.integers(1, 13)),
    min_size=1,
    max_size=4,
).map(",".join)
TURNS = st.one_of(CELLS, st.sampled_from(("pass", "swap")))
FILTERS = st.sampled_from(("", "all", "active", "inactive", "next"))


def several(words: st.SearchStrategy[str], least: int) -> st.SearchStrategy[str]:
    return st.lists(words, min_size=least, max_size=3).map(" ".join)


def line(*parts: st.SearchStrategy[str] | str) -> st.SearchStrategy[str]:
    words = (st.just(part) if isinstance(part, str) else part for part in parts)
    return st.tuples(*words).map(lambda each: " ".join(filter(None, each)))


OPTIONS = line(
    st.sampled_from(("", "-size=11x9", "-size=13", "-hex", "-hex=3,4", "-size=11")),
    st.sampled_from(("", "-noswap")),
    st.sampled_from(("", "-unrated")),
    st.sampled_from(("", "--nagtime=3", "--nagtime=7")),
    st.sampled_from(("", "--totaltime=40 --maxtime=9")),
)
CLAUSES = several(line("if", TURNS, "then", TURNS, ";"), 1)
BEHIND = {
    "help": several(st.sampled_from(("move", "oust", "tutorial", "time", "signup", "xyzzy")), 0),
    "begin": st.sampled_from(("", "D4", "with bob", "as carol", "off", "never")),
    "call me": line(USERIDS, PASSWORDS, "carol"),
    "signup": line("carol", "Rabbit-Hole", several(st.sampled_from(("a@b.org", "C@d.net")), 0)),
    "verify": line("abcdefghijklmnop", st.sampled_from(("", "Rabbit-Hole"))),
    "add": line(USERIDS, PASSWORDS, several(st.sampled_from(("a@b.org", "C@d.net")), 0)),
    "change address": line(USERIDS, PASSWORDS, "a@b.org"),
    "change password": line(USERIDS, PASSWORDS, "Rabbit-Hole"),
    "forgot": USERIDS,
    "challenge": line(
        USERIDS,
        st.one_of(USERIDS, st.sampled_from(("a@b.org", "@"))),
        st.one_of(st.just(""), PASSWORDS),
        OPTIONS,
    ),
    "seek": line(USERIDS, PASSWORDS, OPTIONS, st.sampled_from(("", "-x", "-o"))),
    "invite": line(USERIDS, PASSWORDS, st.sampled_from(("", "a@b.org"))),
    "uninvite": line(USERIDS, PASSWORDS, st.sampled_from(("", "a@b.org"))),
    "join": line(NUMBERS, USERIDS, PASSWORDS),
    "unseek": line(NUMBERS, USERIDS, PASSWORDS),
    "replay": line(NUMBERS, NUMBERS, USERIDS, USERIDS, st.one_of(st.just(""), PASSWORDS)),
    "move": line(
        NUMBERS,
        USERIDS,
        PASSWORDS,
        line(st.one_of(CELLS, st.sampled_from([deed.value for deed in WISHED])), GUARDS),
    ),
    "preview": line(NUMBERS, CELLS, GUARDS),
    "sgf": NUMBERS,
    "puzzle": line(
        st.one_of(st.just(""), NUMBERS),
        st.one_of(st.sampled_from(("", "hint", "answer", "next")), CELLS),
    ),
    "submit": line(NUMBERS, USERIDS, PASSWORDS, st.one_of(TURNS, st.just("resign")), GUARDS),
    "queue": line(
        NUMBERS,
        USERIDS,
        PASSWORDS,
        st.one_of(st.sampled_from(("", "clear")), line(st.one_of(TURNS, CLAUSES), GUARDS)),
    ),
    "show": st.one_of(
        several(st.builds("{}{}".format, NUMBERS, GUARDS), 1), line(several(USERIDS, 1), FILTERS)
    ),
    "showas": line(USERIDS, PASSWORDS, st.one_of(several(NUMBERS, 0), FILTERS)),
    "all": line("show", several(USERIDS, 1), FILTERS),
    "games": line(several(USERIDS, 0), FILTERS),
    "history": several(USERIDS, 0),
    "ratings": several(USERIDS, 0),
    "standings": st.just(""),
    "multiple": st.just(""),
    "list": several(st.sampled_from(tuple(KINDS)), 0),
    "tournaments": several(st.sampled_from(tuple(KINDS)), 0),
    "enter": line(NUMBERS, USERIDS, PASSWORDS, st.sampled_from(("", "4"))),
    "withdraw": line(NUMBERS, USERIDS, PASSWORDS),
    "table": line(NUMBERS, st.sampled_from(("", "2"))),
    "cup announce": line(USERIDS, PASSWORDS, st.sampled_from(("", "9"))),
    "cup cancel": line(NUMBERS, USERIDS, PASSWORDS),
    "ladder": st.sampled_from(("", "show", "-page=2")),
    "ladder join": line(USERIDS, PASSWORDS),
    "ladder leave": line(USERIDS, PASSWORDS),
    "ladder challenge": line(USERIDS, PASSWORDS, USERIDS),
    "message": line(USERIDS, PASSWORDS, several(USERIDS, 1)),
    "note": line(NUMBERS, USERIDS, PASSWORDS, st.sampled_from(("", "delete"))),
    "why": line(NUMBERS, USERIDS, PASSWORDS, GUARDS),
    "limit": line(USERIDS, PASSWORDS, st.sampled_from(("0", "12"))),
    "reject": line(USERIDS, PASSWORDS, several(USERIDS, 0)),
    "unreject": line(USERIDS, PASSWORDS, several(USERIDS, 1)),
    "forget": line(USERIDS, PASSWORDS, st.sampled_from(("", "really"))),
    "settings": line(
        USERIDS,
        PASSWORDS,
        st.sampled_from(("", "mail mine", "zone=Europe/Paris language fr", "autopass off")),
    ),
    "vacation": line(USERIDS, PASSWORDS, st.sampled_from(("", "cancel", "2026-12-20 14"))),
}
"""What may stand behind the name of a command, where that is more than it has to."""


def behind(form: AnyForm) -> st.SearchStrategy[str]:
    front = (NUMBERS, USERIDS, PASSWORDS) if form.is_about_board else (USERIDS, PASSWORDS)
    return BEHIND.get(form.name, line(*front))


def on_grid_of(kind: Kind, form: AnyForm, words: str, data: st.DataObject) -> str:
    """Return words with an option for a grid of a game, if any, in place of one for Oust."""
    usual = [word for word in words.split(" ") if not word.startswith(("-size", "-hex"))]
    sizes = next((each.forms(kind) for each in form.options if each.name == "size"), ())
    return " ".join([*usual, data.draw(st.sampled_from(("", *sizes)))]).rstrip()


def read(text: str) -> Command:
    _, command = parse_line(text)
    assert not isinstance(command, Unreadable), (text, command, command.culprit)
    return command


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=str)
@pytest.mark.parametrize("form", FORMS, ids=lambda form: str(form.name))
@given(data=st.data())
def test_what_is_written_is_read_as_the_same_command(
    form: AnyForm, language: Language, data: st.DataObject
) -> None:
    kind = data.draw(st.sampled_from(tuple(KINDS))) if form.is_of_kind else ""
    words = data.draw(behind(form))
    if kind and kind != "oust":
        words = on_grid_of(KINDS[kind], form, words, data)
    command = read(" ".join(filter(None, (kind, form.name, words))))
    written = command.line(language, mask=False)
    assert read(written) == command
    assert read(written).line(language, mask=False) == written


@pytest.mark.parametrize("form", FORMS, ids=lambda form: str(form.name))
@given(data=st.data())
def test_no_password_is_written_where_it_is_masked(form: AnyForm, data: st.DataObject) -> None:
    kind = "oust" if form.is_of_kind else ""
    command = read(" ".join(filter(None, (kind, form.name, data.draw(behind(form))))))
    for language in LANGUAGES.values():
        written = command.line(language).split()
        assert not {"wonderland", "Rabbit-Hole", "abcdefghijklmnop"} & set(written)


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=str)
@pytest.mark.parametrize(
    "form", [form for form in FORMS if form.is_about_board], ids=lambda form: str(form.name)
)
@given(data=st.data())
def test_an_answer_says_a_command_about_its_board(
    form: AnyForm, language: Language, data: st.DataObject
) -> None:
    words = data.draw(behind(form)).split()
    words[0] = "17"
    if isinstance(form.run, ForPlayer):
        words[1] = "alice"
    command = read(" ".join(["oust", form.name, *words]))
    answer = command.answer((KINDS["oust"], 17, "alice"), language)
    meant = read_answer("", answer, REPLY).command
    assert isinstance(meant, Command), (answer, meant)
    unguarded = {"guard": None, "password": REPLY}
    known = command.given
    assert meant.given == {name: unguarded.get(name, value) for name, value in known.items()}


def test_a_short_form_is_written_in_full_and_a_deed_is_enough_in_an_answer() -> None:
    resigned = read("oust resign 17 alice wonderland")
    assert resigned.line() == "oust move 17 alice PASSWORD resign"
    assert resigned.answer() == "resign"


@tabled("text", "blanks", blanks=str.split)
def test_what_has_to_be_put_into_a_line_is_known(text: str, blanks: list[str]) -> None:
    command = read(text)
    assert command.form.blanks(command) == blanks


def lines(form: AnyForm, kind: Kind, words: list[str], password: str) -> Iterator[str]:
    """Yield the lines of a command with a password, without options and with each of them."""
    own = [kind.name, form.name] if form.is_of_kind else [form.name]
    said = [password if word in SECRETS else word for word in words if not word.startswith("-")]
    yield " ".join([*own, *said])
    for option in form.options:
        for each in option.forms(kind):
            yield " ".join([*own, *said, each])
            yield " ".join([*own, each, *said])


@pytest.mark.parametrize(
    "form",
    [form for form in FORMS if form.is_signed or (form.rest and form.rest.is_secret)],
    ids=lambda form: str(form.name),
)
@given(data=st.data())
def test_what_is_taken_as_a_password_is_one_in_every_command(
    form: AnyForm, data: st.DataObject
) -> None:
    words = data.draw(
        behind(form).map(str.split).filter(lambda each: not {*SECRETS}.isdisjoint(each))
    )
    kind = data.draw(st.sampled_from(tuple(KINDS.values())))
    password = data.draw(st.sampled_from(TAKEN))
    assert read_new_password(password) == Secret(password)
    for each in lines(form, kind, words, password):
        assert Secret(password) in read(each).given.values(), each


@tabled("password", password=tables.unescaped)
def test_what_looks_like_another_part_of_a_command_is_no_password(password: str) -> None:
    for text in (f"signup alice {password}", f"change password alice wonderland {password}"):
        _, refused = parse_line(text)
        assert isinstance(refused, Unreadable), text
        assert refused.reason == BadPassword()


def test_every_form_has_a_name_of_its_own() -> None:
    names = [form.name for form in FORMS]
    assert len(names) == len(set(names))
