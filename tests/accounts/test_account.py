"""Accounts, passwords and addresses."""

from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

from pbm_oust.accounts.account import Account, parse_userid
from pbm_oust.accounts.address import normal_address, parse_address
from pbm_oust.accounts.password import Match, Secret, hash_password
from tests.support.kept import HASH
from tests.support.passwords import match

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


@pytest.mark.parametrize("text", ["a", "alice", "ALICE", "a-b_c9", "a" * 20])
def test_a_userid_is_a_letter_and_letters_digits_and_dashes(text: str) -> None:
    assert parse_userid(text) == text.lower()


@pytest.mark.parametrize(
    "text",
    ["", "1a", "-a", "_a", "a" * 21, "a b", "a.b", "a@b", "\u00e9mile", "a\n", "../a", "a/b"],
)
def test_anything_else_is_no_userid(text: str) -> None:
    with pytest.raises(ValueError, match="is no userid"):
        parse_userid(text)


@pytest.mark.parametrize(
    ("address", "normal"),
    [
        ("alice@example.org", "alice@example.org"),
        ("Alice@Example.ORG", "alice@example.org"),
        ("alice+oust@example.org", "alice@example.org"),
        ("ALICE+a+b@example.org", "alice@example.org"),
        ("+oust@example.org", "+oust@example.org"),
    ],
)
def test_addresses_are_compared_without_case_and_tag(address: str, normal: str) -> None:
    assert normal_address(address) == normal


@pytest.mark.parametrize(
    "address",
    ["ALICE@example.org", "alice+x@EXAMPLE.org", "alice@example.net", "alice+y@example.net"],
)
def test_a_player_has_an_address_however_it_is_written(address: str) -> None:
    assert ALICE.has_address(address)


@pytest.mark.parametrize("address", ["alice@example.com", "bob@example.org", "alice"])
def test_a_player_has_no_other_address(address: str) -> None:
    assert not ALICE.has_address(address)


@pytest.mark.parametrize(
    "text", ["a@b", "Alice+x@Example.org", "o'brien@example.org", "\u00e9@b.c"]
)
def test_an_address_is_kept_as_it_is_written(text: str) -> None:
    assert parse_address(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a",
        "@",
        "a@",
        "@b",
        "a@b@c",
        "a b@c",
        "<a@b>",
        "a,b@c",
        "a@b\n",
        'a"@b',
        "a" * 255 + "@b",
    ],
)
def test_anything_else_is_no_address(text: str) -> None:
    with pytest.raises(ValueError, match="is not written NAME@HOST"):
        parse_address(text)


def test_a_password_is_kept_as_the_hash_that_scrypt_gives() -> None:
    method, n, r, p, salt, derived, case = STORED.split(" ")
    assert (method, n, r, p, case) == ("scrypt", str(2**14), "8", "1", "A")
    assert (len(bytes.fromhex(salt)), len(bytes.fromhex(derived))) == (16, 32)
    assert "onderland" not in STORED


def test_the_same_password_never_has_the_same_hash() -> None:
    assert hash_password(Secret("Wonderland")) != STORED


def test_a_hash_is_the_one_that_any_scrypt_gives() -> None:
    # RFC 7914, section 12, has this password and salt, with other parameters.
    assert hash_password(Secret("pleaseletmein"), b"SodiumChloride") == (
        "scrypt 16384 8 1 536f6469756d43686c6f72696465 "
        "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2 a"
    )


def test_the_right_password_is_right() -> None:
    assert match("Wonderland", STORED) is Match.RIGHT


@pytest.mark.parametrize("wrong", ["WONDERLAND", "Wonderland ", "Wonderlan", "Aonderland", ""])
def test_any_other_password_is_wrong(wrong: str) -> None:
    assert match(wrong, STORED) is Match.WRONG


@pytest.mark.parametrize(
    ("password", "given"),
    [("Wonderland", "wonderland"), ("wonderland", "Wonderland"), ("Été-2026", "été-2026")],
)
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
