"""What a person wrote, parted from signatures, quotes and older mails."""

import pytest

from pbm_oust.mail.reading.own_text import own_text


@pytest.mark.parametrize("mark", ["--", "-- "])
def test_a_signature_ends_the_text(mark: str) -> None:
    assert own_text(f"Good luck!\n\n{mark}\nAlice\nexample.org\n").whole == "Good luck!"


@pytest.mark.parametrize("line", ["---", "----", "--- ", "-", "- -", "--x", "-- Alice"])
def test_other_dashes_do_not_end_the_text(line: str) -> None:
    assert own_text(f"before\n{line}\nafter").whole == f"before\n{line.rstrip()}\nafter"


@pytest.mark.parametrize(
    "line", ["- " * 3 + "-", "* * *", "-" * 40, "--- my plan ---", "___", "====", "~~~~~~~~~~~~"]
)
def test_a_separator_drawn_by_hand_does_not_end_the_text(line: str) -> None:
    assert own_text(f"before\n{line}\nafter").whole == f"before\n{line}\nafter"


ATTRIBUTIONS = (
    "On Fri, Nov 20, 2026 at 3:36 PM pbm_oust <pbmserv@example.org> wrote:",
    "On Fri, Nov 20, 2026 at 3:36 PM pbm_oust\n<pbmserv@example.org> wrote:",
    "Am Freitag, 20. November 2026 schrieb pbm_oust <pbmserv@example.org>:",
    "Le ven. 20 nov. 2026 \u00e0 15:36, pbm_oust a \u00e9crit :",
    "El vie, 20 nov 2026 a las 15:36, pbm_oust escribi\u00f3:",
    "Il giorno ven 20 nov 2026 pbm_oust ha scritto:",
    "Op vr 20 nov. 2026 schreef pbm_oust:",
    "2026\u5e7411\u670820\u65e5 pbm_oust \u5199\u9053\uff1a",
    "pbm_oust skrev:",
)


@pytest.mark.parametrize("attribution", ATTRIBUTIONS)
def test_a_quote_below_the_text_goes_with_its_attribution(attribution: str) -> None:
    text = f"Good luck!\n\n{attribution}\n> It is your turn.\n>\n> oust 17\n"
    assert own_text(text).whole == "Good luck!"


@pytest.mark.parametrize("attribution", ATTRIBUTIONS)
def test_a_quote_above_the_text_goes_with_its_attribution(attribution: str) -> None:
    text = f"{attribution}\n\n> It is your turn.\n> oust 17\n\nGood luck!\n"
    assert own_text(text).whole == "Good luck!"


def test_answers_between_quotes_are_kept() -> None:
    text = "> Shall we play?\nYes.\n\n> On hex?\nNo, on square.\n"
    assert own_text(text).whole == "Yes.\n\nNo, on square."


def test_a_quote_without_an_attribution_takes_nothing_with_it() -> None:
    assert own_text("Good luck.\n> It is your turn.\n").whole == "Good luck."


def test_a_colon_inside_the_text_takes_nothing_with_it() -> None:
    text = "My plan:\n\nfirst D4, then E5.\n\n> It is your turn.\n"
    assert own_text(text).whole == "My plan:\n\nfirst D4, then E5."


def test_what_stands_right_above_an_attribution_is_kept() -> None:
    text = "Good luck.\nSee you.\nOn Fri, Nov 20, 2026 at 3:36 PM pbm_oust wrote:\n> oust 17\n"
    assert own_text(text).whole == "Good luck.\nSee you."


def test_what_stands_right_above_a_short_attribution_is_kept() -> None:
    assert (
        own_text("In the end I lost.\npbm_oust skrev:\n> oust 17\n").whole == "In the end I lost."
    )


@pytest.mark.parametrize("line", ["I like this:", "My plan:", "Two things, then:"])
def test_a_line_that_ends_in_a_colon_and_says_nothing_of_a_sender_is_kept(line: str) -> None:
    assert own_text(f"{line}\n> It is your turn.\n").whole == line


@pytest.mark.parametrize("mark", ["\t", " |", "| "])
def test_a_quote_with_a_rare_mark_goes_where_an_attribution_stands_above(mark: str) -> None:
    quote = f"{mark}It is your turn.\n\n{mark}oust 17\n"
    text = f"pbm_oust <pbmserv@example.org> wrote:\n\n{quote}\nGood luck!\n"
    assert own_text(text).whole == "Good luck!"


@pytest.mark.parametrize("mark", ["\t", " |", "| "])
def test_a_line_with_a_rare_mark_is_kept_where_no_attribution_stands_above(mark: str) -> None:
    assert own_text(f"See:\n{mark}a table").whole == f"See:\n{mark}a table"


@pytest.mark.parametrize(
    "line",
    ["Sent from my iPhone", "Von meinem iPhone gesendet", "Get Outlook for iOS<https://aka.ms/o>"],
)
def test_a_line_that_a_phone_adds_goes_at_the_end_only(line: str) -> None:
    assert own_text(f"Good luck!\n\n{line}\n").whole == "Good luck!"
    assert own_text(f"{line}\nwas what it said.").whole == f"{line}\nwas what it said."


@pytest.mark.parametrize(
    "line",
    ["Sent from my heart and with all the love that there is in it", "I sent from my iPhone"],
)
def test_a_line_that_only_resembles_what_a_phone_adds_is_kept(line: str) -> None:
    assert own_text(f"Good luck!\n{line}").whole == f"Good luck!\n{line}"


@pytest.mark.parametrize(
    "line",
    [
        "-----Original Message-----",
        "----- Original Message -----",
        "-----Urspr\u00fcngliche Nachricht-----",
        "---------- Forwarded message ---------",
        "-------- Weitergeleitete Nachricht --------",
        "________________________________",
        "--------------------------------",
    ],
)
def test_a_line_that_announces_an_older_message_ends_the_text(line: str) -> None:
    assert (
        own_text(f"Good luck!\n\n{line}\nFrom: pbm_oust\nSubject: oust 17\n").whole == "Good luck!"
    )


@pytest.mark.parametrize(
    "block",
    [
        "From: pbm_oust <pbmserv@example.org>\nSent: Friday\nTo: Alice\nSubject: oust 17\n",
        "Von: pbm_oust <pbmserv@example.org>\nGesendet: Freitag\nAn: Alice\nBetreff: oust 17\n",
        "De: pbm_oust\nEnvoy\u00e9: vendredi\n\u00c0: Alice\nObjet: oust 17\n",
        "Van: pbm_oust\nVerzonden: vrijdag\nAan: Alice\nOnderwerp: oust 17\n",
        "Fra: pbm_oust\nSendt: fredag\nTil: Alice\nEmne: oust 17\n",
    ],
)
def test_a_block_of_headers_ends_the_text(block: str) -> None:
    assert own_text(f"Good luck!\n\n{block}\nIt is your turn.").whole == "Good luck!"


@pytest.mark.parametrize(
    "text", ["From: here it looks won.\nTo me.", "From: A1 to D4,\nthen on", "De: rien"]
)
def test_a_single_line_like_a_header_is_kept(text: str) -> None:
    assert own_text(text).whole == text


def test_spaces_behind_lines_and_empty_lines_around_the_text_go() -> None:
    assert own_text("\n\n  D4   \n\n\n\nwell played \t\n\n").whole == "  D4\n\nwell played"


@pytest.mark.parametrize("text", ["", "\n\n", "> only\n> quoted", "-- \nAlice"])
def test_a_mail_in_which_nothing_was_written_has_no_text(text: str) -> None:
    assert own_text(text).whole == ""
