"""Reply addresses and Message-IDs: what they say, and who can make them."""

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from msgspec.structs import replace

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.asks import (
    Ask,
    Claim,
    Topic,
    is_kept,
    letter_id,
    letters_named,
    reply_address,
    token_for,
    verified,
)
from pbm_oust.accounts.password import Secret
from pbm_oust.accounts.tags import (
    Echo,
    Robotic,
    envelope_sender,
    parse_tag,
    unread_address,
    verification_address,
    without_tokens,
)
from pbm_oust.board.notation import USERID
from tests.support import tables

tabled = tables.tabled(__file__)

KEY, OWN, HOST = b"k" * 32, "pbmserv@example.com", "example.com"
ALICE = Account(
    "alice", "scrypt 2 8 1 ab cd", ("alice@example.org",), datetime(2026, 11, 1, tzinfo=UTC)
)
REPLY = Ask.on_board(Topic.PLAY, "oust", 17, 12, "alice")
TOKEN = token_for(KEY, ALICE, REPLY)
ADDRESS = reply_address(OWN, REPLY, TOKEN)
LETTER = "0123456789ab"
MESSAGE_ID = letter_id(HOST, REPLY, LETTER, token_for(KEY, ALICE, REPLY, LETTER))


SHEET = Ask.sheet("alice", (REPLY, Ask.on_board(Topic.PLAY, "churn", 3, 1, "alice")))
REPLIES = st.builds(
    Ask.on_board,
    st.sampled_from((Topic.PLAY, Topic.CHAT)),
    st.sampled_from(("oust", "churn")),
    st.integers(1, 99999),
    st.integers(1, 999),
    st.from_regex(USERID.pattern, fullmatch=True),
)
ASKS = st.one_of(
    REPLIES,
    st.just(SHEET),
    st.builds(
        Ask.numbered,
        st.sampled_from((Topic.JOIN, Topic.PUZZLE, Topic.TOURNAMENT, Topic.LADDER)),
        st.sampled_from(["oust", "churn"]),
        st.integers(1, 99),
        st.just("alice"),
    ),
    st.builds(
        lambda to: Ask(Topic.TO, (to,), "alice"), st.from_regex(USERID.pattern, fullmatch=True)
    ),
)


def proved(claim: Claim, key: bytes, account: Account) -> Ask | None:
    return verified(claim, key, account, SHEET.kept if claim.ask.about == SHEET.about else "")


def read(address: str, key: bytes = KEY, account: Account = ALICE) -> Ask | None:
    claim = parse_tag(address, OWN)
    return proved(claim, key, account) if isinstance(claim, Claim) else None


def read_id(message_id: str, key: bytes = KEY, account: Account = ALICE) -> Ask | None:
    claims = letters_named(message_id, HOST)
    return proved(claims[0], key, account) if claims else None


@given(ASKS)
def test_what_is_written_into_addresses_and_message_ids_is_read_from_them(
    ask: Ask,
) -> None:
    account = replace(ALICE, userid=ask.userid)
    token, of_letter = (token_for(KEY, account, ask, *letter) for letter in ((), (LETTER,)))
    address = reply_address(OWN, ask, token)
    for text in (address, address.upper()):
        assert read(text, account=account) == ask or address == ""
    message_id = letter_id(HOST, ask, LETTER, of_letter)
    for text in (message_id, message_id.upper()):
        assert read_id(text, account=account) == ask
    assert read_id(message_id, account=replace(account, password="new")) is None
    shown = without_tokens(f"{address} {message_id}", "****")
    assert shown.count("****") == (2 if address else 1)
    assert token not in shown
    assert of_letter not in shown


@tabled("text")
def test_a_message_id_is_found_whatever_stands_around_it(text: str) -> None:
    bare = MESSAGE_ID.strip("<>")
    text = text.replace("ID", bare).replace("LETTER", bare[:20]).replace("REST", bare[20:])
    (claim,) = letters_named(text, HOST)
    assert proved(claim, KEY, ALICE) == REPLY


@tabled("text")
def test_what_is_part_of_something_else_is_no_message_id(text: str) -> None:
    assert letters_named(text.replace("ID", MESSAGE_ID.strip("<>")), HOST) == []


def test_several_message_ids_are_found_in_their_order() -> None:
    other = letter_id(HOST, SHEET, LETTER, token_for(KEY, ALICE, SHEET, LETTER))
    for between in ("", " ", ",", "\r\n\t"):
        found = letters_named(f"{MESSAGE_ID}{between}{other}", HOST)
        assert [proved(claim, KEY, ALICE) for claim in found] == [REPLY, SHEET]


SENT = (
    (REPLY, "ymgofksqrlyw4yvw", "7eiauoifedqtq23t"),
    (replace(REPLY, topic=Topic.CHAT), "ad25q3wdkuaizmm7", "qx75buw7f5kralag"),
    (SHEET, "7vkhgamq44uqylej", "qdfes5poyfo2zuvg"),
    (Ask(Topic.TO, ("bob",), "alice"), "2pokbdrvzvul4uee", "72f3woq6elyk25xu"),
    (Ask.numbered(Topic.JOIN, "oust", 3, "alice"), "zt6o3cstiizdqtic", "4thclrqg2mcghzjv"),
    (Ask.numbered(Topic.PUZZLE, "oust", 7, "alice"), "me7eienrdwq22wqr", "tsb5dpw3q2qto65i"),
    (Ask.numbered(Topic.TOURNAMENT, "oust", 3, "alice"), "76m4oyh7et77azrg", "hdsih3vgfnzurqal"),
    (Ask.numbered(Topic.LADDER, "oust", 1, "alice"), "44752ch77cfou56u", "ej5fh62tdfan7c2x"),
    (Ask(Topic.OFF, ("broadcasts",), "alice"), "egwatbevmu4ztcno", "ovqod4qv64lpj7mw"),
    (Ask(Topic.OFF, ("digest",), "alice"), "hvkx2vyjklpf62lm", "czkpllbyqvtlbzkc"),
    (Ask(Topic.OFF, ("oust", "17"), "alice"), "3w6hogubeqvf3peg", "uwr55qr5wq2bzbnl"),
)
"""Asks with the tokens of their address and of their Message-ID in letters that have been sent."""


@pytest.mark.parametrize(("ask", "token", "of_letter"), SENT)
def test_letters_that_are_out_stay_valid(ask: Ask, token: str, of_letter: str) -> None:
    assert token_for(KEY, ALICE, ask) == token
    assert token_for(KEY, ALICE, ask, LETTER) == of_letter
    assert read(f"pbmserv+{ask.tag}.{token}@example.com") == ask
    assert read_id(letter_id(HOST, ask, LETTER, of_letter)) == ask


RITA = "rita@example.net"
GUEST = Ask(Topic.BEGIN, ("oust",)).on_day(date(2026, 11, 28))
OF_GUEST = token_for(KEY, RITA, GUEST)


def test_a_guest_has_a_token_for_one_address_topic_and_day() -> None:
    assert reply_address(OWN, GUEST, OF_GUEST) == f"pbmserv+begin.oust.20785.{OF_GUEST}@example.com"
    claim = parse_tag(reply_address(OWN, GUEST, OF_GUEST), OWN)
    assert isinstance(claim, Claim)
    assert verified(claim, KEY, RITA.upper()) == GUEST
    for other in ("eve@example.net", "rita+x@example.net", ALICE):
        assert verified(claim, KEY, other) is None
    for ask in (GUEST.on_day(date(2026, 11, 29)), Ask(Topic.DO, ("any",), day=GUEST.day)):
        assert token_for(KEY, RITA, ask) != OF_GUEST
    assert token_for(KEY, RITA, GUEST, LETTER) != OF_GUEST


def test_a_guest_may_answer_for_four_weeks() -> None:
    days = [date(2026, 11, 27), date(2026, 11, 28), date(2026, 12, 26), date(2026, 12, 27)]
    assert [GUEST.is_answered_on(day) for day in days] == [False, True, True, False]


LONG = (
    Ask.on_board(Topic.PLAY, "churn", 999999999, 999999999, "a" * 20),
    Ask.on_board(Topic.CHAT, "churn", 999999999, 999999999, "a" * 20),
    Ask(Topic.TO, ("b" * 20,), "a" * 20),
    Ask.numbered(Topic.TOURNAMENT, "churn", 999999, "a" * 20),
)


@pytest.mark.parametrize("ask", LONG)
def test_an_ask_that_an_address_has_no_room_for_is_kept(ask: Ask) -> None:
    account = replace(ALICE, userid="a" * 20)
    kept = ask.fitting(OWN)
    assert is_kept(kept.kept)
    address = reply_address(OWN, kept, token_for(KEY, account, kept))
    assert len(address.partition("@")[0]) <= 64
    claim = parse_tag(address, OWN)
    assert isinstance(claim, Claim)
    assert verified(claim, KEY, account, kept.kept) == ask
    assert verified(claim, KEY, account, f"{kept.kept}1") is None
    assert REPLY.fitting(OWN) is REPLY


def test_addresses_of_letters_that_are_out_are_written_as_ever() -> None:
    assert [ask.tag for ask, *_ in SENT] == [
        "oust.17.12.alice",
        "oust.17.12.alice",
        "sheet.nyfakuco.alice",
        "to.bob.alice",
        "join.oust.3.alice",
        "puzzle.oust.7.alice",
        "tournament.oust.3.alice",
        "ladder.oust.1.alice",
        "off.broadcasts.alice",
        "off.digest.alice",
        "off.oust.17.alice",
    ]


def test_a_token_covers_exactly_the_positions_of_its_letter() -> None:
    later = Ask.sheet("alice", (SHEET.positions[0], REPLY.at_record(13)))
    assert later.about != SHEET.about
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
    structs.replace(REPLY, about=("churn", "17", "12")),
    structs.replace(REPLY, about=("oust", "18", "12")),
    REPLY.at_record(13),
    REPLY.at_record(1),
]


@pytest.mark.parametrize("other", OTHERS)
def test_a_token_is_good_for_one_record_of_one_board(other: Ask) -> None:
    assert read(reply_address(OWN, other, TOKEN)) is None
    token = token_for(KEY, ALICE, REPLY, LETTER)
    assert read_id(letter_id(HOST, other, LETTER, token)) is None


def test_a_token_for_chat_does_not_play() -> None:
    chat = structs.replace(REPLY, topic=Topic.CHAT)
    assert read(reply_address(OWN, REPLY, token_for(KEY, ALICE, chat))) == chat


def test_tokens_of_another_home_or_another_player_are_none() -> None:
    assert read(ADDRESS, key=b"o" * 32) is None
    assert read(ADDRESS, account=replace(ALICE, userid="bob")) is None


def test_the_token_of_a_letter_is_not_that_of_its_address() -> None:
    """The Message-ID of a mail is shown more freely than its Reply-To."""
    (claim,) = letters_named(MESSAGE_ID, HOST)
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
