"""A word that is taken as a password is one wherever a password stands, and others are refused."""

from collections.abc import Iterator

import pytest

from pbm_oust.accounts.password import Secret
from pbm_oust.grammar.form import Command
from pbm_oust.grammar.values import BadPassword, read_new_password
from pbm_oust.refusal import Unreadable
from pbm_oust.rules import KINDS, Kind
from pbm_oust.service.table import FORMS, AnyForm, parse_line
from tests.support import tables

tabled = tables.tabled(__file__)

SAID = {
    "BOARD": "17",
    "NUMBER": "3",
    "N": "2",
    "BOARDS": "9",
    "CODE": "abcdefghijklmnop",
    "USERID": "alice",
    "USERID1": "alice",
    "USERID2": "bob",
    "NEWPASSWORD": "another-word",
}
"""A word for each parameter but PASSWORD; a command with another one adds it."""
BEHIND = {
    "PLACEMENTS[#N]": "D4",
    "USERID..": "bob",
    "USERID2": "bob",
    "BOARD[#N]..": "17",
    "DATE DAYS": "2026-12-24 3",
    "NEWUSERID": "carol",
    "ADDRESS": "bob@example.net",
}
"""What stands behind the parameters, if that has to be there."""
TAKEN = (
    "-secret1",
    "--s3cret!",
    "-9lives99",
    "-my/secret",
    "---------",
    "\u2013dash\u20131",
    "=-=-=-=",
)
SIGNED = [form for form in FORMS if form.is_signed or (form.rest and form.rest.is_secret)]


def lines(form: AnyForm, kind: Kind, password: str) -> Iterator[str]:
    """Yield the lines of a command with a password, without options and with each of them."""
    words = [kind.name] if form.is_of_kind else []
    words += [form.name, *({**SAID, "PASSWORD": password}[part.name] for part in form.parameters)]
    if form.rest and form.rest.is_secret:
        words.append(password)
    elif form.rest and form.rest.least:
        words.append(BEHIND[form.rest.shown[0]])
    yield " ".join(words)
    for option in form.options:
        for said in option.forms(kind):
            yield " ".join([*words, said])
            yield " ".join([*words[:2], said, *words[2:]])


@pytest.mark.parametrize("form", SIGNED, ids=lambda form: form.name)
def test_what_is_taken_as_a_password_is_one_in_every_command(form: AnyForm) -> None:
    for password in TAKEN:
        assert read_new_password(password) == Secret(password)
        for line in (line for kind in KINDS.values() for line in lines(form, kind, password)):
            _, command = parse_line(line)
            assert isinstance(command, Command), (line, command)
            assert Secret(password) in command.given.values(), line


@tabled("password", password=tables.unescaped)
def test_what_looks_like_another_part_of_a_command_is_no_password(password: str) -> None:
    for line in (f"signup alice {password}", f"change password alice wonderland {password}"):
        _, refused = parse_line(line)
        assert isinstance(refused, Unreadable), line
        assert refused.reason == BadPassword()
