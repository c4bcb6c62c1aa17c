"""What a person wrote reaches the other player, or they are told what was left out."""

from tests.support import tables
from tests.support.histories import moves_of
from tests.support.home_by_mail import ALICE, BOB, Talk, new_id

tabled = tables.tabled(__file__)

CHAT, MOVE = "oust chat 1 alice wonderland", "oust move 1 alice wonderland D3"


@tabled("text")
def test_all_that_a_person_wrote_goes_along(text: str, talk: Talk) -> None:
    talk.send(ALICE, CHAT, text)
    told = talk.text_to(BOB)
    assert all(written.strip() in told for written in text.replace("\t", "").splitlines())
    assert "left out" not in talk.text_to(ALICE)


def test_it_goes_along_with_a_move_too(talk: Talk) -> None:
    talk.send(ALICE, MOVE, "Hello.\n\n----- Plans -----\nTo win.\n\nThis email is confidential: x")
    assert "To win." in talk.text_to(BOB)
    assert "confidential" not in talk.text_to(BOB)
    assert "  This email is confidential: x\n" in talk.text_to(ALICE)


def test_from_at_the_beginning_of_a_line_is_as_it_was_written(talk: Talk) -> None:
    talk.send(ALICE, CHAT, "So far so good.\n>From here on I win.")
    assert "\n  From here on I win." in talk.text_to(BOB)


@tabled("text")
def test_what_may_be_a_persons_and_is_left_out_is_shown_to_them(text: str, talk: Talk) -> None:
    talk.send(ALICE, CHAT, f"Hello.\n\n{text}")
    first = next(each for each in text.splitlines() if each.strip("-"))
    assert first not in talk.text_to(BOB)
    assert "Part of your mail was left out" in talk.text_to(ALICE)
    assert f"  {first}\n" in talk.text_to(ALICE)


def test_a_text_that_is_too_long_is_told_where_it_was_cut(talk: Talk) -> None:
    talk.send(ALICE, CHAT, "word " * 2_500 + "\n")
    assert "Part of your mail was left out" in talk.text_to(ALICE)


@tabled("text")
def test_what_programs_add_goes_along_to_nobody_and_is_not_told(text: str, talk: Talk) -> None:
    talk.send(ALICE, CHAT, f"Hello.\n\n{text}")
    assert "Hello." in talk.text_to(BOB)
    letters = talk.text_to(BOB) + talk.text_to(ALICE)
    assert not any(line in letters for line in text.splitlines() if line.strip("- _"))
    assert "left out" not in letters


def test_a_signature_below_a_page_goes_along_to_nobody_and_is_not_told(talk: Talk) -> None:
    page = "<p>Hello.</p><div>--&nbsp;<br>Alice Player<br>+44 20 7946 0000</div>"
    headers = [new_id(), "Content-Type: text/html"]
    talk.send(ALICE, CHAT, page, headers=headers)
    assert "Hello." in talk.text_to(BOB)
    assert "7946" not in talk.text_to(BOB) + talk.text_to(ALICE)
    assert "left out" not in talk.text_to(ALICE)


def test_nothing_that_was_left_out_goes_to_an_owner_who_did_not_write_it(talk: Talk) -> None:
    talk.send(ALICE, "oust challenge alice bob -size=5", "Hi\n\nThis email is confidential: x")
    assert "confidential" not in talk.text_to(ALICE)
    talk.send(ALICE, "oust move 1 alice guessed D3", "Hi\n\nThis email is confidential: x")
    assert "confidential" not in talk.text_to(ALICE)


def test_commands_that_are_not_carried_out_because_of_a_title_are_told(talk: Talk) -> None:
    lines = "oust note 1 alice wonderland\n----- and then -----\noust move 1 alice wonderland D3"
    talk.send(ALICE, "multiple", lines)
    assert talk.letter_to(ALICE).subject == "1 of 1 done"
    assert "  ----- and then -----\n" in talk.text_to(ALICE)


@tabled("cell", "meant")
def test_a_cell_in_letters_of_other_scripts_that_look_right_is_played(
    cell: str, meant: str, talk: Talk
) -> None:
    talk.send(ALICE, f"oust move 1 alice wonderland {cell}")
    assert moves_of(talk.home, 1) == [f"x {meant}"]


@tabled("cell", "meant")
def test_a_cell_that_may_mean_another_is_offered(cell: str, meant: str, talk: Talk) -> None:
    talk.send(ALICE, f"oust move 1 alice wonderland {cell}")
    assert moves_of(talk.home, 1) == []
    assert not meant or f"oust move 1 alice PASSWORD {meant}" in talk.text_to(ALICE)
