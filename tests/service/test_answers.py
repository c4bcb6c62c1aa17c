"""What an answer to a board mail may hold, and what it never does."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pbm_oust.accounts.asks import Ask, Topic
from pbm_oust.accounts.password import Secret
from pbm_oust.board import Deed, Place, Wish
from pbm_oust.grammar.form import Command, to_player
from pbm_oust.refusal import Unreadable, UnreadableReason
from pbm_oust.rules import KINDS
from pbm_oust.service.answers import (
    EmptyAnswer,
    Read,
    TwoMoves,
    UnknownAnswer,
    UnsureAnswer,
    is_move,
    read_answer,
)
from pbm_oust.service.table import VOCABULARY, is_of_letter, parse_line
from tests.support import tables
from tests.support.commands import command, sure

tabled = tables.tabled(__file__)

REPLY = Ask.on_board(Topic.PLAY, "oust", 17, 12, "alice")
CHAT = Ask.on_board(Topic.CHAT, "oust", 17, 12, "alice")
SUBJECT = "oust 17 #12: your turn, alice"


def read(text: str, subject: str = SUBJECT, reply: Ask = REPLY) -> Read:
    return read_answer(subject, text, reply)


def moved(text: str, subject: str = SUBJECT) -> tuple[object, int | None]:
    command = sure("move", read(text, subject).command)
    assert (command["kind"].name, command["board"], command["userid"]) == ("oust", 17, "alice")
    assert command["password"] is REPLY
    return command["wish"], command["guard"]


def refused(text: str, subject: str = SUBJECT) -> tuple[type[UnreadableReason], str | None]:
    answer = read(text, subject)
    assert isinstance(answer.command, Unreadable), answer.command
    words = [each.answer() or each.line() for each in answer.instead]
    return type(answer.command.reason), " | ".join(words) or None


@tabled("text")
def test_placements_are_taken_in_any_reasonable_writing(text: str) -> None:
    assert moved(text) == (Place(("D4", "E5", "F9")), None)
    assert moved("", text) == (Place(("D4", "E5", "F9")), None)


@pytest.mark.parametrize("deed", ["pass", "swap", "resign", "undo", "propose", "accept", "reject"])
@pytest.mark.parametrize("around", ["{}", "{}.", "{}!", " {} ", "\u201c{}\u201d", "\u2018{}\u2019"])
def test_deeds_stand_alone_in_their_line(deed: str, around: str) -> None:
    for written in (deed, deed.title(), deed.upper()):
        assert moved(around.format(written)) == (Deed(deed), None)
        assert moved(f"{around.format(written)}\n\nThank you for the game.") == (Deed(deed), None)


@pytest.mark.parametrize("text", ["D4#14", "D4 #14", "d4 # 14.", "D4, #14", "#14"])
def test_the_number_of_the_record_may_stand_too(text: str) -> None:
    if text == "#14":
        assert refused(text)[0] is UnknownAnswer
    else:
        assert moved(text) == (Place(("D4",)), 14)
    assert moved("pass #14") == (Deed.PASS, 14)
    assert moved("resign#14") == (Deed.RESIGN, 14)


@tabled("text", "reason", "instead")
def test_what_is_not_clear_is_not_done(text: str, reason: str, instead: str) -> None:
    found, offered = refused(text)
    assert (found.__name__, offered or "") == (reason, instead)


@pytest.mark.parametrize(
    "text", ["D4 \U0001f44d", "D4\U0001f642", "D4 \u2764\ufe0f", "\U0001f44d d4"]
)
def test_pictures_beside_a_move_are_no_words(text: str) -> None:
    assert moved(text)[0] == Place(("D4",))


def test_placements_may_stand_below_each_other() -> None:
    answer = read("D4\nE5,\nF9\nThanks!\nB2")
    placed = sure("move", answer.command)["wish"]
    assert (placed, answer.text) == (Place(("D4", "E5", "F9")), "Thanks!\nB2")
    assert read("D4\n\nE5 was what I wanted").text == "E5 was what I wanted"
    assert read("pass\nD4").text == "D4"


def test_what_stands_below_goes_to_the_other_player() -> None:
    assert read("D4\n\nGood luck!\nAlice").text == "Good luck!\nAlice"
    assert read("Good luck!", "D4").text == "Good luck!"


@tabled("text", "others")
def test_words_around_a_move_go_to_the_other_player(text: str, others: str) -> None:
    answer = read(text)
    assert (sure("move", answer.command)["wish"], answer.text) == (Place(("D4",)), others)
    assert answer.is_worded


@tabled("below", "named")
def test_a_command_below_a_move_is_noticed(below: str, named: str) -> None:
    answer = read(f"D4\n{below}")
    further = answer.further and (answer.further.answer() or answer.further.line())
    assert (sure("move", answer.command)["wish"], further or "") == (Place(("D4",)), named)


@pytest.mark.parametrize(
    ("unsure", "offered"),
    [("D4", "D4"), ("| D4\n| resign", "D4 | resign"), ("Yes.\n\nI agree.", None)],
)
def test_what_may_be_quoted_is_offered_and_not_done(unsure: str, offered: str | None) -> None:
    answer = read_answer(SUBJECT, "", REPLY, unsure)
    assert isinstance(answer.command, Unreadable)
    assert isinstance(answer.command.reason, UnsureAnswer)
    assert (" | ".join(each.answer() for each in answer.instead) or None) == offered
    assert moved("D4")[0] == Place(("D4",))


@pytest.mark.parametrize("text", ["E5", "I play E5", "Hello!\nE5", "resign"])
def test_a_subject_and_a_text_with_different_moves_are_both_offered(text: str) -> None:
    meant = "resign" if text == "resign" else "E5"
    assert refused(text, "D4") == (TwoMoves, f"D4 | {meant}")
    assert moved("D4", "D4")[0] == Place(("D4",))


def test_a_subject_of_ones_own_is_the_answer_where_it_can_be_read() -> None:
    assert moved("Good luck", "D4")[0] == Place(("D4",))
    assert moved("E5", "my move")[0] == Place(("E5",))
    assert moved("E5", "")[0] == Place(("E5",))
    assert refused("", "my move") == (UnknownAnswer, None)
    assert refused("", SUBJECT) == (EmptyAnswer, None)


@tabled("subject", "whose")
def test_subjects_of_our_letters_are_no_answers(subject: str, whose: str) -> None:
    assert is_of_letter(subject) is (whose == "ours")


OUST = KINDS["oust"]


@tabled("text", "line")
def test_of_a_command_of_the_board_the_letter_knows_the_rest(text: str, line: str) -> None:
    answer = read(text)
    assert isinstance(answer.command, Command)
    assert (answer.command.line(), answer.is_whole) == (line, False)
    assert answer.command.given.get("password", REPLY) is REPLY


def test_the_text_of_chat_may_begin_in_its_own_line() -> None:
    chat = command("chat", kind=OUST, board=17, userid="alice", password=REPLY)
    answer = read("chat  It was a good game.\nThank you!")
    assert (answer.command, answer.text) == (chat, "It was a good game.\nThank you!")
    assert read("Chat\nThank you!").text == "Thank you!"
    assert read("note Watch the corner").text == "Watch the corner"


@tabled("text", "name")
def test_a_whole_command_is_one_as_everywhere(text: str, name: str) -> None:
    for answer in (read(text), read("", text)):
        assert answer.is_whole
        assert sure(name, answer.command) == parse_line(text)[1]


def test_a_whole_command_is_shown_in_the_words_of_its_player() -> None:
    shown = read("Réglages alice wonderland").line.shown(to_player(VOCABULARY, lambda _word: False))
    assert shown == "Réglages alice ********"


def test_a_whole_command_proves_itself_by_its_password_alone() -> None:
    command = sure("move", read("oust move 17 alice wonderland D4").command)
    assert command["password"] == Secret("wonderland")


@pytest.mark.parametrize(
    "text", ["seek", "unseek 1", "join 1", "showas 18", "vacation", "settings", "export", "add"]
)
def test_no_letter_about_a_board_is_good_for_anything_else(text: str) -> None:
    answer = read(text)
    assert isinstance(answer.command, Unreadable)
    assert repr(REPLY) not in repr(answer.command.reason)


def test_an_answer_to_what_the_other_player_wrote_is_chat_as_a_whole() -> None:
    answer = read("D4 was a blunder.\n\nresign?", "oust 17: bob writes", CHAT)
    chat = sure("chat", answer.command)
    assert (chat["password"], chat["meant"]) == (CHAT, None)
    assert answer.text == "D4 was a blunder.\n\nresign?"
    for text, meant in (("D4", Place(("D4",))), ("resign", Deed.RESIGN), ("pass", Deed.PASS)):
        assert sure("chat", read(text, "", CHAT).command)["meant"] == meant


def test_a_whole_command_is_no_chat() -> None:
    answer = read("oust move 17 alice wonderland D4", "oust 17: bob writes", CHAT)
    sure("move", answer.command)
    sure("chat", read("oust move is what I like", "", CHAT).command)


@given(st.text(), st.text(), st.sampled_from((REPLY, CHAT)))
def test_no_text_makes_an_exception(subject: str, text: str, reply: Ask) -> None:
    answer = read_answer(subject, text, reply)
    if not isinstance(answer.command, Unreadable):
        assert answer.command.given.get("password", reply) == reply or answer.is_whole


WORDS = (
    "D4 4D e5 pass resign swap #12 , - and show oust 17 chat reject alice wonderland note "
    "delete ? . the move help I 5"
)

MOVES = {"d4", "e5", "pass", "resign", "swap"}


@example("D4 , show")
@example(f"{12 * 'D4 '}pass")
@given(st.lists(st.sampled_from(WORDS.split()), max_size=6).map(" ".join))
def test_what_is_done_is_all_that_the_first_line_says(text: str) -> None:
    """No word beside a move is passed over: it goes to the other player, and is no other move.

    In a longer line with words that are none of ours, `pass` more likely speaks of something else.
    """
    answer = read(text)
    command = answer.command
    if is_move(command) and command["password"] is REPLY:
        left = set(text.lower().split()) - {",", "-", ".", "and", "move", "i", "5", "17", "12"}
        left -= {word for word in left if word.startswith("#")}
        wish: Wish = command["wish"]
        done = {cell.lower() for cell in wish.cells} if isinstance(wish, Place) else {wish.value}
        assert not (left - done) & MOVES
        assert left <= done or (answer.is_worded and answer.text == text)


@tabled("line", "answer")
def test_a_command_line_is_shortened_to_what_an_answer_needs(line: str, answer: str) -> None:
    _, command = parse_line(line)
    assert not isinstance(command, Unreadable)
    assert command.answer((OUST, 17, "alice")) == answer


def test_an_answer_of_which_something_is_wanting_has_a_blank_for_that() -> None:
    submitted = command("submit", kind=OUST, board=17, userid="alice")
    assert submitted.answer((OUST, 17, "alice")) == "submit PLACEMENTS[#N]"


@pytest.mark.parametrize("word", ["chat", "Chat:", "parle"])
def test_chat_may_be_a_long_paragraph_on_one_line(word: str) -> None:
    answer = read(f"{word} {'I think D4 is good. ' * 100}", "")
    sure("chat", answer.command)
    assert answer.text.startswith("I think D4")


def test_a_long_paragraph_is_no_move_and_is_not_repeated_whole() -> None:
    answer = read("I think D4 is good. " * 100, "")
    assert isinstance(answer.command, Unreadable)
    assert answer.command.reason == UnknownAnswer()
    assert len(answer.line.words) < 10
