"""Reply addresses and Message-IDs: what they say, and who can make them."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from msgspec.structs import replace

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.password import Secret
from pbm_oust.accounts.tags import (
    Answered,
    AnswerPurpose,
    Claim,
    Climbing,
    Correspondence,
    Echo,
    Reply,
    Robotic,
    SheetClaim,
    SheetReply,
    Solving,
    envelope_sender,
    letter_id,
    parse_letter_id,
    parse_tag,
    reply_address,
    token_for,
    unread_address,
    verification_address,
    verified,
    without_tokens,
)
from pbm_oust.board.notation import USERID
from tests.support import tables

tabled = tables.tabled(__file__)

KEY, OWN, HOST = b"k" * 32, "pbmserv@example.com", "example.com"
ALICE = Account(
    "alice", "scrypt 2 8 1 ab cd", ("alice@example.org",), datetime(2026, 11, 1, tzinfo=UTC)
)
REPLY = Reply(AnswerPurpose.PLAY, "oust", 17, 12, "alice")
TOKEN = token_for(KEY, ALICE, REPLY)
ADDRESS = reply_address(OWN, REPLY, TOKEN)
LETTER = "0123456789ab"
MESSAGE_ID = letter_id(HOST, REPLY, LETTER, token_for(KEY, ALICE, REPLY, LETTER))


SHEET = SheetReply("alice", (REPLY, replace(REPLY, kind="churn", board=3, number=1)))
REPLIES = st.builds(
    Reply,
    st.sampled_from(AnswerPurpose),
    st.sampled_from(("oust", "churn")),
    st.integers(1, 99999),
    st.integers(1, 999),
    st.from_regex(USERID.pattern, fullmatch=True),
)
ANSWERED = st.one_of(
    REPLIES,
    st.just(SHEET),
    st.builds(Solving, st.just("alice"), st.sampled_from(["oust", "churn"]), st.integers(1, 99)),
    st.builds(Climbing, st.just("alice"), st.sampled_from(["oust", "churn"]), st.just(1)),
    st.builds(Correspondence, st.just("alice"), st.from_regex(USERID.pattern, fullmatch=True)),
)


def proved(claim: Claim, key: bytes, account: Account) -> Answered | None:
    is_known = isinstance(claim.of, SheetClaim) and claim.of.sheet == SHEET.id
    return verified(claim, key, account, SHEET if is_known else None)


def read(address: str, key: bytes = KEY, account: Account = ALICE) -> Answered | None:
    claim = parse_tag(address, OWN)
    return proved(claim, key, account) if isinstance(claim, Claim) else None


def read_id(message_id: str, key: bytes = KEY, account: Account = ALICE) -> Answered | None:
    claim = parse_letter_id(message_id, HOST)
    return proved(claim, key, account) if claim else None


@given(ANSWERED)
def test_what_is_written_into_addresses_and_message_ids_is_read_from_them(
    answered: Answered,
) -> None:
    account = replace(ALICE, userid=answered.userid)
    token, of_letter = (token_for(KEY, account, answered, *letter) for letter in ((), (LETTER,)))
    address = reply_address(OWN, answered, token)
    for text in (address, address.upper()):
        assert read(text, account=account) == answered or address == ""
    message_id = letter_id(HOST, answered, LETTER, of_letter)
    for text in (message_id, message_id.upper()):
        assert read_id(text, account=account) == answered
    assert read_id(message_id, account=replace(account, password="new")) is None
    shown = without_tokens(f"{address} {message_id}", "****")
    assert shown.count("****") == (2 if address else 1)
    assert token not in shown
    assert of_letter not in shown


def test_a_token_covers_exactly_the_positions_of_its_letter() -> None:
    later = structs.replace(
        SHEET, positions=(SHEET.positions[0], structs.replace(REPLY, number=13))
    )
    assert later.id != SHEET.id
    assert token_for(KEY, ALICE, later) != token_for(KEY, ALICE, SHEET)
    address = reply_address(OWN, SHEET, token_for(KEY, ALICE, later))
    assert read(address) is None


def test_an_address_says_which_board_and_record_and_player_it_is_for() -> None:
    assert f"pbmserv+oust.17.12.alice.{TOKEN}@example.com" == ADDRESS
    assert len(TOKEN) == 16


def test_a_message_id_names_the_last_record_of_its_letter() -> None:
    assert MESSAGE_ID.startswith("<oust.17.11.alice.0123456789ab.")
    assert MESSAGE_ID.endswith("@example.com>")


@given(st.text())
def test_no_text_makes_an_exception_where_an_address_is_wanted(text: str) -> None:
    assert read(text) is None
    assert read(f"pbmserv+{text}@example.com") is None
    assert read_id(f"<{text}@example.com>") is None


@pytest.mark.parametrize("own", ["pbmserv", "p" * 22])
@pytest.mark.parametrize("userid", ["bo", "b" * 20])
def test_a_local_part_has_64_characters_at_most(own: str, userid: str) -> None:
    reply = structs.replace(REPLY, userid=userid)
    address = reply_address(f"{own}@example.com", reply, TOKEN)
    whole = f"{own}+oust.17.12.{userid}.{TOKEN}"
    assert address == ("" if len(whole) > 64 else f"{whole}@example.com")


OTHERS = [
    structs.replace(REPLY, kind="churn"),
    structs.replace(REPLY, board=18),
    structs.replace(REPLY, number=13),
    structs.replace(REPLY, number=1),
]


@pytest.mark.parametrize("other", OTHERS)
def test_a_token_is_good_for_one_record_of_one_board(other: Reply) -> None:
    assert read(reply_address(OWN, other, TOKEN)) is None
    token = token_for(KEY, ALICE, REPLY, LETTER)
    assert read_id(letter_id(HOST, other, LETTER, token)) is None


def test_a_token_for_chat_does_not_play() -> None:
    chat = structs.replace(REPLY, purpose=AnswerPurpose.CHAT)
    assert read(reply_address(OWN, REPLY, token_for(KEY, ALICE, chat))) == chat


def test_tokens_of_another_home_or_another_player_are_none() -> None:
    assert read(ADDRESS, key=b"o" * 32) is None
    assert read(ADDRESS, account=replace(ALICE, userid="bob")) is None


def test_the_token_of_a_letter_is_not_that_of_its_address() -> None:
    """The Message-ID of a mail is shown more freely than its Reply-To."""
    claim = parse_letter_id(MESSAGE_ID, HOST)
    assert claim is not None
    assert read(reply_address(OWN, REPLY, claim.token)) is None
    assert read_id(letter_id(HOST, REPLY, LETTER, TOKEN)) is None
    assert read_id(MESSAGE_ID.replace(LETTER, "0123456789ac")) is None


@pytest.mark.parametrize("end", range(len(TOKEN)))
def test_each_letter_of_a_token_counts(end: int) -> None:
    other = "b" if TOKEN[end] == "a" else "a"
    assert read(ADDRESS.replace(TOKEN, TOKEN[:end] + other + TOKEN[end + 1 :])) is None


@tabled("address")
def test_what_is_not_written_as_an_address_of_ours_says_nothing(address: str) -> None:
    assert read(ADDRESS) == REPLY
    assert parse_tag(address, OWN) is None


def test_each_tag_of_our_address_says_what_it_is_for() -> None:
    code = "abcdefghijklmnop"
    assert parse_tag(verification_address(OWN, code).upper(), OWN) == Secret(code)
    assert parse_tag(unread_address(OWN), OWN) is Robotic.UNREAD
    assert parse_tag(envelope_sender(OWN, KEY, "bob@example.net"), OWN) is Robotic.BOUNCES
    assert isinstance(parse_tag(ADDRESS, OWN), Claim)


def test_what_comes_back_to_the_doctor_is_proved_by_the_key_of_the_home_alone() -> None:
    echo = Echo.begin(KEY, "abcdefghijklmnop")
    assert parse_tag(echo.address(OWN).upper(), OWN) == echo
    assert echo.is_proved(KEY)
    assert not echo.is_proved(b"o" * 32)
    assert not replace(echo, name="bcdefghijklmnopq").is_proved(KEY)
    assert echo.token not in without_tokens(echo.address(OWN), "****")


@pytest.mark.parametrize("own", [OWN, "noreply@example.com", "bounces@example.com"])
def test_our_address_without_a_tag_takes_commands_whatever_its_name(own: str) -> None:
    assert parse_tag(own, own) is None
