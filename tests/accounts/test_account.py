"""Accounts, passwords and addresses."""

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from pbm_oust.accounts import password
from pbm_oust.accounts.account import (
    LONGEST_SAID,
    MOST_SAID,
    Account,
    is_placeholder,
    parse_userid,
    placeholder,
)
from pbm_oust.accounts.address import normal_address, parse_address
from pbm_oust.accounts.bounces import LONGEST, Bounce
from pbm_oust.accounts.items import Submission, submitted_on
from pbm_oust.accounts.password import Match, Secret, hash_password
from pbm_oust.accounts.settings import NAMES, Setting, Settings, read_settings, values_of
from pbm_oust.board import Deed, Place
from tests.support import tables
from tests.support.games import new_game
from tests.support.kept import HASH, NOBODY
from tests.support.passwords import USUAL, match

tabled = tables.tabled(__file__)

ALICE = Account(
    "alice",
    HASH,
    ("alice@example.org", "Alice+oust@example.net"),
    datetime(2026, 11, 20, 15, 36, tzinfo=UTC),
)
STORED = hash_password(Secret("Wonderland"))
STORED_WITHOUT_CASE = (
    f"scrypt 16384 8 1 {'73' * 16} 0f9992088b6203ca19b6e4d2e5e6415c86f370c4cab5fe430b92c1af1aea38cd"
)


@tabled("text")
def test_anything_else_is_no_userid(text: str) -> None:
    with pytest.raises(ValueError, match="is no userid"):
        parse_userid(text)


@tabled("address", "normal")
def test_addresses_are_compared_without_case_and_tag(address: str, normal: str) -> None:
    assert normal_address(address) == normal


@tabled("text")
def test_anything_else_is_no_address(text: str) -> None:
    with pytest.raises(ValueError, match="is not written NAME@HOST"):
        parse_address(text)


def test_a_hash_is_the_one_that_any_scrypt_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(password, "_SCRYPT", (2**14, 8, 1))
    # RFC 7914, section 12, has this password and salt, with other parameters.
    assert hash_password(Secret("pleaseletmein"), b"SodiumChloride") == (
        "scrypt 16384 8 1 536f6469756d43686c6f72696465 "
        "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2 a"
    )


def test_a_new_hash_takes_as_much_work_as_is_wanted_today() -> None:
    """OWASP, Password Storage Cheat Sheet: any of these will do."""
    assert USUAL in [(2**17, 8, 1), (2**16, 8, 2), (2**15, 8, 3), (2**14, 8, 5), (2**13, 8, 10)]


def test_a_hash_of_less_work_takes_as_much_to_compare(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(password, "_SCRYPT", (4, 8, 5))
    work, scrypt = list[int](), hashlib.scrypt

    def counted(text: bytes, *, salt: bytes, n: int, r: int, p: int, dklen: int) -> bytes:
        work.append(n * r * p)
        return scrypt(text, salt=salt, n=n, r=r, p=p, dklen=dklen)

    monkeypatch.setattr(hashlib, "scrypt", counted)
    for params in ((4, 8, 1), (4, 8, 5), (2, 8, 2)):
        stored = f"scrypt {' '.join(map(str, params))} {'73' * 16} {'00' * 32} a"
        work.clear()
        password.Derivation.to_match(Secret("wonderland"), stored).derive()
        assert sum(work) == 4 * 8 * 5
        assert password.is_weak(stored) is (params != (4, 8, 5))


@pytest.mark.parametrize("wrong", ["WONDERLAND", "Wonderland ", "Wonderlan", "Aonderland", ""])
def test_any_other_password_is_wrong(wrong: str) -> None:
    assert match(wrong, STORED) is Match.WRONG


@tabled("password", "given")
def test_a_password_that_is_wrong_in_the_case_of_its_first_letter_is_told_apart(
    password: str, given: str
) -> None:
    stored = hash_password(Secret(password))
    assert match(given, stored) is Match.OTHER_CASE
    assert match(password, stored) is Match.RIGHT


@pytest.mark.parametrize("password", ["7wonders", "ßtraße-9", "\u0130zmir-35", "\u01c5-letters"])
def test_a_first_letter_without_another_case_is_right_as_it_is(password: str) -> None:
    stored = hash_password(Secret(password))
    assert match(password, stored) is Match.RIGHT
    assert match(password[1:], stored) is Match.WRONG


def test_a_hash_without_a_case_is_of_the_password_as_it_is() -> None:
    stored = STORED_WITHOUT_CASE
    assert match("Wonderland", stored) is Match.RIGHT
    assert match("wonderland", stored) is Match.WRONG


@dataclass(frozen=True)
class Holder:
    password: Secret


@pytest.mark.parametrize(
    "printed",
    [
        repr(Secret("wonderland")),
        str(Secret("wonderland")),
        f"{Secret('wonderland')}",
        f"{Secret('wonderland')!r:>40}",
        "{}".format(Secret("wonderland")),
        repr([Secret("wonderland")]),
        repr(Holder(Secret("wonderland"))),
        str(ValueError(Secret("wonderland"))),
    ],
)
def test_a_secret_is_never_printed(printed: str) -> None:
    assert "wonderland" not in printed
    assert "********" in printed


# What players settle about their mail, and how accounts keep it


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((name, value) for name in NAMES for value in values_of(name)),
        ("zone", "Europe/Paris"),
    ],
)
def test_a_setting_comes_back_from_its_rows(name: str, value: str) -> None:
    chosen = Settings().with_setting(name, value)
    stored = ALICE.with_settings(chosen).all_settings
    assert stored == chosen
    assert stored.text_of(name) == value


@tabled("name", "value")
def test_what_means_nothing_here_is_kept_and_the_usual_value_counts(name: str, value: str) -> None:
    odd = Setting(name, value)
    stored = read_settings((odd, Setting("mine", "off")))
    assert replace(stored, unknown=()) == Settings().with_setting("mine", "off")
    assert ALICE.with_settings(stored).settings == (Setting("mine", "off"), odd)


def test_a_zone_that_is_known_again_counts_again() -> None:
    assert str(read_settings((Setting("told", "zone Europe/Paris"),)).zone) == "Europe/Paris"


# Small things that accounts keep: notes, limits, since when they are disabled, and the like


NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


@given(st.integers(1, 10**9))
def test_a_placeholder_is_a_userid_and_known_as_a_placeholder(number: int) -> None:
    assert parse_userid(placeholder(number)) == placeholder(number)
    assert is_placeholder(placeholder(number))


@pytest.mark.parametrize("userid", ["gone", "gone-", "gone-0", "gone-x", "agone-1", "alice"])
def test_other_userids_are_no_placeholders(userid: str) -> None:
    assert not is_placeholder(userid)


# Moves that were submitted, as accounts keep them


def test_what_was_submitted_belongs_to_its_board() -> None:
    mine = Submission.of("oust", 17, 1, Place(("D4",)))
    others = [Submission.of("churn", 17, 1, Deed.PASS), Submission.of("oust", 18, 1, Deed.PASS)]
    game = new_game("square 5x5")
    assert submitted_on([*others, mine], game) == mine
    assert submitted_on(others, game) is None


# What is kept of a letter that came back: a line of a bounded length, and nothing secret


LETTER = "<oust.17.5.0123456789abcdef@example.com>"

headers = st.text(max_size=40) | st.text("\r\n\t\x0b\x1c\x85\u2028 a<>:", max_size=40)


def bounce(subject: str) -> Bounce:
    return Bounce.of(NOON, "5.1.1", LETTER, subject)


@given(letter=headers, subject=headers)
@example(letter="", subject="")
@example(letter="-", subject="Address: bob@example.net")
@example(letter="<a\r\nBounced: b>", subject="one\r\n two\nBounced: three")
@example(letter="<\u00e9@example.com>", subject="Al\u00efce \U0001f600")
@example(letter="\udcff", subject="\udcff \0")
def test_what_is_kept_of_a_letter_stands_in_one_line_of_a_bounded_length(
    letter: str, subject: str
) -> None:
    kept = Bounce.of(NOON, "5.1.1", letter * 50, subject * 50)
    assert 1 <= len(kept.letter) <= LONGEST
    assert len(kept.subject) <= LONGEST
    assert kept.letter.isascii()
    assert kept.subject.isascii()
    assert len(f"{kept.letter} {kept.subject}".splitlines()) == 1


def test_a_code_that_may_still_come_back_is_not_kept() -> None:
    assert bounce("verify\n abcdefghijklmn27").subject == "verify"


# What was written to other players


def said_by(account: Account) -> list[tuple[str, str]]:
    """Return to whom an account has written, and what."""
    return [(each.to, each.text) for each in account.said]


def test_the_latest_texts_are_kept_and_long_ones_are_cut() -> None:
    account = NOBODY.with_said("oust 17", "bob", " \n", NOON)
    assert account is NOBODY
    for number in range(MOST_SAID + 1):
        account = account.with_said("oust 17", "bob", f"{number} {'x' * LONGEST_SAID}", NOON)
    first, *_, last = account.said
    assert (len(account.said), first.text[:2], last.text[:3]) == (MOST_SAID, "1 ", "50 ")
    assert (len(last.text), last.text[-1]) == (LONGEST_SAID, "\u2026")


def test_what_was_said_follows_whom_it_was_said_to_and_goes_with_them() -> None:
    account = NOBODY.with_said("oust 17", "bob", "Hello", NOON)
    account = account.with_said("oust 18", "carol", "Welcome", NOON)
    renamed = account.with_renamed("bob", "robert")
    assert said_by(renamed) == [("robert", "Hello"), ("carol", "Welcome")]
    assert said_by(account.with_renamed("bob", None)) == [("carol", "Welcome")]
    assert account.with_renamed("dave", None) is account


def test_a_merged_account_has_said_what_both_have() -> None:
    later = replace(NOBODY, userid="other").with_said("oust 18", "bob", "Two", NOON + timedelta(1))
    merged = later.merged(NOBODY.with_said("oust 17", "bob", "One", NOON))
    assert said_by(merged) == [("bob", "One"), ("bob", "Two")]
