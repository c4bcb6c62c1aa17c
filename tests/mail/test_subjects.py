"""Subjects with something before a colon: a prefix in any language, or words of their own."""

from pbm_oust.letters.templates import is_own_subject
from pbm_oust.mail.inbound import asked_in
from pbm_oust.mail.reading import read_mail
from tests.support import tables
from tests.support.mails import FROM, mail

tabled = tables.tabled(__file__)


def asked(subject: str) -> str:
    (read,) = read_mail(mail(FROM, f"Subject: {subject}")).subjects
    return asked_in(read)


@tabled("prefix")
def test_what_a_program_writes_before_a_subject_is_no_part_of_a_command_in_any_language(
    prefix: str,
) -> None:
    assert asked(f"{prefix}: help") == "help"
    assert asked(f"{prefix}: oust show 1") == "oust show 1"


@tabled("subject", "wanted")
def test_so_it_is_however_it_is_written(subject: str, wanted: str) -> None:
    assert asked(subject) == wanted


@tabled("subject")
def test_nothing_else_before_a_colon_is_taken_off(subject: str) -> None:
    assert asked(subject) == subject


@tabled("subject", "whose")
def test_a_subject_of_our_letters_is_known_in_each_language(subject: str, whose: str) -> None:
    assert is_own_subject(subject) is (whose == "ours")
